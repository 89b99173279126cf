//! A partial update, whatever its body: an answer in the protocol; the item stays where it is and what it is called, and a refused update changes nothing.
#![no_main]

use std::cell::OnceCell;

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::Server;

const KEY: [(&str, &str); 1] = [("x-ms-documentdb-partitionkey", r#"["p"]"#)];
const ITEM: &[u8] = br#"{"id":"i","pk":"p","n":1,"f":-0.5,"s":"x","a":[1,[2],{"b":3}],"o":{"x":{"y":null}}}"#;

thread_local! {
    static SERVER: OnceCell<Server> = const { OnceCell::new() };
}

fuzz_target!(|body: &[u8]| {
    SERVER.with(|server| run(server.get_or_init(Server::start), body));
});

fn run(server: &Server, body: &[u8]) {
    let upsert = [KEY[0], ("x-ms-documentdb-is-upsert", "True")];
    let stored = server.call("POST", "/dbs/db/colls/c/docs", &upsert, ITEM);
    assert!(matches!(stored.status, 200 | 201));
    let before = server.items();
    let answer = server.call("PATCH", "/dbs/db/colls/c/docs/i", &KEY, body);
    let after = server.items();
    assert_eq!(after.len(), 1);
    if answer.status == 200 {
        assert_eq!((&after[0]["id"], &after[0]["pk"]), (&"i".into(), &"p".into()));
        let read = server.expect(200, server.call("GET", "/dbs/db/colls/c/docs/i", &KEY, b""));
        assert_eq!(read.body, answer.body);
    } else {
        assert_eq!(after, before, "{}: a refused update changed something", answer.status);
    }
}
