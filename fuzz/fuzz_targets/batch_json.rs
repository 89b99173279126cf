//! A transactional batch, whatever its body: an answer in the protocol, one result for each operation, and all or nothing.
#![no_main]

use std::cell::OnceCell;

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::Server;

const KEY: &str = r#"["p"]"#;
const HEADERS: [(&str, &str); 3] = [
    ("x-ms-cosmos-is-batch-request", "True"),
    ("x-ms-cosmos-batch-atomic", "True"),
    ("x-ms-documentdb-partitionkey", KEY),
];
const PRESENT: &[u8] = br#"{"id":"present","pk":"p","n":1}"#;

thread_local! {
    static SERVER: OnceCell<Server> = const { OnceCell::new() };
}

fuzz_target!(|body: &[u8]| {
    SERVER.with(|server| run(server.get_or_init(Server::start), body));
});

fn run(server: &Server, body: &[u8]) {
    let create = [("x-ms-documentdb-partitionkey", KEY)];
    server.expect(201, server.call("POST", "/dbs/db/colls/c/docs", &create, PRESENT));
    let before = server.items();
    let answer = server.call("POST", "/dbs/db/colls/c/docs", &HEADERS, body);
    match answer.status {
        200 | 207 if answer.body.first() == Some(&b'[') => {
            check_results(server, &answer.json(), answer.status, body, &before)
        }
        // The binary form, whose results are checked by the target of that name.
        200 | 207 => assert_eq!(body.first(), Some(&0x81)),
        _ => assert_eq!(server.items(), before, "a refused batch changed something"),
    }
    server.clear(KEY);
    assert_eq!(server.items(), [] as [serde_json::Value; 0]);
}

fn check_results(server: &Server, results: &serde_json::Value, status: u16, body: &[u8], before: &[serde_json::Value]) {
    let results = results.as_array().expect("results are an array");
    let text = std::str::from_utf8(body).expect("what was run is text");
    let asked: Vec<serde::de::IgnoredAny> = serde_json::from_str(text).expect("what was run is a JSON array");
    assert_eq!(results.len(), asked.len());
    let failed = |result: &&serde_json::Value| result["statusCode"].as_u64().expect("each has a status") >= 400;
    let own = |result: &&serde_json::Value| failed(result) && result["statusCode"] != 424;
    if status == 200 {
        assert_eq!(results.iter().filter(failed).count(), 0);
    } else {
        assert_eq!(results.iter().filter(own).count(), 1, "one operation is to blame: {results:?}");
        assert_eq!(results.iter().filter(failed).count(), results.len());
        assert_eq!(server.items(), before, "a failed batch changed something");
    }
}
