//! `coalesce()` and `optional()`.

use super::super::nested::Nested;
use super::super::{Context, RunError};
use super::local::{split, times};
use super::{Boxed, each};
use crate::step::Traversal;

/// The results of the first traversal that has any.
pub(in crate::run) fn coalesce<'r>(cx: &'r Context<'r>, all: &'r [Traversal]) -> Result<Boxed<'r>, RunError> {
    let mut all = all.iter().map(|one| Nested::new(cx, one)).collect::<Result<Vec<_>, _>>()?;
    Ok(each(move |mut batch, out| {
        if let Some(one) = all.iter().find(|one| one.has_effects()) {
            batch = split(batch, one).collect();
        }
        for traverser in batch {
            for one in &mut all {
                let results = one.results(&traverser)?;
                if results.is_empty() {
                    continue;
                }
                for result in results {
                    let mut at = cx.advance(&traverser, result.value);
                    at.bulk = at.bulk.saturating_mul(result.bulk);
                    at.came_from = result.came_from;
                    out.push_back(at);
                }
                break;
            }
        }
        Ok(())
    }))
}

/// The results, or the object itself where there are none.
pub(in crate::run) fn optional<'r>(cx: &'r Context<'r>, traversal: &'r Traversal) -> Result<Boxed<'r>, RunError> {
    let mut nested = Nested::new(cx, traversal)?;
    Ok(each(move |batch, out| {
        for traverser in split(batch, &nested) {
            let bulk = traverser.bulk;
            let results = nested.results(&traverser)?;
            if results.is_empty() {
                out.push_back(traverser);
            } else {
                out.extend(results.into_iter().map(|result| times(result, bulk)));
            }
        }
        Ok(())
    }))
}
