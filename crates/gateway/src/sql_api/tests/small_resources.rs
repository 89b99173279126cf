use serde_json::json;

use super::harness::Server;

#[tokio::test]
async fn users_are_created_upserted_renamed_and_deleted() {
    let server = Server::with_container().await;
    let user = server.create("/dbs/db/users", json!({"id": "u"})).await;
    assert_eq!(user["_permissions"], "permissions/");
    server.call("POST", "/dbs/db/users").json(&json!({"id": "u"})).send().await.expect(409);
    let upsert = |id: &str| {
        server.call("POST", "/dbs/db/users").header("x-ms-documentdb-is-upsert", "True").json(&json!({"id": id}))
    };
    upsert("u").send().await.expect(200);
    upsert("v").send().await.expect(201);
    let renamed = server.call("PUT", "/dbs/db/users/v").json(&json!({"id": "w"})).send().await.expect(200);
    assert_eq!(renamed.json()["id"], "w");
    server.call("GET", "/dbs/db/users/v").send().await.expect(404);
    let list = server.get("/dbs/db/users").await;
    assert_eq!((&list["_count"], &list["Users"][1]["id"]), (&json!(2), &json!("w")));
    server.call("DELETE", "/dbs/db/users/w").header("if-match", "\"x\"").send().await.expect(412);
    server.call("DELETE", "/dbs/db/users/w").send().await.expect(204);
    server.call("DELETE", "/dbs/db/users/w").send().await.expect(404);
    server.call("GET", "/dbs/none/users").send().await.expect(404).sub_status("1003");
    server.call("GET", "/dbs/db/users/w/permissions").send().await.expect(404).sub_status("1003");
}

#[tokio::test]
async fn scripts_are_kept_and_say_that_they_do_not_run() {
    let server = Server::with_container().await;
    let feed = "/dbs/db/colls/c/sprocs";
    let made = server.create(feed, json!({"id": "s", "body": "function () {}"})).await;
    assert_eq!(made["body"], "function () {}");
    let replaced = server.call("PUT", "/dbs/db/colls/c/sprocs/s").json(&json!({"id": "s", "body": "x"}));
    assert_eq!(replaced.send().await.expect(200).json()["body"], "x");
    assert_eq!(server.get(feed).await["StoredProcedures"][0]["body"], "x");
    let run = server.call("POST", "/dbs/db/colls/c/sprocs/s").body("[]").send().await.expect(400);
    assert!(run.message().contains("does not execute JavaScript"), "{}", run.message());
    server.call("POST", "/dbs/db/colls/c/sprocs/none").body("[]").send().await.expect(404);
    server.call("POST", feed).json(&json!({"id": "t"})).send().await.expect(400);
    server.create("/dbs/db/colls/c/udfs", json!({"id": "f", "body": "function () {}"})).await;
    let trigger = json!({"id": "t", "body": "", "triggerType": "pre", "triggerOperation": "All"});
    assert_eq!(server.create("/dbs/db/colls/c/triggers", trigger).await["triggerType"], "pre");
}

#[tokio::test]
async fn encryption_keys_are_kept_as_they_are() {
    let server = Server::with_container().await;
    let key = json!({"id": "k", "encryptionAlgorithm": "AEAD_AES_256_CBC_HMAC_SHA256", "wrappedDataEncryptionKey": "eHg=",
        "keyWrapMetadata": {"name": "m", "type": "t", "value": "v", "algorithm": "RSA-OAEP"}});
    let made = server.create("/dbs/db/clientencryptionkeys", key.clone()).await;
    assert_eq!(made["keyWrapMetadata"], key["keyWrapMetadata"]);
    let read = server.call("GET", "/dbs/db/clientencryptionkeys/k").send().await.expect(200);
    assert_eq!(read.header("etag"), made["_etag"].as_str());
    assert_eq!(server.get("/dbs/db/clientencryptionkeys").await["ClientEncryptionKeys"], json!([made]));
    server.call("POST", "/dbs/db/clientencryptionkeys").json(&json!({"id": "x"})).send().await.expect(400);
}
