//! Queries over rows in memory: control-plane resources, which are few.

use std::cmp::Ordering;

use orrery_value::{Value, total_order};

use super::aggregate::{accumulators, add_row};
use super::row::Row;
use super::{Datum, Effort, From, Plan, Query};
use crate::Error;

impl Query {
    /// The query's rows over these, all at once. Rows that sort alike keep their order.
    ///
    /// # Errors
    /// [`Error::Invalid`] if evaluating a row takes too many steps.
    pub fn run_in_memory(&self, rows: &[Value]) -> Result<Vec<Value>, Error> {
        let plan = &*self.plan;
        let rows: Vec<Vec<Datum<'_>>> = match plan.from {
            From::SingleRow => vec![Vec::new()],
            From::Items => rows.iter().map(|row| vec![Datum::Borrowed(row)]).collect(),
        };
        let mut results = Vec::new();
        if plan.aggregates.is_empty() {
            for sources in &rows {
                results.extend(output(plan, sources)?);
            }
        } else {
            results.extend(folded(plan, &rows)?);
        }
        results.sort_by(|a, b| order(plan, a, b));
        let offset = usize::try_from(plan.offset).unwrap_or(usize::MAX);
        let limit = plan.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(results.into_iter().skip(offset).take(limit).map(|output| output.value).collect())
    }
}

/// A row's output and what it is sorted by.
struct Output {
    value: Value,
    keys: Vec<Value>,
}

fn output(plan: &Plan, sources: &[Datum<'_>]) -> Result<Option<Output>, Error> {
    let effort = Effort::for_row();
    let row = Row::new(sources, &effort);
    if plan.filter.as_ref().is_some_and(|filter| !filter.keeps(&row)) {
        return effort.check().map(|()| None);
    }
    let value = plan.projection.evaluate(&row).into_value();
    let keys = plan.order.iter().map(|key| key.expr.evaluate(&row).into_value()).collect();
    effort.check()?;
    Ok(value.has_json().then_some(Output { value, keys }))
}

fn folded(plan: &Plan, rows: &[Vec<Datum<'_>>]) -> Result<Option<Output>, Error> {
    let mut accumulators = accumulators(&plan.aggregates);
    for sources in rows {
        let effort = Effort::for_row();
        if plan.filter.as_ref().is_none_or(|filter| filter.keeps(&Row::new(sources, &effort))) {
            add_row(&mut accumulators, &plan.aggregates, sources, &effort);
        }
        effort.check()?;
    }
    let results: Vec<_> = accumulators.into_iter().map(super::aggregate::Accumulator::finish).collect();
    let effort = Effort::for_row();
    let value = plan.projection.evaluate(&Row::folded(&results, &effort)).into_value();
    effort.check()?;
    Ok(value.has_json().then_some(Output { value, keys: Vec::new() }))
}

fn order(plan: &Plan, a: &Output, b: &Output) -> Ordering {
    let keys = plan.order.iter().zip(a.keys.iter().zip(&b.keys));
    keys.map(|(key, (a, b))| key.direction.apply(total_order(a, b)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
