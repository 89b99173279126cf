//! Modulators: instructions that say more about the step before them.

use std::sync::Arc;

use super::Arguments;
use super::assemble::{Draft, DraftKind};
use super::spawn::merge_argument;
use crate::GremlinError;
use crate::step::{
    BranchOption, Branching, Choice, Endpoint, IndexForm, Merging, Operand, OptionKey, PathRange, Projection,
    PropertyKey, PropertyWrite, StepKind, Tokens,
};
use crate::value::{Cardinality, Constant, GValue, Merge, Order, Pick};

/// What `with()` of `valueMap()` is keyed by.
pub(crate) const VALUE_MAP_TOKENS: &str = "~tinkerpop.valueMap.tokens";

/// What `with()` of `index()` is keyed by.
pub(crate) const INDEXER: &str = "~tinkerpop.index.indexer";

/// A projection, or two, or several, as the step takes them.
pub(super) fn by(draft: &mut Draft, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    draft.by_count += 1;
    let count = draft.by_count;
    let DraftKind::Step(kind) = &mut draft.kind else { return Err(not_modulated("by", arguments)) };
    let (projection, order) = projection(arguments)?;
    if let StepKind::Order { by, .. } = kind {
        by.push((projection, order.unwrap_or(Order::Asc)));
        return Ok(());
    }
    if order.is_some() {
        return Err(arguments.error("by() has an Order, which only order() takes".to_owned()));
    }
    match kind {
        StepKind::Where { by, .. }
        | StepKind::Tree { by, .. }
        | StepKind::Select { by, .. }
        | StepKind::Project { by, .. }
        | StepKind::Math { by, .. }
        | StepKind::Format { by, .. }
        | StepKind::Path(PathRange { by, .. })
        | StepKind::SimplePath(PathRange { by, .. })
        | StepKind::CyclicPath(PathRange { by, .. }) => by.push(projection),
        StepKind::Sample { by, .. } => only(by, projection, "Sample", arguments)?,
        StepKind::Dedup { by, .. } => only(by, projection, "Dedup", arguments)?,
        StepKind::ValueMap { by, .. } => only(by, projection, "ValueMap", arguments)?,
        StepKind::PropertyMap { by, .. } => only(by, projection, "PropertyMap", arguments)?,
        StepKind::Aggregate { by, .. } => only(by, projection, "Aggregate", arguments)?,
        StepKind::SackUpdate { by, .. } => only(by, projection, "Sack", arguments)?,
        StepKind::GroupCount { key, .. } if count == 1 => *key = projection,
        StepKind::GroupCount { .. } => return Err(only_one("GroupCount", arguments)),
        StepKind::Group { key, .. } if count == 1 => *key = projection,
        StepKind::Group { value, .. } if count == 2 => *value = Some(projection),
        StepKind::Group { .. } => {
            let message = "The key and value traversals for group()-step have already been set";
            return Err(arguments.error(message.to_owned()));
        }
        _ => return Err(not_modulated("by", arguments)),
    }
    Ok(())
}

fn only(
    by: &mut Option<Projection>,
    projection: Projection,
    step: &str,
    arguments: &Arguments<'_>,
) -> Result<(), GremlinError> {
    if by.is_some() {
        return Err(only_one(step, arguments));
    }
    *by = Some(projection);
    Ok(())
}

fn only_one(step: &str, arguments: &Arguments<'_>) -> GremlinError {
    arguments.error(format!("{step} step can only have one by modulator"))
}

fn not_modulated(modulator: &str, arguments: &Arguments<'_>) -> GremlinError {
    arguments.error(format!("{modulator}() stands behind a step that it does not modulate"))
}

fn projection(arguments: &mut Arguments<'_>) -> Result<(Projection, Option<Order>), GremlinError> {
    let wanted = "a key, a traversal, a T, a Column or an Order";
    let order = |arguments: &mut Arguments<'_>| {
        arguments.constant(|constant| match constant {
            Constant::Order(order) => Some(order),
            _ => None,
        })
    };
    if arguments.left() == 0 {
        return Ok((Projection::Identity, None));
    }
    if let Some(order) = order(arguments) {
        return Ok((Projection::Identity, Some(order)));
    }
    let projection = if arguments.has_traversal() {
        Projection::Traversal(arguments.traversal()?)
    } else {
        match arguments.any(wanted)? {
            GValue::String(key) => Projection::Key(key),
            GValue::Constant(Constant::T(token)) => Projection::Token(token),
            GValue::Constant(Constant::Column(column)) => Projection::Column(column),
            other => return Err(arguments.refuse(wanted, &other)),
        }
    };
    Ok((projection, order(arguments)))
}

/// A branch, or what a merge does.
pub(super) fn option(draft: &mut Draft, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    match &mut draft.kind {
        DraftKind::Step(StepKind::MergeV(merging)) => merge_option(merging, false, arguments),
        DraftKind::Step(StepKind::MergeE(merging)) => merge_option(merging, true, arguments),
        DraftKind::Step(StepKind::Branch(branching)) => branch_option(branching, true, arguments),
        DraftKind::Step(StepKind::Choose(choice)) => match &mut **choice {
            Choice::Case(branching) => branch_option(branching, false, arguments),
            Choice::If { .. } => Err(not_modulated("option", arguments)),
        },
        _ => Err(not_modulated("option", arguments)),
    }
}

fn branch_option(
    branching: &mut Branching,
    takes_traversals: bool,
    arguments: &mut Arguments<'_>,
) -> Result<(), GremlinError> {
    let key = if arguments.left() < 2 {
        OptionKey::Any
    } else if arguments.has_traversal() {
        if !takes_traversals {
            let message = "Traversal is not allowed as a Pick token for choose() with options";
            return Err(arguments.error(message.to_owned()));
        }
        OptionKey::Traversal(arguments.traversal()?)
    } else {
        match arguments.any("a value or a predicate")? {
            GValue::Predicate(predicate) => OptionKey::Predicate(Arc::unwrap_or_clone(predicate)),
            GValue::Constant(Constant::Pick(Pick::Any)) => OptionKey::Any,
            GValue::Constant(Constant::Pick(Pick::None)) => OptionKey::None,
            GValue::Constant(Constant::Pick(Pick::Unproductive)) => OptionKey::Unproductive,
            value => OptionKey::Value(value),
        }
    };
    branching.options.push(BranchOption { key, then: arguments.traversal()? });
    Ok(())
}

fn merge_option(merging: &mut Merging, is_edge: bool, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    let wanted = "a Merge";
    let merge = match arguments.any(wanted)? {
        GValue::Constant(Constant::Merge(merge)) => merge,
        other => return Err(arguments.refuse(wanted, &other)),
    };
    let argument = merge_argument(arguments)?;
    let cardinality: Option<Cardinality> = arguments.constant(|constant| match constant {
        Constant::Cardinality(cardinality) => Some(cardinality),
        _ => None,
    });
    match merge {
        Merge::OnCreate => merging.on_create = Some((argument, cardinality)),
        Merge::OnMatch => merging.on_match = Some((argument, cardinality)),
        Merge::OutV if is_edge => merging.out_vertex = Some(argument),
        Merge::InV if is_edge => merging.in_vertex = Some(argument),
        Merge::OutV | Merge::InV => {
            return Err(arguments.error(format!("option({}) is for mergeE(), not for mergeV()", merge.name())));
        }
    }
    Ok(())
}

/// A setting of the step. Of a creating step it is one more property, as TinkerPop has it.
pub(super) fn with(draft: &mut Draft, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    let key = arguments.string("a key")?;
    let value = match arguments.left() {
        0 => None,
        _ => Some(arguments.operand("a value")?),
    };
    let DraftKind::Step(kind) = &mut draft.kind else { return Err(not_modulated("with", arguments)) };
    match kind {
        StepKind::ValueMap { tokens, .. } | StepKind::PropertyMap { tokens, .. } if &*key == VALUE_MAP_TOKENS => {
            *tokens = tokens_of(value.as_ref(), arguments)?;
        }
        StepKind::Index(form) if &*key == INDEXER => *form = index_form(value.as_ref(), arguments)?,
        StepKind::Call { options, .. } => {
            options.push((key, value.unwrap_or(Operand::Value(GValue::Bool(true)))));
        }
        // A written property has no settings; TinkerPop takes them and makes nothing of them.
        StepKind::Property(_) => {}
        StepKind::AddV { properties, .. } | StepKind::AddE { properties, .. } => {
            let value = required(value, arguments)?;
            properties.push(PropertyWrite { cardinality: None, key: PropertyKey::Name(key), value, meta: Vec::new() });
        }
        StepKind::ValueMap { .. } | StepKind::PropertyMap { .. } | StepKind::Index(_) => {
            return Err(arguments.error(format!("with() has '{key}', which this step does not know")));
        }
        _ => return Err(not_modulated("with", arguments)),
    }
    Ok(())
}

fn required(value: Option<Operand>, arguments: &Arguments<'_>) -> Result<Operand, GremlinError> {
    value.ok_or_else(|| arguments.error("with() has a key without a value".to_owned()))
}

fn tokens_of(value: Option<&Operand>, arguments: &Arguments<'_>) -> Result<Tokens, GremlinError> {
    let bits = match value {
        None | Some(Operand::Value(GValue::Bool(true))) => 15,
        Some(Operand::Value(GValue::Bool(false))) => 0,
        Some(Operand::Value(value)) => value.as_i64().unwrap_or(-1),
        Some(Operand::Traversal(_)) => -1,
    };
    if !(0..=15).contains(&bits) {
        return Err(arguments.error("with() has tokens that are no WithOptions".to_owned()));
    }
    Ok(Tokens { id: bits & 1 != 0, label: bits & 2 != 0, key: bits & 4 != 0, value: bits & 8 != 0 })
}

fn index_form(value: Option<&Operand>, arguments: &Arguments<'_>) -> Result<IndexForm, GremlinError> {
    let Some(Operand::Value(value)) = value else {
        return Err(arguments.error("with() has an indexer that is no WithOptions".to_owned()));
    };
    match value.as_i64() {
        Some(0) => Ok(IndexForm::List),
        Some(1) => Ok(IndexForm::Map),
        _ => Err(arguments.error("with() has an indexer that is neither list nor map".to_owned())),
    }
}

/// Where a path begins or an edge leaves.
pub(super) fn from(draft: &mut Draft, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    match &mut draft.kind {
        DraftKind::Step(StepKind::AddE { from, .. }) => *from = Some(endpoint(arguments)?),
        kind => path_range(kind, arguments)?.from = Some(arguments.string("a label")?),
    }
    Ok(())
}

/// Where a path ends or an edge enters.
pub(super) fn to(draft: &mut Draft, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    match &mut draft.kind {
        DraftKind::Step(StepKind::AddE { to, .. }) => *to = Some(endpoint(arguments)?),
        kind => path_range(kind, arguments)?.to = Some(arguments.string("a label")?),
    }
    Ok(())
}

fn path_range<'d>(kind: &'d mut DraftKind, arguments: &Arguments<'_>) -> Result<&'d mut PathRange, GremlinError> {
    match kind {
        DraftKind::Step(StepKind::Path(range) | StepKind::SimplePath(range) | StepKind::CyclicPath(range)) => Ok(range),
        _ => Err(not_modulated(arguments.name(), arguments)),
    }
}

fn endpoint(arguments: &mut Arguments<'_>) -> Result<Endpoint, GremlinError> {
    if arguments.has_traversal() {
        return arguments.traversal().map(Endpoint::Traversal);
    }
    match arguments.value()? {
        GValue::String(label) => Ok(Endpoint::Label(label)),
        refused @ GValue::Null => Err(arguments.refuse("a label, a vertex or a traversal", &refused)),
        value => Ok(Endpoint::Value(value)),
    }
}
