//! One port: accepting, and stopping in good order.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioTimer;
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};

use super::connection::{self, ConnectionError, Slot};
use super::limits::{CONNECTION_WINDOW_BYTES, MAX_HEADER_LIST_BYTES, MAX_SEND_BUFFER_BYTES, STREAM_WINDOW_BYTES};
use super::workers::{Seat, SharedByThreads};
use super::{App, Limits, Shutdown, Tls, Workers};
use crate::metrics::ApiMetrics;

/// Pause after a failed accept: the usual cause is a lack of file descriptors, which only time cures.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// Connections over the limit that are being told so at the same time; more are closed without a word.
const MAX_REFUSALS: usize = 64;
/// How long telling one may take.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);
/// HTTP/2 connections are pinged at this interval so that dead peers are noticed.
const HTTP2_PING_INTERVAL: Duration = Duration::from_secs(30);
/// And closed if no answer comes.
const HTTP2_PING_TIMEOUT: Duration = Duration::from_secs(20);

/// A bound port that accepts already but is not served yet.
#[derive(Debug)]
pub struct Listener {
    inner: TcpListener,
    local_addr: SocketAddr,
}

impl Listener {
    /// Binds `addr`; port 0 picks a free one. Clients can connect from here on.
    pub async fn bind(addr: SocketAddr) -> io::Result<Listener> {
        let inner = TcpListener::bind(addr).await?;
        let local_addr = inner.local_addr()?;
        Ok(Listener { inner, local_addr })
    }

    /// The address with the port that was picked.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }
}

/// How a port is served.
#[derive(Debug, Clone)]
pub struct Options {
    /// Serves HTTPS beside HTTP when given.
    pub tls: Option<Tls>,
    /// The port's bounds.
    pub limits: Limits,
    /// Where requests and connections are counted; ports that share it share `max_in_flight`.
    pub metrics: Arc<ApiMetrics>,
    /// Who drives the connections; without them, the runtime that serves the port.
    pub workers: Option<Arc<Workers>>,
}

/// How a stop went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Connections cut off because they outlasted [`Limits::drain_timeout`].
    pub aborted_connections: usize,
}

/// What the connections of a port share.
pub(super) struct Shared {
    pub(super) app: Arc<dyn App>,
    pub(super) tls: Option<Tls>,
    pub(super) limits: Limits,
    pub(super) metrics: Arc<ApiMetrics>,
    pub(super) http: auto::Builder<SharedByThreads>,
}

/// Serves `app` on `listener` until `shutdown`, then lets requests in flight finish.
///
/// Over [`Limits::max_connections`], connections are accepted and refused with the API's own error:
/// left in the backlog, clients would see nothing but a connect timeout and no cause.
pub async fn serve(listener: Listener, app: Arc<dyn App>, options: Options, mut shutdown: Shutdown) -> Outcome {
    let mut port = Port::new(app, options, shutdown.clone());
    loop {
        tokio::select! {
            biased;
            () = shutdown.requested() => break,
            accepted = listener.inner.accept() => match accepted {
                Ok((stream, peer)) => port.admit(stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "accept failed");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            },
            Some(ended) = port.tasks.join_next() => log_panic(ended),
        }
    }
    drop(listener);
    port.drain().await
}

struct Port {
    shared: Arc<Shared>,
    shutdown: Shutdown,
    slots: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    tasks: JoinSet<()>,
    workers: Option<Arc<Workers>>,
}

impl Port {
    fn new(app: Arc<dyn App>, options: Options, shutdown: Shutdown) -> Port {
        let http = http_builder(&options.limits);
        let slots = options.limits.max_connections.min(Semaphore::MAX_PERMITS);
        Port {
            slots: Arc::new(Semaphore::new(slots)),
            refusals: Arc::new(Semaphore::new(MAX_REFUSALS)),
            shutdown,
            tasks: JoinSet::new(),
            workers: options.workers,
            shared: Arc::new(Shared { app, tls: options.tls, limits: options.limits, metrics: options.metrics, http }),
        }
    }

    fn admit(&mut self, stream: TcpStream, peer: SocketAddr) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "connection lost before it was served");
            return;
        }
        let Ok(permit) = self.slots.clone().try_acquire_owned() else {
            self.refuse(stream, peer);
            return;
        };
        let seat = self.workers.as_ref().and_then(|workers| workers.seat());
        let runtime = seat.as_ref().map_or_else(Handle::current, Seat::runtime);
        let slot = Slot { _permit: permit, _gauge: self.shared.metrics.connection_opens(), seat };
        let (shared, shutdown) = (self.shared.clone(), self.shutdown.clone());
        let served = async move {
            // A socket belongs to the runtime that made it, and to another one only after this.
            let stream = TcpStream::from_std(stream.into_std()?)?;
            connection::run(shared, stream, peer, slot, shutdown).await
        };
        self.tasks.spawn_on(async move { log_end(peer, served.await) }, &runtime);
    }

    fn refuse(&mut self, stream: TcpStream, peer: SocketAddr) {
        self.shared.metrics.connection_refused();
        let Ok(permit) = self.refusals.clone().try_acquire_owned() else {
            return;
        };
        let shared = self.shared.clone();
        self.tasks.spawn(async move {
            let told = tokio::time::timeout(REFUSAL_TIMEOUT, connection::refuse(shared, stream));
            if let Ok(result) = told.await {
                log_end(peer, result);
            }
            drop(permit);
        });
    }

    /// Waits for connections and for tasks that took one over; each holds a slot until it is done.
    async fn drain(mut self) -> Outcome {
        let all = self.shared.limits.max_connections.min(Semaphore::MAX_PERMITS);
        let patience = self.shared.limits.drain_timeout;
        let every_slot = self.slots.acquire_many(u32::try_from(all).unwrap_or(u32::MAX));
        let aborted_connections = match tokio::time::timeout(patience, every_slot).await {
            Ok(_) => 0,
            Err(_) => all - self.slots.available_permits(),
        };
        self.tasks.shutdown().await;
        if aborted_connections > 0 {
            tracing::warn!(aborted_connections, "requests in flight were cut off by the stop");
        }
        Outcome { aborted_connections }
    }
}

/// hyper's own header timer is off: it would also end idle connections; the connection's supervisor does both.
fn http_builder(limits: &Limits) -> auto::Builder<SharedByThreads> {
    let mut builder = auto::Builder::new(SharedByThreads(Handle::current()));
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(limits.max_head_bytes.max(MIN_HTTP1_BUFFER_BYTES));
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.max_concurrent_streams)
        .max_header_list_size(MAX_HEADER_LIST_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(MAX_SEND_BUFFER_BYTES)
        .keep_alive_interval(HTTP2_PING_INTERVAL)
        .keep_alive_timeout(HTTP2_PING_TIMEOUT);
    builder
}

/// hyper refuses to work with less.
const MIN_HTTP1_BUFFER_BYTES: usize = 8192;

fn log_end(peer: SocketAddr, ended: Result<(), ConnectionError>) {
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "connection closed");
    }
}

fn log_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "connection task panicked");
    }
}
