//! `has()` in its forms.

use std::sync::Arc;

use super::super::element::{any_value, is_element, key, label, property_value};
use super::super::{Context, RunError};
use super::{Boxed, keep, keep_loaded};
use crate::function::Condition;
use crate::graph::{id_predicate, id_text};
use crate::step::HasKey;
use crate::value::{GValue, P, T};

/// Elements with a token or property that is like this.
pub(in crate::run) fn has<'r>(cx: &'r Context<'r>, key: &'r HasKey, condition: &P) -> Result<Boxed<'r>, RunError> {
    Ok(match key {
        HasKey::Name(name) => {
            let condition = Condition::new(condition)?;
            keep_loaded(cx, move |traverser| Ok(any_value(&traverser.value, name, &mut |value| condition.holds(value))))
        }
        HasKey::Token(token) => by_token(*token, condition)?,
    })
}

fn by_token<'r>(token: T, condition: &P) -> Result<Boxed<'r>, RunError> {
    let condition = match token {
        T::Id => Condition::new(&id_predicate(condition))?,
        _ => Condition::new(condition)?,
    };
    Ok(keep(move |traverser| {
        let found = match token {
            T::Id if is_element(&traverser.value) => id_text(&traverser.value).map(GValue::String),
            T::Id => None,
            T::Label => label(&traverser.value).map(GValue::String),
            T::Key => key(&traverser.value).map(GValue::String),
            T::Value => property_value(&traverser.value),
        };
        Ok(found.is_some_and(|found| condition.holds(&found)))
    }))
}

/// `has(key)` and `hasNot(key)`: elements with such a property, or without.
pub(in crate::run) fn property<'r>(cx: &'r Context<'r>, name: Option<&'r Arc<str>>, keeps: bool) -> Boxed<'r> {
    keep_loaded(cx, move |traverser| {
        Ok(name.is_some_and(|name| any_value(&traverser.value, name, &mut |_| true)) == keeps)
    })
}
