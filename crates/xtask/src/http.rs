//! A small client for tests that must see a server die: one connection, no retries, no cleverness. It signs requests of the SQL API;
//! others come signed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use sha2::Sha256;

/// One keep-alive connection.
pub struct Client {
    authority: String,
    key: Vec<u8>,
    stream: Option<BufReader<TcpStream>>,
}

/// What the server answered.
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, `null` if it is empty, and a string if it is no JSON.
    pub body: Value,
}

impl Reply {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(candidate, _)| candidate == name).map(|(_, value)| value.as_str())
    }
}

impl Client {
    /// A client of the server at `endpoint` (`http://host:port`).
    ///
    /// # Errors
    /// If the key is no base64.
    pub fn new(endpoint: &str, key: &str) -> anyhow::Result<Self> {
        let authority = endpoint.trim_start_matches("http://").trim_end_matches('/').to_owned();
        Ok(Client { authority, key: BASE64_STANDARD.decode(key)?, stream: None })
    }

    /// Sends one request. `kind` and `link` are what the signature covers.
    ///
    /// # Errors
    /// If the connection breaks before the whole reply is there: the outcome is unknown then.
    pub fn call(
        &mut self,
        verb: &str,
        kind: &str,
        link: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> anyhow::Result<Reply> {
        let request = self.request(verb, kind, link, path, headers, body)?;
        self.send(&request)
    }

    /// Sends the bytes of one request.
    ///
    /// # Errors
    /// If the connection breaks before the whole reply is there: the outcome is unknown then.
    pub fn send(&mut self, request: &[u8]) -> anyhow::Result<Reply> {
        let outcome = self.exchange(request);
        if outcome.is_err() {
            self.stream = None;
        }
        outcome
    }

    fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Reply> {
        let stream = self.connected()?;
        stream.get_mut().write_all(request)?;
        read_reply(stream)
    }

    /// Host and port.
    #[cfg(feature = "bench")]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The bytes of a signed request.
    ///
    /// # Errors
    /// If the key is unusable.
    pub fn request(
        &self,
        verb: &str,
        kind: &str,
        link: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> anyhow::Result<Vec<u8>> {
        // The server allows for clocks that differ, so a fixed format of the current time is all that is needed.
        let date = httpdate::fmt_http_date(std::time::SystemTime::now());
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key)?;
        mac.update(format!("{}\n{kind}\n{link}\n{}\n\n", verb.to_lowercase(), date.to_lowercase()).as_bytes());
        let token = format!("type=master&ver=1.0&sig={}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
        let token = utf8_percent_encode(&token, NON_ALPHANUMERIC);
        let text = body.map(Value::to_string).unwrap_or_default();
        let mut request = format!(
            "{verb} /{path} HTTP/1.1\r\nhost: {}\r\nauthorization: {token}\r\nx-ms-date: {date}\r\nx-ms-version: 2020-07-15\r\ncontent-length: {}\r\n",
            self.authority,
            text.len()
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(&text);
        Ok(request.into_bytes())
    }

    fn connected(&mut self) -> anyhow::Result<&mut BufReader<TcpStream>> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(&self.authority)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(Duration::from_secs(30)))?;
            self.stream = Some(BufReader::new(stream));
        }
        self.stream.as_mut().context("connected above")
    }
}

fn read_reply(stream: &mut BufReader<TcpStream>) -> anyhow::Result<Reply> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        bail!("the connection was closed");
    }
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status line")?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            bail!("the connection was closed amid the headers");
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut reply = Reply { status, headers, body: Value::Null };
    let body = if reply.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        read_chunks(stream)?
    } else {
        let length: usize = reply.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        body
    };
    if !body.is_empty() {
        reply.body = serde_json::from_slice(&body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&body).into_owned()));
    }
    Ok(reply)
}

fn read_chunks(stream: &mut BufReader<TcpStream>) -> anyhow::Result<Vec<u8>> {
    let (mut body, mut line) = (Vec::new(), String::new());
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).context("no length of a chunk")?;
        let start = body.len();
        // The line break behind a chunk is no part of it.
        body.resize(start + size + 2, 0);
        stream.read_exact(&mut body[start..])?;
        body.truncate(start + size);
        if size == 0 {
            return Ok(body);
        }
    }
}
