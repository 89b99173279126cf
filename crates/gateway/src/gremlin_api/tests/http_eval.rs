//! Texts over plain HTTP.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::lab::{Lab, USER};
use crate::auth::EMULATOR_KEY;

/// Status and body of a request, sent as curl would.
async fn send(lab: &Lab, head: &str, body: &str) -> (u16, Json) {
    let mut stream = TcpStream::connect(lab.address).await.unwrap();
    let length = body.len();
    let request = format!("{head}\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|_| body.into()))
}

fn basic() -> String {
    format!("authorization: Basic {}", STANDARD.encode(format!("{USER}:{EMULATOR_KEY}")))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_run_for_whoever_has_the_key() {
    let lab = Lab::start().await;
    let body = json!({"gremlin": "g.inject(x).math('_ * 2')", "bindings": {"x": 4}}).to_string();
    let (status, answer) = send(&lab, &format!("POST /gremlin HTTP/1.1\r\n{}", basic()), &body).await;
    assert_eq!((status, &answer["result"]["data"]), (200, &json!([8.0])), "{answer}");
    let typed = format!("POST / HTTP/1.1\r\naccept: application/vnd.gremlin-v3.0+json\r\n{}", basic());
    let (_, answer) = send(&lab, &typed, &body).await;
    assert_eq!(answer["result"]["data"]["@value"][0], json!({"@type": "g:Double", "@value": 8.0}));
    let (status, answer) =
        send(&lab, &format!("GET /gremlin?gremlin=g.inject(1%2C2) HTTP/1.1\r\n{}", basic()), "").await;
    assert_eq!((status, &answer["result"]["data"]), (200, &json!([1, 2])));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_explanation_tells_the_stages() {
    let lab = Lab::start().await;
    let body = json!({"gremlin": "g.V('1').out().explain()"}).to_string();
    let (status, answer) = send(&lab, &format!("POST /gremlin HTTP/1.1\r\n{}", basic()), &body).await;
    let text = answer["result"]["data"][0].as_str().unwrap_or_default();
    assert!(status == 200 && text.contains("vertices by 1 keys") && text.contains("Stage 2"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_have_the_status_that_scripts_look_at() {
    let lab = Lab::start().await;
    let post = format!("POST /gremlin HTTP/1.1\r\n{}", basic());
    for (head, body, expected) in [
        ("POST /gremlin HTTP/1.1".to_owned(), r#"{"gremlin":"g.V()"}"#, 401),
        ("POST /gremlin HTTP/1.1\r\nauthorization: Basic eDp5".to_owned(), r#"{"gremlin":"g.V()"}"#, 401),
        (post.clone(), "no json", 400),
        (post.clone(), "{}", 400),
        (post.clone(), r#"{"gremlin":"g.V("}"#, 400),
        (post.clone(), r#"{"gremlin":"g.V()","aliases":{"g":"/dbs/db/colls/gone"}}"#, 404),
        (post.clone(), r#"{"gremlin":"g.inject(1).fail()"}"#, 500),
        ("GET /elsewhere HTTP/1.1".to_owned(), "", 404),
        ("GET /gremlin HTTP/1.1".to_owned(), "", 400),
        ("PUT /gremlin HTTP/1.1".to_owned(), "", 405),
    ] {
        let (status, answer) = send(&lab, &head, body).await;
        assert_eq!(status, expected, "{head} {body} {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_that_is_none_is_told_why() {
    let lab = Lab::start().await;
    for (lines, expected) in [
        ("upgrade: websocket", 400),
        ("upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 8", 426),
        ("upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13", 400),
    ] {
        let mut stream = TcpStream::connect(lab.address).await.unwrap();
        let request = format!("GET /gremlin HTTP/1.1\r\nhost: x\r\n{lines}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reply = [0; 12];
        stream.read_exact(&mut reply).await.unwrap();
        assert_eq!(reply, format!("HTTP/1.1 {expected}").as_bytes(), "{lines}");
    }
}
