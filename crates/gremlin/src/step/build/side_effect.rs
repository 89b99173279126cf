//! Steps that keep something beside the stream.

use super::Arguments;
use super::map::operator;
use crate::GremlinError;
use crate::step::StepKind;
use crate::value::{Barrier, Constant, GValue, Scope};

pub(super) fn make(arguments: &mut Arguments<'_>) -> Result<Option<StepKind>, GremlinError> {
    Ok(Some(match arguments.name() {
        "sideEffect" => StepKind::SideEffect(arguments.traversal()?),
        "aggregate" => StepKind::Aggregate { scope: arguments.scope(), key: arguments.string("a key")?, by: None },
        "store" => StepKind::Aggregate { scope: Scope::Local, key: arguments.string("a key")?, by: None },
        "cap" => {
            let mut keys = vec![arguments.string("keys")?];
            keys.extend(arguments.strings("keys")?);
            StepKind::Cap(keys)
        }
        "subgraph" => StepKind::Subgraph(arguments.string("a key")?),
        "sack" if arguments.left() == 0 => StepKind::Sack,
        "sack" => StepKind::SackUpdate { operator: operator(arguments)?, by: None },
        "barrier" => barrier(arguments)?,
        "executionProfile" => StepKind::ExecutionProfile,
        "profile" => StepKind::Profile(arguments.optional_string("a key")?),
        _ => return Ok(None),
    }))
}

fn barrier(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    match arguments.peek() {
        None => Ok(StepKind::Barrier(None)),
        Some(GValue::Constant(Constant::Barrier(Barrier::NormSack))) => {
            arguments.any("a number").map(|_| StepKind::NormSackBarrier)
        }
        Some(_) => arguments.count().map(|count| StepKind::Barrier(Some(count))),
    }
}
