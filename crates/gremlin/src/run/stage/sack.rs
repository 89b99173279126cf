//! `sack()` and the barriers.

use std::collections::HashMap;

use super::super::by::By;
use super::super::lazy::LazyBarrier;
use super::super::{Context, RunError, Traverser, evaluation};
use super::{Boxed, each, gather, map};
use crate::function::{number, operator};
use crate::step::Projection;
use crate::value::{GValue, Operator};

/// `sack()`
pub(in crate::run) fn read<'r>(cx: &'r Context<'r>) -> Boxed<'r> {
    map(cx, |traverser| Ok(Some(traverser.sack.clone().unwrap_or_default())))
}

/// `sack(operator)`: puts what `by()` makes of the object to the sack.
pub(in crate::run) fn update<'r>(
    cx: &'r Context<'r>,
    operator: Operator,
    by: Option<&'r Projection>,
) -> Result<Boxed<'r>, RunError> {
    let mut by = By::optional(cx, by)?;
    Ok(each(move |batch, out| {
        for mut traverser in batch {
            let Some(value) = by.of(&traverser)? else { continue };
            let sack = traverser.sack.take().unwrap_or_default();
            traverser.sack = Some(operator::apply(operator, &sack, &value)?);
            out.push_back(traverser);
        }
        Ok(())
    }))
}

/// `barrier(normSack)`: divides each sack by the sum of all.
pub(in crate::run) fn normalize<'r>(cx: &'r Context<'r>) -> Boxed<'r> {
    gather(cx, move |all, out| {
        let mut sum = None;
        for traverser in &all {
            let bulk = i64::try_from(traverser.bulk).unwrap_or(i64::MAX);
            let share = number::times(&sack(traverser)?, bulk)?;
            sum = Some(match &sum {
                Some(sum) => number::add(sum, &share)?,
                None => share,
            });
        }
        let sum = sum.unwrap_or_default();
        for mut traverser in all {
            traverser.sack = Some(number::divide_exactly(&sack(&traverser)?, &sum)?);
            out.push_back(traverser);
        }
        Ok(())
    })
}

fn sack(traverser: &Traverser) -> Result<GValue, RunError> {
    match &traverser.sack {
        Some(sack) if sack.is_number() => Ok(sack.clone()),
        _ => Err(evaluation("barrier(normSack) is of sacks that are numbers")),
    }
}

/// `barrier()`: waits for all, or for so many, and makes one of equal ones.
pub(in crate::run) fn barrier<'r>(cx: &'r Context<'r>, size: Option<u64>) -> Boxed<'r> {
    match size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0) {
        Some(size) => Box::new(LazyBarrier::new(cx, size)),
        None => gather(cx, move |all, out| {
            out.extend(merge(cx, all)?);
            Ok(())
        }),
    }
}

/// One of equal ones; sacks become one as the source says, and traversers with sacks stay apart where it does not.
pub(in crate::run) fn merge(cx: &Context<'_>, all: Vec<Traverser>) -> Result<Vec<Traverser>, RunError> {
    let operator = cx.source.sack.as_ref().and_then(|sack| sack.merge);
    let mut kept: Vec<Traverser> = Vec::new();
    let mut places: HashMap<GValue, Vec<usize>> = HashMap::new();
    for traverser in all {
        let same = places.entry(traverser.value.clone()).or_default();
        let merges = |other: &Traverser| match operator {
            Some(_) => other.merges_with(&traverser),
            None => other.is_mergeable_with(&traverser),
        };
        let found = same.iter().copied().find(|at| kept.get(*at).is_some_and(merges));
        match found.and_then(|at| kept.get_mut(at)) {
            Some(other) => {
                if let (Some(operator), Some(one), Some(two)) = (operator, &other.sack, &traverser.sack) {
                    other.sack = Some(operator::apply(operator, one, two)?);
                }
                other.bulk = other.bulk.saturating_add(traverser.bulk);
            }
            None => {
                same.push(kept.len());
                kept.push(traverser);
            }
        }
    }
    Ok(kept)
}
