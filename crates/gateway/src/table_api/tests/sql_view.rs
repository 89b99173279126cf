//! Entities as documents, and documents as entities.

use orrery_engine::{Condition, NewItem, Operation, OperationKind, Target};
use serde_json::json;

use super::*;
use crate::table_api::TABLES_DATABASE;
use crate::table_api::entity_read::partition;

#[tokio::test]
async fn a_table_is_a_container_and_an_entity_a_document() {
    let lab = Lab::with_table().await;
    let members = r#""L@odata.type":"Edm.Int64","L":"5","T@odata.type":"Edm.DateTime","T":"2020-01-01","D":1.0"#;
    lab.insert("p", "r", members).await;
    let container = lab.engine.container(TABLES_DATABASE, "Tab").unwrap();
    let item = lab.engine.read_item(&container, &partition("p"), &Target::Id("r".into())).await.unwrap().unwrap();
    let document: Json = serde_json::from_slice(&item.text()).unwrap();
    assert_eq!((&document["id"], &document["PartitionKey"]), (&json!("r"), &json!("p")));
    assert_eq!((&document["L@odata.type"], &document["L"]), (&json!("Edm.Int64"), &json!(5)));
    assert_eq!(document["T"], "2020-01-01T00:00:00.0000000Z");
}

#[tokio::test]
async fn a_document_is_shown_as_an_entity() {
    let lab = Lab::with_table().await;
    let container = lab.engine.container(TABLES_DATABASE, "Tab").unwrap();
    let document = br#"{"id":"r","PartitionKey":"p","n":5,"big":5000000000,"f":1.5,"o":{"a":[1]},"none":null}"#;
    let key = partition("p");
    let item = NewItem::parse(&container, document, Some(&key)).unwrap();
    let operation = Operation { kind: OperationKind::Create(item), key, condition: Condition::None };
    lab.engine.write_one(&container, operation).await.unwrap();
    let answer = lab.send("GET", &entity("p", "r"), &[("accept", "application/json;odata=minimalmetadata")], "").await;
    let read = answer.json();
    assert_eq!(
        (&read["n"], &read["big"], &read["big@odata.type"]),
        (&json!(5), &json!("5000000000"), &json!("Edm.Int64"))
    );
    assert_eq!((&read["f"], &read["o"]), (&json!(1.5), &json!("{\"a\":[1]}")));
    assert!(read.get("none").is_none() && read.get("_rid").is_none() && read.get("id").is_none(), "{read}");
    let merged = lab.send("MERGE", &entity("p", "r"), &[("if-match", answer.header("etag"))], r#"{"n":6}"#).await;
    assert_eq!(merged.status, 204, "{}", merged.text());
    assert_eq!(lab.get(&filtered("n eq 6 and f gt 1.0")).await.keys(), ["p/r"]);
}

#[tokio::test]
async fn a_container_by_another_key_is_no_table() {
    let lab = Lab::with_table().await;
    let database = lab.engine.database(TABLES_DATABASE).unwrap();
    let definition = json!({"id": "other", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}});
    lab.engine.create_container(&database, definition.as_object().unwrap(), None).await.unwrap();
    assert_eq!(lab.get("/Tables").await.json(), json!({"value": [{"TableName": "Tab"}]}));
    assert_eq!(lab.get("/other()").await.refusal(), (404, "TableNotFound"));
    assert_eq!(lab.post("/Tables", r#"{"TableName":"other"}"#).await.refusal(), (409, "TableAlreadyExists"));
    let by_rid = format!("/{}()", encoded(lab.engine.container(TABLES_DATABASE, "Tab").unwrap().rid()));
    assert_eq!(lab.get(&by_rid).await.status / 100, 4);
}
