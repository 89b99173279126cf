//! One entity at a time.

use serde_json::json;

use super::*;

const ANY: (&str, &str) = ("if-match", "*");

#[tokio::test]
async fn an_entity_comes_back_as_it_was_inserted() {
    let lab = Lab::with_table().await;
    let members = r#""S":"é😀","I":7,"D":7.0,"B":true,"L@odata.type":"Edm.Int64","L":"9007199254740993""#;
    let inserted = lab.insert("p", "r", members).await;
    let read = lab.get(&entity("p", "r")).await;
    assert_eq!((read.status, &read.body), (200, &inserted.body));
    assert_eq!(read.header("etag"), inserted.header("etag"));
    assert!(read.text().contains(r#""S":"é😀","I":7,"D":7.0,"B":true,"L":"9007199254740993""#), "{}", read.text());
    let timestamp = read.json()["Timestamp"].as_str().unwrap().replace(':', "%3A");
    assert_eq!(read.header("etag"), format!("W/\"datetime'{timestamp}'\""));
    let address = "http://127.0.0.1:10002/acc/Tab(PartitionKey='p',RowKey='r')";
    assert_eq!((inserted.header("location"), inserted.header("dataserviceid")), (address, address));
    assert_eq!(lab.post("/Tab", r#"{"PartitionKey":"p","RowKey":"r"}"#).await.refusal(), (409, "EntityAlreadyExists"));
}

#[tokio::test]
async fn metadata_is_as_much_as_was_asked_for() {
    let lab = Lab::with_table().await;
    lab.insert("it's", "r", r#""L@odata.type":"Edm.Int64","L":"1""#).await;
    let path = entity("it%27%27s", "r");
    let read = async |accept: &'static str| lab.send("GET", &path, &[("accept", accept)], "").await;
    let minimal = read("application/json;odata=minimalmetadata").await;
    let base = "http://127.0.0.1:10002/acc";
    assert_eq!(minimal.json()["odata.metadata"], format!("{base}/$metadata#Tab/@Element"));
    assert_eq!(minimal.json()["odata.etag"], minimal.header("etag"));
    assert_eq!(minimal.json()["L@odata.type"], "Edm.Int64");
    let full = read("application/json;odata=fullmetadata").await.json();
    assert_eq!(full["odata.type"], "acc.Tab");
    assert_eq!(full["odata.id"], format!("{base}/Tab(PartitionKey='it%27%27s',RowKey='r')"));
    let formatted = format!("{path}?$format=application/json;odata=nometadata");
    let by_format = lab.send("GET", &formatted, &[("accept", "*/*")], "").await;
    assert_eq!(by_format.json()["odata.etag"], Json::Null);
    let atom = read("application/atom+xml").await;
    assert_eq!(atom.refusal(), (415, "AtomFormatNotSupported"));
    assert!(atom.header("content-type").contains("xml") && atom.text().contains("<code>AtomFormatNotSupported</code>"));
}

#[tokio::test]
async fn replace_forgets_and_merge_keeps() {
    let lab = Lab::with_table().await;
    lab.insert("p", "r", r#""A":1,"B":2"#).await;
    let path = entity("p", "r");
    let tag = async || lab.get(&path).await.header("etag").to_owned();
    let before = tag().await;
    let merged = lab.send("MERGE", &path, &[ANY], r#"{"A":"text","C":3,"B":null}"#).await;
    assert_eq!((merged.status, merged.body.len()), (204, 0));
    assert_ne!(tag().await, before);
    assert_eq!(tag().await, merged.header("etag"));
    let mut read = lab.get(&path).await.json();
    read.as_object_mut().unwrap().remove("Timestamp");
    assert_eq!(read, json!({"PartitionKey": "p", "RowKey": "r", "A": "text", "B": 2, "C": 3}));
    let tunnelled = lab.send("POST", &path, &[ANY, ("x-http-method", "PUT")], r#"{"D":4}"#).await;
    assert_eq!(tunnelled.status, 204);
    let read = lab.get(&path).await.json();
    assert!(read["D"] == 4 && read.get("A").is_none(), "{read}");
}

#[tokio::test]
async fn what_is_updated_must_be_there_and_what_is_upserted_need_not() {
    let lab = Lab::with_table().await;
    for method in ["PUT", "MERGE", "PATCH", "DELETE"] {
        let answer = lab.send(method, &entity("p", "none"), &[ANY], "{}").await;
        assert_eq!(answer.refusal(), (404, "ResourceNotFound"), "{method}");
    }
    for method in ["PUT", "MERGE", "PATCH"] {
        let path = entity("p", method);
        assert_eq!(lab.send(method, &path, &[], r#"{"A":1,"B":2}"#).await.status, 204);
        assert_eq!(lab.send(method, &path, &[], r#"{"A":3}"#).await.status, 204);
        let read = lab.get(&path).await.json();
        let kept = if method == "PUT" { Json::Null } else { json!(2) };
        assert_eq!((&read["A"], &read["B"]), (&json!(3), &kept));
    }
}

#[tokio::test]
async fn a_tag_names_one_version() {
    let lab = Lab::with_table().await;
    lab.insert("p", "r", "").await;
    let path = entity("p", "r");
    let old = lab.get(&path).await.header("etag").to_owned();
    fn with(tag: &str) -> [(&'static str, &str); 1] {
        [("if-match", tag)]
    }
    assert_eq!(lab.send("MERGE", &path, &with(&old), "{}").await.status, 204);
    for method in ["PUT", "MERGE", "DELETE"] {
        for tag in [old.as_str(), "W/\"\"", ""] {
            let stale = lab.send(method, &path, &with(tag), "{}").await;
            assert_eq!(stale.refusal(), (412, "UpdateConditionNotSatisfied"), "{method} {tag}");
        }
        let strong = lab.send(method, &path, &with("\"strong\""), "{}").await;
        assert_eq!(strong.refusal(), (400, "InvalidInput"), "{method}");
        let both = lab.send(method, &path, &[ANY, ("if-none-match", "*")], "{}").await;
        assert_eq!(both.refusal(), (400, "InvalidInput"), "{method}");
    }
    assert_eq!(lab.send("DELETE", &path, &[], "").await.refusal(), (400, "MissingRequiredHeader"));
    let new = lab.get(&path).await.header("etag").to_owned();
    assert_eq!(lab.send("DELETE", &path, &with(&new), "").await.status, 204);
}

#[tokio::test]
async fn tags_of_an_entity_rise_with_each_write() {
    let lab = Lab::with_table().await;
    let path = entity("p", "r");
    let mut tags = Vec::new();
    for _ in 0..50 {
        tags.push(lab.send("PUT", &path, &[], "{}").await.header("etag").to_owned());
    }
    assert!(tags.is_sorted_by(|a, b| a < b), "{tags:?}");
}

#[tokio::test]
async fn merges_of_many_clients_are_all_there_in_the_end() {
    let lab = Arc::new(Lab::with_table().await);
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..20 {
        let lab = lab.clone();
        clients.spawn(async move {
            for nth in 0..5 {
                let body = format!(r#"{{"C{client}N{nth}":{nth}}}"#);
                assert_eq!(lab.send("MERGE", &entity("p", "r"), &[], body).await.status, 204);
            }
        });
    }
    while let Some(ended) = clients.join_next().await {
        ended.unwrap();
    }
    assert_eq!(lab.get(&entity("p", "r")).await.json().as_object().unwrap().len(), 3 + 100);
}

#[tokio::test]
async fn keys_of_every_kind_lead_to_their_entity() {
    let lab = Lab::with_table().await;
    for (nth, text) in
        ["", " ", "it's", "''", "a b", "100%", "a%25b", "+", "日本", "é😀", "(,)=", "a&b"].iter().enumerate()
    {
        let body = json!({"PartitionKey": text, "RowKey": text, "N": nth}).to_string();
        assert_eq!(lab.post("/Tab", &body).await.status, 201, "{text}");
        let key = encoded(&text.replace('\'', "''"));
        let read = lab.get(&entity(&key, &key)).await;
        assert_eq!((read.status, &read.json()["N"]), (200, &json!(nth)), "{text}");
    }
    for key in ["a%2Fb", "a%5Cb", "%23", "%3F", "a%00b", "%7F"] {
        for (method, headers) in [("GET", &[][..]), ("PUT", &[]), ("DELETE", &[ANY])] {
            let answer = lab.send(method, &entity(key, "r"), headers, "{}").await;
            assert_eq!(answer.status, 400, "{method} {key}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn limits_are_refused_in_the_services_words() {
    let lab = Lab::with_table().await;
    let properties = |count: usize| (0..count).map(|n| format!("\"P{n}\":{n}")).collect::<Vec<_>>().join(",");
    let body = format!(r#"{{"PartitionKey":"p","RowKey":"r",{}}}"#, properties(253));
    assert_eq!(lab.post("/Tab", &body).await.refusal(), (400, "TooManyProperties"));
    lab.insert("p", "r", &properties(252)).await;
    let merged = lab.send("MERGE", &entity("p", "r"), &[ANY], r#"{"More":1}"#).await;
    assert_eq!(merged.refusal(), (400, "TooManyProperties"));
    let text = "x".repeat(32_768);
    let large = (0..20).map(|n| format!("\"P{n}\":\"{text}\"")).collect::<Vec<_>>().join(",");
    let answer = lab.send("PUT", &entity("p", "large"), &[], format!("{{{large}}}")).await;
    assert_eq!(answer.refusal(), (400, "EntityTooLarge"));
    let answer = lab.send("PUT", &entity("p", "large"), &[], " ".repeat(5 << 20)).await;
    assert_eq!(answer.refusal(), (413, "RequestBodyTooLarge"));
}

#[tokio::test]
async fn every_reply_has_the_services_headers() {
    let lab = Lab::with_table().await;
    let headers = [("x-ms-client-request-id", "mine"), ("x-ms-version", "2099-01-01")];
    for path in ["/Tab()", "/none()", "/a/b/c"] {
        let answer = lab.send("GET", path, &headers, "").await;
        assert_eq!(answer.header("x-ms-client-request-id"), "mine");
        assert_eq!(answer.header("x-ms-version"), "2099-01-01");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("cache-control"), "no-cache");
        assert!(answer.header("date").ends_with("GMT") && !answer.header("x-ms-request-charge").is_empty());
        assert_eq!(answer.header("x-ms-error-code").is_empty(), answer.status == 200);
    }
    let unknown = lab.send("GET", "/Tab()", &[("x-ms-version", "new")], "").await;
    assert_eq!(unknown.refusal(), (400, "InvalidHeaderValue"));
    let unnamed = lab.get("/Tab()").await;
    assert!(unnamed.header("x-ms-client-request-id").is_empty() && !unnamed.header("x-ms-version").is_empty());
}
