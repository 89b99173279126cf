//! What `profile()` tells.

use std::sync::Arc;

use super::super::DecodeError;
use super::code;
use super::input::{Input, MIN_QUALIFIED_BYTES};
use super::read::{named_entries, value};
use crate::value::{GValue, Metrics, TraversalMetrics};

pub(super) fn body(input: &mut Input, code: u8) -> Result<GValue, DecodeError> {
    if code == code::METRICS {
        return Ok(GValue::Metrics(Arc::new(metrics(input)?)));
    }
    let duration_ns = input.i64("nanoseconds")?;
    Ok(GValue::TraversalMetrics(Arc::new(TraversalMetrics { duration_ns, metrics: nested(input)? })))
}

fn metrics(input: &mut Input) -> Result<Metrics, DecodeError> {
    let (id, name) = (input.string("the id of metrics")?, input.string("the name of metrics")?);
    let duration_ns = input.i64("nanoseconds")?;
    let at = input.at();
    let counts = named_entries(input)?.into_iter().map(|(name, count)| Some((name, count.as_i64()?)));
    let counts: Option<_> = counts.collect();
    let counts = counts.ok_or_else(|| Input::unexpected(at, "counts", "other values"))?;
    Ok(Metrics { id, name, duration_ns, counts, annotations: named_entries(input)?, nested: nested(input)? })
}

fn nested(input: &mut Input) -> Result<Vec<Metrics>, DecodeError> {
    input.list(MIN_QUALIFIED_BYTES, "a count of metrics", |input| {
        let at = input.at();
        match value(input)? {
            GValue::Metrics(metrics) => Ok(Arc::unwrap_or_clone(metrics)),
            other => Err(Input::unexpected(at, "metrics", other.kind())),
        }
    })
}
