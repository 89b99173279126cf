//! The handlers over an engine in memory: what clients send, and what they assert on.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Method};
use orrery_engine::{Container, Engine, EngineOptions, Target};
use orrery_store::MemoryStore;
use orrery_value::Epk;
use serde_json::{Value as Json, json};

use super::*;
use crate::auth::{AadMode, Authenticator, EMULATOR_KEY, Key, Keys};
use crate::listen::Request;
use crate::sql_api::app::{SqlApi, SqlApiConfig};
use crate::sql_api::error::ApiError;
use crate::sql_api::reply::{Reply, error_response};
use crate::sql_api::request::RequestContext;

const UPSERT: (&str, &str) = ("x-ms-documentdb-is-upsert", "True");
const KEY_X: (&str, &str) = ("x-ms-documentdb-partitionkey", r#"["x"]"#);
const FEED: (&str, &str) = ("a-im", "Incremental feed");
const QUERY: (&str, &str) = ("content-type", "application/query+json");
const CROSS_PARTITION: (&str, &str) = ("x-ms-documentdb-query-enablecrosspartition", "True");
const BATCH: [(&str, &str); 2] = [("x-ms-cosmos-is-batch-request", "True"), ("x-ms-cosmos-batch-atomic", "True")];
const BULK: [(&str, &str); 2] = [("x-ms-cosmos-is-batch-request", "True"), ("x-ms-cosmos-batch-atomic", "False")];

struct Lab {
    api: SqlApi,
    container: Arc<Container>,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl Answer {
    fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn sub_status(&self) -> &str {
        self.header("x-ms-substatus")
    }

    fn ids(&self) -> Vec<String> {
        let body = self.json();
        let documents = body["Documents"].as_array().unwrap();
        assert_eq!(body["_count"], documents.len());
        documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()).collect()
    }
}

impl Lab {
    async fn new(definition: Json) -> Lab {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).await.unwrap();
        let database = engine.create_database("db", None).await.unwrap();
        let container = engine.create_container(&database, definition.as_object().unwrap(), None).await.unwrap();
        let keys = Keys::single(Key::from_base64(EMULATOR_KEY).unwrap());
        let api = SqlApi::new(SqlApiConfig {
            engine,
            authenticator: Authenticator::new(keys, AadMode::Off),
            account_name: "localhost".into(),
            public_url: None,
            certificate_pem: None,
            strict: false,
        });
        Lab { api, container }
    }

    async fn by_pk() -> Lab {
        Lab::new(json!({"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})).await
    }

    async fn hierarchical() -> Lab {
        Lab::new(json!({"id": "c", "partitionKey": {"paths": ["/a", "/b"], "kind": "MultiHash", "version": 2}})).await
    }

    /// Sends to `/docs`, or to one of its items.
    async fn send(&self, method: &str, id: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Answer {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut head = http::Request::builder().method(method.clone()).uri("/dbs/db/colls/c/docs");
        for (name, value) in headers {
            head = head.header(*name, *value);
        }
        let (head, ()) = head.body(()).unwrap().into_parts();
        let Request { head, connection, .. } = Request::in_process(head, Bytes::new());
        let cx = RequestContext { api: &self.api, head: &head, connection: &connection, activity_id: "a" };
        let response = match self.handle(&cx, id, body.into()).await {
            Ok(reply) => reply.into_response(&method, "a", 0),
            Err(error) => error_response(&error, &method, "/", "a", 0),
        };
        let (parts, body) = response.into_parts();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: Bytes::copy_from_slice(body.bytes().unwrap()),
        }
    }

    async fn handle(&self, cx: &RequestContext<'_>, id: &str, body: Bytes) -> Result<Reply, ApiError> {
        let target = Target::Id(id.to_owned());
        match (cx.method().as_str(), id) {
            ("GET", "") => handle_feed(cx, &self.container).await,
            ("GET", _) => handle_read(cx, &self.container, target).await,
            ("POST", "") => handle_post(cx, &self.container, body).await,
            ("POST", _) => handle_partition_delete(cx, &self.container).await,
            ("PUT", _) => handle_replace(cx, &self.container, target, body).await,
            ("PATCH", _) => handle_patch(cx, &self.container, target, body).await,
            (_, _) => handle_delete(cx, &self.container, target).await,
        }
    }

    async fn post(&self, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Answer {
        self.send("POST", "", headers, body).await
    }

    async fn get(&self, id: &str, headers: &[(&str, &str)]) -> Answer {
        self.send("GET", id, headers, "").await
    }

    /// Creates items `{"id", "pk"}`.
    async fn create(&self, items: &[(&str, &str)]) {
        for (id, pk) in items {
            let key = json!([pk]).to_string();
            let answer =
                self.post(&[("x-ms-documentdb-partitionkey", &key)], json!({"id": id, "pk": pk}).to_string()).await;
            assert_eq!(answer.status, 201, "{:?}", answer.body);
        }
    }
}

#[tokio::test]
async fn an_item_is_created_read_replaced_and_deleted() {
    let lab = Lab::by_pk().await;
    let created = lab.post(&[KEY_X], r#"{"id":"1","pk":"x","n":1.50}"#).await;
    assert_eq!(created.status, 201);
    let etag = created.json()["_etag"].as_str().unwrap().to_owned();
    assert_eq!(created.header("etag"), etag);
    assert_eq!(created.header("x-ms-alt-content-path"), "dbs/db/colls/c");
    assert_eq!(created.header("x-ms-content-path"), lab.container.rid());

    let read = lab.get("1", &[KEY_X]).await;
    assert_eq!((read.status, &read.body), (200, &created.body));
    assert!(read.body.windows(4).any(|text| text == b"1.50"), "numbers keep their spelling");
    assert_eq!(read.header("x-ms-session-token"), created.header("x-ms-session-token"));
    assert_eq!(read.header("x-ms-session-token"), "0:-1#1");
    assert_eq!(read.header("x-ms-request-charge"), "1");

    let replaced = lab.send("PUT", "1", &[KEY_X, ("if-match", &etag)], r#"{"id":"1","pk":"x","n":2}"#).await;
    assert_eq!((replaced.status, replaced.json()["n"].as_u64()), (200, Some(2)));
    assert_ne!(replaced.header("x-ms-session-token"), read.header("x-ms-session-token"));
    let stale = lab.send("PUT", "1", &[KEY_X, ("if-match", &etag)], r#"{"id":"1","pk":"x","n":3}"#).await;
    assert_eq!(stale.status, 412);

    let deleted = lab.send("DELETE", "1", &[KEY_X], "").await;
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    assert_eq!(deleted.header("x-ms-session-token"), "0:-1#3");
    assert_eq!(lab.get("1", &[KEY_X]).await.status, 404);
}

#[tokio::test]
async fn reads_answer_conditions() {
    let lab = Lab::by_pk().await;
    lab.create(&[("1", "x")]).await;
    let etag = lab.get("1", &[KEY_X]).await.header("etag").to_owned();
    for header in [etag.as_str(), "*"] {
        let unchanged = lab.get("1", &[KEY_X, ("if-none-match", header)]).await;
        assert_eq!((unchanged.status, unchanged.body.len(), unchanged.header("etag")), (304, 0, etag.as_str()));
    }
    assert_eq!(lab.get("1", &[KEY_X, ("if-none-match", "\"other\"")]).await.status, 200);
    assert_eq!(lab.get("1", &[KEY_X, ("if-match", "\"other\"")]).await.status, 412);
}

#[tokio::test]
async fn upserts_tell_new_from_replaced_and_minimal_replies_have_no_body() {
    let lab = Lab::by_pk().await;
    let body = r#"{"id":"1","pk":"x"}"#;
    assert_eq!(lab.post(&[KEY_X, UPSERT], body).await.status, 201);
    assert_eq!(lab.post(&[KEY_X], body).await.status, 409);
    let minimal = lab.post(&[KEY_X, UPSERT, ("prefer", "return=minimal")], body).await;
    assert_eq!((minimal.status, minimal.body.len()), (200, 0));
    assert!(!minimal.header("etag").is_empty() && !minimal.header("x-ms-session-token").is_empty());
}

#[tokio::test]
async fn what_is_missing_or_unsupported_is_named() {
    let lab = Lab::by_pk().await;
    let body = r#"{"id":"1","pk":"x"}"#;
    let no_key = lab.post(&[], body).await;
    assert_eq!((no_key.status, no_key.sub_status()), (400, "1001"));
    let other_key = lab.post(&[("x-ms-documentdb-partitionkey", "[null]")], body).await;
    assert_eq!((other_key.status, other_key.sub_status()), (400, "1001"));
    for header in [("x-ms-documentdb-pre-trigger-include", "t1"), ("x-ms-indexing-directive", "Exclude")] {
        let refused = lab.post(&[KEY_X, header], body).await;
        assert_eq!(refused.status, 400);
        assert!(String::from_utf8_lossy(&refused.body).contains(header.1));
    }
    let hierarchical = Lab::hierarchical().await;
    let partial = hierarchical.get("1", &[KEY_X]).await;
    assert_eq!((partial.status, partial.sub_status()), (400, "1001"));
}

#[tokio::test]
async fn session_tokens_ahead_of_the_container_are_not_available() {
    let lab = Lab::by_pk().await;
    lab.create(&[("1", "x")]).await;
    assert_eq!(lab.get("1", &[KEY_X, ("x-ms-session-token", "0:-1#1")]).await.status, 200);
    assert_eq!(lab.get("1", &[KEY_X, ("x-ms-session-token", "7:-1#99")]).await.status, 200);
    let ahead = lab.get("1", &[KEY_X, ("x-ms-session-token", "0:-1#2")]).await;
    assert_eq!((ahead.status, ahead.sub_status()), (404, "1002"));
    assert_eq!(lab.get("1", &[KEY_X, ("x-ms-session-token", "d1f0:77")]).await.status, 400);
}

#[tokio::test]
async fn a_version_that_arrives_in_time_is_waited_for() {
    let lab = Lab::by_pk().await;
    lab.create(&[("1", "x")]).await;
    let reading = lab.get("1", &[KEY_X, ("x-ms-session-token", "0:-1#2")]);
    let (read, ()) = tokio::join!(reading, lab.create(&[("2", "x")]));
    assert_eq!(read.status, 200);
}

#[tokio::test]
async fn patches_change_what_they_name() {
    let lab = Lab::by_pk().await;
    lab.post(&[KEY_X], r#"{"id":"1","pk":"x","n":3}"#).await;
    let patch = json!({"operations": [{"op": "incr", "path": "/n", "value": 7}]});
    let patched = lab.send("PATCH", "1", &[KEY_X], patch.to_string()).await;
    assert_eq!((patched.status, patched.json()["n"].as_u64()), (200, Some(10)));
    let bare = lab.send("PATCH", "1", &[KEY_X], patch["operations"].to_string()).await;
    assert_eq!((bare.status, bare.json()["n"].as_u64()), (200, Some(17)));
    for wrong in [r#"{"operations":[{"op":"replace","path":"/none","value":1}]}"#, r#"{"condition":"from c"}"#, "x"] {
        assert_eq!(lab.send("PATCH", "1", &[KEY_X], wrong).await.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn a_patch_happens_only_if_its_condition_is_true() {
    let lab = Lab::by_pk().await;
    lab.post(&[KEY_X], r#"{"id":"1","pk":"x","n":3}"#).await;
    let patch = |condition: &str| {
        json!({"condition": condition, "operations": [{"op": "set", "path": "/m", "value": 1}]}).to_string()
    };
    assert_eq!(lab.send("PATCH", "1", &[KEY_X], patch("from c where c.n = 4")).await.status, 412);
    assert_eq!(lab.send("PATCH", "1", &[KEY_X], patch("from c where c.n = 3")).await.status, 200);
}

#[tokio::test]
async fn a_batch_is_done_whole() {
    let lab = Lab::by_pk().await;
    lab.create(&[("r", "x"), ("d", "x")]).await;
    let before = lab.get("r", &[KEY_X]).await;
    let batch = json!([
        {"operationType": "Create", "resourceBody": {"id": "c", "pk": "x"}},
        {"operationType": "Replace", "id": "r", "resourceBody": {"id": "r", "pk": "x", "n": 1}},
        {"operationType": "Patch", "id": "r", "resourceBody": {"operations": [{"op": "incr", "path": "/n", "value": 5}]}},
        {"operationType": "Read", "id": "r"},
        {"operationType": "Delete", "id": "d"}
    ]);
    let done = lab.post(&[&BATCH[..], &[KEY_X]].concat(), batch.to_string()).await;
    assert_eq!(done.status, 200, "{:?}", done.body);
    let results = done.json();
    let statuses: Vec<_> =
        results.as_array().unwrap().iter().map(|result| result["statusCode"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [201, 200, 200, 200, 204]);
    assert_eq!(results[3]["resourceBody"]["n"], 6);
    assert_eq!(results[3]["eTag"], results[3]["resourceBody"]["_etag"]);
    assert!(results[4].get("resourceBody").is_none());
    let lsn = |answer: &Answer| answer.header("lsn").parse::<u64>().unwrap();
    assert_eq!(lsn(&done), lsn(&before) + 1, "a batch counts as one version");
    assert_ne!(done.header("x-ms-session-token"), before.header("x-ms-session-token"));
    let after = lab.get("r", &[KEY_X]).await;
    assert_eq!(done.header("x-ms-session-token"), after.header("x-ms-session-token"));
}

#[tokio::test]
async fn a_failure_undoes_its_batch() {
    let lab = Lab::by_pk().await;
    let create = |id: &str, pk: &str| json!({"operationType": "Create", "resourceBody": {"id": id, "pk": pk}});
    let cases = [
        (json!([create("1", "x"), create("1", "x")]), vec![424, 409]),
        (json!([create("1", "x"), create("2", "y")]), vec![424, 400]),
        (json!([create("1", "x"), {"operationType": "Create", "resourceBody": {"id": "2"}}]), vec![424, 400]),
        (json!([{"operationType": "Read", "id": "no"}, create("1", "x")]), vec![404, 424]),
        (
            json!([create("1", "x"), {"operationType": "Replace", "id": "1", "ifMatch": "e", "resourceBody": {"id": "1", "pk": "x"}}]),
            vec![424, 412],
        ),
        (json!([create("1", "x"), {"operationType": "Delete"}]), vec![424, 400]),
        (json!([create("1", "x"), {"operationType": "Read", "id": "1", "timeToLiveInSeconds": 5}]), vec![424, 400]),
    ];
    for (batch, expected) in cases {
        let failed = lab.post(&[&BATCH[..], &[KEY_X]].concat(), batch.to_string()).await;
        assert_eq!(failed.status, 207);
        let statuses: Vec<_> =
            failed.json().as_array().unwrap().iter().map(|result| result["statusCode"].as_u64().unwrap()).collect();
        assert_eq!(statuses, expected, "{batch}");
    }
    assert_eq!(lab.get("1", &[KEY_X]).await.status, 404);
}

#[tokio::test]
async fn batches_have_limits_with_the_services_words() {
    let lab = Lab::by_pk().await;
    let headers = [&BATCH[..], &[KEY_X]].concat();
    let message = |answer: &Answer| (answer.status, String::from_utf8_lossy(&answer.body).into_owned());
    let (status, text) = message(&lab.post(&headers, "[]").await);
    assert!(status == 400 && text.contains("Batch request has no operations."), "{text}");
    let many = json!(vec![json!({"operationType": "Read", "id": "1"}); 101]);
    let (status, text) = message(&lab.post(&headers, many.to_string()).await);
    assert!(status == 400 && text.contains("Batch request has more operations than what is supported."), "{text}");
    let large = format!(
        r#"[{{"operationType":"Create","resourceBody":{{"id":"1","pk":"x","t":"{}"}}}}]"#,
        "t".repeat(2_500_000)
    );
    let (status, text) = message(&lab.post(&headers, large).await);
    assert!(status == 413 && text.contains("RequestEntityTooLarge"), "{text}");
    let hierarchical = Lab::hierarchical().await;
    let (status, text) = message(&hierarchical.post(&headers, r#"[{"operationType":"Read","id":"1"}]"#).await);
    let words = "Partition key provided either doesn't correspond to definition in the collection or doesn't match partition key field values specified in the document.";
    assert!(status == 400 && text.contains(words), "{text}");
}

#[tokio::test]
async fn bulk_operations_stand_alone_in_their_own_partitions() {
    let lab = Lab::by_pk().await;
    let create = |id: &str, pk: &str| json!({"operationType": "Create", "partitionKey": json!([pk]).to_string(), "resourceBody": {"id": id, "pk": pk}});
    let bulk =
        json!([create("1", "x"), create("1", "x"), create("1", "y"), {"operationType": "Read", "id": "1"}]).to_string();
    let statuses = |answer: &Answer| -> Vec<u64> {
        answer.json().as_array().unwrap().iter().map(|result| result["statusCode"].as_u64().unwrap()).collect()
    };
    let range = ("x-ms-documentdb-partitionkeyrangeid", "0");
    let stopped = lab.post(&[&BULK[..], &[range]].concat(), bulk.clone()).await;
    assert_eq!((stopped.status, statuses(&stopped)), (207, vec![201, 409, 424, 424]));
    let goes_on = ("x-ms-cosmos-batch-continue-on-error", "True");
    let all = lab.post(&[&BULK[..], &[range, goes_on]].concat(), bulk.clone()).await;
    assert_eq!((all.status, statuses(&all)), (207, vec![409, 409, 201, 400]));
    assert_eq!(all.json()[3]["subStatusCode"], 1001);
    let gone = lab.post(&[&BULK[..], &[("x-ms-documentdb-partitionkeyrangeid", "5")]].concat(), bulk).await;
    assert_eq!((gone.status, gone.sub_status()), (410, "1002"));
}

#[tokio::test]
async fn lists_are_paged_and_scoped() {
    let lab = Lab::by_pk().await;
    lab.create(&[("1", "x"), ("2", "x"), ("3", "y")]).await;
    let all = lab.get("", &[]).await;
    assert_eq!((all.status, all.ids().len(), all.header("x-ms-item-count")), (200, 3, "3"));
    assert_eq!(all.json()["_rid"], lab.container.rid());
    assert_eq!(lab.get("", &[KEY_X]).await.ids(), ["1", "2"]);
    let mut ids = Vec::new();
    let mut page = lab.get("", &[("x-ms-max-item-count", "1")]).await;
    loop {
        ids.extend(page.ids());
        let continuation = page.header("x-ms-continuation").to_owned();
        if continuation.is_empty() {
            break;
        }
        page = lab.get("", &[("x-ms-max-item-count", "1"), ("x-ms-continuation", &continuation)]).await;
    }
    ids.sort();
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(lab.get("", &[("x-ms-continuation", "garbage")]).await.status, 400);
    assert_eq!(lab.get("", &[("x-ms-max-item-count", "-1")]).await.ids().len(), 3);
}

#[tokio::test]
async fn the_change_feed_goes_on_where_its_etag_says() {
    let lab = Lab::by_pk().await;
    let empty = lab.get("", &[FEED]).await;
    assert_eq!((empty.status, empty.body.len(), empty.header("etag")), (304, 0, "\"0\""));
    lab.create(&[("1", "x"), ("2", "y")]).await;
    let first = lab.get("", &[FEED, ("x-ms-max-item-count", "1")]).await;
    assert_eq!((first.ids(), first.json()["Documents"][0]["_lsn"].as_u64()), (vec!["1".to_owned()], Some(1)));
    let etag = first.header("etag").to_owned();
    assert!(first.header("x-ms-continuation").is_empty());
    let second = lab.get("", &[FEED, ("if-none-match", &etag)]).await;
    assert_eq!(second.ids(), ["2"]);
    let etag = second.header("etag").to_owned();
    let nothing = lab.get("", &[FEED, ("if-none-match", &etag)]).await;
    assert_eq!((nothing.status, nothing.header("etag")), (304, etag.as_str()));
    let now = lab.get("", &[FEED, ("if-none-match", "*")]).await;
    assert_eq!((now.status, now.header("etag")), (304, etag.as_str()));
    lab.post(&[KEY_X, UPSERT], r#"{"id":"1","pk":"x","n":1}"#).await;
    assert_eq!(lab.get("", &[FEED]).await.ids(), ["2", "1"]);
    assert_eq!(lab.get("", &[FEED, KEY_X]).await.ids(), ["1"]);
    let full = lab.get("", &[("a-im", "Full-Fidelity Feed")]).await;
    assert!(full.status == 400 && String::from_utf8_lossy(&full.body).contains("not supported yet"));
    let future = lab.get("", &[FEED, ("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT")]).await;
    assert_eq!(future.status, 304);
}

#[tokio::test]
async fn after_a_split_the_new_ranges_share_the_items() {
    let lab = Lab::by_pk().await;
    for id in 0..20 {
        let pk = format!("k{id}");
        lab.create(&[(&id.to_string(), &pk)]).await;
    }
    lab.api.engine.split_partition(&lab.container, 0, Epk::parse("20").unwrap()).await.unwrap();
    let gone = lab.get("", &[("x-ms-documentdb-partitionkeyrangeid", "0")]).await;
    assert_eq!((gone.status, gone.sub_status()), (410, "1002"));
    let mut seen = Vec::new();
    for range in ["1", "2"] {
        let part = lab.get("", &[("x-ms-documentdb-partitionkeyrangeid", range)]).await;
        assert_eq!(part.header("x-ms-session-token"), format!("{range}:-1#20"));
        assert!(!part.ids().is_empty());
        seen.extend(part.ids());
        let feed = lab
            .get("", &[FEED, ("x-ms-documentdb-partitionkeyrangeid", range), ("x-ms-session-token", "0:-1#20")])
            .await;
        assert_eq!(feed.ids().len(), part.ids().len());
    }
    seen.sort_by_key(|id| id.parse::<u32>().unwrap());
    assert_eq!(seen, (0..20).map(|id| id.to_string()).collect::<Vec<_>>());
    assert_eq!(lab.get("", &[]).await.header("x-ms-session-token"), "1:-1#20,2:-1#20");
}

#[tokio::test]
async fn queries_cross_partitions_only_if_they_may() {
    let lab = Lab::by_pk().await;
    lab.create(&[("1", "x"), ("2", "y")]).await;
    let query = r#"{"query":"SELECT * FROM c"}"#;
    let refused = lab.post(&[QUERY], query).await;
    assert!(
        refused.status == 400
            && String::from_utf8_lossy(&refused.body).contains("Cross partition query is required but disabled")
    );
    let empty_key = lab.post(&[QUERY, ("x-ms-documentdb-partitionkey", "[[]]")], query).await;
    assert_eq!(empty_key.status, 400);
    assert_eq!(lab.post(&[QUERY, CROSS_PARTITION], query).await.ids().len(), 2);
    assert_eq!(lab.post(&[QUERY, KEY_X], query).await.ids(), ["1"]);
    assert_eq!(
        lab.post(&[QUERY, ("x-ms-start-epk", ""), ("x-ms-documentdb-partitionkeyrangeid", "0")], query)
            .await
            .ids()
            .len(),
        2
    );
    let metered = lab.post(&[QUERY, KEY_X, ("x-ms-documentdb-populatequerymetrics", "True")], query).await;
    assert!(metered.header("x-ms-documentdb-query-metrics").contains("outputDocumentCount=1"));
}

#[tokio::test]
async fn index_metrics_name_the_paths_of_the_query_in_the_forms_that_clients_decode() {
    let lab = Lab::by_pk().await;
    let ask = async |query: &str, headers: &[(&str, &str)]| {
        let headers = [&[QUERY, KEY_X], headers].concat();
        lab.post(&headers, json!({ "query": query }).to_string()).await
    };
    let decode = |text: &str| -> Json {
        let text = percent_encoding::percent_decode_str(text).decode_utf8().unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let first = ask("SELECT * FROM c WHERE c.pk = 'x'", &[("x-ms-cosmos-populateindexmetrics", "True")]).await;
    let metrics = STANDARD.decode(first.header("x-ms-cosmos-index-utilization")).unwrap();
    let single = json!({
        "FilterExpression": "", "IndexSpec": "/pk/?", "FilterPreciseSet": true, "IndexPreciseSet": true,
        "IndexImpactScore": "High",
    });
    let expected = json!({
        "UtilizedSingleIndexes": [single], "PotentialSingleIndexes": [],
        "UtilizedCompositeIndexes": [], "PotentialCompositeIndexes": [],
    });
    assert_eq!(serde_json::from_slice::<Json>(&metrics).unwrap(), expected);
    let of_key = ask("SELECT * FROM c", &[("x-ms-cosmos-populateindexmetrics", "True")]).await;
    let metrics = STANDARD.decode(of_key.header("x-ms-cosmos-index-utilization")).unwrap();
    assert_eq!(serde_json::from_slice::<Json>(&metrics).unwrap(), expected);
    let both = [("x-ms-cosmos-populateindexmetrics-V2", "true"), ("x-ms-cosmos-populatequeryadvice", "true")];
    let second = ask("SELECT * FROM c WHERE c.a.b = 1 AND ARRAY_CONTAINS(c.tags, 'x') AND c._etag > 'x'", &both).await;
    let single = |path: &str| json!({"IndexSpec": path, "IndexImpactScore": "High"});
    let composite = json!({"IndexSpecs": ["/a/b ASC", "/_etag ASC"], "IndexImpactScore": "High"});
    let expected = json!({
        "UtilizedIndexes": {"SingleIndexes": [single("/a/b/?"), single("/tags/[]/?"), single("/pk/?")], "CompositeIndexes": []},
        "PotentialIndexes": {"SingleIndexes": [single("/_etag/?")], "CompositeIndexes": [composite]},
    });
    assert_eq!(decode(second.header("x-ms-cosmos-index-utilization")), expected);
    assert_eq!(decode(second.header("x-ms-cosmos-query-advice")), json!([]));
    let unasked = ask("SELECT * FROM c", &[]).await;
    assert_eq!(unasked.header("x-ms-cosmos-index-utilization"), "");
    assert_eq!(unasked.header("x-ms-cosmos-query-advice"), "");
}

#[tokio::test]
async fn a_logical_partition_is_deleted_as_one() {
    let lab = Lab::by_pk().await;
    lab.create(&[("1", "x"), ("2", "x"), ("3", "y")]).await;
    let deleted = lab.send("POST", "operation", &[KEY_X], "").await;
    assert_eq!((deleted.status, deleted.body.len()), (200, 0));
    assert_eq!(lab.get("", &[]).await.ids(), ["3"]);
    assert_eq!(lab.send("POST", "operation", &[("x-ms-documentdb-partitionkey", "[null]")], "").await.status, 200);
    assert_eq!(lab.get("", &[]).await.ids(), ["3"]);
}
