//! `orrery import` and `orrery export`.

mod folder;
mod graph;
mod server;
mod table;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the program to its end.
fn orrery(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
    command.env_remove("ORRERY_KEY").args(arguments).output().unwrap()
}

/// Standard output of a run that must succeed.
fn succeeds(arguments: &[&str]) -> String {
    let output = orrery(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Standard output and standard error of a run that must end with exit code 1.
fn fails(arguments: &[&str]) -> (String, String) {
    let output = orrery(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// The items in JSON lines, by id.
fn by_id(lines: &str) -> BTreeMap<String, String> {
    let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    lines.lines().map(|line| (id(line), line.to_owned())).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Items of many shapes, as JSON lines: numbers spelled in several ways, escapes, nested values, absent properties.
fn sample() -> String {
    let item = |n: usize| match n % 4 {
        0 => format!(r#"{{"id":"{n}","tenant":"t{}","user":{n},"price":{n}.50,"tags":["a",{{"b":null}}]}}"#, n % 7),
        1 => format!(
            r#"{{"id":"{n}","tenant":"t{}","user":{n},"name":"line\nbreak, \"quote\" é😀","price":{n}}}"#,
            n % 7
        ),
        2 => format!(r#"{{"id":"{n}","tenant":"t{}","user":null,"name":"","ok":true,"mixed":"text"}}"#, n % 7),
        _ => format!(r#"{{"id":"{n}","tenant":"t{}","ok":false,"mixed":{n},"big":9007199254740993}}"#, n % 7),
    };
    (0..500).map(|n| item(n) + "\n").collect()
}
