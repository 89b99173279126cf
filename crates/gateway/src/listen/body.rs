//! Reading a request body within bounds of size and time.

use std::io::Read;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use flate2::bufread::GzDecoder;
use http::request::Parts;
use http::{HeaderMap, header};
use http_body::Body;
use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::limits::BODY_TIMEOUT;

/// Compressed bodies above this size are inflated on the blocking pool: a few milliseconds of work.
const INLINE_INFLATE_BYTES: usize = 32 * 1024;
/// How much of a body nobody read is thrown away before the connection is cut instead.
const MAX_DISCARDED_BYTES: usize = 64 * 1024 * 1024;
/// How long that may take.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(20);
/// First guess for a body of undeclared length.
const UNDECLARED_CAPACITY_BYTES: usize = 8 * 1024;

/// A request body that is still on the wire.
///
/// Dropping it unread discards the rest in the background, within bounds: a client that is still
/// writing then reads its reply (401, 413) instead of a connection reset.
#[derive(Debug)]
pub struct RequestBody {
    source: Source,
    encoding: ContentEncoding,
    timeout: Duration,
    /// A client that waits for `100 Continue` has not sent its body and must not be invited to.
    discard: bool,
}

#[derive(Debug)]
enum Source {
    Bytes(Bytes),
    Wire(Incoming),
}

#[derive(Debug)]
enum ContentEncoding {
    Identity,
    Gzip,
    Other(String),
}

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// More bytes than the caller allows, on the wire or after decompression.
    #[error("the request body exceeds {limit_bytes} bytes")]
    TooLarge {
        /// What the caller allowed.
        limit_bytes: usize,
    },
    /// The last byte did not arrive in time.
    #[error("the request body did not arrive within {} s", .after.as_secs_f32())]
    TooSlow {
        /// How long was waited.
        after: Duration,
    },
    /// `Content-Encoding` names something else than gzip or identity.
    #[error("content encoding '{encoding}' is not supported, use gzip or identity")]
    UnsupportedEncoding {
        /// The header's value.
        encoding: String,
    },
    /// The gzip data is damaged or incomplete.
    #[error("the gzip request body is damaged")]
    CorruptGzip,
    /// The connection broke or the client violated the protocol; no reply will arrive.
    #[error("the request body broke off")]
    Broken(#[source] hyper::Error),
}

impl RequestBody {
    /// A body that is already here.
    pub fn from_bytes(bytes: Bytes) -> RequestBody {
        RequestBody {
            source: Source::Bytes(bytes),
            encoding: ContentEncoding::Identity,
            timeout: BODY_TIMEOUT,
            discard: false,
        }
    }

    pub(super) fn from_wire(head: &Parts, incoming: Incoming, timeout: Duration) -> RequestBody {
        if incoming.is_end_stream() {
            return RequestBody::from_bytes(Bytes::new());
        }
        RequestBody {
            source: Source::Wire(incoming),
            encoding: content_encoding(&head.headers),
            timeout,
            discard: !head.headers.contains_key(header::EXPECT),
        }
    }

    /// The declared length on the wire, where the client declared one.
    pub fn declared_len(&self) -> Option<u64> {
        match &self.source {
            Source::Bytes(bytes) => Some(bytes.len() as u64),
            Source::Wire(incoming) => incoming.size_hint().exact(),
        }
    }

    /// Reads and decompresses the whole body; both forms must fit in `max_bytes`.
    /// A body that arrived in one piece is handed out without a copy.
    pub async fn collect(mut self, max_bytes: usize) -> Result<Bytes, BodyError> {
        let too_large = || BodyError::TooLarge { limit_bytes: max_bytes };
        if self.declared_len().is_some_and(|len| len > max_bytes as u64) {
            return Err(too_large());
        }
        if let ContentEncoding::Other(encoding) = &mut self.encoding {
            let encoding = std::mem::take(encoding);
            return Err(BodyError::UnsupportedEncoding { encoding });
        }
        let after = self.timeout;
        let raw = match &mut self.source {
            Source::Bytes(bytes) => std::mem::take(bytes),
            Source::Wire(incoming) => match tokio::time::timeout(after, read_all(incoming, max_bytes)).await {
                Ok(read) => read?.ok_or_else(too_large)?,
                Err(_) => return Err(BodyError::TooSlow { after }),
            },
        };
        match self.encoding {
            ContentEncoding::Gzip if !raw.is_empty() => inflate_off_thread(raw, max_bytes).await,
            _ => Ok(raw),
        }
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        let Source::Wire(incoming) = &mut self.source else {
            return;
        };
        if !self.discard || incoming.is_end_stream() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let source = std::mem::replace(&mut self.source, Source::Bytes(Bytes::new()));
        if let Source::Wire(incoming) = source {
            runtime.spawn(tokio::time::timeout(DISCARD_TIMEOUT, discard(incoming)));
        }
    }
}

fn content_encoding(headers: &HeaderMap) -> ContentEncoding {
    let Some(value) = headers.get(header::CONTENT_ENCODING) else {
        return ContentEncoding::Identity;
    };
    let value = value.as_bytes().trim_ascii();
    if value.eq_ignore_ascii_case(b"gzip") || value.eq_ignore_ascii_case(b"x-gzip") {
        ContentEncoding::Gzip
    } else if value.is_empty() || value.eq_ignore_ascii_case(b"identity") {
        ContentEncoding::Identity
    } else {
        ContentEncoding::Other(String::from_utf8_lossy(value).into_owned())
    }
}

/// Returns `None` when the body exceeds `max_bytes`.
async fn read_all(incoming: &mut Incoming, max_bytes: usize) -> Result<Option<Bytes>, BodyError> {
    let Some(first) = next_data(incoming).await? else {
        return Ok(Some(Bytes::new()));
    };
    if first.len() > max_bytes {
        return Ok(None);
    }
    if incoming.is_end_stream() {
        return Ok(Some(first));
    }
    let declared = incoming.size_hint().exact().map(|rest| rest as usize);
    let capacity = first.len() + declared.unwrap_or(UNDECLARED_CAPACITY_BYTES);
    let mut whole = BytesMut::with_capacity(capacity.min(max_bytes));
    whole.extend_from_slice(&first);
    while let Some(data) = next_data(incoming).await? {
        if whole.len() + data.len() > max_bytes {
            return Ok(None);
        }
        whole.extend_from_slice(&data);
    }
    Ok(Some(whole.freeze()))
}

async fn next_data(incoming: &mut Incoming) -> Result<Option<Bytes>, BodyError> {
    while let Some(frame) = incoming.frame().await {
        // Trailers carry nothing that any API uses.
        if let Ok(data) = frame.map_err(BodyError::Broken)?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

async fn discard(mut incoming: Incoming) {
    let mut seen_bytes = 0;
    while seen_bytes <= MAX_DISCARDED_BYTES {
        match next_data(&mut incoming).await {
            Ok(Some(data)) => seen_bytes += data.len(),
            _ => return,
        }
    }
}

async fn inflate_off_thread(raw: Bytes, max_bytes: usize) -> Result<Bytes, BodyError> {
    if raw.len() <= INLINE_INFLATE_BYTES {
        return inflate(&raw, max_bytes);
    }
    // The task cannot be cancelled, so an error here is a panic in the decompressor.
    tokio::task::spawn_blocking(move || inflate(&raw, max_bytes)).await.unwrap_or(Err(BodyError::CorruptGzip))
}

fn inflate(raw: &[u8], max_bytes: usize) -> Result<Bytes, BodyError> {
    let mut whole = Vec::with_capacity(raw.len().saturating_mul(4).min(max_bytes));
    let mut bounded = GzDecoder::new(raw).take(max_bytes as u64 + 1);
    bounded.read_to_end(&mut whole).map_err(|_| BodyError::CorruptGzip)?;
    if whole.len() > max_bytes {
        return Err(BodyError::TooLarge { limit_bytes: max_bytes });
    }
    Ok(whole.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn inflating_stops_at_the_limit() {
        let bomb = gzip(&vec![0; 10 << 20]);
        assert!(bomb.len() < 64 << 10);
        let result = inflate(&bomb, 1 << 20);
        assert!(matches!(
            result,
            Err(BodyError::TooLarge { limit_bytes }) if limit_bytes == 1 << 20
        ));
        assert_eq!(inflate(&bomb, 10 << 20).unwrap().len(), 10 << 20);
    }

    #[test]
    fn damaged_gzip_is_an_error() {
        let whole = gzip(b"hello");
        assert!(matches!(inflate(&whole[..whole.len() - 9], 100), Err(BodyError::CorruptGzip)));
        assert!(matches!(inflate(b"plain", 100), Err(BodyError::CorruptGzip)));
    }
}
