//! Steps that begin traversals or create elements.

use std::sync::Arc;

use super::Arguments;
use crate::GremlinError;
use crate::step::{MergeArgument, Merging, Operand, StepKind};
use crate::value::GValue;

pub(super) fn make(arguments: &mut Arguments<'_>) -> Result<Option<StepKind>, GremlinError> {
    Ok(Some(match arguments.name() {
        "V" => StepKind::V(arguments.values()?),
        "E" => StepKind::E(arguments.values()?),
        "inject" => StepKind::Inject(arguments.values()?),
        "addV" => add_vertex(arguments)?,
        "addE" => StepKind::AddE { label: label(arguments)?, from: None, to: None, properties: Vec::new() },
        "mergeV" => StepKind::MergeV(Box::new(merging(arguments)?)),
        "mergeE" => StepKind::MergeE(Box::new(merging(arguments)?)),
        "call" => call(arguments)?,
        _ => return Ok(None),
    }))
}

fn add_vertex(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    let label = match arguments.peek() {
        None => None,
        Some(GValue::Null) => arguments.any("a label").map(|_| None)?,
        Some(_) => Some(label(arguments)?),
    };
    Ok(StepKind::AddV { label, properties: Vec::new() })
}

/// A string, or a traversal that yields one.
fn label(arguments: &mut Arguments<'_>) -> Result<Operand, GremlinError> {
    if arguments.has_traversal() {
        return arguments.traversal().map(Operand::Traversal);
    }
    arguments.string("a label or a traversal").map(|label| Operand::Value(GValue::String(label)))
}

fn merging(arguments: &mut Arguments<'_>) -> Result<Merging, GremlinError> {
    let criterion = if arguments.left() == 0 { MergeArgument::Incoming } else { merge_argument(arguments)? };
    Ok(Merging { criterion, on_create: None, on_match: None, out_vertex: None, in_vertex: None })
}

/// A map, null, or a traversal that yields a map.
pub(super) fn merge_argument(arguments: &mut Arguments<'_>) -> Result<MergeArgument, GremlinError> {
    if arguments.has_traversal() {
        return arguments.traversal().map(MergeArgument::Traversal);
    }
    match arguments.any("a map or a traversal")? {
        GValue::Map(map) => Ok(MergeArgument::Map(map)),
        GValue::Null => Ok(MergeArgument::Null),
        other => Err(arguments.refuse("a map or a traversal", &other)),
    }
}

fn call(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    let service = match arguments.left() {
        0 => Arc::from("--list"),
        _ => arguments.string("the name of a service")?,
    };
    let parameters = match arguments.peek() {
        Some(GValue::Map(map)) => arguments.any("a map").map(|_| Some(Arc::clone(map)))?,
        Some(GValue::Null) => arguments.any("a map").map(|_| None)?,
        _ => None,
    };
    let traversal = if arguments.left() > 0 { Some(arguments.traversal()?) } else { None };
    Ok(StepKind::Call { service, parameters, traversal, options: Vec::new() })
}
