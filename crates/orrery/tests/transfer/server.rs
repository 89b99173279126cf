//! Into and out of a running server.

use std::fs;
use std::path::Path;

use super::super::running::Running;
use super::{by_id, fails, sample, succeeds, text};

/// A server on free ports and a data folder; stopped when dropped.
pub(super) struct Server {
    pub url: String,
    /// The Table API's address.
    pub table: String,
    _running: Running,
}

impl Server {
    pub fn start(data: &Path) -> Server {
        let running = Running::start(
            &[
                &["--data-dir", text(data), "--sql-port", "0"][..],
                &["--health-port", "off", "--table-port", "0", "--azurite-port", "off"],
            ]
            .concat(),
        );
        Server { url: running.url("sql"), table: running.url("table"), _running: running }
    }
}

#[test]
fn what_was_sent_to_a_server_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("items.jsonl"));
    fs::write(&file, sample()).unwrap();
    let server = Server::start(&data);
    // 30000 RU/s are three physical partitions, so that items go in different requests.
    let key = ["--partition-key", "/tenant", "--partition-key", "/user", "--throughput", "30000"];
    for _ in 0..2 {
        let summary = succeeds(
            &[&["import", text(&file), "-d", "my db", "-c", "c", "--endpoint", &server.url], &key[..]].concat(),
        );
        assert!(summary.starts_with("500 imported, 0 rejected in "), "{summary}");
    }
    let https = server.url.replace("http:", "https:");
    let certificate = data.join("cert.pem");
    for (url, trust) in [(&server.url, &[][..]), (&https, &["--insecure"]), (&https, &["--ca", text(&certificate)])] {
        let exported = succeeds(&[&["export", "-d", "my db", "-c", "c", "--endpoint", url], trust].concat());
        assert_eq!(by_id(&exported), by_id(&sample()), "{url} {trust:?}");
    }
}

#[test]
fn what_the_server_refuses_is_a_reject_and_the_rest_goes_in() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("items.json");
    let large = |id: &str, bytes: usize| format!(r#"{{"id":"{id}","pk":"é","text":"{}"}}"#, "x".repeat(bytes));
    let items = [
        r#"{"id":"a/b","pk":1}"#.into(),
        r#"{"id":"ok","pk":1}"#.into(),
        large("large", 2_090_000),
        large("too large", 2_200_000),
    ];
    fs::write(&file, format!("[{}]", items.join(","))).unwrap();
    let server = Server::start(&folder.path().join("data"));
    let to = ["-d", "db", "-c", "c", "--endpoint", &server.url];
    let (out, told) = fails(&[&["import", text(&file), "--partition-key", "/pk"], &to[..]].concat());
    assert!(out.starts_with("2 imported, 2 rejected in "), "{out}");
    assert!(told.contains("element 1: the server answered 400: ") && told.contains("'/'"), "{told}");
    assert!(told.contains("element 4: the record is"), "{told}");
    let exported = by_id(&succeeds(&[&["export"], &to[..]].concat()));
    assert_eq!(exported.into_keys().collect::<Vec<_>>(), ["large", "ok"]);
}

#[test]
fn a_wrong_key_and_a_missing_server_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    let export = |url: &str, key: &str| fails(&["export", "-d", "db", "-c", "c", "--endpoint", url, "--key", key]).1;
    let told = export(&server.url, "bm90IHRoZSBrZXkgb2YgdGhpcyBzZXJ2ZXI=");
    assert!(told.contains("401") && told.contains("--key or ORRERY_KEY"), "{told}");
    let url = server.url.clone();
    drop(server);
    let told = export(&url, "bm90IHRoZSBrZXkgb2YgdGhpcyBzZXJ2ZXI=");
    assert!(told.contains("orrery serve") && told.contains("--data-dir"), "{told}");
}
