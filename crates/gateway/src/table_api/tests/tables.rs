//! Tables.

use orrery_table::Dialect;
use serde_json::json;

use super::*;

#[tokio::test]
async fn a_table_is_created_listed_and_deleted() {
    let lab = Lab::with_table().await;
    assert_eq!(lab.get("/Tables('Tab')").await.json(), json!({"TableName": "Tab"}));
    assert_eq!(lab.get("/Tables").await.json(), json!({"value": [{"TableName": "Tab"}]}));
    assert_eq!(lab.send("DELETE", "/Tables('Tab')", &[], "").await.status, 204);
    assert_eq!(lab.get("/Tables").await.json(), json!({"value": []}));
    assert_eq!(lab.send("DELETE", "/Tables('Tab')", &[], "").await.refusal(), (404, "ResourceNotFound"));
    assert_eq!(lab.get("/Tables('Tab')").await.refusal(), (404, "ResourceNotFound"));
    assert_eq!(lab.get("/Tab()").await.refusal(), (404, "TableNotFound"));
}

#[tokio::test]
async fn a_list_of_tables_has_pages_and_filters() {
    let lab = Lab::new().await;
    for name in ["bbb", "Aaa", "ccc", "AAB"] {
        let create = json!({"TableName": name}).to_string();
        let answer = lab.send("POST", "/Tables", &[("prefer", "return-no-content")], create).await;
        assert_eq!((answer.status, answer.header("preference-applied")), (204, "return-no-content"));
    }
    let names = |answer: &Answer| -> Vec<String> {
        let body = answer.json();
        let tables = body["value"].as_array().unwrap();
        tables.iter().map(|table| table["TableName"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&lab.get("/Tables").await), ["Aaa", "AAB", "bbb", "ccc"]);
    let first = lab.get("/Tables?$top=3").await;
    assert_eq!(names(&first), ["Aaa", "AAB", "bbb"]);
    let next = first.header("x-ms-continuation-nexttablename");
    let second = lab.get(&format!("/Tables?$top=3&NextTableName={}", encoded(next))).await;
    assert_eq!((names(&second), second.header("x-ms-continuation-nexttablename")), (vec!["ccc".to_owned()], ""));
    let filter = encoded("TableName ge 'b' and TableName lt 'c'");
    assert_eq!(names(&lab.get(&format!("/Tables?$filter={filter}")).await), ["bbb"]);
}

#[tokio::test]
async fn names_differing_by_case_are_one_table_for_storage_only() {
    let lab = Lab::with_table().await;
    let again = lab.post("/Tables", r#"{"TableName":"TAB"}"#).await;
    assert_eq!(again.refusal(), (409, "TableAlreadyExists"));
    assert_eq!(lab.get("/tab()").await.status, 200);
    let cosmos = lab.as_seen_by(Dialect::Cosmos);
    assert_eq!(cosmos.get("/tab()").await.refusal(), (404, "ResourceNotFound"));
    assert_eq!(cosmos.post("/Tables", r#"{"TableName":"TAB"}"#).await.status, 201);
    assert_eq!(cosmos.post("/Tables", r#"{"TableName":"no-letters_only"}"#).await.status, 201);
}

#[tokio::test]
async fn one_of_many_creates_of_a_name_succeeds() {
    let lab = Lab::new().await;
    let names = ["same", "Same", "sAme", "saMe", "samE", "SAME"];
    let creates = names.map(|name| json!({"TableName": name}).to_string());
    let answers = tokio::join!(
        lab.post("/Tables", &creates[0]),
        lab.post("/Tables", &creates[1]),
        lab.post("/Tables", &creates[2]),
        lab.post("/Tables", &creates[3]),
        lab.post("/Tables", &creates[4]),
        lab.post("/Tables", &creates[5]),
    );
    let statuses = [answers.0, answers.1, answers.2, answers.3, answers.4, answers.5].map(|answer| answer.status);
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 5, "{statuses:?}");
}

#[tokio::test]
async fn an_address_that_ends_with_a_tables_name_is_explained() {
    let lab = Lab::with_table().await;
    let create = r#"{"TableName":"Tab"}"#;
    assert_eq!(lab.post("/Tab/Tables", create).await.refusal(), (400, "PropertiesNeedValue"));
    assert_eq!(lab.post("/Other/Tables", create).await.refusal(), (404, "TableNotFound"));
    let deleted = lab.send("DELETE", "/Tab/Tables('Tab')", &[], "").await;
    assert_eq!(deleted.refusal(), (400, "InvalidInput"));
    assert!(deleted.text().contains("does not match number of key properties"), "{}", deleted.text());
    let batch = lab.send("POST", "/Tab/$batch", &[("content-type", "multipart/mixed; boundary=b")], "").await;
    assert_eq!(batch.refusal(), (415, "MediaTypeNotSupported"));
    let cosmos = lab.as_seen_by(Dialect::Cosmos).post("/Tab/Tables", create).await;
    assert!(cosmos.status == 400 && cosmos.text().contains("Request url is invalid"), "{}", cosmos.text());
}
