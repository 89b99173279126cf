//! `map()`, `flatMap()`, `local()`, `sideEffect()`.

use super::super::nested::Nested;
use super::super::{Context, RunError, Traverser};
use super::{Boxed, each};
use crate::step::Traversal;

/// `map()`: the first result.
pub(in crate::run) fn map<'r>(cx: &'r Context<'r>, traversal: &'r Traversal) -> Result<Boxed<'r>, RunError> {
    let mut nested = Nested::new(cx, traversal)?;
    Ok(each(move |batch, out| {
        for traverser in split(batch, &nested) {
            if let Some(first) = nested.first_traverser(&traverser)? {
                let mut at = cx.advance(&traverser, first.value);
                at.came_from = first.came_from;
                out.push_back(at);
            }
        }
        Ok(())
    }))
}

/// `flatMap()`: all results.
pub(in crate::run) fn flat_map<'r>(cx: &'r Context<'r>, traversal: &'r Traversal) -> Result<Boxed<'r>, RunError> {
    let mut nested = Nested::new(cx, traversal)?;
    Ok(each(move |batch, out| {
        for traverser in split(batch, &nested) {
            for result in nested.results(&traverser)? {
                let mut at = cx.advance(&traverser, result.value);
                at.bulk = at.bulk.saturating_mul(result.bulk);
                at.came_from = result.came_from;
                out.push_back(at);
            }
        }
        Ok(())
    }))
}

/// `local()`: all results, with the way they came.
pub(in crate::run) fn local<'r>(cx: &'r Context<'r>, traversal: &'r Traversal) -> Result<Boxed<'r>, RunError> {
    let mut nested = Nested::new(cx, traversal)?;
    Ok(each(move |batch, out| {
        for traverser in split(batch, &nested) {
            let bulk = traverser.bulk;
            let results = nested.results(&traverser)?;
            out.extend(results.into_iter().map(|result| times(result, bulk)));
        }
        Ok(())
    }))
}

/// `sideEffect()`
pub(in crate::run) fn side_effect<'r>(cx: &'r Context<'r>, traversal: &'r Traversal) -> Result<Boxed<'r>, RunError> {
    let mut nested = Nested::new(cx, traversal)?;
    Ok(each(move |batch, out| {
        for traverser in split(batch, &nested) {
            nested.run(&traverser)?;
            out.push_back(traverser);
        }
        Ok(())
    }))
}

/// A traversal with effects runs for each of equal objects.
pub(in crate::run) fn split(batch: Vec<Traverser>, nested: &Nested<'_>) -> impl Iterator<Item = Traverser> + use<> {
    let is_split = nested.has_effects();
    batch.into_iter().flat_map(move |traverser| {
        let (times, bulk) = if is_split { (traverser.bulk, 1) } else { (1, traverser.bulk) };
        (0..times).map(move |_| Traverser { bulk, ..traverser.clone() })
    })
}

/// What one object gives, for so many of them.
pub(in crate::run) fn times(result: Traverser, bulk: u64) -> Traverser {
    Traverser { bulk: result.bulk.saturating_mul(bulk), ..result }
}
