//! Replies: panics, compression, streams, and what the metrics say of them.

use std::io::Read;

use flate2::read::GzDecoder;
use orrery_gateway::listen::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::lab::{Server, body, eventually, read_reply, start, start_with, status, within};

#[tokio::test]
async fn a_panic_becomes_a_reply_and_the_connection_lives_on() {
    let server = start().await;
    let mut stream = server.connect().await;
    let request = b"GET /panic HTTP/1.1\r\nhost: x\r\nx-ms-activity-id: my-id\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let reply = read_reply(&mut stream).await;
    assert_eq!((status(&reply), body(&reply)), (500, "Panicked"));
    assert!(reply.contains("x-ms-activity-id: my-id"), "{reply}");
    stream.write_all(b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    assert_eq!(status(&read_reply(&mut stream).await), 200);
    eventually(|| server.api.in_flight() == 0).await;
}

async fn large(server: &Server, accept: &str) -> (String, Vec<u8>) {
    let mut stream = server.connect().await;
    let request = format!("GET /large HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{accept}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = Vec::new();
    within(stream.read_to_end(&mut reply)).await.unwrap();
    let end = reply.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    (String::from_utf8(reply[..end].to_vec()).unwrap(), reply[end..].to_vec())
}

#[tokio::test]
async fn large_replies_are_compressed_for_those_who_ask() {
    let limits = Limits { gzip_over_loopback: true, ..Limits::default() };
    let server = start_with(limits).await;
    let (head, packed) = large(&server, "accept-encoding: gzip, deflate\r\n").await;
    assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{head}");
    assert!(packed.len() < server.lab.large.len() / 10);
    let mut plain = Vec::new();
    GzDecoder::new(packed.as_slice()).read_to_end(&mut plain).unwrap();
    assert_eq!(plain, server.lab.large);

    let (head, plain) = large(&server, "accept-encoding: gzip;q=0\r\n").await;
    assert!(!head.contains("content-encoding"), "{head}");
    assert_eq!(plain, server.lab.large);
    let small =
        server.exchange("GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\naccept-encoding: gzip\r\n\r\n").await;
    assert_eq!(body(&small), "hello");
}

#[tokio::test]
async fn loopback_clients_get_plain_replies_by_default() {
    let server = start().await;
    let (head, plain) = large(&server, "accept-encoding: gzip\r\n").await;
    assert!(!head.contains("content-encoding"), "{head}");
    assert_eq!(plain, server.lab.large);
}

#[tokio::test]
async fn a_stream_that_is_not_finished_does_not_look_whole() {
    let server = start().await;
    let whole = server.get("/stream").await;
    assert!(whole.ends_with("three\r\n0\r\n\r\n"), "{whole}");
    let broken = server.get("/broken").await;
    assert!(broken.starts_with("HTTP/1.1 200") && !broken.ends_with("0\r\n\r\n"), "{broken}");
    eventually(|| server.api.in_flight() == 0).await;
}

#[tokio::test]
async fn requests_are_counted_by_status() {
    let server = start().await;
    for path in ["/hello", "/hello", "/missing", "/panic"] {
        server.get(path).await;
    }
    let page = server.metrics.render(&[]);
    for line in [
        "orrery_requests_total{api=\"lab\",route=\"other\",status=\"200\"} 2",
        "orrery_requests_total{api=\"lab\",route=\"other\",status=\"404\"} 1",
        "orrery_requests_total{api=\"lab\",route=\"other\",status=\"500\"} 1",
        "orrery_request_duration_seconds_bucket{api=\"lab\",route=\"other\",le=\"+Inf\"} 4",
        "orrery_request_duration_seconds_count{api=\"lab\",route=\"other\"} 4",
        "orrery_connections_total{api=\"lab\"} 4",
        "orrery_requests_in_flight{api=\"lab\"} 0",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
}
