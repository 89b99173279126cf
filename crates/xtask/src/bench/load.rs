//! The load: connections that send prepared requests one after the other and count the replies.

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

/// Sends `requests` in turn over `connections` connections for some time. Each reply must have the status `expected`.
///
/// # Errors
/// If a connection breaks or a reply has another status.
pub fn run(
    authority: &str,
    connections: usize,
    seconds: u64,
    expected: &'static str,
    next: impl FnMut() -> Vec<u8> + Send + 'static,
) -> anyhow::Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let next = std::rc::Rc::new(std::cell::RefCell::new(next));
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let started = Instant::now();
                let until = started + Duration::from_secs(seconds);
                let mut tasks = Vec::new();
                for _ in 0..connections {
                    let (next, authority) = (next.clone(), authority.to_owned());
                    tasks.push(tokio::task::spawn_local(async move {
                        let mut connection = Connection::open(&authority).await?;
                        let mut times = Vec::new();
                        while Instant::now() < until {
                            let request = (next.borrow_mut())();
                            let sent = Instant::now();
                            connection.exchange(&request, expected).await?;
                            times.push(sent.elapsed());
                        }
                        Ok::<_, anyhow::Error>(times)
                    }));
                }
                let mut times = Vec::new();
                for task in tasks {
                    times.extend(task.await??);
                }
                let elapsed = started.elapsed();
                times.sort_unstable();
                let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
                Ok(Outcome { per_second: times.len() as f64 / elapsed.as_secs_f64(), p50: at(0.5), p99: at(0.99) })
            })
            .await
    })
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    async fn open(authority: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(authority).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: Vec::with_capacity(16 * 1024) })
    }

    async fn exchange(&mut self, request: &[u8], expected: &str) -> anyhow::Result<()> {
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
        if self.buffer.get(9..12) != Some(expected.as_bytes()) {
            bail!("unexpected reply: {}", String::from_utf8_lossy(&self.buffer).chars().take(600).collect::<String>());
        }
        Ok(())
    }
}

/// Length of head and body, once that is known: with the head, or with the last chunk.
fn reply_len(buffer: &[u8]) -> anyhow::Result<Option<usize>> {
    let Some(head) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(&buffer[..head])?;
    let header = |wanted: &str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then_some(value.trim())
        })
    };
    if header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        return chunked_len(buffer, head + 4);
    }
    let length = header("content-length").map(str::parse::<usize>).transpose()?;
    let body = length.or(if text.contains(" 204 ") { Some(0) } else { None }).context("a reply without a length")?;
    Ok(Some(head + 4 + body))
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
