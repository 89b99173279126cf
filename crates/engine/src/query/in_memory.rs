//! Queries over rows in memory: control-plane resources, which are few. Written for plainness, not for speed, and apart from the
//! operators, so that tests can hold these against it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::ControlFlow;

use orrery_value::{Value, total_order};

use super::{Datum, Effort, From, Grouping, Plan, Query, Ranking};
use crate::Error;
use crate::query::collect::aggregate::{Accumulator, accumulators, add_row};
use crate::query::collect::feed::{At, Collector};
use crate::query::collect::ranking::{Scorer, Statistics, score};
use crate::query::evaluation::body_rows::each_row;
use crate::query::evaluation::row::{Row, Source};

impl Query {
    /// The query's rows over these, all at once. Rows that sort alike keep their order.
    ///
    /// # Errors
    /// [`Error::Invalid`] if evaluating a row takes too many steps or a scalar subquery has several rows.
    pub fn run_in_memory(&self, rows: &[Value]) -> Result<Vec<Value>, Error> {
        outputs(&self.plan, rows)
    }
}

/// A row's output and what it is sorted by.
struct Output {
    value: Value,
    keys: Vec<Value>,
    scores: Vec<f64>,
}

fn outputs(plan: &Plan, items: &[Value]) -> Result<Vec<Value>, Error> {
    let derived;
    let inputs: Vec<Option<&Value>> = match &plan.from {
        From::SingleRow => vec![None],
        From::Items => items.iter().map(Some).collect(),
        From::Query(inner) => {
            derived = outputs(inner, items)?;
            derived.iter().map(Some).collect()
        }
    };
    let mut outputs = match &plan.body.grouping {
        None => plain(plan, &inputs)?,
        Some(grouping) => grouped(plan, grouping, &inputs)?,
    };
    if let Some(ranking) = &plan.ranking {
        outputs = ranked(outputs, ranking);
    } else {
        outputs.sort_by(|a, b| order(plan, a, b));
    }
    if plan.body.distinct {
        let mut seen = std::collections::HashSet::new();
        outputs.retain(|output| seen.insert(output.value.clone()));
    }
    let offset = usize::try_from(plan.offset).unwrap_or(usize::MAX);
    let limit = plan.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(outputs.into_iter().skip(offset).take(limit).map(|output| output.value).collect())
}

fn plain(plan: &Plan, inputs: &[Option<&Value>]) -> Result<Vec<Output>, Error> {
    let scorers = match &plan.ranking {
        Some(ranking) => statistics(plan, ranking, inputs)?,
        None => Vec::new(),
    };
    let mut outputs = Vec::new();
    for input in inputs {
        on_rows(plan, *input, |row| {
            outputs.extend(output(plan, row, &scorers));
            Ok(())
        })?;
    }
    Ok(outputs)
}

fn grouped(plan: &Plan, grouping: &Grouping, inputs: &[Option<&Value>]) -> Result<Vec<Output>, Error> {
    let mut groups: Vec<(Vec<Value>, Vec<Accumulator>)> = Vec::new();
    let mut places: HashMap<Vec<Value>, usize> = HashMap::new();
    if grouping.keys.is_empty() {
        groups.push((Vec::new(), accumulators(&grouping.aggregates)));
        places.insert(Vec::new(), 0);
    }
    for input in inputs {
        on_rows(plan, *input, |row| {
            let keys: Vec<Value> = grouping.keys.iter().map(|key| key.evaluate(row).into_value()).collect();
            let place = *places.entry(keys.clone()).or_insert_with(|| {
                groups.push((keys, accumulators(&grouping.aggregates)));
                groups.len() - 1
            });
            add_row(&mut groups[place].1, &grouping.aggregates, row).map(|_| ())
        })?;
    }
    let mut outputs = Vec::new();
    for (keys, accumulators) in groups {
        let aggregates: Vec<_> = accumulators.into_iter().map(Accumulator::finish).collect();
        let effort = Effort::for_row();
        outputs.extend(output(plan, &Row::empty(&effort).folded(&keys, &aggregates), &[]));
        effort.check()?;
    }
    Ok(outputs)
}

/// Calls `visit` with each row that the plan's body makes of an input.
fn on_rows(
    plan: &Plan,
    input: Option<&Value>,
    mut visit: impl FnMut(&Row<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let effort = Effort::for_row();
    let source = Source::first(input.map_or(Datum::UNDEFINED, Datum::Borrowed));
    let row = if input.is_some() { Row::of(&source, &effort) } else { Row::empty(&effort) };
    let mut result = Ok(());
    // That it breaks stands in the result.
    let _ = each_row(&plan.body, &row, &mut |row| {
        result = visit(row);
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    effort.check()?;
    result
}

fn output(plan: &Plan, row: &Row<'_>, scorers: &[Scorer]) -> Option<Output> {
    let value = plan.body.projection.evaluate(row).into_value();
    let keys = plan.order.iter().map(|key| key.expr.evaluate(row).into_value()).collect();
    let components = plan.ranking.as_ref().map_or(&[][..], |ranking| &ranking.components);
    let scores = components.iter().zip(scorers).map(|((component, _), scorer)| score(component, scorer, row)).collect();
    value.has_json().then_some(Output { value, keys, scores })
}

fn order(plan: &Plan, a: &Output, b: &Output) -> Ordering {
    let keys = plan.order.iter().zip(a.keys.iter().zip(&b.keys));
    keys.map(|(key, (a, b))| key.direction.apply(total_order(a, b)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Statistics over all inputs, whatever the filter says.
fn statistics(plan: &Plan, ranking: &Ranking, inputs: &[Option<&Value>]) -> Result<Vec<Scorer>, Error> {
    let mut statistics = Statistics::new(std::sync::Arc::new(plan.clone()), ranking);
    for input in inputs.iter().flatten() {
        let effort = Effort::for_row();
        let source = Source::first(Datum::Borrowed(input));
        let at = At { key: &[], number: 0, ordinal: 0, item: None };
        statistics.add(&Row::of(&source, &effort), &at)?;
        effort.check()?;
    }
    Ok(statistics.finish())
}

/// Sorts by the sum of `weight / (60 + place)`, a place being one more than there are better scores, or by the score if there is only
/// one. For a negative weight, lower scores are better ones.
fn ranked(outputs: Vec<Output>, ranking: &Ranking) -> Vec<Output> {
    let mut ranks = vec![0.0; outputs.len()];
    let is_alone = ranking.components.len() == 1;
    for (component, (_, weight)) in ranking.components.iter().enumerate() {
        let score = |output: &Output| match output.scores[component] {
            score if *weight < 0.0 && score.is_finite() => -score,
            score => score,
        };
        for (rank, output) in ranks.iter_mut().zip(&outputs) {
            let mut better: Vec<f64> = outputs.iter().map(score).filter(|other| *other > score(output)).collect();
            better.sort_by(f64::total_cmp);
            better.dedup();
            let place = 1.0 + better.len() as f64;
            *rank += if is_alone { -place } else { weight.abs() / (60.0 + place) };
        }
    }
    let mut ranked: Vec<_> = ranks.into_iter().zip(outputs).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    ranked.into_iter().map(|(_, output)| output).collect()
}
