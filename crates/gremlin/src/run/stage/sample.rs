//! `sample()` of the stream.

use super::super::by::By;
use super::super::{Context, RunError, evaluation};
use super::{Boxed, gather};
use crate::value::GValue;

/// So many of all, at random, each weighing what `by()` says. What stands for several is drawn several times.
pub(in crate::run) fn sample<'r>(cx: &'r Context<'r>, count: u64, mut by: By<'r>, is_weighed: bool) -> Boxed<'r> {
    gather(cx, move |all, out| {
        let mut weighed = Vec::with_capacity(all.len());
        for traverser in all {
            if !is_weighed {
                weighed.push((1.0, traverser));
            } else if let Some(weight) = by.of(&traverser)? {
                weighed.push((weight_of(&weight)?, traverser));
            }
        }
        let mut left: u64 = weighed.iter().map(|(_, traverser)| traverser.bulk).sum();
        if left <= count {
            out.extend(weighed.into_iter().map(|(_, traverser)| traverser));
            return Ok(());
        }
        let mut drawn = vec![0_u64; weighed.len()];
        for _ in 0..count.min(left) {
            let total: f64 = weighed.iter().map(|(weight, traverser)| weight * traverser.bulk as f64).sum();
            let mut at = cx.random.fraction() * total;
            let chosen = weighed.iter().position(|(weight, traverser)| {
                at -= weight * traverser.bulk as f64;
                at < 0.0 && traverser.bulk > 0
            });
            let last = || weighed.iter().rposition(|(_, traverser)| traverser.bulk > 0);
            let Some(chosen) = chosen.or_else(last) else { break };
            if let (Some((_, traverser)), Some(times)) = (weighed.get_mut(chosen), drawn.get_mut(chosen)) {
                traverser.bulk -= 1;
                *times += 1;
            }
            left -= 1;
            cx.check()?;
        }
        for ((_, mut traverser), times) in weighed.into_iter().zip(drawn) {
            if times > 0 {
                traverser.bulk = times;
                out.push_back(traverser);
            }
        }
        Ok(())
    })
}

/// Objects weigh the same unless `by()` gives numbers.
fn weight_of(value: &GValue) -> Result<f64, RunError> {
    let weight = match value {
        GValue::Float(number) => f64::from(*number),
        GValue::Double(number) => *number,
        GValue::BigDecimal(number) => number.to_f64(),
        other => match other.as_i64() {
            Some(number) => number as f64,
            None => return Err(evaluation(format!("sample() weighs with numbers, but it is {}", other.kind()))),
        },
    };
    Ok(if weight.is_finite() && weight > 0.0 { weight } else { 0.0 })
}
