//! Clients that are slow, too many or too big.

use std::time::{Duration, Instant};

use orrery_gateway::listen::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::lab::{body, eventually, read_reply, read_to_end, start_with, status, within};

const SHORT: Duration = Duration::from_millis(100);

fn short(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    change(&mut limits);
    limits
}

#[tokio::test]
async fn a_client_slow_with_its_headers_is_closed() {
    let server = start_with(short(|limits| limits.header_read_timeout = SHORT)).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /hello HTTP/1.1\r\nhost:").await.unwrap();
    let began = Instant::now();
    assert_eq!(read_to_end(&mut stream).await, "");
    assert!(began.elapsed() >= SHORT);
}

#[tokio::test]
async fn a_trickle_of_header_bytes_is_not_progress() {
    let server = start_with(short(|limits| limits.header_read_timeout = SHORT)).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    assert_eq!(status(&read_reply(&mut stream).await), 200);
    let closed = async {
        while stream.write_all(b"P").await.is_ok() {
            tokio::time::sleep(SHORT / 10).await;
        }
    };
    within(closed).await;
}

#[tokio::test]
async fn a_client_that_says_nothing_is_closed() {
    let server = start_with(short(|limits| limits.handshake_timeout = SHORT)).await;
    let mut silent = server.connect().await;
    assert_eq!(read_to_end(&mut silent).await, "");
    // Nor may a TLS handshake stop half way.
    let mut half = server.connect().await;
    half.write_all(&[0x16, 3, 1]).await.unwrap();
    assert_eq!(read_to_end(&mut half).await, "");
}

#[tokio::test]
async fn an_idle_connection_is_closed_but_a_working_one_is_not() {
    let server = start_with(short(|limits| {
        limits.idle_timeout = SHORT;
        limits.header_read_timeout = SHORT;
    }))
    .await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /wait HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    server.wait_entered(1).await;
    tokio::time::sleep(SHORT * 4).await;
    server.lab.leave.add_permits(1);
    assert_eq!(status(&read_reply(&mut stream).await), 200);
    assert_eq!(read_to_end(&mut stream).await, "");
    eventually(|| server.api.connections() == 0).await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_closed() {
    let server = start_with(short(|limits| limits.write_stall_timeout = SHORT)).await;
    let mut stream = server.connect().await;
    // More replies than the sockets' buffers hold.
    let request = b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n".repeat(200);
    stream.write_all(&request).await.unwrap();
    eventually(|| server.api.connections() == 1).await;
    eventually(|| server.api.connections() == 0).await;
    assert_eq!(server.api.in_flight(), 0);
}

#[tokio::test]
async fn connections_over_the_limit_are_told_so() {
    let server = start_with(short(|limits| limits.max_connections = 2)).await;
    let mut held = [server.connect().await, server.connect().await];
    for stream in &mut held {
        stream.write_all(b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        read_reply(stream).await;
    }
    let refused = server.get("/hello").await;
    assert_eq!((status(&refused), body(&refused)), (503, "TooManyConnections"));
    assert!(refused.contains("connection: close"), "{refused}");

    let mut tls = server.connect().await;
    tls.write_all(&[0x16, 3, 1]).await.unwrap();
    assert_eq!(read_to_end(&mut tls).await, "");

    drop(held);
    eventually(|| server.api.connections() == 0).await;
    assert_eq!(status(&server.get("/hello").await), 200);
    assert!(server.metrics.render(&[]).contains("orrery_connections_refused_total{api=\"lab\"} 2"));
}

#[tokio::test]
async fn requests_over_the_limit_are_refused_in_the_apis_shape() {
    let server = start_with(short(|limits| limits.max_in_flight = 1)).await;
    let mut first = server.connect().await;
    first.write_all(b"GET /wait HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    server.wait_entered(1).await;
    let refused =
        server.exchange("GET /hello HTTP/1.1\r\nhost: x\r\nx-ms-activity-id: abc\r\nconnection: close\r\n\r\n").await;
    assert_eq!((status(&refused), body(&refused)), (429, "TooManyRequests"));
    assert!(refused.contains("x-ms-activity-id: abc"), "{refused}");
    server.lab.leave.add_permits(1);
    assert_eq!(body(&read_reply(&mut first).await), "waited");
    assert_eq!(status(&server.get("/hello").await), 200);
}

#[tokio::test]
async fn headers_beyond_the_bound_are_refused() {
    let server = start_with(short(|limits| limits.max_head_bytes = 8192)).await;
    let mut stream = server.connect().await;
    let request = format!("GET /hello HTTP/1.1\r\nhost: x\r\na: {}\r\n\r\n", "x".repeat(20_000));
    // The server may close before it has read everything.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut reply = Vec::new();
    let _ = within(stream.read_to_end(&mut reply)).await;
    let reply = String::from_utf8_lossy(&reply);
    assert!(reply.is_empty() || status(&reply) == 431, "{reply}");
    assert_eq!(server.api.requests(None), 0);
}
