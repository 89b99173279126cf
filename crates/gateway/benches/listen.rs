//! What the gateway adds to bare hyper: 1 KiB replies over 32 kept-alive loopback connections, and the
//! costs of the steps on every request. Run with `cargo bench -p orrery-gateway --bench listen`.
//!
//! Server and load generator have a thread each. Rounds alternate between the two servers, so that
//! whatever else the machine does hits both. On Linux the server thread's own processor time per request
//! is shown too, which a busy machine disturbs less than the rate.

use std::convert::Infallible;
use std::fs;
use std::hint::black_box;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use orrery_gateway::auth::{AadMode, Authenticator, EMULATOR_KEY, Key, Keys, SignedRequest, SignedResource};
use orrery_gateway::listen::certificate::Certificate;
use orrery_gateway::listen::{App, Limits, Listener, Options, Refusal, ReplyFacts, Request, Response, Shutdown, serve};
use orrery_gateway::metrics::Metrics;
use orrery_gateway::reply::{Reply, date_now, rfc1123};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const CONNECTIONS: usize = 32;
const REPLY_BYTES: usize = 1024;
const ROUNDS: usize = 7;
const ROUND_TIME: Duration = Duration::from_secs(2);
const WARM_UP: Duration = Duration::from_millis(300);
const STEP_ITERATIONS: u32 = 200_000;

fn main() {
    steps();
    let bare = in_background("bare", bare_hyper);
    let gateway = in_background("gateway", gateway);
    let (mut of_bare, mut of_gateway, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (without, with) = (load(&bare), load(&gateway));
        ratios.push((with.rate / without.rate, without.cpu_us / with.cpu_us));
        of_bare.push(without);
        of_gateway.push(with);
    }
    for (name, rounds) in [("bare hyper", of_bare), ("gateway", of_gateway)] {
        let rate = median(rounds.iter().map(|round| round.rate));
        let cpu_us = median(rounds.iter().map(|round| round.cpu_us));
        println!("{name:<12} {rate:>8.0} requests/s, {cpu_us:.2} us of processor time each");
    }
    let by_rate = median(ratios.iter().map(|ratio| ratio.0));
    let by_cpu = median(ratios.iter().map(|ratio| ratio.1));
    println!("ratio by rate {by_rate:.3}, by processor time {by_cpu:.3}");
}

struct Server {
    addr: SocketAddr,
    /// Its first field is the thread's time on a processor in nanoseconds.
    schedstat: PathBuf,
}

impl Server {
    fn cpu_us(&self) -> f64 {
        let text = fs::read_to_string(&self.schedstat).unwrap_or_default();
        let nanos = text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok());
        nanos.map_or(f64::NAN, |nanos| nanos / 1e3)
    }
}

struct Round {
    rate: f64,
    cpu_us: f64,
}

/// Runs `server` on a thread of its own.
fn in_background<F, S>(name: &str, server: F) -> Server
where
    F: FnOnce(mpsc::Sender<SocketAddr>) -> S + Send + 'static,
    S: Future<Output = ()>,
{
    let (sender, receiver) = mpsc::channel();
    let (own, thread) = mpsc::channel();
    let body = move || {
        let own_folder = fs::read_link("/proc/thread-self").unwrap_or_default();
        own.send(own_folder).expect("main waits");
        runtime().block_on(server(sender));
    };
    thread::Builder::new().name(name.to_owned()).spawn(body).expect("a thread starts");
    let own_folder = thread.recv().expect("the thread runs");
    Server {
        addr: receiver.recv().expect("the server binds its port"),
        schedstat: Path::new("/proc").join(own_folder).join("schedstat"),
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().expect("a runtime starts")
}

fn any_port() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn payload() -> Bytes {
    Bytes::from(vec![b'x'; REPLY_BYTES])
}

async fn bare_hyper(ready: mpsc::Sender<SocketAddr>) {
    let listener = TcpListener::bind(any_port()).await.expect("a free port");
    ready.send(listener.local_addr().expect("bound")).expect("main waits");
    let payload = payload();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        stream.set_nodelay(true).expect("a fresh socket");
        let payload = payload.clone();
        let service = service_fn(move |_| {
            let mut response = http::Response::new(Full::new(payload.clone()));
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, json);
            async { Ok::<_, Infallible>(response) }
        });
        let http = hyper::server::conn::http1::Builder::new();
        tokio::spawn(http.serve_connection(TokioIo::new(stream), service));
    }
}

struct Trivial(Bytes);

#[async_trait]
impl App for Trivial {
    async fn handle(&self, _request: Request) -> Response {
        Reply::new(StatusCode::OK).json(self.0.clone())
    }

    fn refuse(&self, _refusal: Refusal, _activity_id: Option<&HeaderValue>) -> Response {
        Reply::new(StatusCode::SERVICE_UNAVAILABLE).empty()
    }
}

async fn gateway(ready: mpsc::Sender<SocketAddr>) {
    let listener = Listener::bind(any_port()).await.expect("a free port");
    ready.send(listener.local_addr()).expect("main waits");
    let options =
        Options { tls: None, limits: Limits::default(), metrics: Metrics::default().api("bench", &[]), workers: None };
    let (_trigger, shutdown) = Shutdown::channel();
    serve(listener, Arc::new(Trivial(payload())), options, shutdown).await;
}

fn load(server: &Server) -> Round {
    let addr = server.addr;
    let cpu_before = server.cpu_us();
    let (all, counted) = runtime().block_on(async {
        let begin = Instant::now() + WARM_UP;
        let clients: Vec<_> = (0..CONNECTIONS).map(|_| tokio::spawn(client(addr, begin))).collect();
        let (mut all, mut counted) = (0, 0);
        for client in clients {
            let of_client = client.await.expect("a client does not panic");
            all += of_client.0;
            counted += of_client.1;
        }
        (all, counted)
    });
    Round {
        rate: f64::from(counted) / ROUND_TIME.as_secs_f64(),
        cpu_us: (server.cpu_us() - cpu_before) / f64::from(all),
    }
}

/// How many requests it made, and how many of them after `begin`.
async fn client(addr: SocketAddr, begin: Instant) -> (u32, u32) {
    const REQUEST: &[u8] = b"GET /dbs/Db/colls/C/docs/1 HTTP/1.1\r\nhost: localhost:8081\r\n\
        accept: application/json\r\naccept-encoding: gzip, deflate\r\nuser-agent: bench\r\n\
        x-ms-activity-id: 11111111-2222-3333-4444-555555555555\r\nx-ms-version: 2020-07-15\r\n\r\n";
    let mut stream = TcpStream::connect(addr).await.expect("the server listens");
    stream.set_nodelay(true).expect("a fresh socket");
    let mut buffer = vec![0; 16 * 1024];
    let (mut all, mut counted) = (0, 0);
    let end = begin + ROUND_TIME;
    loop {
        stream.write_all(REQUEST).await.expect("the server reads");
        let mut length = 0;
        while !is_whole(&buffer[..length]) {
            length += stream.read(&mut buffer[length..]).await.expect("the server answers");
        }
        let now = Instant::now();
        if now >= end {
            return (all, counted);
        }
        all += 1;
        counted += u32::from(now >= begin);
    }
}

/// Whether head and body are there; the body holds no line breaks.
fn is_whole(reply: &[u8]) -> bool {
    reply.len() > REPLY_BYTES && reply[reply.len() - REPLY_BYTES - 4..].starts_with(b"\r\n\r\n")
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn steps() {
    let metrics = Metrics::default().api("bench", &["other", "read_item"]);
    let facts = ReplyFacts { route: 1, charge_ru: 1.0 };
    step("count a request", || {
        metrics.record(black_box(facts), StatusCode::OK, Duration::from_micros(120));
    });
    let key = Key::from_base64(EMULATOR_KEY).expect("the emulator's key is a key");
    let path = "/dbs/Db/colls/C/docs/1";
    let now = SystemTime::now();
    let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    let date = rfc1123(since_epoch.as_secs() as i64).expect("before the year 10000");
    let text = format!("get\ndocs\ndbs/Db/colls/C/docs/1\n{}\n\n", date.to_lowercase());
    let header = authorization(&key, &text);
    let authenticator = Authenticator::new(Keys::single(key), AadMode::Off);
    step("authenticate by account key", || {
        let resource = SignedResource::from_path(black_box(path));
        let request = SignedRequest {
            verb: "GET",
            resource_type: resource.resource_type,
            resource_link: &resource.link,
            x_ms_date: Some(&date),
            date: None,
        };
        let identity = authenticator.authenticate(&request, Some(&header), now);
        assert!(black_box(identity).is_ok());
    });
    step("current date header", || {
        black_box(date_now());
    });
    let began = Instant::now();
    black_box(Certificate::ephemeral(&[]).expect("a certificate can be made"));
    println!("make a certificate {:?}", began.elapsed());
}

/// URL-encoded, as the official clients send it.
fn authorization(key: &Key, text: &str) -> String {
    use base64::Engine;
    let signature = base64::engine::general_purpose::STANDARD.encode(key.sign(&[text.as_bytes()]));
    let plain = format!("type=master&ver=1.0&sig={signature}");
    percent_encoding::utf8_percent_encode(&plain, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn step(name: &str, mut work: impl FnMut()) {
    let began = Instant::now();
    for _ in 0..STEP_ITERATIONS {
        work();
    }
    println!("{name} {} ns", began.elapsed().as_nanos() / u128::from(STEP_ITERATIONS));
}
