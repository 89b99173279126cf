//! Straight into and out of a data folder.

use std::fs;

use orrery_store::{FjallOptions, FjallStore};

use super::{by_id, fails, sample, succeeds, text};

#[test]
fn what_was_imported_is_exported_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (data, original) = (path("data"), path("items.jsonl"));
    fs::write(&original, sample()).unwrap();
    let import = |file: &str, container: &str| {
        succeeds(&[
            "import",
            file,
            "-d",
            "db",
            "-c",
            container,
            "--partition-key",
            "/tenant",
            "--partition-key",
            "/user",
            "--data-dir",
            text(&data),
        ])
    };
    let export = |container: &str, more: &[&str]| {
        succeeds(&[&["export", "-d", "db", "-c", container, "--data-dir", text(&data)], more].concat())
    };
    assert!(import(text(&original), "first").starts_with("500 imported, 0 rejected in "));
    assert_eq!(by_id(&export("first", &[])), by_id(&sample()));
    for (name, container) in [("copy.json", "json"), ("copy.jsonl.gz", "packed"), ("copy.csv", "csv")] {
        let copy = path(name);
        export("first", &["--output", text(&copy)]);
        assert!(import(text(&copy), container).starts_with("500 imported, 0 rejected in "), "{name}");
        let (found, expected) = (by_id(&export(container, &[])), by_id(&sample()));
        let parse = |line: &String| serde_json::from_str::<serde_json::Value>(line).unwrap();
        assert_eq!(found.len(), expected.len());
        for (id, line) in &expected {
            assert_eq!(parse(&found[id]), parse(line), "{name}");
        }
    }
}

#[test]
fn a_repeated_import_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("items.json"));
    fs::write(&file, r#"[{"id":"a","pk":1,"n":1},{"id":"b","pk":1},{"id":"a","pk":1,"n":2}]"#).unwrap();
    for _ in 0..2 {
        succeeds(&["import", text(&file), "-d", "db", "-c", "c", "--partition-key", "/pk", "--data-dir", text(&data)]);
    }
    let exported = succeeds(&["export", "-d", "db", "-c", "c", "--data-dir", text(&data)]);
    assert_eq!(
        by_id(&exported).into_values().collect::<Vec<_>>(),
        [r#"{"id":"a","pk":1,"n":2}"#, r#"{"id":"b","pk":1}"#]
    );
}

#[test]
fn rejects_are_told_with_their_place_and_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file, rejects) =
        (folder.path().join("data"), folder.path().join("items.jsonl"), folder.path().join("rejects"));
    fs::write(&file, "{\"id\":\"a\"}\n\nnonsense\n{\"id\":\"b\"}\n{\"id\":5}\n{\"name\":\"c\"}\n").unwrap();
    let arguments = [
        "import",
        text(&file),
        "-d",
        "db",
        "-c",
        "c",
        "--partition-key",
        "/id",
        "--data-dir",
        text(&data),
        "--rejects",
        text(&rejects),
    ];
    let (out, told) = fails(&arguments);
    assert!(out.starts_with("3 imported, 2 rejected in ") && out.contains("; 1 had no id"), "{out}");
    assert!(told.contains("items.jsonl, line 3: ") && told.contains("items.jsonl, line 5: "), "{told}");
    let written = fs::read_to_string(&rejects).unwrap();
    let lines: Vec<serde_json::Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut found: Vec<_> =
        lines.iter().map(|line| (line["line"].as_u64().unwrap(), line["record"].as_str().unwrap())).collect();
    found.sort_unstable();
    assert_eq!(found, [(3, "nonsense"), (5, "{\"id\":5}")]);
}

#[test]
fn a_folder_that_a_server_has_open_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("items.jsonl");
    fs::write(&file, "{\"id\":\"a\"}\n").unwrap();
    let data = folder.path().join("data");
    let _open = FjallStore::open(&data, FjallOptions::default()).unwrap();
    let (_, told) =
        fails(&["import", text(&file), "-d", "db", "-c", "c", "--partition-key", "/id", "--data-dir", text(&data)]);
    assert!(told.contains("is in use") && told.contains("--endpoint"), "{told}");
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("items.jsonl"));
    fs::write(&file, "{\"id\":\"a\"}\n").unwrap();
    let (_, told) = fails(&["import", text(&file), "-d", "db", "-c", "c", "--data-dir", text(&data)]);
    assert!(told.contains("--partition-key"), "{told}");
    let (_, told) = fails(&["export", "-d", "db", "-c", "c", "--data-dir", text(&data)]);
    assert!(told.contains("no container 'c'"), "{told}");
    let (_, told) = fails(&["export", "-d", "db", "-c", "c", "--data-dir", text(&folder.path().join("nowhere"))]);
    assert!(told.contains("no data folder") && !folder.path().join("nowhere").exists(), "{told}");
}
