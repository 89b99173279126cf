//! Ids as text.

use std::sync::Arc;

use crate::io::text;
use crate::value::{GValue, P};

/// The text that an id is stored as: numbers are their digits, elements their own ids. `None` for what can be no id.
pub fn id_text(id: &GValue) -> Option<Arc<str>> {
    match id {
        GValue::String(text) => Some(text.clone()),
        GValue::Vertex(vertex) => id_text(&vertex.id),
        GValue::Edge(edge) => id_text(&edge.id),
        GValue::VertexProperty(property) => id_text(&property.id),
        GValue::Uuid(_) => Some(text::of(id).into()),
        number if number.is_number() => Some(text::of(number).into()),
        _ => None,
    }
}

/// A condition on ids with its operands as they are stored, so that `hasId(1)` finds `"1"`.
#[must_use]
pub fn id_predicate(predicate: &P) -> P {
    let stored = |operand: &GValue| id_text(operand).map_or_else(|| operand.clone(), GValue::String);
    match predicate {
        P::Compare(comparison, operand) => P::Compare(*comparison, stored(operand)),
        P::Interval(interval, low, high) => P::Interval(*interval, stored(low), stored(high)),
        P::Within(members) => P::Within(members.iter().map(stored).collect()),
        P::Without(members) => P::Without(members.iter().map(stored).collect()),
        P::And(parts) => P::And(parts.iter().map(id_predicate).collect()),
        P::Or(parts) => P::Or(parts.iter().map(id_predicate).collect()),
        P::Not(inner) => P::Not(Box::new(id_predicate(inner))),
        P::TypeOf(_) | P::Text(..) => predicate.clone(),
    }
}
