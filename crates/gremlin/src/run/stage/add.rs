//! `addV()` and `addE()`.

use std::sync::Arc;

use super::super::by::Argument;
use super::super::nested::Nested;
use super::super::write::{Said, Writer, check_label, vertex_of};
use super::super::{Context, RunError, Traverser, evaluation};
use super::{Boxed, each};
use crate::graph::{NewEdge, NewVertex, PropertyChange};
use crate::step::{Endpoint, Operand, PropertyWrite};
use crate::value::{Cardinality, GValue, Pop, T, VertexReference};

/// `addV()`, once for each of equal traversers.
pub(in crate::run) fn vertex<'r>(
    cx: &'r Context<'r>,
    label: Option<&'r Operand>,
    properties: &'r [PropertyWrite],
) -> Result<Boxed<'r>, RunError> {
    let mut label = label.map(|label| Argument::new(cx, label)).transpose()?;
    let mut writers = properties.iter().map(|one| Writer::new(cx, one)).collect::<Result<Vec<_>, _>>()?;
    Ok(one_by_one(move |traverser| {
        let mut vertex = NewVertex { id: None, label: Arc::from("vertex"), properties: Vec::new() };
        if let Some(label) = &mut label {
            let label = label.of(traverser)?.unwrap_or_default();
            vertex.label = check_label(&label)?;
        }
        for writer in &mut writers {
            match writer.said(traverser)? {
                Some(Said::Token(T::Id, id)) => vertex.id = Some(id),
                Some(Said::Token(T::Label, label)) => vertex.label = check_label(&label)?,
                Some(Said::Token(token, _)) => return Err(no_token(token)),
                Some(Said::Property(change)) if &*change.key == "id" && names_itself(cx) => {
                    vertex.id = Some(change.value);
                }
                Some(Said::Property(change)) => vertex.properties.push(change),
                None => {}
            }
        }
        keep_all(&mut vertex.properties);
        let added = GValue::Vertex(cx.graph.add_vertex(vertex)?);
        cx.elements.wrote(&added);
        Ok(cx.advance(traverser, added))
    }))
}

/// A property that is given several times, without saying how many values it has, has them all.
fn keep_all(properties: &mut [PropertyChange]) {
    let keys: Vec<Arc<str>> = properties.iter().map(|change| Arc::clone(&change.key)).collect();
    for change in properties.iter_mut().filter(|change| change.cardinality.is_none()) {
        if keys.iter().filter(|key| **key == change.key).count() > 1 {
            change.cardinality = Some(Cardinality::List);
        }
    }
}

/// In a graph with a partition property, as the service has it, the property `id` is the id.
fn names_itself(cx: &Context<'_>) -> bool {
    cx.graph.partition_property().is_some()
}

fn no_token(token: T) -> RunError {
    evaluation(format!("T.{} is of properties, and no element is created with it", token.name()))
}

/// `addE()`, once for each of equal traversers.
pub(in crate::run) fn edge<'r>(
    cx: &'r Context<'r>,
    label: &'r Operand,
    from: Option<&'r Endpoint>,
    to: Option<&'r Endpoint>,
    properties: &'r [PropertyWrite],
) -> Result<Boxed<'r>, RunError> {
    let mut label = Argument::new(cx, label)?;
    let (mut from, mut to) = (End::new(cx, "from", from)?, End::new(cx, "to", to)?);
    let mut writers = properties.iter().map(|one| Writer::new(cx, one)).collect::<Result<Vec<_>, _>>()?;
    Ok(one_by_one(move |traverser| {
        let label = label.of(traverser)?.unwrap_or_default();
        let label = check_label(&label)?;
        let out_vertex = from.of(cx, traverser, &label)?;
        let in_vertex = to.of(cx, traverser, &label)?;
        let mut edge = NewEdge { id: None, label, out_vertex, in_vertex, properties: Vec::new() };
        for writer in &mut writers {
            match writer.said(traverser)? {
                Some(Said::Token(T::Id, id)) => edge.id = Some(id),
                Some(Said::Token(T::Label, label)) => edge.label = check_label(&label)?,
                Some(Said::Token(token, _)) => return Err(no_token(token)),
                Some(Said::Property(change)) if &*change.key == "id" && names_itself(cx) => {
                    edge.id = Some(change.value);
                }
                Some(Said::Property(change)) if matches!(change.value, GValue::Null) => {}
                Some(Said::Property(change)) => edge.properties.push((change.key, change.value)),
                None => {}
            }
        }
        let added = GValue::Edge(cx.graph.add_edge(edge)?);
        cx.elements.wrote(&added);
        Ok(cx.advance(traverser, added))
    }))
}

/// An end of new edges.
struct End<'r> {
    name: &'static str,
    kind: EndKind<'r>,
}

enum EndKind<'r> {
    Incoming,
    Label(&'r Arc<str>),
    Traversal(Box<Nested<'r>>),
    Value(&'r GValue),
}

impl<'r> End<'r> {
    fn new(cx: &'r Context<'r>, name: &'static str, end: Option<&'r Endpoint>) -> Result<Self, RunError> {
        let kind = match end {
            None => EndKind::Incoming,
            Some(Endpoint::Label(label)) => EndKind::Label(label),
            Some(Endpoint::Traversal(traversal)) => EndKind::Traversal(Box::new(Nested::new(cx, traversal)?)),
            Some(Endpoint::Value(value)) => EndKind::Value(value),
        };
        Ok(End { name, kind })
    }

    fn of(&mut self, cx: &'r Context<'r>, traverser: &Traverser, label: &str) -> Result<VertexReference, RunError> {
        let value = match &mut self.kind {
            EndKind::Incoming => Some(traverser.value.clone()),
            EndKind::Label(label) => cx.scoped(traverser, label, Pop::Last)?,
            EndKind::Traversal(nested) => nested.first(traverser)?,
            EndKind::Value(value) => Some((*value).clone()),
        };
        let value = value.unwrap_or_default();
        let found = if let GValue::Null = value { None } else { vertex_of(cx, &value)? };
        found.ok_or_else(|| {
            evaluation(format!(
                "The value given to addE({label}).{}() must resolve to a Vertex or the ID of a Vertex present in the graph, \
                 but it is {}",
                self.name,
                value.kind()
            ))
        })
    }
}

/// Runs once for each of equal traversers.
fn one_by_one<'r>(mut make: impl FnMut(&Traverser) -> Result<Traverser, RunError> + 'r) -> Boxed<'r> {
    each(move |batch, out| {
        for mut traverser in batch {
            let times = std::mem::replace(&mut traverser.bulk, 1);
            for _ in 0..times {
                out.push_back(make(&traverser)?);
            }
        }
        Ok(())
    })
}
