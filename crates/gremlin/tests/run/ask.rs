//! Texts asked of a graph in memory.

use std::ops::ControlFlow;
use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::function::text::text_of;
use orrery_gremlin::graph::Graph;
use orrery_gremlin::run::{RunError, RunOptions, run};
use orrery_gremlin::step::{Compiled, Query};
use orrery_gremlin::text::{Expression, parse};
use orrery_gremlin::value::GMap;

/// No bounds to speak of.
pub fn options() -> RunOptions {
    RunOptions {
        deadline: None,
        thread_time: None,
        cancelled: Arc::default(),
        memory_bytes: 64 << 20,
        batch_size: 3,
        max_repeat_rounds: None,
    }
}

/// The traversal of a text.
pub fn query(text: &str) -> Query {
    let mut script = parse(text, &GMap::new(), &GMap::new()).unwrap();
    let Some(Expression::Traversal { bytecode, .. }) = script.statements.pop().map(|last| last.expression) else {
        panic!("{text} is no traversal")
    };
    match Query::from_bytecode(&bytecode).unwrap() {
        Compiled::Query(query) => query,
        Compiled::Transaction(command) => panic!("{command:?}"),
    }
}

/// The results of a query, one by one.
pub fn query_results(graph: &dyn Graph, query: &Query, options: &RunOptions) -> Result<Vec<GValue>, RunError> {
    let mut rows = Vec::new();
    run(query, graph, options, &mut |batch| {
        for traverser in batch {
            rows.extend((0..traverser.bulk).map(|_| traverser.value.clone()));
        }
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

/// The results of a text, one by one.
pub fn results_with(graph: &dyn Graph, text: &str, options: &RunOptions) -> Result<Vec<GValue>, RunError> {
    query_results(graph, &query(text), options)
}

/// The same without bounds, of a text that has results.
pub fn results(graph: &dyn Graph, text: &str) -> Vec<GValue> {
    results_with(graph, text, &options()).unwrap()
}

/// The results as texts, in the order of the alphabet.
pub fn texts(graph: &dyn Graph, text: &str) -> Vec<String> {
    let mut all: Vec<String> = results(graph, text).iter().map(text_of).collect();
    all.sort();
    all
}

/// A value as a short text: elements by their ids, maps in the order of their keys.
pub fn shown(value: &GValue) -> String {
    let all = |values: &mut dyn Iterator<Item = &GValue>| values.map(shown).collect::<Vec<_>>().join(" ");
    match value {
        GValue::Vertex(vertex) => shown(&vertex.id),
        GValue::Edge(edge) => shown(&edge.id),
        GValue::VertexProperty(property) => format!("{}={}", property.label, shown(&property.value)),
        GValue::String(text) => text.to_string(),
        GValue::Null => "null".to_owned(),
        GValue::List(items) => format!("[{}]", all(&mut items.iter())),
        GValue::Set(members) => format!("{{{}}}", all(&mut members.iter())),
        GValue::Path(path) => format!("<{}>", all(&mut path.objects.iter())),
        GValue::Map(map) => {
            let mut entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}:{}", shown(key), shown(value))).collect();
            entries.sort();
            format!("({})", entries.join(" "))
        }
        GValue::Int(number) => number.to_string(),
        GValue::Long(number) => format!("{number}L"),
        other => format!("{other:?}"),
    }
}

/// The results as sorted short texts, or what went wrong.
pub fn rows(graph: &dyn Graph, text: &str) -> Vec<String> {
    match results_with(graph, text, &options()) {
        Ok(values) => {
            let mut rows: Vec<String> = values.iter().map(shown).collect();
            rows.sort();
            rows
        }
        Err(error) => vec![error.to_string()],
    }
}
