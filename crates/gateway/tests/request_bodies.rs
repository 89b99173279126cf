//! Request bodies: bounds, compression, and bodies nobody reads.

use std::io::Write;
use std::time::Duration;

use flate2::{Compression, write::GzEncoder};
use orrery_gateway::listen::Limits;
use tokio::io::AsyncWriteExt;

use crate::lab::{MAX_BODY_BYTES, body, read_reply, start, start_with, status};

fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn bodies_arrive_whole_whatever_their_framing() {
    let server = start().await;
    let long = "0123456789".repeat(MAX_BODY_BYTES / 10);
    assert_eq!(body(&server.exchange(post("/echo", "", b"short")).await), "short");
    assert_eq!(body(&server.exchange(post("/echo", "", long.as_bytes())).await), long);
    assert_eq!(body(&server.exchange(post("/echo", "", b"")).await), "");
    let chunked = "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n\
                   3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
    assert_eq!(body(&server.exchange(chunked).await), "abcdefg");
}

#[tokio::test]
async fn a_body_over_the_limit_is_too_large_and_the_reply_arrives() {
    let server = start().await;
    let large = vec![b'x'; 8 * 1024 * 1024];
    let reply = server.exchange(post("/echo", "", &large)).await;
    assert_eq!(status(&reply), 413, "{reply}");
    assert!(body(&reply).contains(&MAX_BODY_BYTES.to_string()));

    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000)).repeat(6);
    let chunked = format!(
        "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n{chunk}0\r\n\r\n"
    );
    assert_eq!(status(&server.exchange(chunked).await), 413);
}

#[tokio::test]
async fn a_body_nobody_reads_does_not_reset_the_connection() {
    let server = start().await;
    let mut stream = server.connect().await;
    let large = vec![b'x'; 4 * 1024 * 1024];
    let head = format!("POST /ignore HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", large.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&large).await.unwrap();
    assert_eq!(status(&read_reply(&mut stream).await), 401);
    stream.write_all(b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    assert_eq!(body(&read_reply(&mut stream).await), "hello");
}

#[tokio::test]
async fn gzip_bodies_are_inflated_within_the_limit() {
    let server = start().await;
    let headers = "content-encoding: gzip\r\n";
    let plain = "word ".repeat(MAX_BODY_BYTES / 5);
    let reply = server.exchange(post("/echo", headers, &gzip(plain.as_bytes()))).await;
    assert_eq!(body(&reply), plain);

    let bomb = gzip(&vec![0; 64 * MAX_BODY_BYTES]);
    assert!(bomb.len() < MAX_BODY_BYTES);
    assert_eq!(status(&server.exchange(post("/echo", headers, &bomb)).await), 413);
    assert_eq!(status(&server.exchange(post("/echo", headers, b"not gzip")).await), 400);
    let reply = server.exchange(post("/echo", "content-encoding: br\r\n", b"x")).await;
    assert_eq!(status(&reply), 415);
    assert!(body(&reply).contains("'br'"), "{reply}");
}

#[tokio::test]
async fn a_body_that_stops_half_way_times_out() {
    let limits = Limits { body_timeout: Duration::from_millis(100), ..Limits::default() };
    let server = start_with(limits).await;
    let mut stream = server.connect().await;
    stream.write_all(b"POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf").await.unwrap();
    assert_eq!(status(&read_reply(&mut stream).await), 408);
}
