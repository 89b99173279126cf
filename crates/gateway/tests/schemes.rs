//! HTTP and HTTPS on one port.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::lab::{Server, body, start, status, within};

const REQUEST: &[u8] = b"GET /facts HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

/// A TLS client that trusts the server's certificate and nothing else.
pub async fn tls_connect(server: &Server, name: &str, alpn: &[&str]) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(server.certificate.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let stream = server.connect().await;
    within(TlsConnector::from(Arc::new(config)).connect(name, stream)).await.unwrap()
}

#[tokio::test]
async fn one_port_speaks_http_and_https() {
    let server = start().await;
    assert_eq!(body(&server.exchange(REQUEST).await), "http none HTTP/1.1 127.0.0.1");

    for name in ["localhost", "127.0.0.1"] {
        let mut stream = tls_connect(&server, name, &["http/1.1"]).await;
        stream.write_all(REQUEST).await.unwrap();
        let mut reply = String::new();
        within(stream.read_to_string(&mut reply)).await.unwrap();
        assert_eq!(body(&reply), "https http/1.1 HTTP/1.1 127.0.0.1");
    }
}

#[tokio::test]
async fn a_tls_client_without_alpn_gets_http_1() {
    let server = start().await;
    let mut stream = tls_connect(&server, "localhost", &[]).await;
    stream.write_all(REQUEST).await.unwrap();
    let mut reply = String::new();
    within(stream.read_to_string(&mut reply)).await.unwrap();
    assert_eq!(body(&reply), "https none HTTP/1.1 127.0.0.1");
}

#[tokio::test]
async fn bytes_that_are_no_request_are_answered_and_closed() {
    let server = start().await;
    let garbled = server.exchange(b"\x01\x02\x03\r\n\r\n").await;
    assert!(garbled.is_empty() || status(&garbled) == 400, "{garbled}");
    // A TLS record that is no handshake.
    let garbled = server.exchange(b"\x16garbage garbage garbage garbage").await;
    assert!(!garbled.starts_with("HTTP"), "{garbled}");
    assert_eq!(status(&server.get("/hello").await), 200);
}

#[tokio::test]
async fn a_connection_answers_request_after_request() {
    let server = start().await;
    let mut stream = server.connect().await;
    for _ in 0..3 {
        stream.write_all(b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        assert_eq!(body(&crate::lab::read_reply(&mut stream).await), "hello");
    }
    assert_eq!(server.api.connections(), 1);
    assert_eq!(server.api.requests(Some(200)), 3);
}
