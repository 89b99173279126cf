//! The graphs that scenarios run on.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::graph::{Graph, MemoryGraph, NewEdge, NewVertex, PropertyChange};
use orrery_gremlin::value::{Cardinality, VertexReference};
use serde_json::Value;

use super::notation::number;

/// All of a folder, by name, and loaded for those who only read.
pub fn read_all(folder: &Path) -> HashMap<String, (Value, MemoryGraph)> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|file| {
            let data: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            let graph = load(&data);
            (file.file_stem().unwrap().to_str().unwrap().to_owned(), (data, graph))
        })
        .collect()
}

pub fn load(data: &Value) -> MemoryGraph {
    let graph = MemoryGraph::new();
    let mut labels = HashMap::new();
    for vertex in data["vertices"].as_array().unwrap() {
        labels.insert(text(&vertex["id"]), text(&vertex["label"]));
        let properties = vertex["properties"].as_array().unwrap();
        let change = |property: &Value| PropertyChange {
            key: text(&property["key"]),
            value: scalar(property),
            cardinality: Some(Cardinality::List),
            meta: property["meta"].as_object().map_or_else(Vec::new, |meta| {
                meta.iter().map(|(key, value)| (Arc::from(&**key), scalar(value))).collect()
            }),
        };
        graph
            .add_vertex(NewVertex {
                id: Some(GValue::String(text(&vertex["id"]))),
                label: text(&vertex["label"]),
                properties: properties.iter().map(change).collect(),
            })
            .unwrap();
    }
    for edge in data["edges"].as_array().unwrap() {
        let end = |id: &Value| VertexReference {
            id: GValue::String(text(id)),
            label: labels[&text(id)].clone(),
            partition: None,
        };
        let properties = edge["properties"].as_array().unwrap();
        graph
            .add_edge(NewEdge {
                id: Some(GValue::String(text(&edge["id"]))),
                label: text(&edge["label"]),
                out_vertex: end(&edge["outV"]),
                in_vertex: end(&edge["inV"]),
                properties: properties.iter().map(|one| (text(&one["key"]), scalar(one))).collect(),
            })
            .unwrap();
    }
    graph
}

fn text(value: &Value) -> Arc<str> {
    Arc::from(value.as_str().unwrap())
}

fn scalar(property: &Value) -> GValue {
    match (&property["value"], property["type"].as_str().unwrap()) {
        (Value::String(text), _) => GValue::from(&**text),
        (Value::Bool(truth), _) => (*truth).into(),
        (number_of, kind) => number(&number_of.to_string(), kind),
    }
}
