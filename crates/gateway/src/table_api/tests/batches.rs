//! Batches.

use super::*;

const MULTIPART: (&str, &str) = ("content-type", "multipart/mixed; boundary=batch_1");

/// The body of a batch of these requests, each a method, a path, headers (one a line) and a body.
fn changeset(requests: &[(&str, &str, &str, &str)]) -> String {
    let mut body = "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n".to_owned();
    for (nth, (method, path, headers, content)) in requests.iter().enumerate() {
        body += "--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n";
        body += &format!("Content-ID: {nth}\r\n\r\n{method} http://127.0.0.1:10002/acc{path} HTTP/1.1\r\n");
        body += &format!("Accept: application/json;odata=nometadata\r\n{headers}\r\n{content}\r\n");
    }
    body + "--changeset_1--\r\n--batch_1--\r\n"
}

async fn send(lab: &Lab, requests: &[(&str, &str, &str, &str)]) -> (Vec<u16>, String) {
    let answer = lab.send("POST", "/$batch", &[MULTIPART], changeset(requests)).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let text = answer.text();
    let statuses = text.lines().filter_map(|line| line.strip_prefix("HTTP/1.1 ")?[..3].parse().ok()).collect();
    (statuses, text)
}

const INSERT_1: (&str, &str, &str, &str) = ("POST", "/Tab", "", r#"{"PartitionKey":"p","RowKey":"1","N":1}"#);
const ANY: &str = "If-Match: *\r\n";

#[tokio::test]
async fn every_kind_of_write_goes_into_a_batch() {
    let lab = Lab::with_table().await;
    for row_key in ["replaced", "merged", "deleted"] {
        lab.insert("p", row_key, r#""A":1"#).await;
    }
    let paths = ["replaced", "merged", "deleted", "put", "patched"].map(|row_key| entity("p", row_key));
    let (statuses, text) = send(
        &lab,
        &[
            INSERT_1,
            ("POST", "/Tab", "Prefer: return-no-content\r\n", r#"{"PartitionKey":"p","RowKey":"2"}"#),
            ("PUT", &paths[0], ANY, r#"{"B":2}"#),
            ("MERGE", &paths[1], ANY, r#"{"B":2}"#),
            ("DELETE", &paths[2], ANY, ""),
            ("PUT", &paths[3], "", r#"{"B":2}"#),
            ("POST", &paths[4], "X-HTTP-Method: MERGE\r\n", r#"{"B":2}"#),
        ],
    )
    .await;
    assert_eq!(statuses, [201, 204, 204, 204, 204, 204, 204], "{text}");
    assert!(text.contains("\"N\":1}") && text.contains("Preference-Applied: return-no-content"), "{text}");
    assert!((0..7).all(|nth| text.contains(&format!("Content-ID: {nth}\r\n"))), "{text}");
    assert_eq!(text.matches("ETag: W/").count(), 6, "{text}");
    assert_eq!(
        text.matches("DataServiceId: http://127.0.0.1:10002/acc/Tab(PartitionKey='p',RowKey=").count(),
        2,
        "{text}"
    );
    assert_eq!(lab.get("/Tab()").await.keys(), ["p/1", "p/2", "p/merged", "p/patched", "p/put", "p/replaced"]);
    assert_eq!(lab.get(&entity("p", "merged")).await.json()["A"], 1);
    assert_eq!(lab.get(&entity("p", "replaced")).await.json()["A"], Json::Null);
}

#[tokio::test]
async fn a_failure_undoes_all_and_names_its_place() {
    let lab = Lab::with_table().await;
    lab.insert("p", "there", "").await;
    let [there, none, other] = [entity("p", "there"), entity("p", "none"), entity("q", "1")];
    let stale = "If-Match: W/\"datetime'2001-01-01T00%3A00%3A00.0000000Z'\"\r\n";
    let bad_json = ("PUT", "/Tab(PartitionKey='p',RowKey='3')", "", "{");
    let large = format!("{{\"A\":\"{}\"}}", "x".repeat(40_000));
    for (culprit, status, code) in [
        (("POST", "/Tab", "", r#"{"PartitionKey":"p","RowKey":"there"}"#), 409, "EntityAlreadyExists"),
        (INSERT_1, 400, "InvalidDuplicateRow"),
        (("PUT", &*there, stale, "{}"), 412, "UpdateConditionNotSatisfied"),
        (("MERGE", &*there, stale, "{}"), 412, "UpdateConditionNotSatisfied"),
        (("MERGE", &*none, ANY, "{}"), 404, "ResourceNotFound"),
        (("DELETE", &*none, ANY, ""), 404, "ResourceNotFound"),
        (("DELETE", &*there, "", ""), 400, "MissingRequiredHeader"),
        (("PUT", &*other, "", "{}"), 400, "CommandsInBatchActOnDifferentPartitions"),
        (("PUT", "/None(PartitionKey='p',RowKey='9')", "", "{}"), 404, "TableNotFound"),
        (("PUT", "/Tab(PartitionKey='p')", "", "{}"), 400, "InvalidInput"),
        (("PUT", "/Tab(PartitionKey='p',RowKey='%2F')", "", "{}"), 400, "OutOfRangeInput"),
        (("POST", "/Tables", "", r#"{"TableName":"New"}"#), 400, "InvalidInput"),
        (("PUT", &*none, "", &*large), 400, "PropertyValueTooLarge"),
        (bad_json, 400, "InvalidInput"),
    ] {
        let last = ("PUT", "/Tab(PartitionKey='p',RowKey='last')", "", "{}");
        let (statuses, text) = send(&lab, &[INSERT_1, culprit, last]).await;
        assert_eq!(statuses, [status], "{text}");
        assert!(text.contains(&format!("\"code\":\"{code}\"")) && text.contains("\"value\":\"1:"), "{code}: {text}");
        assert!(text.contains("Content-ID: 1\r\n"), "{text}");
        assert_eq!(lab.get("/Tab()").await.keys(), ["p/there"], "{code}");
    }
}

#[tokio::test]
async fn a_batch_has_a_hundred_operations_at_the_most() {
    let lab = Lab::with_table().await;
    let paths: Vec<String> = (0..101).map(|nth| entity("p", &nth.to_string())).collect();
    let puts: Vec<_> = paths.iter().map(|path| ("PUT", path.as_str(), "", "{}")).collect();
    let (statuses, text) = send(&lab, &puts).await;
    assert_eq!(statuses, [400]);
    assert!(text.contains("\"value\":\"100:"), "{text}");
    assert_eq!(lab.get("/Tab()").await.keys().len(), 0);
    assert_eq!(send(&lab, &puts[..100]).await.0, [204; 100]);
    assert_eq!(send(&lab, &[]).await.0, [0_u16; 0]);
}

#[tokio::test]
async fn a_batch_may_be_one_read() {
    let lab = Lab::with_table().await;
    lab.insert("p", "1", r#""N":1"#).await;
    let read = async |target: &str| {
        let body = format!(
            "--batch_1\nContent-Type: application/http\n\nGET {target} HTTP/1.1\nAccept: application/json;odata=nometadata\n\n--batch_1--"
        );
        let answer = lab.send("POST", "/$batch", &[MULTIPART], body).await;
        assert_eq!(answer.status, 202);
        answer.text()
    };
    let one = read("http://127.0.0.1:10002/acc/Tab(PartitionKey='p',RowKey='1')").await;
    assert!(one.contains("HTTP/1.1 200 OK\r\n") && one.contains("\"N\":1}"), "{one}");
    let list = read("/acc/Tab()?$filter=N eq 1&$select=N").await;
    assert!(list.contains("\r\n\r\n{\"value\":[{\"N\":1}]}"), "{list}");
    let missing = read("/Tab(PartitionKey='p',RowKey='2')").await;
    assert!(missing.contains("HTTP/1.1 404 Not Found\r\n") && missing.contains("ResourceNotFound"), "{missing}");
    let elsewhere = read("/acc/Tables").await;
    assert!(elsewhere.contains("HTTP/1.1 400 Bad Request\r\n"), "{elsewhere}");
}

#[tokio::test]
async fn what_is_no_batch_is_refused_as_a_whole() {
    let lab = Lab::with_table().await;
    for (headers, body) in
        [(&[][..], "{}"), (&[MULTIPART], ""), (&[MULTIPART], "--batch_1\r\n\r\nNONSENSE\r\n--batch_1--")]
    {
        let answer = lab.send("POST", "/$batch", headers, body).await;
        assert_eq!(answer.refusal(), (400, "InvalidInput"), "{body}");
    }
    let large = lab.send("POST", "/$batch", &[MULTIPART], "x".repeat((4 << 20) + 1)).await;
    assert_eq!(large.refusal(), (413, "RequestBodyTooLarge"));
}
