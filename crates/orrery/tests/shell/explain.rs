//! EXPLAIN on a server: the shell's side of it, whatever the shape of the explanation.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use super::shell;

const EXPLANATION: &str = r#"{"explain":{"scan":{"partitionsPruned":3,"index_used":"/city"},"steps":[{"rows":1}]}}"#;

/// Answers as a server with one container that explains; returns its URL.
fn explaining_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer_all(stream.unwrap());
        }
    });
    url
}

fn answer_all(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some((head, _)) = request(&mut reader) {
        let body = match head.split(' ').nth(1) {
            Some("/dbs/geo/colls") => r#"{"DocumentCollections":[{"id":"airports"}]}"#,
            Some("/dbs/geo/colls/c" | "/dbs/geo/colls/airports") => r#"{"id":"airports"}"#,
            _ if head.contains("x-orrery-explain: true\r\n") => EXPLANATION,
            _ => r#"{"Documents":[7]}"#,
        };
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    }
}

/// The next request's head and body; none when the connection is closed.
fn request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

#[test]
fn an_explanation_of_any_shape_is_shown() {
    let url = explaining_server();
    let run = |format, input| shell(&["--endpoint", &url, "-d", "geo", "-o", format], input);
    let tree = "scan:\n  partitions pruned: 3\n  index used: /city\nsteps:\n  - rows: 1\n";
    assert_eq!(run("table", "EXPLAIN SELECT * FROM airports;").out, tree);
    let line = EXPLANATION.strip_prefix("{\"explain\":").and_then(|text| text.strip_suffix('}')).unwrap();
    assert_eq!(run("json", "EXPLAIN SELECT * FROM airports;").out, format!("{line}\n"));
    let ran = run("json", "\\explain on\nSELECT * FROM airports;");
    assert_eq!(ran.out, "7\n");
    assert!(ran.err.contains(tree), "{}", ran.err);
}

#[test]
fn a_name_that_the_server_finds_by_its_id_only_is_no_container() {
    let url = explaining_server();
    // There is one container, which is chosen; the server's answer for `c` is that one under another name.
    assert_eq!(shell(&["--endpoint", &url, "-d", "geo"], "SELECT * FROM c").out, "7\n");
}
