use http::{HeaderValue, Method};
use serde_json::Value as Json;

use super::harness::Server;
use crate::listen::{App, Refusal};

#[tokio::test]
async fn nonsense_is_answered_with_400_or_404() {
    let server = Server::with_container().await;
    for body in [&b""[..], b"{", b"\xff\xfe", b"[[[[", b"\"id\"", b"{\"id\":{}}", b"null"] {
        for path in ["/dbs", "/dbs/db/colls", "/dbs/db/users", "/dbs/db/colls/c/udfs", "/dbs/db/clientencryptionkeys"] {
            server.call("POST", path).body(body).send().await.expect(400);
        }
        server.call("POST", "/dbs").header("x-ms-documentdb-isquery", "true").body(body).send().await.expect(400);
    }
    let deep = "[".repeat(1_000_000);
    server.call("POST", "/dbs").body(deep).send().await.expect(400);
    let large = vec![b' '; super::super::request::MAX_CONTROL_BODY_BYTES + 1];
    server.call("POST", "/dbs").body(large).send().await.expect(413);
    for path in ["/%ff", "/dbs/%ff/colls", "/%2e%2e/%2e%2e/etc/passwd", "/dbs/a/b/c/d/e/f/g/h/i/j/k/l"] {
        let status = server.call("GET", path).send().await.status;
        assert!(matches!(status, 400 | 401 | 404), "{path}: {status}");
    }
}

#[tokio::test]
async fn header_values_that_make_no_sense_are_refused_by_name() {
    let server = Server::with_container().await;
    for (name, value) in [
        ("x-ms-max-item-count", &b"many"[..]),
        ("x-ms-max-item-count", b"-2"),
        ("x-ms-max-item-count", b"99999999999999999999"),
        ("x-ms-continuation", b"\xff\xff"),
        ("x-ms-consistency-level", b"Utter"),
    ] {
        let answer = server.call("GET", "/dbs").header(name, value).send().await.expect(400);
        assert_eq!(answer.json()["code"], "BadRequest", "{name}");
    }
    let hostile = server.call("GET", "/dbs").header("x-ms-activity-id", b"\xc3\xa9\xff").send().await.expect(200);
    assert_eq!(hostile.header("x-ms-activity-id").unwrap().len(), 36);
    let echoed = server.call("GET", "/dbs").header("x-ms-activity-id", "my-id").send().await.expect(200);
    assert_eq!(echoed.header("x-ms-activity-id"), Some("my-id"));
}

#[tokio::test]
async fn a_strict_server_offers_no_more_than_the_accounts_consistency() {
    let relaxed = Server::start().await;
    relaxed.call("GET", "/dbs").header("x-ms-consistency-level", "Strong").send().await.expect(200);
    let strict = Server::start_strict().await;
    strict.call("GET", "/dbs").header("x-ms-consistency-level", "Strong").send().await.expect(400);
    strict.call("GET", "/dbs").header("x-ms-consistency-level", "eventual").send().await.expect(200);
}

#[tokio::test]
async fn the_listeners_refusals_have_the_apis_shape() {
    let server = Server::start().await;
    let id = HeaderValue::from_static("a-1");
    for (refusal, status, code) in [
        (Refusal::TooManyConnections, 429, "TooManyRequests"),
        (Refusal::TooManyRequests, 429, "TooManyRequests"),
        (Refusal::Panicked, 500, "InternalServerError"),
    ] {
        let response = server.api.refuse(refusal, Some(&id));
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.headers()["x-ms-activity-id"], "a-1");
        assert_eq!(response.headers().contains_key("x-ms-retry-after-ms"), status == 429);
        let body: Json = serde_json::from_slice(response.body().bytes().unwrap()).unwrap();
        assert_eq!(body["code"], code);
    }
}

#[tokio::test]
async fn unknown_methods_and_paths_have_their_own_answers() {
    let server = Server::start().await;
    server.call("GET", "/nothing").send().await.expect(404);
    let trace = server.call(Method::TRACE.as_str(), "/dbs").send().await.expect(405);
    assert_eq!(trace.json()["code"], "MethodNotAllowed");
}
