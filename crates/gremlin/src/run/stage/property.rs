//! `property()`.

use super::super::write::{Said, Writer};
use super::super::{Context, RunError, Traverser, evaluation};
use super::{Boxed, each};
use crate::graph::PropertyChange;
use crate::value::GValue;

/// Writes properties that follow each other as one change.
pub(in crate::run) fn write<'r>(cx: &'r Context<'r>, mut writers: Vec<Writer<'r>>) -> Boxed<'r> {
    each(move |batch, out| {
        for mut traverser in batch {
            let mut changes = Vec::with_capacity(writers.len());
            for writer in &mut writers {
                match writer.said(&traverser)? {
                    Some(Said::Property(change)) => {
                        check(&traverser.value, &change)?;
                        changes.push(change);
                    }
                    Some(Said::Token(token, _)) => {
                        return Err(evaluation(format!("T.{} is immutable on existing elements", token.name())));
                    }
                    None => {}
                }
            }
            if !changes.is_empty() {
                change(cx, &mut traverser, changes)?;
            }
            out.push_back(traverser);
        }
        Ok(())
    })
}

fn change(cx: &Context<'_>, traverser: &mut Traverser, changes: Vec<PropertyChange>) -> Result<(), RunError> {
    let changed = cx.graph.change(&traverser.value, changes)?;
    cx.elements.wrote(&changed);
    match &traverser.value {
        // The change gives the vertex; the traverser stays at the property, as it is now.
        GValue::VertexProperty(_) => cx.elements.load_one(&mut traverser.value),
        _ => {
            traverser.value = changed;
            Ok(())
        }
    }
}

fn check(element: &GValue, change: &PropertyChange) -> Result<(), RunError> {
    match element {
        GValue::Vertex(_) => Ok(()),
        GValue::Edge(_) | GValue::VertexProperty(_) => {
            if change.cardinality.is_some() {
                return Err(evaluation(format!(
                    "Property cardinality can only be set for a Vertex but the traversal encountered {} for key: {}",
                    element.kind(),
                    change.key
                )));
            }
            if !change.meta.is_empty() {
                return Err(evaluation(format!("{} has no properties of properties", element.kind())));
            }
            Ok(())
        }
        other => Err(evaluation(format!("property() is of elements, but it is {}", other.kind()))),
    }
}
