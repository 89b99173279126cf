//! What `profile()` tells. GraphSON 3 types the map within the type.

use std::sync::Arc;

use super::super::json::Item;
use super::super::{DecodeError, Named};
use super::read::{invalid, named};
use crate::value::{GValue, Metrics, TraversalMetrics};

const NANOS_PER_MS: f64 = 1e6;

pub(super) fn typed(item: Item, name: &str, depth: usize) -> Result<GValue, DecodeError> {
    let mut figures = named(item, depth)?;
    let wrong = |what: &'static str| invalid(item, what, "another value");
    let duration_ns = match figures.swap_remove("dur") {
        Some(GValue::Double(ms)) => (ms * NANOS_PER_MS).round() as i64,
        Some(other) => other.as_i64().and_then(|ms| ms.checked_mul(1_000_000)).ok_or_else(|| wrong("milliseconds"))?,
        None => 0,
    };
    let nested = nested(figures.swap_remove("metrics")).ok_or_else(|| wrong("a list of metrics"))?;
    if name == "TraversalMetrics" {
        return Ok(GValue::TraversalMetrics(Arc::new(TraversalMetrics { duration_ns, metrics: nested })));
    }
    let annotations = entries(&mut figures, "annotations").ok_or_else(|| wrong("annotations"))?;
    let counts = entries(&mut figures, "counts").ok_or_else(|| wrong("counts"))?;
    let counts: Option<_> = counts.into_iter().map(|(name, count)| Some((name, count.as_i64()?))).collect();
    let mut text = |name| match figures.swap_remove(name) {
        Some(GValue::String(text)) => Ok(text),
        _ => Err(wrong("id and name of metrics")),
    };
    Ok(GValue::Metrics(Arc::new(Metrics {
        id: text("id")?,
        name: text("name")?,
        duration_ns,
        counts: counts.ok_or_else(|| wrong("counts"))?,
        annotations,
        nested,
    })))
}

fn nested(list: Option<GValue>) -> Option<Vec<Metrics>> {
    let items = match list {
        None => return Some(Vec::new()),
        Some(GValue::List(items)) => items,
        Some(_) => return None,
    };
    let unwrap = |value| match value {
        GValue::Metrics(metrics) => Some(Arc::unwrap_or_clone(metrics)),
        _ => None,
    };
    Arc::unwrap_or_clone(items).into_iter().map(unwrap).collect()
}

fn entries(figures: &mut Named, name: &str) -> Option<Vec<(Arc<str>, GValue)>> {
    let map = match figures.swap_remove(name) {
        None => return Some(Vec::new()),
        Some(GValue::Map(map)) => map,
        Some(_) => return None,
    };
    let entry = |(key, value): (&GValue, &GValue)| match key {
        GValue::String(key) => Some((key.clone(), value.clone())),
        _ => None,
    };
    map.iter().map(entry).collect()
}
