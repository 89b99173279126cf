//! `subgraph()`.

use std::sync::Arc;

use super::super::side_effect::{Kept, Part};
use super::super::{Context, element, evaluation};
use super::{Boxed, each};
use crate::value::GValue;

/// Collects edges with their vertices.
pub(in crate::run) fn subgraph<'r>(cx: &'r Context<'r>, key: &'r Arc<str>) -> Boxed<'r> {
    let mut held = cx.held();
    cx.side_effects.register(key, || Kept::Graph(Part::default()));
    each(move |mut batch, out| {
        cx.elements.load_traversers(&mut batch)?;
        let mut ends = Vec::with_capacity(batch.len() * 2);
        for traverser in &batch {
            let GValue::Edge(edge) = &traverser.value else {
                return Err(evaluation(format!("subgraph() collects edges, but it is {}", traverser.value.kind())));
            };
            ends.extend([element::vertex(&edge.out_vertex), element::vertex(&edge.in_vertex)]);
            held.grow_by_value(&traverser.value)?;
        }
        cx.elements.load(&mut ends)?;
        for end in &ends {
            held.grow_by_value(end)?;
        }
        let is_graph = cx.side_effects.with(key, |kept| {
            let Kept::Graph(part) = kept else { return false };
            let edges = batch.iter().map(|traverser| &traverser.value);
            edges.chain(&ends).for_each(|element| part.add(element));
            true
        });
        if is_graph == Some(false) {
            return Err(evaluation(format!("the side effect '{key}' is no graph")));
        }
        out.extend(batch);
        Ok(())
    })
}
