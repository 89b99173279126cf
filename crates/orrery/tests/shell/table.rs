//! Statements on tables.

use serde_json::Value;

use super::{Ran, Server, shell, text};

/// A table with entities of two partitions, and every kind of write.
const WRITES: &str = r#"create people
insert people {"PartitionKey":"Smith","RowKey":"1","name":"Ann; \"A\"","age":40}
insert people {"PartitionKey":"Smith","RowKey":"2","name":"Bob","age":20,"big@odata.type":"Edm.Int64","big":"5"}; upsert people {"PartitionKey":"O'Neil","RowKey":"x","age":31}
-- what follows changes them
merge people {"PartitionKey":"Smith","RowKey":"2","age":21}
replace people {"PartitionKey":"Smith","RowKey":"1","age":41}
upsert people {"PartitionKey":"O'Neil","RowKey":"x","name":"Cy"}
insert people {"PartitionKey":"Smith","RowKey":"gone"}
delete people 'Smith' 'gone'
"#;

/// Runs the statements that all places must answer alike.
fn check(run: impl Fn(&[&str], &str) -> Ran) {
    let ran = run(&["--language", "table"], WRITES);
    assert!(ran.code == Some(0) && ran.out.is_empty(), "{}", ran.err);
    assert_eq!(ran.err.lines().filter(|line| line.contains(" RU, ")).count(), 9, "{}", ran.err);
    let rows = |statement: &str| -> Vec<String> {
        let ran = run(&["--language", "table", "--output", "csv"], statement);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out.lines().map(str::to_owned).collect()
    };
    let all = ["PartitionKey,RowKey,age,name", "O'Neil,x,31,Cy", "Smith,1,41,", "Smith,2,21,Bob"];
    let found = rows("query people select PartitionKey, RowKey,name,age");
    // What a selection does not find is null.
    assert_eq!(found.iter().map(|row| row.replace("null", "")).collect::<Vec<_>>(), all);
    assert_eq!(rows("query people \"PartitionKey eq 'O''Neil'\" select age"), ["age", "31"]);
    assert_eq!(rows("query people \"age gt 30\" select RowKey top 1"), ["RowKey", "x"]);
    assert_eq!(rows("tables"), ["table", "people"]);

    let ran = run(&["--language", "table", "--quiet"], "get people 'Smith' '2'");
    let entity: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&entity["big@odata.type"], &entity["big"]), (&"Edm.Int64".into(), &"5".into()), "{}", ran.out);
    assert!(entity["Timestamp"].is_string() && entity.get("odata.etag").is_none() && ran.err.is_empty());
    let ran = run(&["--language", "table", "--output", "table"], "query people \"PartitionKey eq 'Smith'\" select age");
    assert!(ran.out.contains("│  41 │") && ran.err.starts_with("2 rows, "), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains(", 1 logical partition"), "{}", ran.err);
    let ran = run(&["--language", "table", "--limit", "1"], "query people");
    assert!(ran.out.lines().count() == 1 && ran.err.starts_with("the first 1 row of more"), "{}", ran.err);

    let explained = |filter: &str| -> Value {
        let ran = run(&["--language", "table"], &format!("explain people \"{filter}\""));
        serde_json::from_str(&ran.out).unwrap()
    };
    assert_eq!(explained("PartitionKey eq 'Smith' and RowKey eq '1'")["access"], "point read");
    let range = explained("PartitionKey eq 'Smith' and RowKey ge '2'");
    assert_eq!((&range["RowKey"], &range["firstPage"]["entities"]), (&">= '2'".into(), &1.into()));
    assert_eq!(explained("age gt 30")["access"], "all partitions, in the order of keys");

    // The same entities in SQL, and back.
    let both = "\\sql\n\\c TablesDB people\nSELECT VALUE c.id FROM c WHERE c.age = 21;\n\\table\nquery people \"age eq 21\" select RowKey";
    let ran = run(&["--language", "table"], both);
    assert_eq!((ran.out.as_str(), ran.code), ("\"2\"\n{\"RowKey\":\"2\"}\n", Some(0)), "{}", ran.err);

    let ran = run(
        &["--language", "table"],
        "get people 'Smith' 'gone'\nquery people \"age gt\"\nselect 1\ndrop people\ntables",
    );
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("statement 1, line 1: ") && ran.err.contains("ResourceNotFound"), "{}", ran.err);
    assert!(ran.err.contains("statement 2, line 2: ") && ran.err.contains("there is no statement 'select'"));
    assert!(ran.err.contains("dropped, ") && ran.err.contains("there are no tables yet"), "{}", ran.err);
}

#[test]
fn a_folder_answers_statements_on_tables() {
    let folder = tempfile::tempdir().unwrap();
    check(|arguments, input| shell(&[&["--data-dir", text(folder.path())], arguments].concat(), input));
}

#[test]
fn a_server_answers_statements_on_tables() {
    let server = Server::start();
    check(|arguments, input| server.shell(&[&["--table-endpoint", &server.table], arguments].concat(), input));
}

#[test]
fn a_table_port_that_is_not_there_is_named() {
    let server = Server::start();
    let arguments = ["--table-endpoint", &server.table, "--language", "table"];
    let url = server.url.clone();
    let owned: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    drop(server);
    let arguments: Vec<&str> = owned.iter().map(String::as_str).collect();
    let ran = shell(&[&["--endpoint", &url], &arguments[..]].concat(), "tables");
    assert!(ran.code == Some(1) && ran.err.contains("--table-endpoint"), "{}", ran.err);
}
