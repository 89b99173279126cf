//! Steps that keep objects by conditions or by what traversals make of them.

use super::super::nested::Nested;
use super::super::{Context, RunError, Traverser};
use super::{Boxed, each, keep};
use crate::function::Condition;
use crate::step::{Quantifier, Traversal};
use crate::value::{GValue, P};

/// `is()`
pub(in crate::run) fn is<'r>(condition: &P) -> Result<Boxed<'r>, RunError> {
    let condition = Condition::new(condition)?;
    Ok(keep(move |traverser| Ok(condition.holds(&traverser.value))))
}

/// `filter()`, `where(traversal)` and `not()`: objects for which a traversal has a result, or has none.
pub(in crate::run) fn traversal<'r>(
    cx: &'r Context<'r>,
    condition: &'r Traversal,
    keeps: bool,
) -> Result<Boxed<'r>, RunError> {
    let mut nested = Nested::new(cx, condition)?;
    Ok(keep(move |traverser| Ok(nested.holds(traverser)? == keeps)))
}

/// `and()` and `or()`
pub(in crate::run) fn connective<'r>(
    cx: &'r Context<'r>,
    conditions: &'r [Traversal],
    is_and: bool,
) -> Result<Boxed<'r>, RunError> {
    let mut all = conditions.iter().map(|one| Nested::new(cx, one)).collect::<Result<Vec<_>, _>>()?;
    Ok(keep(move |traverser| {
        for one in &mut all {
            if one.holds(traverser)? != is_and {
                return Ok(!is_and);
            }
        }
        Ok(is_and)
    }))
}

/// `all()`, `any()`, `none()`: lists by their items.
pub(in crate::run) fn items<'r>(quantifier: Quantifier, condition: &P) -> Result<Boxed<'r>, RunError> {
    let condition = Condition::new(condition)?;
    Ok(keep(move |traverser| {
        let mut test = |item: &GValue| condition.holds(item);
        Ok(match &traverser.value {
            GValue::List(items) => quantify(quantifier, items.iter(), &mut test),
            GValue::Set(members) => quantify(quantifier, members.iter(), &mut test),
            GValue::BulkSet(set) => quantify(quantifier, set.items.iter().map(|(value, _)| value), &mut test),
            _ => false,
        })
    }))
}

fn quantify<'v>(
    quantifier: Quantifier,
    mut items: impl Iterator<Item = &'v GValue>,
    test: &mut dyn FnMut(&GValue) -> bool,
) -> bool {
    match quantifier {
        Quantifier::All => items.all(test),
        Quantifier::Any => items.any(test),
        Quantifier::None => !items.any(test),
    }
}

/// `coin()`: each of equal objects for itself.
pub(in crate::run) fn coin<'r>(cx: &'r Context<'r>, probability: f64) -> Boxed<'r> {
    keep(move |traverser| {
        let heads = (0..traverser.bulk).filter(|_| cx.random.fraction() < probability).count() as u64;
        traverser.bulk = heads;
        Ok(heads > 0)
    })
}

/// `discard()`
pub(in crate::run) fn discard<'r>() -> Boxed<'r> {
    each(|_, _| Ok(()))
}

/// `fail()`
pub(in crate::run) fn fail<'r>(message: Option<&'r str>) -> Boxed<'r> {
    each(move |_: Vec<Traverser>, _| {
        Err(RunError::Fail { message: message.unwrap_or("fail() Step Triggered").to_owned() })
    })
}
