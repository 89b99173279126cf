//! A TCP stream that counts, so that one slow timer per connection can tell stalls from work.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use http::Version;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// What happened on a connection so far. Written by its socket and its requests without ordering: the
/// supervisor reads it every few seconds and needs no exact moment.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
    write_blocked: AtomicBool,
    requests: AtomicU64,
    in_flight: AtomicU32,
    /// `read_bytes` when the last request ended: more means that another one has begun to arrive.
    read_bytes_at_end: AtomicU64,
    /// HTTP/2: bytes between requests are control frames, not the beginning of a request.
    multiplexed: AtomicBool,
}

/// The counters at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TrafficSample {
    pub(super) written_bytes: u64,
    pub(super) write_blocked: bool,
    pub(super) requests: u64,
    pub(super) in_flight: u32,
    pub(super) partial_request: bool,
}

impl Traffic {
    pub(super) fn sample(&self) -> TrafficSample {
        let read_bytes = self.read_bytes.load(Relaxed);
        TrafficSample {
            written_bytes: self.written_bytes.load(Relaxed),
            write_blocked: self.write_blocked.load(Relaxed),
            requests: self.requests.load(Relaxed),
            in_flight: self.in_flight.load(Relaxed),
            partial_request: read_bytes > self.read_bytes_at_end.load(Relaxed) && !self.multiplexed.load(Relaxed),
        }
    }

    pub(super) fn request_begins(&self, version: Version) {
        if version == Version::HTTP_2 && !self.multiplexed.load(Relaxed) {
            self.multiplexed.store(true, Relaxed);
        }
        self.requests.fetch_add(1, Relaxed);
        self.in_flight.fetch_add(1, Relaxed);
    }

    pub(super) fn request_ends(&self) {
        self.in_flight.fetch_sub(1, Relaxed);
        self.read_bytes_at_end.store(self.read_bytes.load(Relaxed), Relaxed);
    }

    fn note_read(&self, bytes: usize) {
        // Only the task that owns the socket writes here: no read-modify-write needed.
        self.read_bytes.store(self.read_bytes.load(Relaxed) + bytes as u64, Relaxed);
    }

    fn note_write(&self, written: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(bytes)) = written {
            self.written_bytes.store(self.written_bytes.load(Relaxed) + *bytes as u64, Relaxed);
        }
        let blocked = written.is_pending();
        if self.write_blocked.load(Relaxed) != blocked {
            self.write_blocked.store(blocked, Relaxed);
        }
    }
}

/// A TCP stream reporting to a [`Traffic`]. Sits below TLS, so both schemes are seen alike.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    traffic: Arc<Traffic>,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, traffic: Arc<Traffic>) -> Socket {
        Socket { stream, traffic }
    }

    /// Waits for the first byte and leaves it in place. `None` if the client closed without one.
    pub(super) async fn peek_first_byte(&self) -> io::Result<Option<u8>> {
        let mut first = [0];
        let count = self.stream.peek(&mut first).await?;
        Ok((count == 1).then_some(first[0]))
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let count = buffer.filled().len() - before;
        if count > 0 {
            self.traffic.note_read(count);
        }
        result
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, data);
        self.traffic.note_write(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.traffic.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
