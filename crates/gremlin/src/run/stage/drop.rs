//! `drop()`.

use super::super::write::owner_key;
use super::super::{Context, evaluation};
use super::{Boxed, each};
use crate::graph::ElementKind;
use crate::value::GValue;

/// Removes a batch of elements and properties. Nothing comes out.
pub(in crate::run) fn drop<'r>(cx: &'r Context<'r>) -> Boxed<'r> {
    each(move |batch, _| {
        let elements: Vec<GValue> = batch.into_iter().map(|traverser| traverser.value).collect();
        if let Some(other) = elements.iter().find(|value| !is_removable(value)) {
            return Err(evaluation(format!("drop() is of elements and properties, but it is {}", other.kind())));
        }
        cx.graph.remove(&elements)?;
        for element in &elements {
            cx.elements.removed(element);
        }
        for kind in [ElementKind::Vertex, ElementKind::Edge] {
            let owners = elements.iter().filter_map(owner_key).filter(|(of, _)| *of == kind);
            let mut keys: Vec<_> = owners.map(|(_, key)| key).collect();
            keys.dedup();
            if !keys.is_empty() {
                let left = cx.elements.by_keys(kind, &keys)?;
                left.iter().flatten().for_each(|element| cx.elements.wrote(element));
            }
        }
        Ok(())
    })
}

fn is_removable(value: &GValue) -> bool {
    matches!(value, GValue::Vertex(_) | GValue::Edge(_) | GValue::VertexProperty(_) | GValue::Property(_))
}
