//! One scenario: what it runs, and whether what comes out is what it says.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use orrery_gremlin::graph::MemoryGraph;
use orrery_gremlin::run::{RunOptions, run};
use orrery_gremlin::step::{Compiled, Query, SideEffect};
use orrery_gremlin::text::{Expression, parse};
use orrery_gremlin::value::{Edge, GMap, Vertex, VertexProperty, VertexReference};
use orrery_gremlin::{GValue, run::RunError};
use serde_json::Value;

use super::compare::{contains_all, same, same_tree, tree_rows};
use super::{dataset, notation};

pub struct Scenario {
    pub file: String,
    pub name: String,
    pub text: String,
    all: Value,
}

impl Scenario {
    pub fn read_all(folder: &Path) -> Vec<Scenario> {
        let mut scenarios = Vec::new();
        let mut folders: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        for folder in folders.iter().filter(|path| path.is_dir() && !path.ends_with("graphs")) {
            let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            files.sort();
            for file in files {
                let all: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
                let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
                scenarios.extend(all.into_iter().map(|all| Scenario {
                    file: stem.clone(),
                    name: all["scenario"].as_str().unwrap().to_owned(),
                    text: all["gremlin"].as_str().unwrap_or_default().to_owned(),
                    all,
                }));
            }
        }
        scenarios
    }

    pub fn matches(&self, wanted: &str) -> bool {
        [&self.file, &self.name, &self.text].iter().any(|text| text.contains(wanted))
    }

    pub fn is_runnable(&self) -> bool {
        self.all["unsupported"] != Value::Bool(true) && self.all["needs"].as_array().is_none_or(Vec::is_empty)
    }

    pub fn run(&self, datasets: &HashMap<String, (Value, MemoryGraph)>) -> Result<(), String> {
        let graph = match self.all["graph"].as_str().unwrap() {
            "empty" => &MemoryGraph::new(),
            name if self.all["mutates"] == true => &dataset::load(&datasets[name].0),
            name => &datasets[name].1,
        };
        for text in self.all["given"].as_array().unwrap() {
            evaluate(graph, text.as_str().unwrap(), &GMap::new(), &[]).map_err(|error| format!("given: {error}"))?;
        }
        let find = |kind: &str, name: &str| find(graph, kind, name);
        let mut parameters = GMap::new();
        for (name, value) in self.all["params"].as_object().unwrap() {
            parameters.insert(GValue::from(&**name), notation::parse(value).resolve(&find));
        }
        let mut effects = Vec::new();
        for (name, value) in self.all["sideEffects"].as_object().into_iter().flatten() {
            let initial = notation::parse(value).resolve(&find);
            effects.push(SideEffect { key: Arc::from(&**name), initial, operator: None });
        }
        let rows = evaluate(graph, &self.text, &parameters, &effects);
        self.check(rows, graph)?;
        for check in self.all["sideGraphChecks"].as_array().into_iter().flatten() {
            let text = check["traversal"].as_str().unwrap();
            let count = evaluate(graph, &format!("{text}.count()"), &parameters, &[])?;
            if count.first().and_then(GValue::as_i64) != check["count"].as_i64() {
                return Err(format!("{text}: {count:?}, expected {}", check["count"]));
            }
        }
        Ok(())
    }

    fn check(&self, rows: Result<Vec<GValue>, String>, graph: &MemoryGraph) -> Result<(), String> {
        let wanted = &self.all["result"];
        let kind = wanted["kind"].as_str().unwrap();
        if kind == "error" {
            let Err(message) = rows else { return Err(format!("expected an error, got {rows:?}")) };
            let (message, part) = (message.to_lowercase(), wanted["message"].as_str().unwrap_or("").to_lowercase());
            let is_right = match wanted["comparison"].as_str() {
                Some("containing") => message.contains(&part),
                Some("starting") => message.starts_with(&part),
                Some("ending") => message.ends_with(&part),
                _ => true,
            };
            return if is_right { Ok(()) } else { Err(format!("error {message:?}, expected {part:?}")) };
        }
        let mut rows = rows?;
        if self.all["iterate"] == "next" && kind != "tree" && kind != "subgraph" {
            rows = match rows.first() {
                None => return Err("nothing came".to_owned()),
                Some(GValue::List(items)) => items.to_vec(),
                Some(GValue::Set(members)) => members.iter().cloned().collect(),
                Some(GValue::BulkSet(set)) => expanded(&set.items),
                Some(GValue::Path(path)) => path.objects.clone(),
                Some(GValue::Map(entries)) => {
                    entries.iter().map(|(key, value)| GValue::map([(key.clone(), value.clone())])).collect()
                }
                Some(other) => vec![other.clone()],
            };
        }
        if let Some(count) = wanted["count"].as_u64()
            && rows.len() as u64 != count
        {
            return Err(format!("{} results, expected {count}: {}", rows.len(), brief(&rows)));
        }
        let known = RefCell::new(HashMap::new());
        let find = |kind: &str, name: &str| {
            let mut known = known.borrow_mut();
            let element: &mut GValue =
                known.entry((kind.to_owned(), name.to_owned())).or_insert_with(|| find(graph, kind, name));
            element.clone()
        };
        let list = |key: &str| -> Vec<notation::Written> {
            wanted[key].as_array().map_or_else(Vec::new, |rows| rows.iter().map(notation::parse).collect())
        };
        match kind {
            "empty" if !rows.is_empty() => Err(format!("expected nothing, got {}", brief(&rows))),
            "tree" => {
                let lines: Vec<&str> = wanted["rows"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
                match &rows[..] {
                    [GValue::Tree(tree)] if same_tree(&tree_rows(&lines), tree, &find) => Ok(()),
                    _ => Err(format!("tree differs: {}", brief(&rows))),
                }
            }
            "subgraph" => {
                let [GValue::Graph(part)] = &rows[..] else { return Err(format!("no graph: {}", brief(&rows))) };
                let vertices: Vec<GValue> = part.vertices.iter().cloned().map(GValue::Vertex).collect();
                let edges: Vec<GValue> = part.edges.iter().cloned().map(GValue::Edge).collect();
                for (key, have) in [("vertices", vertices), ("edges", edges)] {
                    if wanted.get(key).is_some() {
                        contains_all(&list(key), &have, &find)?;
                    }
                }
                Ok(())
            }
            "of" => {
                let wanted = list("rows");
                match rows.iter().find(|row| !wanted.iter().any(|one| same(one, row, &find))) {
                    Some(row) => Err(format!("{row:?} is none of the expected")),
                    None => Ok(()),
                }
            }
            "ordered" => {
                let wanted = list("rows");
                if wanted.len() != rows.len() {
                    return Err(format!("{} results, expected {}: {}", rows.len(), wanted.len(), brief(&rows)));
                }
                match wanted.iter().zip(&rows).find(|(wanted, row)| !same(wanted, row, &find)) {
                    Some((wanted, row)) => Err(format!("{row:?}, expected {wanted:?} in {}", brief(&rows))),
                    None => Ok(()),
                }
            }
            "unordered" => contains_all(&list("rows"), &rows, &find),
            _ => Ok(()),
        }
    }
}

fn brief(rows: &[GValue]) -> String {
    format!("{rows:?}").chars().take(1500).collect()
}

fn expanded(items: &[(GValue, i64)]) -> Vec<GValue> {
    items.iter().flat_map(|(value, count)| (0..*count).map(move |_| value.clone())).collect()
}

/// All results of a text's last statement, each as often as it came.
fn evaluate(graph: &MemoryGraph, text: &str, parameters: &GMap, effects: &[SideEffect]) -> Result<Vec<GValue>, String> {
    let script = parse(text, parameters, &GMap::new()).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for statement in script.statements {
        let Expression::Traversal { bytecode, .. } = statement.expression else { return Err("a value".to_owned()) };
        let compiled = Query::from_bytecode(&bytecode).map_err(|error| error.to_string())?;
        let Compiled::Query(mut query) = compiled else { return Err("a transaction".to_owned()) };
        query.source.side_effects.extend(effects.iter().cloned());
        rows = all_of(graph, &query).map_err(|error| error.to_string())?;
    }
    Ok(rows)
}

fn all_of(graph: &MemoryGraph, query: &Query) -> Result<Vec<GValue>, RunError> {
    let options = RunOptions {
        deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(1_200)),
        thread_time: None,
        cancelled: Arc::default(),
        memory_bytes: 1 << 30,
        batch_size: 64,
        max_repeat_rounds: None,
    };
    let mut rows = Vec::new();
    run(query, graph, &options, &mut |batch| {
        for traverser in batch {
            rows.extend((0..traverser.bulk).map(|_| traverser.value.clone()));
        }
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

/// An element by the name that scenarios give it; one that is nowhere if there is none.
fn find(graph: &MemoryGraph, kind: &str, name: &str) -> GValue {
    let bindings =
        |values: &[(&str, GValue)]| values.iter().map(|(key, value)| (GValue::from(*key), value.clone())).collect();
    let first = |text: &str, values: &[(&str, GValue)]| {
        evaluate(graph, text, &bindings(values), &[]).unwrap().into_iter().next()
    };
    if kind == "v" {
        let found = first("g.V().has('name', name)", &[("name", name.into())]);
        return found.unwrap_or_else(|| absent(name));
    }
    let (rest, last) = name.split_once("->").unwrap();
    let (owner, label) = rest.split_once('-').unwrap();
    if kind == "e" {
        let text = "g.V().has('name', a).outE(label).as('e').inV().has('name', b).select('e')";
        let names = [("a", owner.into()), ("label", label.into()), ("b", last.into())];
        return first(text, &names).unwrap_or_else(|| {
            let end = VertexReference { id: "nowhere".into(), label: "vertex".into(), partition: None };
            GValue::Edge(Arc::new(Edge {
                id: name.into(),
                label: label.into(),
                out_vertex: end.clone(),
                in_vertex: end,
                properties: None,
            }))
        });
    }
    let wanted = notation::parse_text(last).resolve(&|_, _| GValue::Null);
    let all = evaluate(
        graph,
        "g.V().has('name', a).properties(key)",
        &bindings(&[("a", owner.into()), ("key", label.into())]),
        &[],
    );
    let found = all.unwrap().into_iter().find(|property| match property {
        GValue::VertexProperty(property) => property.value == wanted,
        _ => false,
    });
    found.unwrap_or_else(|| {
        GValue::VertexProperty(Arc::new(VertexProperty {
            id: name.into(),
            label: label.into(),
            value: wanted,
            vertex: None,
            properties: None,
        }))
    })
}

fn absent(name: &str) -> GValue {
    GValue::Vertex(Arc::new(Vertex { id: name.into(), label: "vertex".into(), partition: None, properties: None }))
}
