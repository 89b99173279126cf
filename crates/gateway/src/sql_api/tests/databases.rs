use serde_json::json;

use super::harness::Server;

#[tokio::test]
async fn a_database_lives_from_create_to_delete() {
    let server = Server::start().await;
    let created = server.call("POST", "/dbs").json(&json!({"id": "Sales 50%"})).send().await.expect(201);
    let body = created.json();
    assert_eq!(body["id"], "Sales 50%");
    assert_eq!(created.header("etag"), body["_etag"].as_str());
    assert_eq!(body["_colls"], "colls/");

    server.call("POST", "/dbs").json(&json!({"id": "Sales 50%"})).send().await.expect(409);
    assert_eq!(server.get("/dbs/Sales%2050%25/").await, body);
    let rid = body["_rid"].as_str().unwrap();
    assert_eq!(server.get(&format!("/dbs/{rid}")).await, body);
    assert_eq!(server.get("/dbs").await["Databases"], json!([body]));

    server.call("DELETE", "/dbs/Sales%2050%25").send().await.expect(204);
    server.call("DELETE", "/dbs/Sales%2050%25").send().await.expect(404);
    let gone = server.call("GET", "/dbs/Sales%2050%25").send().await.expect(404);
    assert_eq!(gone.header("x-ms-substatus"), None);
    assert_eq!(gone.json()["code"], "NotFound");
    assert_eq!(server.get("/dbs").await, json!({"_rid": "", "Databases": [], "_count": 0}));
}

#[tokio::test]
async fn a_known_etag_is_not_sent_again_and_a_wrong_one_stops_a_delete() {
    let server = Server::start().await;
    let body = server.create("/dbs", json!({"id": "db"})).await;
    let etag = body["_etag"].as_str().unwrap();
    let unchanged = server.call("GET", "/dbs/db").header("if-none-match", etag).send().await.expect(304);
    assert!(unchanged.body.is_empty());
    server.call("DELETE", "/dbs/db").header("if-match", "\"other\"").send().await.expect(412);
    server.call("DELETE", "/dbs/db").header("if-match", etag).send().await.expect(204);
}

#[tokio::test]
async fn lists_come_in_pages_that_miss_and_repeat_nothing() {
    let server = Server::start().await;
    for n in 0..5 {
        server.create("/dbs", json!({"id": format!("db{n}")})).await;
    }
    let mut seen = Vec::new();
    let mut continuation = None::<String>;
    loop {
        let mut call = server.call("GET", "/dbs").header("x-ms-max-item-count", "2");
        if let Some(token) = &continuation {
            call = call.header("x-ms-continuation", token);
        }
        let page = call.send().await.expect(200);
        let ids =
            page.json()["Databases"].as_array().unwrap().iter().map(|db| db["id"].to_string()).collect::<Vec<_>>();
        assert_eq!(page.header("x-ms-item-count"), Some(ids.len().to_string().as_str()));
        seen.extend(ids);
        // What goes while a client pages through does not move the rest.
        if seen.len() == 2 {
            server.call("DELETE", "/dbs/db0").send().await.expect(204);
        }
        continuation = page.header("x-ms-continuation").map(str::to_owned);
        if continuation.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["\"db0\"", "\"db1\"", "\"db2\"", "\"db3\"", "\"db4\""]);
    server.call("GET", "/dbs").header("x-ms-continuation", "garbage").send().await.expect(400);
    server.call("GET", "/dbs").header("x-ms-max-item-count", "0").send().await.expect(400);
    server.call("GET", "/dbs").header("x-ms-max-item-count", "-1").send().await.expect(200);
}

#[tokio::test]
async fn names_are_checked_in_the_services_words() {
    let server = Server::start().await;
    let long = server.call("POST", "/dbs").json(&json!({"id": "x".repeat(256)})).send().await.expect(400);
    assert!(long.message().contains("Ensure to provide a unique non-empty string less than '255' characters."));
    for bad in [json!({}), json!({"id": 5}), json!({"id": "a/b"}), json!({"id": "a "}), json!([])] {
        let answer = server.call("POST", "/dbs").json(&bad).send().await.expect(400);
        assert_eq!(answer.json()["code"], "BadRequest", "{bad}");
    }
}

#[tokio::test]
async fn the_account_sends_clients_back_where_they_came_from() {
    let server = Server::start().await;
    let account = server.get("/").await;
    assert_eq!(account["writableLocations"][0]["databaseAccountEndpoint"], "http://127.0.0.1:8081/");
    assert_eq!(account["userConsistencyPolicy"]["defaultConsistencyLevel"], "Session");
    let head = server.call("HEAD", "/").send().await.expect(200);
    assert!(head.body.is_empty());
    server.call("PUT", "/").send().await.expect(405);
}
