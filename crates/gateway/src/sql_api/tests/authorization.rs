use serde_json::{Value as Json, json};

use super::harness::{Answer, Server, container};
use crate::auth::{Grant, PermissionMode};

#[tokio::test]
async fn a_request_without_a_right_signature_learns_what_to_sign() {
    let server = Server::start().await;
    let missing = server.call("GET", "/dbs").unsigned().send().await.expect(401);
    assert_eq!(missing.json()["code"], "Unauthorized");
    let wrong = server.call("GET", "/dbs/Db").signed_with(b"another key of some length").send().await.expect(401);
    assert!(wrong.message().contains(r"get\\ndbs\\ndbs/Db\\n"), "{}", wrong.message());
    server.call("GET", "/dbs").token("nonsense").send().await.expect(401);
    let pem = server.call("GET", "/_explorer/emulator.pem").unsigned().send().await.expect(200);
    assert!(pem.body.starts_with(b"-----BEGIN CERTIFICATE"));
}

#[tokio::test]
async fn a_read_only_key_reads_and_queries_only() {
    let server = Server::with_container().await;
    for path in ["/", "/dbs", "/dbs/db", "/dbs/db/colls/c", "/dbs/db/colls/c/docs", "/offers"] {
        server.call("GET", path).read_only().send().await.expect(200);
    }
    for (method, path) in [
        ("POST", "/dbs"),
        ("DELETE", "/dbs/db"),
        ("POST", "/dbs/db/colls"),
        ("PUT", "/dbs/db/colls/c"),
        ("POST", "/dbs/db/colls/c/docs"),
        ("DELETE", "/dbs/db/colls/c/docs/x"),
        ("POST", "/dbs/db/colls/c/operations/partitionkeydelete"),
        ("POST", "/dbs/db/users"),
    ] {
        server.call(method, path).read_only().json(&json!({"id": "x"})).send().await.expect(403);
    }
    let batch = server.call("POST", "/dbs/db/colls/c/docs").read_only().header("x-ms-documentdb-isquery", "true");
    batch.header("x-ms-cosmos-is-batch-request", "true").body("[]").send().await.expect(403);
}

#[tokio::test]
async fn the_deletion_of_a_partition_may_be_signed_as_a_request_on_the_container() {
    let server = Server::with_container().await;
    let path = "/dbs/db/colls/c/operations/partitionkeydelete";
    let call = || server.call("POST", path).header("x-ms-documentdb-partitionkey", "[\"a\"]");
    call().signed_as("colls").send().await.expect(200);
    call().send().await.expect(200);
    call().signed_as("docs").send().await.expect(401);
}

/// A permission of a new user; its token.
async fn permit(server: &Server, user: &str, permission: Json) -> String {
    server.create("/dbs/db/users", json!({"id": user})).await;
    let made = server.create(&format!("/dbs/db/users/{user}/permissions"), permission).await;
    made["_token"].as_str().unwrap().to_owned()
}

async fn create_item(server: &Server, token: &str, container: &str, id: &str, key: &str) -> Answer {
    let call = server.call("POST", &format!("/dbs/db/colls/{container}/docs")).token(token);
    call.header("x-ms-documentdb-partitionkey", format!("[\"{key}\"]")).json(&json!({"id": id, "pk": key})).send().await
}

#[tokio::test]
async fn a_token_reaches_the_items_of_its_container_and_nothing_else() {
    let server = Server::with_container().await;
    server.create("/dbs/db/colls", container("other")).await;
    let permission = json!({"id": "p", "permissionMode": "All", "resource": "dbs/db/colls/c/"});
    let token = permit(&server, "u", permission).await;
    create_item(&server, &token, "c", "a", "x").await.expect(201);
    create_item(&server, &token, "other", "a", "x").await.expect(403);
    for (method, path, status) in [
        ("GET", "/", 200),
        ("GET", "/dbs/db/colls/c", 200),
        ("GET", "/dbs/db/colls/c/pkranges", 200),
        ("GET", "/dbs/db/colls/c/docs", 200),
        ("DELETE", "/dbs/db/colls/c", 403),
        ("PUT", "/dbs/db/colls/c", 403),
        ("GET", "/dbs/db/colls/c/sprocs", 403),
        ("GET", "/dbs/db/colls/other", 403),
        ("GET", "/dbs/db/colls/none", 403),
        ("GET", "/dbs/db", 403),
        ("GET", "/dbs", 403),
        ("GET", "/offers", 403),
        ("GET", "/dbs/db/users/u/permissions/p", 403),
    ] {
        let answer = server.call(method, path).token(&token).send().await;
        assert_eq!(answer.status, status, "{method} {path}");
    }
    server.call("DELETE", "/dbs/db/colls/c").send().await.expect(204);
    server.create("/dbs/db/colls", container("c")).await;
    server.call("GET", "/dbs/db/colls/c/docs").token(&token).send().await.expect(403);
}

#[tokio::test]
async fn a_read_permission_does_not_write() {
    let server = Server::with_container().await;
    let permission = json!({"id": "p", "permissionMode": "Read", "resource": "dbs/db/colls/c"});
    let token = permit(&server, "u", permission).await;
    let refused = create_item(&server, &token, "c", "a", "x").await.expect(403);
    assert!(refused.message().contains("read-only"), "{}", refused.message());
    server.call("GET", "/dbs/db/colls/c/docs").token(&token).send().await.expect(200);
}

#[tokio::test]
async fn a_permission_on_a_partition_key_keeps_to_it() {
    let server = Server::with_container().await;
    let permission =
        json!({"id": "p", "permissionMode": "All", "resource": "dbs/db/colls/c", "resourcePartitionKey": ["x"]});
    let token = permit(&server, "u", permission).await;
    create_item(&server, &token, "c", "a", "x").await.expect(201);
    create_item(&server, &token, "c", "a", "y").await.expect(403);
    let feed = |name: &str, value: &str| server.call("GET", "/dbs/db/colls/c/docs").token(&token).header(name, value);
    feed("x-ms-documentdb-partitionkey", "[\"x\"]").send().await.expect(200);
    feed("x-ms-documentdb-partitionkey", "[\"y\"]").send().await.expect(403);
    feed("x-ms-documentdb-partitionkey", "garbage").send().await.expect(403);
    feed("x-ms-documentdb-partitionkeyrangeid", "0").send().await.expect(403);
    let both = feed("x-ms-documentdb-partitionkey", "[\"x\"]").header("x-ms-start-epk", "");
    both.header("x-ms-end-epk", "FF").send().await.expect(403);
    let bulk = server.call("POST", "/dbs/db/colls/c/docs").token(&token).header("x-ms-cosmos-is-batch-request", "True");
    bulk.header("x-ms-documentdb-partitionkey", "[\"x\"]").body("[]").send().await.expect(403);
}

#[tokio::test]
async fn a_permission_on_an_item_reaches_that_item_only() {
    let server = Server::with_container().await;
    let owner = json!({"id": "p", "permissionMode": "All", "resource": "dbs/db/colls/c"});
    let owner = permit(&server, "owner", owner).await;
    for id in ["a", "b"] {
        create_item(&server, &owner, "c", id, "x").await.expect(201);
    }
    let token =
        permit(&server, "u", json!({"id": "p", "permissionMode": "All", "resource": "dbs/db/colls/c/docs/a"})).await;
    let read = |path: &str| server.call("GET", path).token(&token).header("x-ms-documentdb-partitionkey", "[\"x\"]");
    read("/dbs/db/colls/c/docs/a").send().await.expect(200);
    read("/dbs/db/colls/c/docs/b").send().await.expect(403);
    read("/dbs/db/colls/c/docs").send().await.expect(403);
    create_item(&server, &token, "c", "a", "x").await.expect(403);
}

#[tokio::test]
async fn tokens_end() {
    let server = Server::with_container().await;
    let rid = server.get("/dbs/db/colls/c").await["_rid"].as_str().unwrap().to_owned();
    let grant = |expires| Grant {
        permission_rid: "p".into(),
        user_rid: "u".into(),
        resource_link: "dbs/db/colls/c".into(),
        resource_rid: rid.clone(),
        mode: PermissionMode::All,
        partition_key: None,
        expires,
    };
    let issue = |expires| server.api.authenticator.tokens().issue(&grant(expires));
    server.call("GET", "/dbs/db/colls/c").token(&issue(i64::MAX)).send().await.expect(200);
    let expired = server.call("GET", "/dbs/db/colls/c").token(&issue(1)).send().await.expect(403);
    assert!(expired.message().contains("expired"), "{}", expired.message());
}

#[tokio::test]
async fn the_life_of_a_token_is_bounded() {
    let server = Server::start_strict().await;
    server.create("/dbs", json!({"id": "db"})).await;
    server.create("/dbs/db/users", json!({"id": "u"})).await;
    let permission = json!({"id": "p", "permissionMode": "Read", "resource": "dbs/db/colls/none"});
    let create = |seconds: &str| {
        let call = server.call("POST", "/dbs/db/users/u/permissions").json(&permission);
        call.header("x-ms-documentdb-expiry-seconds", seconds)
    };
    create("18001").send().await.expect(400);
    create("9").send().await.expect(400);
    assert_eq!(server.get("/dbs/db/users/u/permissions").await["_count"], 0, "a refused request leaves nothing behind");
    create("18000").send().await.expect(201);
}
