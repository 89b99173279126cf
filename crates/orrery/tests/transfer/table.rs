//! Entities of tables into and out of files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::server::Server;
use super::{fails, succeeds, text};

/// Entities of every type; their `t` differs from what `x` would be without its type.
const ENTITIES: &str = r#"{"PartitionKey":"p","RowKey":"1","s":"a,\"b\"\n","e":"","i":-7,"d":1.0,"b":true}
{"PartitionKey":"p","RowKey":"2","l@odata.type":"Edm.Int64","l":"9007199254740993","n@odata.type":"Edm.Double","n":"NaN"}
{"PartitionKey":"é'q","RowKey":"3","t@odata.type":"Edm.DateTime","t":"2020-01-31T23:59:59.1234567Z","_ts":5,"id":"x"}
{"PartitionKey":"q","RowKey":"4","g@odata.type":"Edm.Guid","g":"0a1b2c3d-0000-1111-2222-333344445555","y@odata.type":"Edm.Binary","y":"AAEC"}
"#;

/// The same as Azure Storage Explorer exports them, with types that have a prefix and such that have none.
const CSV: &str = "PartitionKey,RowKey,Timestamp,n,n@type,w,w@type,free\r\n\
    p,1,2020-01-01T00:00:00Z,5,Int32,2020-01-01T00:00:00.000Z,Edm.DateTime,\r\n\
    p,2,2020-01-01T00:00:00Z,5,Int64,,,007\r\n\
    p,3,,five,Int32,,,\r\n\
    p,4,,,String,x,Edm.What,\r\n\
    p/5,5,,,,,,\r\n";

fn parse(lines: &str) -> BTreeMap<String, Value> {
    let entity = |line: &str| {
        let mut entity: Value = serde_json::from_str(line).unwrap();
        let timestamp = entity.as_object_mut().unwrap().remove("Timestamp");
        (entity["RowKey"].as_str().unwrap().to_owned(), entity, timestamp)
    };
    lines.lines().map(entity).map(|(key, entity, _)| (key, entity)).collect()
}

/// Imports the entities, exports them in all formats, and imports these again.
fn round_trip(place: &[&str], folder: &Path) {
    let original = folder.join("entities.jsonl");
    fs::write(&original, ENTITIES).unwrap();
    let import = |file: &str, table: &str| {
        let told = succeeds(&[&["import", file, "--table", table], place].concat());
        assert!(told.starts_with("4 imported, 0 rejected in "), "{told}");
    };
    let export = |table: &str, more: &[&str]| succeeds(&[&["export", "--table", table], place, more].concat());
    import(text(&original), "first");
    let exported = export("first", &[]);
    assert_eq!(parse(&exported), parse(ENTITIES));
    let first: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    let timestamp = first["Timestamp"].as_str().unwrap();
    assert!(timestamp.len() == "2020-01-31T23:59:59.1234567Z".len() && timestamp.ends_with('Z'), "{timestamp}");
    for (name, table) in [("copy.csv", "asCsv"), ("copy.json", "asJson"), ("copy.jsonl.gz", "packed")] {
        let copy = folder.join(name);
        export("first", &["--output", text(&copy)]);
        import(text(&copy), table);
        assert_eq!(parse(&export(table, &[])), parse(ENTITIES), "{name}");
    }
    let csv = fs::read_to_string(folder.join("copy.csv")).unwrap();
    let header = "PartitionKey,RowKey,Timestamp,s,s@type,e,e@type,i,i@type,d,d@type,b,b@type,l,l@type,";
    assert!(csv.starts_with(header), "{csv}");
    assert!(csv.contains(",9007199254740993,Int64,NaN,Double,"), "{csv}");
}

#[test]
fn entities_go_through_a_folder_and_keep_their_types() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    round_trip(&["--data-dir", text(&data)], folder.path());
    // Keys that only tables may have.
    let file = folder.path().join("empty.jsonl");
    fs::write(&file, "{\"PartitionKey\":\"\",\"RowKey\":\"\",\"n\":1}\n").unwrap();
    let told = succeeds(&["import", text(&file), "--table", "keys", "--data-dir", text(&data)]);
    assert!(told.starts_with("1 imported"), "{told}");
    let exported = succeeds(&["export", "--table", "keys", "--data-dir", text(&data)]);
    assert!(exported.starts_with(r#"{"PartitionKey":"","RowKey":"","Timestamp":""#), "{exported}");
}

#[test]
fn entities_go_through_a_server_and_keep_their_types() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    round_trip(&["--endpoint", &server.url, "--table-endpoint", &server.table], folder.path());
    let (_, told) = fails(&["export", "--table", "nope", "--endpoint", &server.url, "--table-endpoint", &server.table]);
    assert!(told.contains("there is no table 'nope'"), "{told}");
}

#[test]
fn rows_that_are_no_entities_are_told_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("rows.csv"));
    fs::write(&file, CSV).unwrap();
    let (out, told) = fails(&["import", text(&file), "--table", "rows", "--data-dir", text(&data)]);
    assert!(out.starts_with("2 imported, 3 rejected in "), "{out}");
    assert!(told.contains("rows.csv, line 4: ") && told.contains("'n' is not Edm.Int32"), "{told}");
    assert!(told.contains("rows.csv, line 5: column 'w': 'Edm.What' is no type"), "{told}");
    assert!(told.contains("rows.csv, line 6: ") && told.contains("'PartitionKey'"), "{told}");
    let exported = parse(&succeeds(&["export", "--table", "rows", "--data-dir", text(&data)]));
    let first = r#"{"PartitionKey":"p","RowKey":"1","n":5,"w@odata.type":"Edm.DateTime","w":"2020-01-01T00:00:00Z"}"#;
    assert_eq!(exported["1"], serde_json::from_str::<Value>(first).unwrap());
    let second = r#"{"PartitionKey":"p","RowKey":"2","n@odata.type":"Edm.Int64","n":"5","free":"007"}"#;
    assert_eq!(exported["2"], serde_json::from_str::<Value>(second).unwrap());
}

#[test]
fn a_table_stands_for_database_and_container() {
    let output = super::orrery(&["import", "-", "--table", "t", "-d", "db", "-c", "c"]);
    assert_eq!(output.status.code(), Some(2));
    let (_, told) = fails(&["import", "-", "--table", "a/b", "--data-dir", "nowhere-to-be-made"]);
    assert!(told.contains("--table 'a/b'") && !Path::new("nowhere-to-be-made").exists(), "{told}");
}
