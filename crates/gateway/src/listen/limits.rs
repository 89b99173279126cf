//! The bounds of a port.

use std::time::Duration;

/// From accept to the first byte, and from there to the end of a TLS handshake.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// From a request's first byte to the end of its headers.
pub const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection without a request in flight. Longer than the pools of the official SDKs keep one (100 s in .NET,
/// 60 s in Java), so that it is the client that closes and no request meets a closing socket.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(180);
/// From the headers to the last byte of a request body.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// A client that takes no byte of its reply for so long is cut off.
pub const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a stop waits for requests in flight.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// Open connections per port.
pub const MAX_CONNECTIONS: usize = 4096;
/// Requests per API between their headers and the last byte of their reply.
pub const MAX_IN_FLIGHT: usize = 1024;
/// HTTP/1: request line and headers together; also bounds the read buffer. Continuations and session tokens
/// travel in headers and reach 16 KiB in the wild.
pub const MAX_HEAD_BYTES: usize = 128 * 1024;
/// HTTP/2: the decoded header list.
pub const MAX_HEADER_LIST_BYTES: u32 = 128 * 1024;
/// HTTP/2: requests at once on one connection. The .NET SDK opens another connection at the server's bound.
pub const MAX_CONCURRENT_STREAMS: u32 = 256;
/// HTTP/2: receive window of a stream: one item of the largest size fits without a round trip.
pub const STREAM_WINDOW_BYTES: u32 = 2 * 1024 * 1024;
/// HTTP/2: receive window of a connection.
pub const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/// HTTP/2: bytes of replies buffered per stream.
pub const MAX_SEND_BUFFER_BYTES: usize = 512 * 1024;
/// Replies of at least this size are compressed for clients that ask. Below, the time to compress exceeds what a fast network saves.
pub const GZIP_MIN_BYTES: usize = 32 * 1024;

/// The bounds of one port; the defaults are this module's constants.
#[derive(Debug, Clone)]
pub struct Limits {
    /// See [`HANDSHAKE_TIMEOUT`].
    pub handshake_timeout: Duration,
    /// See [`HEADER_READ_TIMEOUT`]. Enforced to within half its length.
    pub header_read_timeout: Duration,
    /// See [`IDLE_TIMEOUT`].
    pub idle_timeout: Duration,
    /// See [`BODY_TIMEOUT`].
    pub body_timeout: Duration,
    /// See [`WRITE_STALL_TIMEOUT`].
    pub write_stall_timeout: Duration,
    /// See [`DRAIN_TIMEOUT`].
    pub drain_timeout: Duration,
    /// See [`MAX_CONNECTIONS`].
    pub max_connections: usize,
    /// See [`MAX_IN_FLIGHT`].
    pub max_in_flight: usize,
    /// See [`MAX_HEAD_BYTES`].
    pub max_head_bytes: usize,
    /// See [`MAX_CONCURRENT_STREAMS`].
    pub max_concurrent_streams: u32,
    /// See [`GZIP_MIN_BYTES`].
    pub gzip_min_bytes: usize,
    /// Whether replies to the same machine are compressed too. Off, because copying a megabyte over
    /// loopback is some twenty times faster than compressing it.
    pub gzip_over_loopback: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            handshake_timeout: HANDSHAKE_TIMEOUT,
            header_read_timeout: HEADER_READ_TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            body_timeout: BODY_TIMEOUT,
            write_stall_timeout: WRITE_STALL_TIMEOUT,
            drain_timeout: DRAIN_TIMEOUT,
            max_connections: MAX_CONNECTIONS,
            max_in_flight: MAX_IN_FLIGHT,
            max_head_bytes: MAX_HEAD_BYTES,
            max_concurrent_streams: MAX_CONCURRENT_STREAMS,
            gzip_min_bytes: GZIP_MIN_BYTES,
            gzip_over_loopback: false,
        }
    }
}
