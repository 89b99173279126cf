//! Steps along edges, a whole batch at once.

use std::sync::Arc;

use super::super::element;
use super::super::{Context, RunError, Traverser, evaluation};
use super::{Boxed, each};
use crate::graph::EdgeRequest;
use crate::step::{EdgeEnd, Names};
use crate::value::{Direction, Edge, GValue, VertexReference};

/// `out()`, `in()`, `both()`. Whether properties that are at hand come with the vertices is a matter of cost only. Those that arrive at the same vertex at once become one traverser where `merges` says that nobody can
/// tell them apart.
pub(in crate::run) fn vertices<'r>(
    cx: &'r Context<'r>,
    direction: Direction,
    names: &'r Names,
    merges: bool,
    with_properties: bool,
) -> Boxed<'r> {
    let labels = labels(names);
    each(move |batch, out| {
        let vertices = references(&batch, "vertices are gone from by out(), in() and both()")?;
        let request = EdgeRequest { vertices: &vertices, direction, labels: labels.as_deref(), with_properties };
        if let [first, _, ..] = &batch[..]
            && merges
            && batch.iter().all(|other| first.would_merge_with(other))
        {
            let counts: Vec<u64> = batch.iter().map(|traverser| traverser.bulk).collect();
            let reached = cx.graph.reached(&request, &counts)?;
            out.extend(
                reached
                    .into_iter()
                    .map(|(vertex, bulk)| Traverser { bulk, ..cx.advance(first, GValue::Vertex(vertex)) }),
            );
            return Ok(());
        }
        let found = cx.graph.neighbors(&request)?;
        for (traverser, neighbors) in batch.iter().zip(found) {
            out.extend(neighbors.into_iter().map(|vertex| cx.advance(traverser, GValue::Vertex(vertex))));
        }
        Ok(())
    })
}

/// `outE()`, `inE()`, `bothE()`. Whether properties come with the edges is a matter of cost only.
pub(in crate::run) fn edges<'r>(
    cx: &'r Context<'r>,
    direction: Direction,
    names: &'r Names,
    with_properties: bool,
) -> Boxed<'r> {
    let labels = labels(names);
    each(move |batch, out| {
        let vertices = references(&batch, "edges are gone along by outE(), inE() and bothE()")?;
        let request = EdgeRequest { vertices: &vertices, direction, labels: labels.as_deref(), with_properties };
        let found = cx.graph.edges(&request)?;
        for (traverser, edges) in batch.iter().zip(found) {
            for edge in edges {
                let mut at = cx.advance(traverser, GValue::Edge(edge));
                if cx.needs.origins
                    && let GValue::Vertex(vertex) = &traverser.value
                {
                    at.came_from = Some(Arc::clone(vertex));
                }
                out.push_back(at);
            }
        }
        Ok(())
    })
}

/// `outV()`, `inV()`, `bothV()`, `otherV()`
pub(in crate::run) fn ends<'r>(cx: &'r Context<'r>, end: EdgeEnd) -> Boxed<'r> {
    each(move |batch, out| {
        for traverser in batch {
            let GValue::Edge(edge) = &traverser.value else {
                return Err(evaluation(format!(
                    "vertices of an edge are asked for, but it is {}",
                    traverser.value.kind()
                )));
            };
            let (first, second) = match end {
                EdgeEnd::Out => (&edge.out_vertex, None),
                EdgeEnd::In => (&edge.in_vertex, None),
                EdgeEnd::Both => (&edge.out_vertex, Some(&edge.in_vertex)),
                EdgeEnd::Other => (other(edge, &traverser)?, None),
            };
            for vertex in [Some(first), second].into_iter().flatten() {
                out.push_back(cx.advance(&traverser, element::vertex(vertex)));
            }
        }
        Ok(())
    })
}

fn other<'e>(edge: &'e Edge, traverser: &Traverser) -> Result<&'e VertexReference, RunError> {
    match &traverser.came_from {
        Some(vertex) if vertex.id == edge.out_vertex.id => Ok(&edge.in_vertex),
        Some(_) => Ok(&edge.out_vertex),
        None => Err(evaluation(
            "The path history of the traverser does not contain a previous vertex that otherV() could tell",
        )),
    }
}

/// Labels to go along: all without names. Names that are null name nothing.
fn labels(names: &Names) -> Option<Vec<Arc<str>>> {
    (!names.is_empty()).then(|| names.iter().flatten().cloned().collect())
}

fn references(batch: &[Traverser], wanted: &str) -> Result<Vec<VertexReference>, RunError> {
    let reference = |traverser: &Traverser| match &traverser.value {
        GValue::Vertex(vertex) => Ok(vertex.reference()),
        other => Err(evaluation(format!("{wanted}, but it is {}", other.kind()))),
    };
    batch.iter().map(reference).collect()
}
