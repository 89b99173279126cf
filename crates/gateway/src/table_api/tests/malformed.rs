//! Requests that no client should send. Each is refused by a status that says whose fault it is.

use orrery_table::Dialect;

use super::*;

const PATHS: [&str; 26] = [
    "",
    "/",
    "//",
    "/Tables",
    "/Tables(",
    "/Tables('",
    "/Tables('a'b)",
    "/Tables('Tab')/x",
    "/Tab",
    "/Tab(",
    "/Tab()",
    "/Tab()x",
    "/Tab(x)",
    "/Tab(PartitionKey='p')",
    "/Tab(PartitionKey='p',RowKey='r')",
    "/Tab(PartitionKey='p',RowKey='r'",
    "/Tab(PartitionKey='%FF',RowKey='r')",
    "/Tab(PartitionKey='%',RowKey='r')",
    "/Tab(PartitionKey='',RowKey='')",
    "/$batch",
    "/$metadata",
    "/%00",
    "/%FF",
    "/é",
    "/Tab?comp=acl",
    "/?restype=service&comp=properties",
];
const QUERIES: [&str; 14] = [
    "",
    "$top=99999999999999999999",
    "$top=%FF",
    "$filter=%00",
    "$filter='",
    "$filter=((((((((",
    "$select=,,,",
    "$format=x",
    "NextRowKey=1!4!YQ--",
    "NextPartitionKey=1!4!YQ--",
    "NextPartitionKey=x&NextRowKey=y",
    "sig=x",
    "tn=x&sig=AAAA&sv=2019-02-02",
    "%FF=%FF&&&=&a",
];
const METHODS: [&str; 9] = ["GET", "POST", "PUT", "MERGE", "PATCH", "DELETE", "HEAD", "OPTIONS", "FOO"];
const BODIES: [&str; 13] = [
    "",
    "{",
    "null",
    "[]",
    "\u{0}",
    "{\"PartitionKey\":1,\"RowKey\":{}}",
    r#"{"PartitionKey":"p","RowKey":"r","A@odata.type":5,"A":1}"#,
    r#"{"PartitionKey":"p","RowKey":"r","A":[{"a":1}]}"#,
    r#"{"PartitionKey":"p","RowKey":"r","A":1e999}"#,
    r#"{"TableName":5}"#,
    r#"{"PartitionKey":"\ud800","RowKey":"r"}"#,
    "<a",
    "--b\r\n",
];

/// All are answered, and none by a status that blames the server. Functions of OData that the service lacks are 501.
#[tokio::test]
async fn no_request_is_answered_as_a_failure_of_the_server() {
    for dialect in [Dialect::Storage, Dialect::Cosmos] {
        let lab = Lab::with_table().await.as_seen_by(dialect);
        for method in METHODS {
            for path in PATHS {
                for (nth, query) in QUERIES.iter().enumerate() {
                    let mark = if path.contains('?') { '&' } else { '?' };
                    let body = BODIES[nth % BODIES.len()];
                    let Ok(target) = format!("{path}{mark}{query}").parse::<http::Uri>() else { continue };
                    let answer = lab.send(method, &target.to_string(), &[], body.to_owned()).await;
                    assert!(answer.status < 500, "{method} {target} {body}: {} {}", answer.status, answer.text());
                }
            }
        }
    }
}

#[tokio::test]
async fn no_body_is_answered_as_a_failure_of_the_server() {
    let lab = Lab::with_table().await;
    let long = "[".repeat(100_000);
    let headers = [
        &[][..],
        &[("if-match", "*")],
        &[("if-match", "x")],
        &[("content-type", "multipart/mixed; boundary=b")],
        &[("accept", "x")],
        &[("prefer", "x")],
        &[("x-http-method", "MERGE")],
        &[("x-ms-version", "x")],
        &[("content-encoding", "gzip")],
    ];
    for body in BODIES.iter().copied().chain([long.as_str()]) {
        for headers in headers {
            for (method, path) in [
                ("POST", "/Tab"),
                ("POST", "/Tables"),
                ("PUT", "/Tab(PartitionKey='p',RowKey='r')"),
                ("POST", "/Tab(PartitionKey='p',RowKey='r')"),
                ("MERGE", "/Tab(PartitionKey='p',RowKey='r')"),
                ("POST", "/$batch"),
                ("PUT", "/Tab?comp=acl"),
                ("PUT", "/?restype=service&comp=properties"),
            ] {
                let answer = lab.send(method, path, headers, body.to_owned()).await;
                let shown: String = body.chars().take(80).collect();
                assert!(
                    answer.status < 500,
                    "{method} {path} {headers:?} {shown}: {} {}",
                    answer.status,
                    answer.text()
                );
            }
        }
    }
}

#[tokio::test]
async fn a_request_without_a_host_is_refused() {
    let lab = Lab::new().await;
    let answer = lab.send_as_it_is("GET", "/acc/Tables", &[], "").await;
    assert_eq!(answer.refusal(), (400, "HostInformationNotPresent"));
}
