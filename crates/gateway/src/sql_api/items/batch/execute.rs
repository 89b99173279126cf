//! Running prepared operations, and what becomes of each when one of them fails.

use std::sync::Arc;

use orrery_engine::{Container, Engine, Error, WriteMode, Written};

use super::Mode;
use super::prepare::Prepared;
use crate::sql_api::error::ApiError;

/// What became of one operation.
#[derive(Debug)]
pub(super) struct Outcome {
    pub result: Result<Written, ApiError>,
    pub charge_ru: f64,
}

impl Outcome {
    fn not_tried() -> Outcome {
        Outcome { result: Err(Error::DependencyFailed.into()), charge_ru: 0.0 }
    }

    fn refused(error: ApiError) -> Outcome {
        Outcome { charge_ru: error.charge_ru, result: Err(error) }
    }
}

/// Runs the operations; one outcome for each, in order.
///
/// # Errors
/// What fails as a whole: the store cannot write.
pub(super) async fn run(
    engine: &Engine,
    container: &Arc<Container>,
    prepared: Prepared,
    mode: Mode,
) -> Result<Vec<Outcome>, ApiError> {
    let Steps { run, settled } = Steps::plan(prepared.operations, mode);
    let write_mode = match mode {
        Mode::Atomic => WriteMode::Atomic,
        Mode::Independent => WriteMode::Independent,
        Mode::UntilFailure => WriteMode::UntilFailure,
    };
    let done = if run.is_empty() { Vec::new() } else { engine.write(container, run, write_mode).await? };
    let done = done
        .into_iter()
        .map(|outcome| Outcome { result: outcome.result.map_err(ApiError::from), charge_ru: outcome.charge_ru });
    Ok(merge(done.collect(), settled, mode))
}

/// The operations to run, and for each operation of the request its outcome, where that is clear without running it.
struct Steps<O> {
    run: Vec<O>,
    settled: Vec<Option<Outcome>>,
}

impl<O> Steps<O> {
    /// Decides what to run: all that can be, those up to the first that cannot, or nothing if one of them cannot.
    fn plan(prepared: Vec<Result<O, ApiError>>, mode: Mode) -> Steps<O> {
        let first_bad = prepared.iter().position(Result::is_err);
        let limit = match (mode, first_bad) {
            (Mode::Independent, _) | (_, None) => prepared.len(),
            (Mode::UntilFailure, Some(bad)) => bad,
            (Mode::Atomic, Some(_)) => 0,
        };
        let mut steps = Steps { run: Vec::with_capacity(limit), settled: Vec::with_capacity(prepared.len()) };
        for (operation, index) in prepared.into_iter().zip(0..) {
            let settled = match operation {
                Ok(operation) if index < limit => {
                    steps.run.push(operation);
                    None
                }
                Err(error) if mode == Mode::Independent || Some(index) == first_bad => Some(Outcome::refused(error)),
                Ok(_) | Err(_) => Some(Outcome::not_tried()),
            };
            steps.settled.push(settled);
        }
        steps
    }
}

/// Puts the outcomes of what was run between those that were settled before. When operations run only until a failure and
/// one has failed, those behind it were not tried, also if they could not have been.
fn merge(done: Vec<Outcome>, settled: Vec<Option<Outcome>>, mode: Mode) -> Vec<Outcome> {
    let has_failed = mode == Mode::UntilFailure && done.iter().any(|outcome| outcome.result.is_err());
    let mut done = done.into_iter();
    let settle = |settled: Option<Outcome>| match settled {
        None => done.next().unwrap_or_else(Outcome::not_tried),
        Some(_) if has_failed => Outcome::not_tried(),
        Some(outcome) => outcome,
    };
    settled.into_iter().map(settle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs operations that each succeed (`+`), fail when run (`-`), or cannot be prepared (`!`); returns their statuses, and how
    /// many were handed to the engine. A delete stands for any success.
    fn run(operations: &str, mode: Mode) -> (Vec<u16>, usize) {
        let prepared = operations.chars().map(|operation| match operation {
            '!' => Err(ApiError::bad_request("bad")),
            other => Ok(other),
        });
        let Steps { run, settled } = Steps::plan(prepared.collect(), mode);
        let count = run.len();
        let conflict = || ApiError::from(Error::Conflict { kind: "item", id: "x".into() });
        let mut failed = false;
        let done = run.into_iter().map(|operation| {
            let result = match (failed && mode == Mode::UntilFailure, operation) {
                (true, _) => Err(Error::DependencyFailed.into()),
                (false, '+') => Ok(Written::Deleted),
                (false, _) => Err(conflict()),
            };
            failed |= result.is_err();
            Outcome { result, charge_ru: 1.0 }
        });
        let status = |outcome: &Outcome| outcome.result.as_ref().map_or_else(|error| error.status.as_u16(), |_| 204);
        let outcomes = merge(done.collect(), settled, mode);
        (outcomes.iter().map(status).collect(), count)
    }

    #[test]
    fn one_bad_operation_keeps_a_batch_from_running() {
        assert_eq!(run("+!+!", Mode::Atomic), (vec![424, 400, 424, 424], 0));
        assert_eq!(run("++", Mode::Atomic), (vec![204, 204], 2));
    }

    #[test]
    fn independent_operations_do_not_care() {
        assert_eq!(run("+!-+!", Mode::Independent), (vec![204, 400, 409, 204, 400], 3));
    }

    #[test]
    fn operations_behind_a_failure_are_not_tried() {
        assert_eq!(run("++!+", Mode::UntilFailure), (vec![204, 204, 400, 424], 2));
        assert_eq!(run("+-+!", Mode::UntilFailure), (vec![204, 409, 424, 424], 3));
        assert_eq!(run("!++", Mode::UntilFailure), (vec![400, 424, 424], 0));
    }
}
