//! Straight on a data folder.

use super::{AIRPORTS, import, shell, text};

#[test]
fn a_folder_answers_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let place = ["--data-dir", text(folder.path())];
    import(&place, "airports", AIRPORTS, "20000");
    let ran = shell(&place, "\\l\n\\d\nSELECT VALUE c.city FROM c WHERE c.country = 'US';\\p\n");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], r#"{"database":"geo"}"#);
    assert_eq!(lines[1], r#"{"container":"airports","partitionKey":"/country","RU":20000,"items":3}"#);
    assert_eq!(lines[2], r#""Seattle""#);
    assert_eq!(lines.len(), 5);
    assert!(ran.code == Some(0) && ran.err.contains(", 1 logical partition\n"), "{}", ran.err);
    let ran = shell(&place, "SELECT * FORM c");
    assert!(ran.err.ends_with("  SELECT * FORM c\n           ^^^^\n") && ran.code == Some(1), "{}", ran.err);
}

#[test]
fn explain_tells_what_a_query_reads() {
    let folder = tempfile::tempdir().unwrap();
    let place = ["--data-dir", text(folder.path())];
    import(&place, "airports", AIRPORTS, "20000");
    let query = "explain SELECT * FROM c WHERE c.country = 'DE'";
    let explained = |format| shell(&[&place[..], &["-o", format]].concat(), query).out;
    let json: serde_json::Value = serde_json::from_str(&explained("json")).unwrap();
    assert_eq!((&json["scope"], &json["logicalPartitions"]), (&"logical partitions".into(), &1.into()));
    assert_eq!((&json["operators"][0]["name"], &json["operators"][0]["rowsOut"]), (&"filter".into(), &1.into()));
    assert!(explained("table").contains("logical partitions: 1\n"), "{}", explained("table"));
    assert!(explained("csv").contains("\nlogicalPartitions,1\n"), "{}", explained("csv"));
    let ran = shell(&place, "\\explain\nSELECT VALUE c.id FROM c WHERE c.country = 'DE'");
    assert_eq!(ran.out, "\"FRA\"\n");
    assert!(ran.err.contains("logical partitions: 1"), "{}", ran.err);
}

#[test]
fn a_folder_that_is_missing_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let ran = shell(&["--data-dir", text(&missing)], "\\l");
    assert!(ran.code == Some(1) && ran.err.contains("no data folder"), "{}", ran.err);
    assert!(!missing.exists());
}
