//! `where()` with a predicate on labels, and the ends of traversals in `where()`.

use std::sync::Arc;

use super::super::by::Ring;
use super::super::{Context, RunError, Traverser, evaluation};
use super::{Boxed, keep, map};
use crate::function::{Condition, order::equals};
use crate::step::Projection;
use crate::value::{Comparison, GValue, P, Pop};

/// `where(start, predicate)`: the operands of the predicate are labels.
pub(in crate::run) fn predicate<'r>(
    cx: &'r Context<'r>,
    start: Option<&'r Arc<str>>,
    condition: &'r P,
    by: &'r [Projection],
) -> Result<Boxed<'r>, RunError> {
    let mut ring = Ring::new(cx, by)?;
    Ok(keep(move |traverser| {
        ring.rewind();
        let left = match start {
            None => ring.of(traverser)?,
            Some(label) => {
                let value = cx.must_be_scoped(traverser, label, Pop::Last)?;
                ring.of_value(value)?
            }
        };
        let Some(left) = left else { return Ok(false) };
        let Some(condition) = resolve(cx, traverser, condition, &mut ring)? else { return Ok(false) };
        Ok(match &condition {
            P::Compare(Comparison::Equal, right) => equals(&left, right),
            P::Compare(Comparison::NotEqual, right) => !equals(&left, right),
            other => Condition::new(other)?.holds(&left),
        })
    }))
}

/// The predicate with the objects of the labels for operands. `None` if `by()` makes nothing of one.
fn resolve<'r>(
    cx: &'r Context<'r>,
    traverser: &Traverser,
    condition: &P,
    ring: &mut Ring<'r>,
) -> Result<Option<P>, RunError> {
    let mut all = |parts: &[P]| -> Result<Option<Vec<P>>, RunError> {
        let mut resolved = Vec::with_capacity(parts.len());
        for part in parts {
            match resolve(cx, traverser, part, ring)? {
                Some(part) => resolved.push(part),
                None => return Ok(None),
            }
        }
        Ok(Some(resolved))
    };
    match condition {
        P::And(parts) => return Ok(all(parts)?.map(P::And)),
        P::Or(parts) => return Ok(all(parts)?.map(P::Or)),
        P::Not(inner) => return Ok(resolve(cx, traverser, inner, ring)?.map(|inner| P::Not(Box::new(inner)))),
        P::TypeOf(_) => return Ok(Some(condition.clone())),
        _ => {}
    }
    let mut operand = |label: &GValue| -> Result<Option<GValue>, RunError> {
        let GValue::String(label) = label else {
            let kind = label.kind();
            return Err(evaluation(format!(
                "where(P) requires a String scope key but encountered {kind}; use is(P) to compare values"
            )));
        };
        let value = cx.must_be_scoped(traverser, label, Pop::Last)?;
        ring.of_value(value)
    };
    Ok(match condition {
        P::Compare(comparison, label) => operand(label)?.map(|value| P::Compare(*comparison, value)),
        P::Text(comparison, label) => operand(label)?.map(|value| P::Text(*comparison, value)),
        P::Interval(interval, low, high) => match (operand(low)?, operand(high)?) {
            (Some(low), Some(high)) => Some(P::Interval(*interval, low, high)),
            _ => None,
        },
        P::Within(labels) | P::Without(labels) => {
            let Some(label) = labels.first() else { return Ok(Some(condition.clone())) };
            let members = operand(label)?.map(members);
            members.map(|members| match condition {
                P::Within(_) => P::Within(members),
                _ => P::Without(members),
            })
        }
        P::And(_) | P::Or(_) | P::Not(_) | P::TypeOf(_) => None,
    })
}

/// What is among a value: the items of a collection, or the value.
fn members(value: GValue) -> Vec<GValue> {
    match value {
        GValue::List(items) => items.to_vec(),
        GValue::Set(members) => members.iter().cloned().collect(),
        GValue::BulkSet(set) => set.items.iter().map(|(value, _)| value.clone()).collect(),
        other => vec![other],
    }
}

/// The beginning of a traversal in `where()`: goes to the object of a label.
pub(in crate::run) fn start<'r>(cx: &'r Context<'r>, label: &'r Arc<str>) -> Boxed<'r> {
    map(cx, move |traverser| cx.scoped(traverser, label, Pop::Last))
}

/// The end of one: the object must be that of a label.
pub(in crate::run) fn end<'r>(cx: &'r Context<'r>, label: &'r Arc<str>) -> Boxed<'r> {
    keep(move |traverser| {
        let wanted = cx.scoped(traverser, label, Pop::Last)?;
        Ok(wanted.is_some_and(|wanted| equals(&wanted, &traverser.value)))
    })
}
