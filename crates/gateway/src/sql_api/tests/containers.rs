use serde_json::{Value as Json, json};

use super::harness::{Server, container};

#[tokio::test]
async fn a_container_lives_from_create_to_delete() {
    let server = Server::start().await;
    let orphan = server.call("POST", "/dbs/db/colls").json(&container("c")).send().await.expect(404);
    orphan.sub_status("1003");
    server.create("/dbs", json!({"id": "db"})).await;
    let created = server.call("POST", "/dbs/db/colls").json(&container("c")).send().await.expect(201);
    let body = created.json();
    assert_eq!(body["indexingPolicy"]["indexingMode"], "consistent");
    assert_eq!(created.header("x-ms-alt-content-path"), Some("dbs/db/colls/c"));
    assert_eq!(created.header("x-ms-content-path"), body["_rid"].as_str());

    server.call("POST", "/dbs/db/colls").json(&container("c")).send().await.expect(409);
    let read = server.call("GET", "/dbs/db/colls/c").send().await.expect(200);
    assert_eq!(read.json(), body);
    assert_eq!(read.header("x-ms-documentdb-collection-index-transformation-progress"), Some("100"));
    let self_link = format!("/{}", body["_self"].as_str().unwrap());
    assert_eq!(server.get(&self_link).await, body);
    let head = server.call("HEAD", "/dbs/db/colls/c").send().await.expect(200);
    assert!(head.body.is_empty() && head.headers.contains_key("etag"));
    assert_eq!(server.get("/dbs/db/colls").await["DocumentCollections"], json!([body]));

    server.call("DELETE", "/dbs/db/colls/c").send().await.expect(204);
    let gone = server.call("GET", "/dbs/db/colls/c").send().await.expect(404);
    assert_eq!(gone.header("x-ms-substatus"), None);
    server.call("GET", "/dbs/db/colls/c/docs").send().await.expect(404).sub_status("1003");
    server.call("GET", "/dbs/none/colls/c").send().await.expect(404).sub_status("1003");
}

#[tokio::test]
async fn replacing_keeps_the_partition_key_and_respects_etags() {
    let server = Server::with_container().await;
    let put = |body: Json| server.call("PUT", "/dbs/db/colls/c").json(&body);
    let mut other_key = container("c");
    other_key["partitionKey"]["paths"] = json!(["/other"]);
    put(other_key).send().await.expect(400);
    let mut with_ttl = container("c");
    with_ttl["defaultTtl"] = json!(60);
    let before = server.get("/dbs/db/colls/c").await["_etag"].as_str().unwrap().to_owned();
    put(with_ttl.clone()).header("if-match", "\"other\"").send().await.expect(412);
    let replaced = put(with_ttl.clone()).header("if-match", &before).send().await.expect(200);
    assert_eq!(replaced.json()["defaultTtl"], 60);
    assert_ne!(replaced.header("etag"), Some(before.as_str()));
    put(with_ttl).header("if-match", &before).send().await.expect(412);
    let mut wrong = container("c");
    wrong["defaultTtl"] = json!(0);
    let wrong = put(wrong).send().await.expect(400);
    assert!(wrong.message().contains("One of the specified inputs is invalid"), "{}", wrong.message());
}

#[tokio::test]
async fn a_client_that_means_an_earlier_container_is_told_so() {
    let server = Server::with_container().await;
    let rid = server.get("/dbs/db/colls/c").await["_rid"].as_str().unwrap().to_owned();
    server.call("DELETE", "/dbs/db/colls/c").send().await.expect(204);
    server.create("/dbs/db/colls", container("c")).await;
    for path in ["/dbs/db/colls/c", "/dbs/db/colls/c/pkranges", "/dbs/db/colls/c/docs"] {
        let call = server.call("GET", path).header("x-ms-cosmos-intended-collection-rid", &rid);
        call.send().await.expect(400).sub_status("1024");
    }
}

#[tokio::test]
async fn quota_and_statistics_come_when_asked_for() {
    let server = Server::with_container().await;
    let plain = server.call("GET", "/dbs/db/colls/c").send().await.expect(200);
    assert_eq!(plain.header("x-ms-resource-usage"), None);
    let asked = server
        .call("GET", "/dbs/db/colls/c")
        .header("x-ms-documentdb-populatequotainfo", "True")
        .header("x-ms-documentdb-populatepartitionstatistics", "TRUE");
    let asked = asked.send().await.expect(200);
    assert!(asked.header("x-ms-resource-usage").unwrap().starts_with("documentsCount=0;"));
    assert!(asked.header("x-ms-resource-quota").unwrap().contains("collectionSize="));
    assert_eq!(
        asked.json()["statistics"],
        json!([{"id": "0", "partitionKeys": [], "sizeInKB": 0, "documentCount": 0}])
    );
}

#[tokio::test]
async fn partition_key_ranges_are_sent_once_per_version() {
    let server = Server::start().await;
    server.create("/dbs", json!({"id": "db"})).await;
    let large = server.call("POST", "/dbs/db/colls").header("x-ms-offer-throughput", "20000").json(&container("c"));
    let rid = large.send().await.expect(201).json()["_rid"].as_str().unwrap().to_owned();
    let path = "/dbs/db/colls/c/pkranges";
    let first = server.call("GET", path).header("A-IM", "Incremental Feed").send().await.expect(200);
    let body = first.json();
    assert_eq!(body["_rid"].as_str(), Some(rid.as_str()));
    assert_eq!(body["_count"], 2);
    let ranges = body["PartitionKeyRanges"].as_array().unwrap();
    assert_eq!(ranges[0]["minInclusive"], "");
    assert_eq!(ranges[0]["maxExclusive"], ranges[1]["minInclusive"]);
    assert_eq!(ranges[1]["maxExclusive"], "FF");
    assert_eq!(ranges[1]["parents"], json!([]));
    let etag = first.header("etag").unwrap();
    let again = server.call("GET", path).header("if-none-match", etag).send().await.expect(304);
    assert!(again.body.is_empty());
    assert_eq!(again.header("etag"), Some(etag));

    let engine = server.api.engine.clone();
    let container = engine.container("db", "c").unwrap();
    let at = orrery_value::Epk::parse("10000000000000000000000000000000").unwrap();
    engine.split_partition(&container, 0, at).await.unwrap();
    let split = server.call("GET", path).header("if-none-match", etag).send().await.expect(200).json();
    let ids: Vec<_> = split["PartitionKeyRanges"].as_array().unwrap().iter().map(|range| range["id"].clone()).collect();
    assert_eq!(ids, ["2", "3", "1"]);
    assert_eq!(split["PartitionKeyRanges"][0]["parents"], json!(["0"]));
    assert_ne!(split["PartitionKeyRanges"][0]["_rid"], split["PartitionKeyRanges"][1]["_rid"]);
}

#[tokio::test]
async fn there_are_no_conflicts() {
    let server = Server::with_container().await;
    assert_eq!(server.get("/dbs/db/colls/c/conflicts").await["Conflicts"], json!([]));
    server.call("GET", "/dbs/db/colls/c/conflicts/x").send().await.expect(404);
    server.call("DELETE", "/dbs/db/colls/c/conflicts/x").send().await.expect(404);
    server.call("POST", "/dbs/db/colls/c/conflicts").send().await.expect(405);
}
