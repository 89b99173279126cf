//! One connection: telling HTTP from HTTPS, driving hyper, and closing it when it stalls, idles or must stop.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use hyper::rt::{Read, Write};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::dispatch::{self, Outgoing};
use super::server::Shared;
use super::socket::{Socket, Traffic, TrafficSample};
use super::workers::Seat;
use super::{Limits, Shutdown};
use crate::metrics::ConnectionGauge;

/// The first byte of a TLS record that carries a handshake; no HTTP method begins with it.
const TLS_HANDSHAKE_BYTE: u8 = 0x16;
/// Stalls are looked for at this pace at the slowest.
const MAX_SUPERVISION_INTERVAL: Duration = Duration::from_secs(5);
/// And at this pace at the fastest.
const MIN_SUPERVISION_INTERVAL: Duration = Duration::from_millis(20);

/// Facts about the connection a request came in on.
#[derive(Debug)]
pub struct Connection {
    peer: SocketAddr,
    scheme: Scheme,
    alpn: Option<Vec<u8>>,
    shutdown: Shutdown,
    traffic: Arc<Traffic>,
    /// Frees the connection's slot when the last holder is done with the connection.
    slot: Option<Slot>,
}

/// What a connection occupies: a place under the limit, one in the gauge and one on a thread.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) _permit: OwnedSemaphorePermit,
    pub(super) _gauge: ConnectionGauge,
    pub(super) seat: Option<Seat>,
}

/// Whether a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Plain text.
    Http,
    /// TLS.
    Https,
}

impl Scheme {
    /// The scheme as it stands in a URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }
}

impl Connection {
    pub(super) fn in_process() -> Connection {
        let (_, shutdown) = Shutdown::channel();
        Connection {
            peer: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            scheme: Scheme::Http,
            alpn: None,
            shutdown,
            traffic: Arc::default(),
            slot: None,
        }
    }

    /// The client's address and port.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// HTTP or HTTPS.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The protocol agreed on in the TLS handshake (`h2`, `http/1.1`), if any.
    pub fn alpn(&self) -> Option<&[u8]> {
        self.alpn.as_deref()
    }

    /// Whether the client runs on this machine.
    pub fn is_loopback(&self) -> bool {
        self.peer.ip().to_canonical().is_loopback()
    }

    /// The server's stop signal, for tasks that take the connection over.
    pub fn shutdown(&self) -> Shutdown {
        self.shutdown.clone()
    }

    pub(super) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Counts a request of the connection until it is answered: its thread waits for more than clients meanwhile. For tasks that take
    /// the connection over; HTTP's requests are counted already.
    pub fn request(self: &Arc<Self>) -> Unanswered {
        if let Some(count) = self.unanswered() {
            count.fetch_add(1, Relaxed);
        }
        Unanswered(self.clone())
    }

    fn unanswered(&self) -> Option<&AtomicUsize> {
        self.slot.as_ref()?.seat.as_ref().map(Seat::unanswered)
    }
}

/// A request that is not answered yet.
#[derive(Debug)]
pub struct Unanswered(Arc<Connection>);

impl Unanswered {
    pub(super) fn connection(&self) -> &Connection {
        &self.0
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        if let Some(count) = self.0.unanswered() {
            count.fetch_sub(1, Relaxed);
        }
    }
}

/// Why a connection ended before its client closed it. For the debug log only.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectionError {
    #[error("no request or handshake within {} s", .0.as_secs_f32())]
    Handshake(Duration),
    #[error("a TLS handshake came to a port without TLS")]
    TlsOff,
    #[error("socket: {0}")]
    Socket(#[from] io::Error),
    #[error("http: {0}")]
    Http(Box<dyn std::error::Error + Send + Sync>),
    #[error("the headers of a request did not arrive in time")]
    SlowHeader,
    #[error("no request for the idle time")]
    Idle,
    #[error("the client took no byte of its reply for too long")]
    WriteStall,
}

/// Serves `stream` to its end.
pub(super) async fn run(
    shared: Arc<Shared>,
    stream: TcpStream,
    peer: SocketAddr,
    slot: Slot,
    shutdown: Shutdown,
) -> Result<(), ConnectionError> {
    let traffic = Arc::new(Traffic::default());
    let socket = Socket::new(stream, traffic.clone());
    let patience = shared.limits.handshake_timeout;
    let mut stop = shutdown.clone();
    let opened = tokio::select! {
        opened = tokio::time::timeout(patience, open(&shared, socket)) => opened,
        () = stop.requested() => return Ok(()),
    };
    let Some(transport) = opened.map_err(|_| ConnectionError::Handshake(patience))?? else {
        return Ok(());
    };
    let (scheme, alpn) = transport.facts();
    let connection = Arc::new(Connection { peer, scheme, alpn, shutdown: shutdown.clone(), traffic, slot: Some(slot) });
    match transport {
        Transport::Plain(socket) => drive(shared, connection, TokioIo::new(socket), stop).await,
        Transport::Tls(stream) => drive(shared, connection, TokioIo::new(stream), stop).await,
    }
}

/// Answers one request of a connection over the limit and closes it.
pub(super) async fn refuse(shared: Arc<Shared>, stream: TcpStream) -> Result<(), ConnectionError> {
    let socket = Socket::new(stream, Arc::default());
    // A TLS handshake is the very work the limit protects from: such clients see a closed connection.
    match socket.peek_first_byte().await? {
        None | Some(TLS_HANDSHAKE_BYTE) => return Ok(()),
        Some(_) => {}
    }
    let service = service_fn(|request| {
        let response = dispatch::too_many_connections(&shared, &request);
        std::future::ready(Ok::<_, Infallible>(response))
    });
    hyper::server::conn::http1::Builder::new()
        .keep_alive(false)
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(socket), service)
        .await
        .map_err(|error| ConnectionError::Http(error.into()))
}

enum Transport {
    Plain(Socket),
    Tls(Box<tokio_rustls::server::TlsStream<Socket>>),
}

impl Transport {
    fn facts(&self) -> (Scheme, Option<Vec<u8>>) {
        match self {
            Transport::Plain(_) => (Scheme::Http, None),
            Transport::Tls(stream) => {
                let alpn = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
                (Scheme::Https, alpn)
            }
        }
    }
}

/// `None` if the client closed without sending a byte.
async fn open(shared: &Shared, socket: Socket) -> Result<Option<Transport>, ConnectionError> {
    match socket.peek_first_byte().await? {
        None => Ok(None),
        Some(TLS_HANDSHAKE_BYTE) => {
            let tls = shared.tls.as_ref().ok_or(ConnectionError::TlsOff)?;
            let stream = tls.acceptor().accept(socket).await?;
            Ok(Some(Transport::Tls(Box::new(stream))))
        }
        Some(_) => Ok(Some(Transport::Plain(socket))),
    }
}

async fn drive<I>(
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    io: I,
    mut stop: Shutdown,
) -> Result<(), ConnectionError>
where
    I: Read + Write + Unpin + Send + 'static,
{
    let facts = connection.clone();
    let service = {
        let shared = shared.clone();
        service_fn(move |request| dispatch::answer(shared.clone(), connection.clone(), request))
    };
    let http = shared.http.serve_connection_with_upgrades(io, service);
    let mut http = std::pin::pin!(http);
    let mut supervisor = Supervisor::new(&shared.limits, &facts.traffic);
    tokio::select! {
        biased;
        ended = http.as_mut() => return ended.map_err(ConnectionError::Http),
        stalled = supervisor.watch() => return Err(stalled),
        () = stop.requested() => {}
    }
    if facts.traffic.sample().requests == 0 {
        // hyper would wait for the first request of such a connection.
        return Ok(());
    }
    http.as_mut().graceful_shutdown();
    finish(http, supervisor).await
}

async fn finish(
    http: Pin<&mut impl Future<Output = Result<(), HttpError>>>,
    mut supervisor: Supervisor<'_>,
) -> Result<(), ConnectionError> {
    tokio::select! {
        biased;
        ended = http => ended.map_err(ConnectionError::Http),
        stalled = supervisor.watch() => Err(stalled),
    }
}

type HttpError = Box<dyn std::error::Error + Send + Sync>;
/// Named so that the body type of replies stands in one place.
pub(super) type WireResponse = http::Response<Outgoing>;

/// Finds connections that make no progress, by comparing counters at a slow pace: a timer per request would cost more than it is worth.
struct Supervisor<'a> {
    limits: &'a Limits,
    traffic: &'a Traffic,
    waiting: Waiting,
    since: Instant,
    last: TrafficSample,
}

/// What a connection is waiting for, which decides for how long it may.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// The handler or the body's reader, which have their own limits.
    Request,
    /// The rest of a request's headers.
    Header,
    /// The next request.
    Idle,
    /// The client to read.
    Reader,
}

impl<'a> Supervisor<'a> {
    fn new(limits: &'a Limits, traffic: &'a Traffic) -> Supervisor<'a> {
        Supervisor { limits, traffic, waiting: Waiting::Header, since: Instant::now(), last: TrafficSample::default() }
    }

    /// Returns once the connection must be closed, with the reason.
    async fn watch(&mut self) -> ConnectionError {
        let shortest = self.limits.header_read_timeout.min(self.limits.idle_timeout);
        let shortest = shortest.min(self.limits.write_stall_timeout);
        let pace = (shortest / 2).clamp(MIN_SUPERVISION_INTERVAL, MAX_SUPERVISION_INTERVAL);
        let mut ticks = interval(pace);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let now = ticks.tick().await;
            if let Some(reason) = self.check(now, self.traffic.sample()) {
                return reason;
            }
        }
    }

    fn check(&mut self, now: Instant, sample: TrafficSample) -> Option<ConnectionError> {
        let waiting = waiting_for(&sample);
        let progressed = match waiting {
            Waiting::Reader => sample.written_bytes != self.last.written_bytes,
            _ => sample.requests != self.last.requests,
        };
        if waiting != self.waiting || progressed {
            (self.waiting, self.since) = (waiting, now);
        }
        self.last = sample;
        let waited = now.duration_since(self.since);
        match waiting {
            Waiting::Request => None,
            Waiting::Header => (waited >= self.limits.header_read_timeout).then_some(ConnectionError::SlowHeader),
            Waiting::Idle => (waited >= self.limits.idle_timeout).then_some(ConnectionError::Idle),
            Waiting::Reader => (waited >= self.limits.write_stall_timeout).then_some(ConnectionError::WriteStall),
        }
    }
}

fn waiting_for(sample: &TrafficSample) -> Waiting {
    if sample.write_blocked {
        Waiting::Reader
    } else if sample.in_flight > 0 {
        Waiting::Request
    } else if sample.requests == 0 || sample.partial_request {
        Waiting::Header
    } else {
        Waiting::Idle
    }
}
