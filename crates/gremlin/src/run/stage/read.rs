//! Steps that give a part of an object.

use std::sync::Arc;

use super::super::element::{self, label, property_value};
use super::super::traverser::Loops;
use super::super::{Context, Traverser, evaluation};
use super::{Boxed, each, map};
use crate::step::{Names, StepKind};
use crate::value::{GValue, T};

/// `constant()`
pub(in crate::run) fn constant<'r>(cx: &'r Context<'r>, value: &'r GValue) -> Boxed<'r> {
    map(cx, move |_| Ok(Some(value.clone())))
}

/// `id()`, `label()`, `key()`, `value()`, `element()`
pub(in crate::run) fn token<'r>(cx: &'r Context<'r>, kind: &'r StepKind) -> Boxed<'r> {
    map(cx, move |traverser| {
        let value = &traverser.value;
        match kind {
            StepKind::Id => element::token(value, T::Id).map(Some),
            StepKind::Label => match label(value) {
                Some(label) => Ok(Some(GValue::String(label))),
                None => element::token(value, T::Label).map(Some),
            },
            StepKind::Key => element::token(value, T::Key).map(Some),
            StepKind::Value => match property_value(value) {
                Some(value) => Ok(Some(value)),
                None => element::token(value, T::Value).map(Some),
            },
            _ => match element::owner(value) {
                Some(owner) => Ok(Some(owner)),
                None => Err(evaluation(format!("element() is of properties, but it is {}", value.kind()))),
            },
        }
    })
}

/// `values()` and `properties()`
pub(in crate::run) fn properties<'r>(cx: &'r Context<'r>, names: &'r Names, gives_values: bool) -> Boxed<'r> {
    each(move |mut batch, out| {
        cx.elements.load_traversers(&mut batch)?;
        for traverser in batch {
            if !element::is_element(&traverser.value) {
                let kind = traverser.value.kind();
                return Err(evaluation(format!("properties are those of an element, but it is {kind}")));
            }
            element::properties(&traverser.value, names, &mut |property| {
                let value = if gives_values { property_value(&property).unwrap_or_default() } else { property };
                out.push_back(cx.advance(&traverser, value));
            });
        }
        Ok(())
    })
}

/// `loops()`
pub(in crate::run) fn loops<'r>(cx: &'r Context<'r>, name: Option<&'r Arc<str>>) -> Boxed<'r> {
    map(cx, move |traverser| {
        let found = all_loops(traverser).find(|loops| name.is_none_or(|name| loops.name.as_ref() == Some(name)));
        match (found, name) {
            (Some(loops), _) => Ok(Some(GValue::Int(i32::try_from(loops.rounds).unwrap_or(i32::MAX)))),
            (None, None) => Ok(Some(GValue::Int(0))),
            (None, Some(name)) => Err(evaluation(format!("Loop name not defined: {name}"))),
        }
    })
}

fn all_loops(traverser: &Traverser) -> impl Iterator<Item = &Loops> {
    std::iter::successors(traverser.loops.as_deref(), |loops| loops.outer.as_deref())
}
