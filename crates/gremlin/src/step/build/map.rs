//! Steps that make other objects of what comes.

use super::Arguments;
use crate::GremlinError;
use crate::step::{EdgeEnd, IndexForm, ListFunction, PathRange, Projection, Reducer, SelectSource, StepKind, Tokens};
use crate::value::{Constant, Direction, GValue};

const LABELS: &str = "labels";
const KEYS: &str = "keys";

pub(super) fn make(arguments: &mut Arguments<'_>) -> Result<Option<StepKind>, GremlinError> {
    if let Some(kind) = movement(arguments)? {
        return Ok(Some(kind));
    }
    if let Some(reducer) = reducer(arguments.name()) {
        return Ok(Some(StepKind::Reduce(reducer, arguments.scope())));
    }
    if let Some(function) = list_function(arguments.name()) {
        return Ok(Some(StepKind::List(function, arguments.operand("a list or a traversal")?)));
    }
    Ok(Some(match arguments.name() {
        "map" => StepKind::Map(arguments.traversal()?),
        "flatMap" => StepKind::FlatMap(arguments.traversal()?),
        "identity" => StepKind::Identity,
        "constant" => StepKind::Constant(arguments.value()?),
        "id" => StepKind::Id,
        "label" => StepKind::Label,
        "key" => StepKind::Key,
        "value" => StepKind::Value,
        "element" => StepKind::Element,
        "loops" => StepKind::Loops(arguments.optional_string("a name")?),
        "values" => StepKind::Values(arguments.names(KEYS)?),
        "properties" => StepKind::Properties(arguments.names(KEYS)?),
        "valueMap" => StepKind::ValueMap { tokens: tokens(arguments)?, keys: arguments.names(KEYS)?, by: None },
        "propertyMap" => StepKind::PropertyMap { tokens: Tokens::default(), keys: arguments.names(KEYS)?, by: None },
        "elementMap" => StepKind::ElementMap(arguments.names(KEYS)?),
        "fold" => fold(arguments)?,
        "unfold" => StepKind::Unfold,
        "order" => StepKind::Order { scope: arguments.scope(), by: Vec::new() },
        "select" => select(arguments)?,
        "project" => project(arguments)?,
        "path" => StepKind::Path(PathRange::default()),
        "tree" => StepKind::Tree { side_effect: arguments.optional_string("a key")?, by: Vec::new() },
        "group" => {
            StepKind::Group { side_effect: arguments.optional_string("a key")?, key: Projection::Identity, value: None }
        }
        "groupCount" => {
            StepKind::GroupCount { side_effect: arguments.optional_string("a key")?, key: Projection::Identity }
        }
        "index" => StepKind::Index(IndexForm::List),
        _ => return Ok(None),
    }))
}

fn movement(arguments: &mut Arguments<'_>) -> Result<Option<StepKind>, GremlinError> {
    let direction = match arguments.name() {
        "out" | "outE" => Direction::Out,
        "in" | "inE" => Direction::In,
        "both" | "bothE" => Direction::Both,
        "outV" => return Ok(Some(StepKind::EdgeVertices(EdgeEnd::Out))),
        "inV" => return Ok(Some(StepKind::EdgeVertices(EdgeEnd::In))),
        "bothV" => return Ok(Some(StepKind::EdgeVertices(EdgeEnd::Both))),
        "otherV" => return Ok(Some(StepKind::EdgeVertices(EdgeEnd::Other))),
        "to" | "toE" | "toV" => {
            let wanted = "a direction";
            match arguments.any(wanted)? {
                GValue::Constant(Constant::Direction(direction)) => direction,
                other => return Err(arguments.refuse(wanted, &other)),
            }
        }
        _ => return Ok(None),
    };
    if arguments.name() == "toV" {
        return Ok(Some(StepKind::EdgeVertices(match direction {
            Direction::Out => EdgeEnd::Out,
            Direction::In => EdgeEnd::In,
            Direction::Both => EdgeEnd::Both,
        })));
    }
    let labels = arguments.names(LABELS)?;
    Ok(Some(match arguments.name() {
        "outE" | "inE" | "bothE" | "toE" => StepKind::Edges { direction, labels },
        _ => StepKind::Vertices { direction, labels },
    }))
}

fn reducer(name: &str) -> Option<Reducer> {
    Some(match name {
        "count" => Reducer::Count,
        "sum" => Reducer::Sum,
        "min" => Reducer::Min,
        "max" => Reducer::Max,
        "mean" => Reducer::Mean,
        _ => return None,
    })
}

fn list_function(name: &str) -> Option<ListFunction> {
    Some(match name {
        "combine" => ListFunction::Combine,
        "difference" => ListFunction::Difference,
        "disjunct" => ListFunction::Disjunct,
        "intersect" => ListFunction::Intersect,
        "merge" => ListFunction::Merge,
        "product" => ListFunction::Product,
        _ => return None,
    })
}

/// `valueMap(true)` is of older versions.
fn tokens(arguments: &mut Arguments<'_>) -> Result<Tokens, GremlinError> {
    match arguments.peek() {
        Some(GValue::Bool(all)) => {
            let all = *all;
            arguments.any("a boolean")?;
            Ok(Tokens { id: all, label: all, key: all, value: all })
        }
        _ => Ok(Tokens::default()),
    }
}

fn fold(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    if arguments.left() == 0 {
        return Ok(StepKind::Fold);
    }
    let seed = arguments.value()?;
    let operator = operator(arguments)?;
    Ok(StepKind::FoldWith { seed, operator })
}

pub(super) fn operator(arguments: &mut Arguments<'_>) -> Result<crate::value::Operator, GremlinError> {
    match arguments.any("an Operator")? {
        GValue::Constant(Constant::Operator(operator)) => Ok(operator),
        other => Err(arguments.refuse("an Operator", &other)),
    }
}

fn select(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    let column = arguments.constant(|constant| match constant {
        Constant::Column(column) => Some(column),
        _ => None,
    });
    if let Some(column) = column {
        return Ok(StepKind::SelectColumn(column));
    }
    let pop = arguments.constant(|constant| match constant {
        Constant::Pop(pop) => Some(pop),
        _ => None,
    });
    let from = if arguments.has_traversal() {
        SelectSource::Traversal(arguments.traversal()?)
    } else {
        let mut labels = vec![arguments.string("labels, keys, values or a traversal")?];
        labels.extend(arguments.strings(LABELS)?);
        SelectSource::Labels(labels)
    };
    Ok(StepKind::Select { pop, from, by: Vec::new() })
}

fn project(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    let mut keys = vec![arguments.string(KEYS)?];
    for key in arguments.strings(KEYS)? {
        if keys.contains(&key) {
            return Err(arguments.error(format!("keys must be unique in project(), but '{key}' is given twice")));
        }
        keys.push(key);
    }
    Ok(StepKind::Project { keys, by: Vec::new() })
}
