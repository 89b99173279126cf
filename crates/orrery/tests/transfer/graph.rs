//! Graphs into and out of a data folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{fails, succeeds, text};

/// A data folder and the files around it.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        Bench { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn import_arguments<'a>(
        &self,
        files: &[&'a Path],
        container: &'a str,
        data: &'a Path,
        key: &'a str,
    ) -> Vec<&'a str> {
        let files = files.iter().map(|file| text(file));
        let more = ["--graph", "-d", "db", "-c", container, "--partition-key", key, "--data-dir", text(data)];
        ["import"].into_iter().chain(files).chain(more).collect()
    }

    fn import(&self, files: &[&Path], container: &str, key: &str) -> String {
        succeeds(&self.import_arguments(files, container, &self.path("data"), key))
    }

    fn export(&self, container: &str, more: &[&str]) -> String {
        let data = self.path("data");
        succeeds(&[&["export", "-d", "db", "-c", container, "--data-dir", text(&data)], more].concat())
    }

    /// The stored documents by id, without the ids of properties, which are random.
    fn documents(&self, container: &str) -> BTreeMap<String, Value> {
        let lines = self.export(container, &[]);
        let document = |line: &str| {
            let mut document: Value = serde_json::from_str(line).unwrap();
            for value in document.as_object_mut().unwrap().values_mut() {
                for slot in value.as_array_mut().into_iter().flatten() {
                    slot.as_object_mut().unwrap().remove("id");
                }
            }
            (document["id"].as_str().unwrap().to_owned(), document)
        };
        lines.lines().map(document).collect()
    }
}

const NODES: &str = "~id,~label,code,runways:int,country,lat:double,big:bool\r\n\
    1,airport,ATL,5,US,33.6,true\r\n2,airport,\"A\"\"& <B>\",1,FR,-1.5,false\r\n3,city,,,US,,\r\n";
const EDGES: &str = "~id,~from,~to,~label,dist:int\n10,1,2,route,809\n11,3,1,has,\n";

#[test]
fn a_graph_of_csv_files_becomes_documents_whatever_their_order() {
    let bench = Bench::new();
    let (nodes, edges) = (bench.file("nodes.csv", NODES), bench.file("edges.csv", EDGES));
    assert!(bench.import(&[&edges, &nodes], "air", "/country").starts_with("5 imported, 0 rejected in "));
    let documents = bench.documents("air");
    let expected = serde_json::json!({
        "id": "10", "label": "route", "country": "US", "_isEdge": true, "_vertexId": "1", "_vertexLabel": "airport",
        "_sink": "2", "_sinkLabel": "airport", "_sinkPartition": "FR", "dist": 809
    });
    assert_eq!(documents["10"], expected);
    let expected = serde_json::json!({
        "id": "1", "label": "airport", "country": "US", "code": [{"_value": "ATL"}], "runways": [{"_value": 5}],
        "lat": [{"_value": 33.6}], "big": [{"_value": true}]
    });
    assert_eq!(documents["1"], expected);
}

#[test]
fn what_was_imported_is_exported_in_every_format() {
    let bench = Bench::new();
    let (nodes, edges) = (bench.file("nodes.csv", NODES), bench.file("edges.csv", EDGES));
    bench.import(&[&nodes, &edges], "air", "/country");
    let original = bench.documents("air");
    for name in ["copy.graphml", "copy.json", "copy.jsonl.gz"] {
        let copy = bench.path(name);
        bench.export("air", &["--graph", "-o", text(&copy)]);
        let container = name.replace('.', "-");
        assert!(bench.import(&[&copy], &container, "/country").starts_with("5 imported, 0 rejected in "), "{name}");
        assert_eq!(bench.documents(&container), original, "{name}");
    }
    bench.export("air", &["--graph", "-o", text(&bench.path("copy.csv"))]);
    let (nodes, edges) = (bench.path("copy-nodes.csv"), bench.path("copy-edges.csv"));
    bench.import(&[&nodes, &edges], "csv", "/country");
    assert_eq!(bench.documents("csv"), original);
}

#[test]
fn lines_of_graphson_bring_vertices_with_their_edges() {
    let bench = Bench::new();
    let lines = r#"{"id":{"@type":"g:Int32","@value":1},"label":"person","outE":{"knows":[{"id":{"@type":"g:Int32","@value":7},"inV":{"@type":"g:Int32","@value":2},"properties":{"weight":{"@type":"g:Double","@value":0.5}}}]},"properties":{"name":[{"id":{"@type":"g:Int64","@value":0},"value":"marko"}],"age":[{"id":{"@type":"g:Int64","@value":1},"value":{"@type":"g:Int32","@value":29}}]}}
{"id":{"@type":"g:Int32","@value":2},"label":"person","inE":{"knows":[{"id":{"@type":"g:Int32","@value":7},"outV":{"@type":"g:Int32","@value":1}}]}}
"#;
    let file = bench.file("modern.json", lines);
    assert!(bench.import(&[&file], "modern", "/id").starts_with("3 imported, 0 rejected in "));
    let documents = bench.documents("modern");
    assert_eq!(documents.keys().collect::<Vec<_>>(), ["1", "2", "7"]);
    assert_eq!(documents["1"]["age"], serde_json::json!([{"_value": 29}]));
    assert_eq!(documents["7"]["weight"], serde_json::json!(0.5));
}

#[test]
fn elements_that_cannot_be_stored_are_rejected_by_their_lines() {
    let bench = Bench::new();
    let nodes = bench.file("nodes.csv", "~id,country\n1,US\n2,\n");
    let edges = bench.file("edges.csv", "~id,~from,~to\n10,1,1\n11,1,9\n");
    let data = bench.path("data");
    let (summary, errors) = fails(&bench.import_arguments(&[&edges, &nodes], "air", &data, "/country"));
    assert!(summary.starts_with("2 imported, 2 rejected in "), "{summary}");
    assert!(errors.contains("nodes.csv, line 3: "), "{errors}");
    assert!(errors.contains("edges.csv, line 3: there is no vertex '9' in the files"), "{errors}");
}

#[test]
fn the_air_routes_are_imported_where_they_lie_beside_the_repository() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let (nodes, edges) = (folder.join("air-routes-nodes.csv"), folder.join("air-routes-edges.csv"));
    if !nodes.is_file() {
        eprintln!("SKIPPED: there are no air routes at {}", folder.display());
        return;
    }
    let bench = Bench::new();
    let lines = |path: &Path| fs::read_to_string(path).unwrap().lines().count() - 1;
    let all = lines(&nodes) + lines(&edges);
    assert!(bench.import(&[&nodes, &edges], "air", "/id").starts_with(&format!("{all} imported, 0 rejected in ")));
}
