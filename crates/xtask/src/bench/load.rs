//! The load: connections that send prepared requests one after the other and count the replies.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a load saw.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Replies per second.
    pub per_second: f64,
    /// Half of the replies took at most this.
    pub p50: Duration,
    /// 99 of 100 replies took at most this.
    pub p99: Duration,
}

/// A connection over which one request after the other is sent.
pub trait Exchange: 'static {
    /// What is sent.
    type Request;

    /// Sends a request and waits for the whole reply.
    ///
    /// # Errors
    /// If the connection breaks or the reply is not what it should be.
    async fn exchange(&mut self, request: &Self::Request) -> anyhow::Result<()>;
}

/// Sends requests over `connections` connections for some time. Each reply must have the status `expected`.
///
/// # Errors
/// If a connection breaks, a reply has another status, or `next` has no bytes left to send.
pub fn run(
    authority: &str,
    connections: usize,
    seconds: u64,
    expected: &'static str,
    mut next: impl FnMut() -> Vec<u8> + Send + 'static,
) -> anyhow::Result<Outcome> {
    let open = async || Connection::open(authority, expected).await;
    drive(connections, Some(Duration::from_secs(seconds)), open, move || Some(next()))
}

/// Requests one after the other, and from the first again.
pub fn in_turn<R: Clone + Send + 'static>(requests: Vec<R>) -> impl FnMut() -> R + Send + 'static {
    let mut at = 0;
    move || {
        at = (at + 1) % requests.len();
        requests[at].clone()
    }
}

/// Sends requests over `connections` connections until there is none left, or for some time.
///
/// # Errors
/// If a connection cannot be opened, or an exchange fails.
pub fn drive<C: Exchange>(
    connections: usize,
    time: Option<Duration>,
    open: impl AsyncFn() -> anyhow::Result<C>,
    next: impl FnMut() -> Option<C::Request> + 'static,
) -> anyhow::Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    runtime.block_on(local.run_until(async {
        let mut opened = Vec::new();
        for _ in 0..connections {
            opened.push(open().await?);
        }
        let next = Rc::new(RefCell::new(next));
        let started = Instant::now();
        let until = time.map(|time| started + time);
        let mut tasks = Vec::new();
        for connection in opened {
            tasks.push(tokio::task::spawn_local(send_until(connection, until, next.clone())));
        }
        let mut times = Vec::new();
        for task in tasks {
            times.extend(task.await??);
        }
        let elapsed = started.elapsed();
        times.sort_unstable();
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
        Ok(Outcome { per_second: times.len() as f64 / elapsed.as_secs_f64(), p50: at(0.5), p99: at(0.99) })
    }))
}

/// How long each exchange took.
async fn send_until<C: Exchange>(
    mut connection: C,
    until: Option<Instant>,
    next: Rc<RefCell<impl FnMut() -> Option<C::Request>>>,
) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::new();
    while until.is_none_or(|until| Instant::now() < until) {
        let request = (next.borrow_mut())();
        let Some(request) = request else { break };
        let sent = Instant::now();
        connection.exchange(&request).await?;
        times.push(sent.elapsed());
    }
    Ok(times)
}

/// Plain HTTP.
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    expected: &'static str,
}

impl Connection {
    async fn open(authority: &str, expected: &'static str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(authority).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: Vec::with_capacity(16 * 1024), expected })
    }
}

impl Exchange for Connection {
    type Request = Vec<u8>;

    async fn exchange(&mut self, request: &Vec<u8>) -> anyhow::Result<()> {
        if request.is_empty() {
            bail!("all requests that were prepared are sent: prepare more for such a fast server");
        }
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let mut whole = None;
        while whole.is_none_or(|whole| self.buffer.len() < whole) {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
            if whole.is_none() {
                whole = reply_len(&self.buffer)?;
            }
        }
        if self.buffer.get(9..12) != Some(self.expected.as_bytes()) {
            bail!("unexpected reply: {}", String::from_utf8_lossy(&self.buffer).chars().take(600).collect::<String>());
        }
        Ok(())
    }
}

/// Length of head and body, once that is known: with the head, or with the last chunk.
fn reply_len(buffer: &[u8]) -> anyhow::Result<Option<usize>> {
    let Some(head) = memchr::memmem::find(buffer, b"\r\n\r\n") else { return Ok(None) };
    if buffer.get(9..12) == Some(b"204") {
        return Ok(Some(head + 4));
    }
    let text = std::str::from_utf8(&buffer[..head])?;
    let header = |wanted: &str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then_some(value.trim())
        })
    };
    if let Some(length) = header("content-length") {
        return Ok(Some(head + 4 + length.parse::<usize>()?));
    }
    let encoding = header("transfer-encoding").context("a reply without a length")?;
    anyhow::ensure!(encoding.eq_ignore_ascii_case("chunked"), "a reply encoded as {encoding}");
    chunked_len(buffer, head + 4)
}

/// Length of a reply whose chunks begin at `at`, once the last is there.
fn chunked_len(buffer: &[u8], mut at: usize) -> anyhow::Result<Option<usize>> {
    loop {
        let rest = buffer.get(at..).unwrap_or_default();
        let Some(line) = rest.windows(2).position(|window| window == b"\r\n") else { return Ok(None) };
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line])?.trim(), 16)?;
        // The chunk and the line break behind it; the last, of no bytes, has nothing but that.
        at += line + 2 + size + 2;
        if size == 0 {
            return Ok((at <= buffer.len()).then_some(at));
        }
    }
}
