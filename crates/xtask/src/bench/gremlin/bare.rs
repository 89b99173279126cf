//! The ceiling of adds: WebSockets whose every message writes the rows of an add into bare fjall, and is answered when they are durable
//! with bytes that are always the same. Nothing is read of a message, evaluated, looked up, checked or indexed. The same without
//! writing shows what of it is the way over the network.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use bytes::Bytes;
use clap::ValueEnum;
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::super::bare::Bare;
use super::super::raw_store::RawStore;

/// What a vertex and an edge of the load take in the store.
const ADDED_BYTES: [usize; 2] = [340, 530];
/// What their answer has in bytes beside the status.
const RESULT_BYTES: usize = 600;
/// Read from a socket at a time, as our server does.
const READ_BUFFER_BYTES: usize = 16 << 10;

/// What is done for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Work {
    /// The rows of an add are written.
    Adds,
    /// Nothing.
    Nothing,
}

/// Serves and prints the port; one thread for each processor, and the committer.
///
/// # Errors
/// If the store cannot be opened, or no port is free.
pub fn serve(work: Work) -> anyhow::Result<()> {
    let store = match work {
        Work::Adds => Some(Arc::new(RawStore::open(&ADDED_BYTES)?)),
        Work::Nothing => None,
    };
    let mut threads = Vec::new();
    for _ in 0..std::thread::available_parallelism()?.get() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        threads.push(runtime.handle().clone());
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    std::io::stdout().flush()?;
    let next = Arc::new(AtomicU64::new(0));
    for thread in threads.iter().cycle() {
        let (stream, _) = listener.accept()?;
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let (store, next) = (store.clone(), next.clone());
        thread.spawn(async move {
            // The load ends a connection by dropping it.
            let _ = converse(stream, store.as_deref(), &next).await;
        });
    }
    Ok(())
}

async fn converse(stream: std::net::TcpStream, store: Option<&RawStore>, next: &AtomicU64) -> anyhow::Result<()> {
    let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER_BYTES).write_buffer_size(0);
    let stream = TcpStream::from_std(stream)?;
    let mut socket = tokio_tungstenite::accept_async_with_config(stream, Some(config)).await?;
    let answer = json!({"requestId": "00000000-0000-4000-8000-000000000000",
        "status": {"code": 200, "message": "", "attributes": {}}, "result": {"data": "x".repeat(RESULT_BYTES)}});
    let answer = Bytes::from(answer.to_string());
    while let Some(message) = socket.next().await {
        if message?.is_binary() {
            if let Some(store) = store {
                store.write(next.fetch_add(1, Ordering::Relaxed))?.await?;
            }
            socket.send(Message::Binary(answer.clone())).await?;
        }
    }
    Ok(())
}

/// Starts this program as such a server.
///
/// # Errors
/// If it does not start.
pub fn start(work: Work) -> anyhow::Result<Bare> {
    let work = work.to_possible_value().context("each kind of work has a name")?;
    Bare::start(["--serve-bare-socket", work.get_name()])
}
