//! The ceiling of reads: hyper alone, sending the same bytes for every request.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{HeaderMap, Response, StatusCode};
use hyper_util::rt::TokioIo;

/// Serves the reply in a file (head and body, as they came over the wire) and prints the port.
///
/// # Errors
/// If the file holds no reply, or no port is free.
pub fn serve(reply: &Path) -> anyhow::Result<()> {
    let bytes = std::fs::read(reply)?;
    let split = bytes.windows(4).position(|window| window == b"\r\n\r\n").context("the file holds no reply")?;
    let mut headers = HeaderMap::new();
    for line in std::str::from_utf8(&bytes[..split])?.lines().skip(1) {
        let (name, value) = line.split_once(':').context("a header without a colon")?;
        headers.insert(name.parse::<HeaderName>()?, HeaderValue::from_str(value.trim())?);
    }
    headers.remove("content-length");
    headers.remove("date");
    let body = Bytes::copy_from_slice(&bytes[split + 4..]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        std::io::stdout().flush()?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let (headers, body) = (headers.clone(), body.clone());
            let service = service_fn(move |_request| {
                let mut response = Response::new(Full::new(body.clone()));
                *response.status_mut() = StatusCode::OK;
                *response.headers_mut() = headers.clone();
                async move { Ok::<_, Infallible>(response) }
            });
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    })
}

/// This program as another process that serves something bare on a port of its own choice; killed when this is dropped.
pub struct Bare {
    pub authority: String,
    process: Child,
}

impl Bare {
    /// Starts it as `bench` with these arguments. It prints its port.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> anyhow::Result<Self> {
        let mut process =
            Command::new(std::env::current_exe()?).arg("bench").args(arguments).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no standard output")?).read_line(&mut line)?;
        Ok(Bare { authority: format!("127.0.0.1:{}", line.trim()), process })
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
