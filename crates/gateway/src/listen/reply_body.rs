//! The body of a reply: nothing, bytes at hand, or a stream of pieces.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::mpsc;

/// A reply's body and what the metrics should know of the request.
#[derive(Debug)]
pub struct ReplyBody {
    content: Content,
    facts: ReplyFacts,
}

/// What an adapter knows about a request and the listener records.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReplyFacts {
    /// Index into the route names given to [`Metrics::api`](crate::metrics::Metrics::api); 0 where no route was found.
    pub route: u8,
    /// The request charge.
    pub charge_ru: f64,
}

#[derive(Debug)]
enum Content {
    Full(Option<Bytes>),
    Stream(mpsc::Receiver<Piece>),
}

#[derive(Debug)]
enum Piece {
    Data(Bytes),
    End,
}

impl ReplyBody {
    /// No body.
    pub fn empty() -> ReplyBody {
        Content::Full(None).into()
    }

    /// Bytes at hand; an empty `bytes` is no body.
    pub fn full(bytes: impl Into<Bytes>) -> ReplyBody {
        let bytes = bytes.into();
        Content::Full((!bytes.is_empty()).then_some(bytes)).into()
    }

    /// A body whose pieces are sent while they are made, at most `capacity` of them waiting. Never compressed.
    pub fn stream(capacity: usize) -> (ReplySender, ReplyBody) {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        (ReplySender(sender), Content::Stream(receiver).into())
    }

    /// The same body with `facts` for the metrics.
    pub fn with_facts(mut self, facts: ReplyFacts) -> ReplyBody {
        self.facts = facts;
        self
    }

    /// What the adapter said about the request.
    pub fn facts(&self) -> ReplyFacts {
        self.facts
    }

    /// The bytes at hand: `None` for a stream, empty for no body.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Full(bytes) => Some(bytes.as_deref().unwrap_or_default()),
            Content::Stream(_) => None,
        }
    }

    /// Takes the bytes of a body that is not a stream and has any.
    pub(super) fn take_bytes(&mut self) -> Option<Bytes> {
        match &mut self.content {
            Content::Full(bytes) => bytes.take(),
            Content::Stream(_) => None,
        }
    }
}

impl From<Content> for ReplyBody {
    fn from(content: Content) -> ReplyBody {
        ReplyBody { content, facts: ReplyFacts::default() }
    }
}

impl From<Bytes> for ReplyBody {
    fn from(bytes: Bytes) -> ReplyBody {
        ReplyBody::full(bytes)
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = ReplyAborted;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, ReplyAborted>>> {
        match &mut self.content {
            Content::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Content::Stream(receiver) => receiver.poll_recv(cx).map(|piece| match piece {
                Some(Piece::Data(bytes)) => Some(Ok(Frame::data(bytes))),
                Some(Piece::End) => None,
                None => Some(Err(ReplyAborted)),
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.content, Content::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Full(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64)),
            Content::Stream(_) => SizeHint::default(),
        }
    }
}

/// The producing end of [`ReplyBody::stream`].
///
/// Dropping it without [`finish`](ReplySender::finish) breaks the reply off, so that a producer that
/// fails or panics never leaves a client with half a reply that looks whole.
#[derive(Debug)]
pub struct ReplySender(mpsc::Sender<Piece>);

impl ReplySender {
    /// Hands over one piece, waiting while the client is behind.
    pub async fn send(&self, bytes: Bytes) -> Result<(), ClientGone> {
        let sent = self.0.send(Piece::Data(bytes)).await;
        sent.map_err(|_| ClientGone)
    }

    /// Ends the reply properly.
    pub async fn finish(self) -> Result<(), ClientGone> {
        self.0.send(Piece::End).await.map_err(|_| ClientGone)
    }
}

/// The client closed the connection or reset the stream before the reply was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client went away before the reply was complete")]
pub struct ClientGone;

/// The producer of a streamed reply stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the reply was broken off by its producer")]
pub struct ReplyAborted;
