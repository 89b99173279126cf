//! On a running server.

use super::{Server, shell};

const QUERY: &str = "SELECT c.id, c.feet, c.note, c.at FROM airports c ORDER BY c.id;";

#[test]
fn each_format_shows_the_same_rows() {
    let server = Server::with_airports();
    let ran = server.shell(&["-d", "geo", "--output", "table"], QUERY);
    // Where there is no terminal, cells are whole.
    assert_eq!(ran.out.lines().count(), 7, "{}", ran.out);
    assert!(ran.out.contains("│ FRA ┆ 364.5 ┆ {\"lat\":50.03} ┆        │"), "{}", ran.out);
    assert!(ran.out.contains("│ LHR ┆    83 ┆               ┆ \"null\" │"), "{}", ran.out);
    assert!(ran.out.contains("│ SEA ┆   433 ┆               ┆ null   │"), "{}", ran.out);
    assert!(ran.err.starts_with("3 rows, ") && ran.err.contains(" RU, ") && ran.err.contains(" ms, 2 physical"));

    // JSON lines are what a pipe gets.
    let ran = server.shell(&["-d", "geo"], QUERY);
    let lines = [
        r#"{"id":"FRA","feet":364.5,"at":{"lat":50.03}}"#,
        r#"{"id":"LHR","feet":83,"note":"null"}"#,
        r#"{"id":"SEA","feet":433,"note":null}"#,
    ];
    assert_eq!((ran.out.lines().collect::<Vec<_>>(), ran.code), (lines.to_vec(), Some(0)));

    let ran = server.shell(&["-d", "geo", "--output", "csv", "--quiet"], QUERY);
    assert_eq!(ran.out, "id,feet,at,note\nFRA,364.5,\"{\"\"lat\"\":50.03}\",\nLHR,83,,null\nSEA,433,,null\n");
    assert_eq!(ran.err, "");
}

#[test]
fn commands_list_what_there_is() {
    let server = Server::with_airports();
    // The only database is chosen.
    let ran = server.shell(&[], "\\l\n\\d\n\\p airports\n\\d airports\n\\h\n");
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["database"], "geo");
    let airports = r#"{"container":"airports","partitionKey":"/country","RU":20000,"items":3}"#;
    assert_eq!(lines[1].to_string(), airports);
    assert_eq!(lines[2]["container"], "empty");
    assert_eq!((&lines[3]["range"], &lines[3]["min"]), (&0.into(), &"".into()));
    assert_eq!((&lines[4]["range"], &lines[4]["max"]), (&1.into(), &"FF".into()));
    assert_eq!((&lines[5]["items"], &lines[5]["physicalPartitions"]), (&3.into(), &2.into()));
    assert_eq!(lines[5]["partitionKey"]["paths"][0], "/country");
    assert!(ran.err.contains("\\explain") && ran.code == Some(0), "{}", ran.err);
    let ran = server.shell(&["-o", "table"], "\\d airports");
    assert!(ran.out.contains("indexing policy:\n  indexing mode: consistent\n"), "{}", ran.out);
}

#[test]
fn queries_go_where_from_says_or_where_was_chosen() {
    let server = Server::with_airports();
    let count = "SELECT VALUE COUNT(1) FROM c;";
    let ran = server.shell(&["-d", "geo"], count);
    assert_eq!((ran.code, &*ran.out), (Some(1), ""));
    assert!(ran.err.contains("'c' is no container of database 'geo'"), "{}", ran.err);
    assert!(ran.err.contains("There are: airports, empty"), "{}", ran.err);
    let chosen = format!("\\c geo airports\n{count}\nSELECT VALUE COUNT(1) FROM empty;\\c geo empty\n{count}");
    assert_eq!(server.shell(&[], &chosen).out, "3\n0\n0\n");
    assert_eq!(server.shell(&["-d", "geo", "--container", "airports"], count).out, "3\n");
    let ran = server.shell(&["-d", "geo", "--container", "nope"], count);
    assert!(ran.code == Some(1) && ran.err.contains("no container 'nope'"), "{}", ran.err);
    let ran = server.shell(&["-d", "nope"], count);
    assert!(ran.code == Some(1) && ran.err.contains("no database 'nope'"), "{}", ran.err);
}

#[test]
fn more_rows_than_the_limit_are_told() {
    let server = Server::with_airports();
    let ids = "SELECT c.id FROM airports c";
    let ran = server.shell(&["--limit", "2", "-d", "geo"], &format!("{ids};\\limit all\n\\timing on\n{ids}"));
    assert_eq!(ran.out.lines().count(), 5);
    assert!(ran.err.starts_with("the first 2 rows of more ("), "{}", ran.err);
    assert!(ran.err.contains("\n3 rows, ") && ran.err.contains("1 page; engine: compiled in "), "{}", ran.err);
    let ran = server.shell(&["--limit", "3", "-d", "geo"], ids);
    assert!(ran.err.starts_with("3 rows, "), "{}", ran.err);
}

#[test]
fn all_pages_of_a_long_result_arrive() {
    let server = Server::start();
    let items: String = (0..2500).map(|n| format!("{{\"id\":\"{n}\",\"country\":\"{}\"}}\n", n % 7)).collect();
    super::import(&["--endpoint", &server.url], "many", &items, "20000");
    let ran = server.shell(&[], "SELECT VALUE c.id FROM c");
    let mut ids: Vec<u32> = ran.out.lines().map(|line| line.trim_matches('"').parse().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..2500).collect::<Vec<_>>());
    assert!(ran.err.starts_with("2500 rows, "), "{}", ran.err);
}

#[test]
fn a_server_that_is_not_there_or_refuses_ends_the_shell() {
    let server = Server::start();
    let key = ["--key", "bm90IHRoZSBrZXkgb2YgdGhpcyBzZXJ2ZXI="];
    let ran = server.shell(&key, "\\l");
    assert!(ran.code == Some(1) && ran.err.contains("401") && ran.err.contains("ORRERY_KEY"), "{}", ran.err);
    let url = server.url.clone();
    drop(server);
    let ran = shell(&["--endpoint", &url], "\\l");
    assert!(ran.code == Some(1) && ran.err.contains("orrery serve"), "{}", ran.err);
}
