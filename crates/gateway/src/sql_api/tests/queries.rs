use serde_json::{Value as Json, json};

use super::harness::{Answer, Call, Server, container};

fn query<'s>(server: &'s Server, path: &str, text: &str, parameters: Json) -> Call<'s> {
    let body = json!({"query": text, "parameters": parameters});
    server
        .call("POST", path)
        .header("x-ms-documentdb-isquery", "True")
        .header("content-type", "application/query+json")
        .json(&body)
}

async fn rows(server: &Server, path: &str, text: &str, parameters: Json, plural: &str) -> Json {
    let answer: Answer = query(server, path, text, parameters).send().await.expect(200);
    let body = answer.json();
    assert_eq!(body["_count"].as_u64().map(|count| count as usize), body[plural].as_array().map(Vec::len));
    body[plural].clone()
}

#[tokio::test]
async fn metadata_is_queried_as_the_sdks_do() {
    let server = Server::with_container().await;
    let database = server.get("/dbs/db").await;
    let by_id = "SELECT * FROM root r WHERE r.id=@id";
    let named = |id: &str| json!([{"name": "@id", "value": id}]);
    assert_eq!(rows(&server, "/dbs", by_id, named("db"), "Databases").await, json!([database]));
    assert_eq!(rows(&server, "/dbs", by_id, named("none"), "Databases").await, json!([]));

    let container = server.get("/dbs/db/colls/c").await;
    assert_eq!(rows(&server, "/dbs/db/colls", by_id, named("c"), "DocumentCollections").await, json!([container]));
    let link = json!([{"name": "@link", "value": container["_self"]}]);
    let offers = rows(&server, "/offers", "SELECT * FROM root WHERE root.resource=@link", link, "Offers").await;
    assert_eq!(offers[0]["content"]["offerThroughput"], 400);
    let by_rid = json!([{"name": "@rid", "value": container["_rid"]}]);
    let text = "SELECT * FROM c WHERE c.offerResourceId = @rid";
    assert_eq!(rows(&server, "/offers", text, by_rid, "Offers").await, offers);

    server.create("/dbs/db/users", json!({"id": "u"})).await;
    assert_eq!(rows(&server, "/dbs/db/users", by_id, named("u"), "Users").await[0]["id"], "u");
    let conflicts = || query(&server, "/dbs/db/colls/c/conflicts", "SELECT * FROM c", json!([]));
    for named in [("x-ms-documentdb-partitionkey", "[1]"), ("x-ms-documentdb-query-enablecrosspartition", "True")] {
        assert_eq!(conflicts().header(named.0, named.1).send().await.expect(200).json()["Conflicts"], json!([]));
    }
    conflicts().send().await.expect(400);
    let read_only = query(&server, "/dbs", "SELECT VALUE r.id FROM r", json!(null)).read_only();
    assert_eq!(read_only.send().await.expect(200).json()["Databases"], json!(["db"]));
}

#[tokio::test]
async fn query_results_come_in_pages() {
    let server = Server::start().await;
    server.create("/dbs", json!({"id": "db"})).await;
    for n in 0..3 {
        server.create("/dbs/db/colls", container(&format!("c{n}"))).await;
    }
    let page =
        || query(&server, "/dbs/db/colls", "SELECT VALUE c.id FROM c", json!([])).header("x-ms-max-item-count", "2");
    let first = page().send().await.expect(200);
    assert_eq!(first.json()["DocumentCollections"], json!(["c0", "c1"]));
    let token = first.header("x-ms-continuation").unwrap();
    let second = page().header("x-ms-continuation", token).send().await.expect(200);
    assert_eq!(second.json()["DocumentCollections"], json!(["c2"]));
    assert_eq!(second.header("x-ms-continuation"), None);
    page().header("x-ms-continuation", "list:AAAA").send().await.expect(400);
}

#[tokio::test]
async fn a_wrong_query_is_reported_in_the_services_form() {
    let server = Server::start().await;
    let wrong = query(&server, "/dbs", "SELEC * FROM c", json!([])).send().await.expect(400);
    assert!(wrong.message().starts_with("Message: {\"errors\":[{\"severity\":\"Error\""), "{}", wrong.message());
    query(&server, "/dbs", "SELECT * FROM c WHERE c.id = @missing", json!([])).send().await.expect(400);
    query(&server, "/dbs", "SELECT * FROM c", json!({"@id": 1})).send().await.expect(400);
    server.call("POST", "/dbs").header("x-ms-documentdb-query", "TRUE").body("{}").send().await.expect(400);
}

#[tokio::test]
async fn computed_properties_are_checked_when_they_come_and_used_by_queries() {
    let server = Server::start().await;
    server.create("/dbs", json!({"id": "db"})).await;
    let with = |definition: &str| {
        let mut container = container("c");
        container["computedProperties"] = json!([{"name": "cp_name", "query": definition}]);
        container
    };
    let refused = server.call("POST", "/dbs/db/colls").json(&with("SELECT VALUE NOPE(c.name) FROM c")).send().await;
    let message = refused.expect(400).message();
    assert!(message.contains("One of the specified inputs is invalid"), "{message}");
    assert!(message.contains("'NOPE' is not a recognized built-in function name."), "{message}");
    server.create("/dbs/db/colls", with("SELECT VALUE LOWER(c.name) FROM c")).await;
    let key = json!([1]).to_string();
    let item = server.call("POST", "/dbs/db/colls/c/docs").header("x-ms-documentdb-partitionkey", &key);
    item.json(&json!({"id": "a", "pk": 1, "name": "Ada"})).send().await.expect(201);
    let names = async || {
        let answer = query(&server, "/dbs/db/colls/c/docs", "SELECT c.cp_name FROM c", json!([]));
        let answer = answer.header("x-ms-documentdb-query-enablecrosspartition", "True").send().await.expect(200);
        answer.json()["Documents"].clone()
    };
    assert_eq!(names().await, json!([{"cp_name": "ada"}]));
    // Once from the cache, and then by another definition.
    assert_eq!(names().await, json!([{"cp_name": "ada"}]));
    let replacement = with("SELECT VALUE UPPER(c.name) FROM c");
    server.call("PUT", "/dbs/db/colls/c").json(&replacement).send().await.expect(200);
    assert_eq!(names().await, json!([{"cp_name": "ADA"}]));
    let wrong = with("SELECT c.name FROM c");
    server.call("PUT", "/dbs/db/colls/c").json(&wrong).send().await.expect(400);
}

#[tokio::test]
async fn places_on_a_plane_are_refused_and_not_taken_for_places_on_the_earth() {
    let server = Server::start().await;
    server.create("/dbs", json!({"id": "db"})).await;
    let text =
        "SELECT VALUE ST_DISTANCE({type: 'Point', coordinates: [0, 0]}, {type: 'Point', coordinates: [3, 4]}) FROM c";
    for (kind, status) in [("Geography", 200), ("Geometry", 400)] {
        let mut container = container(kind);
        container["geospatialConfig"] = json!({"type": kind});
        server.create("/dbs/db/colls", container).await;
        let docs = format!("/dbs/db/colls/{kind}/docs");
        let ask = |text| {
            let request = query(&server, &docs, text, json!([]));
            request.header("x-ms-documentdb-query-enablecrosspartition", "True")
        };
        ask("SELECT * FROM c").send().await.expect(200);
        let answer = ask(text).send().await.expect(status);
        let plan = ask(text).header("x-ms-cosmos-is-query-plan-request", "True").send().await.expect(status);
        if status == 400 {
            assert!(answer.message().contains("ST_DISTANCE is computed on the earth only"), "{}", answer.message());
            assert!(plan.message().contains("'Geometry'"), "{}", plan.message());
        }
    }
}
