//! What steps keep beside the stream, by name.

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::IndexMap;

use super::tree::Branches;
use super::{RunError, Traverser};
use crate::function::operator;
use crate::step::Source;
use crate::value::{BulkSet, Edge, GValue, Graph, Operator, Vertex};

/// The side effects of a run.
pub(super) struct SideEffects(RefCell<IndexMap<Arc<str>, Entry>>);

struct Entry {
    kept: Kept,
    /// How what comes is put to a value that was there from the beginning.
    operator: Option<Operator>,
}

/// What is kept under one name.
pub(super) enum Kept {
    /// From `withSideEffect()`.
    Value(GValue),
    /// What `aggregate()` collected, with counts.
    Bulk(IndexMap<GValue, i64>),
    /// What `group()` collected by key; the values are made of it when it is read.
    Groups(IndexMap<GValue, Vec<Traverser>>),
    /// What `groupCount()` counted.
    Counts(IndexMap<GValue, i64>),
    /// What `tree()` put together.
    Tree(Branches),
    /// What `subgraph()` collected.
    Graph(Part),
}

/// A part of a graph, each element once.
#[derive(Default)]
pub(super) struct Part {
    vertices: IndexMap<GValue, Arc<Vertex>>,
    edges: IndexMap<GValue, Arc<Edge>>,
}

impl Part {
    pub fn add(&mut self, element: &GValue) {
        match element {
            GValue::Vertex(vertex) => {
                self.vertices.entry(vertex.id.clone()).or_insert_with(|| Arc::clone(vertex));
            }
            GValue::Edge(edge) => {
                self.edges.entry(edge.id.clone()).or_insert_with(|| Arc::clone(edge));
            }
            _ => {}
        }
    }

    pub fn to_graph(&self) -> Graph {
        Graph { vertices: self.vertices.values().cloned().collect(), edges: self.edges.values().cloned().collect() }
    }
}

impl SideEffects {
    pub fn new(source: &Source) -> Self {
        let entry = |value: &GValue, operator| Entry { kept: Kept::Value(value.clone()), operator };
        let all = source.side_effects.iter().map(|one| (Arc::clone(&one.key), entry(&one.initial, one.operator)));
        SideEffects(RefCell::new(all.collect()))
    }

    /// Makes sure that there is one.
    pub fn register(&self, key: &Arc<str>, empty: impl FnOnce() -> Kept) {
        self.0.borrow_mut().entry(Arc::clone(key)).or_insert_with(|| Entry { kept: empty(), operator: None });
    }

    /// Works on what is kept.
    pub fn with<R>(&self, key: &str, work: impl FnOnce(&mut Kept) -> R) -> Option<R> {
        self.0.borrow_mut().get_mut(key).map(|entry| work(&mut entry.kept))
    }

    /// Puts values to a collection.
    pub fn collect(&self, key: &str, items: Vec<(GValue, i64)>) -> Result<(), RunError> {
        let mut all = self.0.borrow_mut();
        let Some(entry) = all.get_mut(key) else { return Ok(()) };
        match &mut entry.kept {
            Kept::Bulk(bulk) => {
                for (value, count) in items {
                    *bulk.entry(value).or_insert(0) += count;
                }
                Ok(())
            }
            Kept::Value(value) => {
                let operator = entry.operator.unwrap_or(Operator::AddAll);
                if matches!(operator, Operator::AddAll | Operator::Assign) {
                    let items = GValue::BulkSet(Arc::new(BulkSet { items }));
                    *value = operator::apply(operator, value, &items)?;
                    return Ok(());
                }
                for (item, count) in items {
                    for _ in 0..count {
                        *value = operator::apply(operator, value, &item)?;
                    }
                }
                Ok(())
            }
            _ => Err(RunError::Evaluation { message: format!("the side effect '{key}' is no collection") }),
        }
    }

    /// Puts counts to a map.
    pub fn count(&self, key: &str, counts: Vec<(GValue, i64)>) -> Result<(), RunError> {
        let mut all = self.0.borrow_mut();
        let Some(entry) = all.get_mut(key) else { return Ok(()) };
        match &mut entry.kept {
            Kept::Counts(kept) => {
                for (value, count) in counts {
                    *kept.entry(value).or_insert(0) += count;
                }
                Ok(())
            }
            Kept::Value(GValue::Map(map)) => {
                let map = Arc::make_mut(map);
                for (value, count) in counts {
                    let count = GValue::Long(count);
                    let sum = match map.get(&value) {
                        Some(before) => operator::apply(Operator::Sum, before, &count)?,
                        None => count,
                    };
                    map.insert(value, sum);
                }
                Ok(())
            }
            _ => Err(RunError::Evaluation { message: format!("the side effect '{key}' is no map of counts") }),
        }
    }
}
