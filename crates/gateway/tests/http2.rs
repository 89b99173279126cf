//! HTTP/2, over TLS by ALPN and over plain sockets by prior knowledge.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::lab::{Server, start, within};
use crate::schemes::tls_connect;

async fn client<S>(stream: S) -> http2::SendRequest<Full<Bytes>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (sender, connection) = within(handshake).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn fetch(sender: &mut http2::SendRequest<Full<Bytes>>, path: &str, body: Bytes) -> (u16, String) {
    let request = Request::post(format!("http://x{path}")).body(Full::new(body)).unwrap();
    let response = within(sender.send_request(request)).await.unwrap();
    let status = response.status().as_u16();
    let body = within(response.into_body().collect()).await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn check_facts(server: &Server, over_tls: bool, expected: &str) {
    let mut sender = if over_tls {
        client(tls_connect(server, "localhost", &["h2", "http/1.1"]).await).await
    } else {
        client(server.connect().await).await
    };
    let (status, text) = fetch(&mut sender, "/facts", Bytes::new()).await;
    assert_eq!((status, text.as_str()), (200, expected));
}

#[tokio::test]
async fn http_2_is_agreed_on_over_tls() {
    check_facts(&start().await, true, "https h2 HTTP/2.0 127.0.0.1").await;
}

#[tokio::test]
async fn http_2_works_by_prior_knowledge() {
    check_facts(&start().await, false, "http none HTTP/2.0 127.0.0.1").await;
}

#[tokio::test]
async fn requests_share_a_connection() {
    let server = start().await;
    let sender = client(server.connect().await).await;
    let waiting: Vec<_> = (0..5)
        .map(|_| {
            let mut sender = sender.clone();
            tokio::spawn(async move { fetch(&mut sender, "/wait", Bytes::new()).await })
        })
        .collect();
    server.wait_entered(5).await;
    assert_eq!((server.api.in_flight(), server.api.connections()), (5, 1));
    server.lab.leave.add_permits(5);
    for task in waiting {
        assert_eq!(within(task).await.unwrap(), (200, "waited".to_owned()));
    }
    let mut sender = sender;
    let (status, _) = fetch(&mut sender, "/echo", Bytes::from(vec![7; 300_000])).await;
    assert_eq!(status, 413);
    assert_eq!(fetch(&mut sender, "/echo", Bytes::from("again")).await.1, "again");
}

#[tokio::test]
async fn a_panic_ends_its_stream_only() {
    let server = start().await;
    let mut sender = client(server.connect().await).await;
    assert_eq!(fetch(&mut sender, "/panic", Bytes::new()).await.0, 500);
    assert_eq!(fetch(&mut sender, "/hello", Bytes::new()).await.0, 200);
}
