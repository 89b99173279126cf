//! `property()`.

use super::Arguments;
use super::assemble::{Draft, DraftKind};
use crate::GremlinError;
use crate::step::{Operand, PropertyKey, PropertyWrite, StepKind};
use crate::value::{Cardinality, Constant, GMap, GValue};

/// Adds a property to the element that is being created, or a step of its own. A map is as many properties.
pub(super) fn add(drafts: &mut Vec<Draft>, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    let cardinality = arguments.constant(|constant| match constant {
        Constant::Cardinality(cardinality) => Some(cardinality),
        _ => None,
    });
    if arguments.left() == 1 {
        return match arguments.any("a map")? {
            GValue::Map(map) => add_map(drafts, arguments, cardinality, &map),
            GValue::Null => Ok(()),
            other => Err(arguments.refuse("a map, or a key and a value,", &other)),
        };
    }
    let key = key(arguments)?;
    let (cardinality, value) = with_cardinality(cardinality, arguments.operand("a value")?);
    let mut meta = Vec::new();
    while arguments.left() > 0 {
        meta.push((self::key(arguments)?, arguments.operand("a value")?));
    }
    place(drafts, PropertyWrite { cardinality, key, value, meta });
    Ok(())
}

fn add_map(
    drafts: &mut Vec<Draft>,
    arguments: &Arguments<'_>,
    cardinality: Option<Cardinality>,
    map: &GMap,
) -> Result<(), GremlinError> {
    for (key, value) in map {
        let key = match key {
            GValue::String(name) => PropertyKey::Name(name.clone()),
            GValue::Constant(Constant::T(token)) => PropertyKey::Token(*token),
            other => return Err(arguments.refuse("a map with keys that are strings or T", other)),
        };
        let (cardinality, value) = with_cardinality(cardinality, Operand::Value(value.clone()));
        place(drafts, PropertyWrite { cardinality, key, value, meta: Vec::new() });
    }
    Ok(())
}

/// A value may bring a cardinality of its own.
fn with_cardinality(cardinality: Option<Cardinality>, value: Operand) -> (Option<Cardinality>, Operand) {
    match value {
        Operand::Value(GValue::CardinalityValue(own, value)) => (Some(own), Operand::Value((*value).clone())),
        value => (cardinality, value),
    }
}

fn place(drafts: &mut Vec<Draft>, write: PropertyWrite) {
    if write.cardinality.is_none()
        && write.meta.is_empty()
        && let Some(properties) = created(drafts)
    {
        properties.push(write);
        return;
    }
    drafts.push(DraftKind::Step(StepKind::Property(Box::new(write))).into());
}

/// The properties of the element that is created before this and other properties.
fn created(drafts: &mut [Draft]) -> Option<&mut Vec<PropertyWrite>> {
    let is_property = |draft: &Draft| matches!(draft.kind, DraftKind::Step(StepKind::Property(_)));
    let draft = drafts.iter_mut().rev().find(|draft| !is_property(draft))?;
    match &mut draft.kind {
        DraftKind::Step(StepKind::AddV { properties, .. } | StepKind::AddE { properties, .. }) => Some(properties),
        _ => None,
    }
}

fn key(arguments: &mut Arguments<'_>) -> Result<PropertyKey, GremlinError> {
    if arguments.has_traversal() {
        return arguments.traversal().map(PropertyKey::Traversal);
    }
    match arguments.any("a key")? {
        GValue::String(name) => Ok(PropertyKey::Name(name)),
        GValue::Constant(Constant::T(token)) => Ok(PropertyKey::Token(token)),
        other => Err(arguments.refuse("a key", &other)),
    }
}
