//! Where statements come from, and what becomes of failures.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use super::{Server, orrery, text};

#[test]
fn failures_are_told_with_their_place_and_the_rest_runs() {
    let server = Server::with_airports();
    let script = "-- a comment; not a statement\n\\c geo airports\nSELECT VALUE 1; SELECT\n  BAD(1);\n\\nope\nSELECT VALUE 'a;b'\n";
    let ran = server.shell(&[], script);
    assert_eq!((&*ran.out, ran.code), ("1\n\"a;b\"\n", Some(1)));
    assert!(ran.err.contains("orrery: standard input, statement 3, line 3: SC2005: "), "{}", ran.err);
    assert!(ran.err.contains("\n    BAD(1)\n    ^^^\n"), "{}", ran.err);
    assert!(ran.err.contains("statement 4, line 5: there is no command \\nope"), "{}", ran.err);
    assert_eq!(server.shell(&[], "SELECT VALUE 1 FROM airports;").code, Some(0));
    assert_eq!(server.shell(&[], "").code, Some(0));
}

#[test]
fn statements_come_from_arguments_and_files() {
    let server = Server::with_airports();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.sql");
    std::fs::write(&file, "\u{FEFF}SELECT VALUE 3\n;\\q\nSELECT VALUE 4;").unwrap();
    let place = ["-d", "geo", "--container", "airports"];
    let run = |more: &[&str]| server.shell(&[&place[..], more].concat(), "SELECT VALUE 'read';");
    let arguments = ["-c", "SELECT VALUE 1; SELECT VALUE 2", "--command", "\\o csv", "-f", text(&file)];
    assert_eq!(run(&arguments).out, "1\n2\nvalue\n3\n");
    assert_eq!(run(&["-f", "-"]).out, "\"read\"\n");
    let ran = run(&["-f", text(&folder.path().join("none.sql"))]);
    assert!(ran.code == Some(1) && ran.err.contains("cannot read"), "{}", ran.err);
    let ran = run(&["-c", "SELECT VALUE 1", "-c", "SELECT VALUE"]);
    assert!(ran.out == "1\n" && ran.err.contains("orrery: command 2, statement 1, line 1: SC1001"), "{}", ran.err);
}

#[test]
fn each_statement_is_answered_before_the_next_is_read() {
    let server = Server::with_airports();
    let arguments = ["shell", "--endpoint", &server.url, "-d", "geo", "--container", "airports", "--quiet"];
    let mut process = orrery(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    for n in 0..3 {
        stdin.write_all(format!("SELECT VALUE {n};\n").as_bytes()).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{n}\n"));
    }
    drop(stdin);
    assert!(process.wait().unwrap().success());
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let server = Server::with_airports();
    let arguments = ["shell", "--endpoint", &server.url, "-d", "geo", "--container", "airports"];
    let start = || orrery(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    let query = |process: &mut Child| {
        process.stdin.take().unwrap().write_all(b"SELECT VALUE 1; SELECT VALUE 2;").unwrap();
    };
    let mut process = start();
    drop(process.stdout.take());
    query(&mut process);
    assert!(process.wait().unwrap().success());
    // Nor does what is said below results need a listener.
    let mut process = start();
    drop(process.stderr.take());
    query(&mut process);
    let output = process.wait_with_output().unwrap();
    assert_eq!((output.stdout, output.status.code()), (b"1\n2\n".to_vec(), Some(0)));
}

#[test]
fn what_is_no_text_or_does_not_end_is_refused() {
    let server = Server::with_airports();
    let endless = "SELECT 1 +\n".repeat(100_000);
    let ran = server.shell(&["-d", "geo"], &endless);
    assert!(ran.code == Some(1) && ran.err.contains("begins on line 1 is longer than"), "{}", ran.err);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("latin1.sql");
    std::fs::write(&file, b"SELECT '\xFC';").unwrap();
    let ran = server.shell(&["-f", text(&file)], "");
    assert!(ran.code == Some(1) && ran.err.contains("latin1.sql"), "{}", ran.err);
}
