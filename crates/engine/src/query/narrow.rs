//! Pruning: what the filter says about the partition key and the id decides which items are read at all.
//!
//! The filter is applied to what is read all the same, so narrowing may be too wide, never too narrow.

use std::cmp::{max, min};

use orrery_store::KeyRange;
use orrery_value::{KeyComponent, Number, PartitionKey, PartitionKeyDefinition, PropertyPath, Value};

use super::access::Access;
use super::{BinaryOperator, Expr, Plan, ScopeTaken};
use crate::Error;
use crate::catalog::{Container, ContainerSettings};
use crate::item::{Scope, key, key_range};

/// A scope after pruning.
#[derive(Debug)]
pub(super) struct Narrowed {
    pub access: Access,
    pub taken: ScopeTaken,
}

/// The part of `scope` that can hold rows of the plan.
///
/// # Errors
/// [`Error::Invalid`] if the scope's key does not fit the container's definition.
pub(super) fn narrow(
    container: &Container,
    settings: &ContainerSettings,
    scope: &Scope,
    plan: &Plan,
) -> Result<Narrowed, Error> {
    let definition = &settings.partition_key;
    let mut conjuncts = Vec::new();
    if let Some(filter) = &plan.filter {
        collect_conjuncts(&filter.expr, &mut conjuncts);
    }
    let mut range = key_range(container, settings, scope)?;
    let mut taken = taken_by(scope, definition);
    let filtered = filtered_key(definition, &conjuncts);
    if !filtered.components().is_empty() {
        let below = Scope::Partition(filtered.clone());
        range = intersect(range, key_range(container, settings, &below)?);
        if taken != ScopeTaken::Partition {
            taken = taken_by(&below, definition);
        }
    }
    let whole = [Some(&filtered), key_of(scope)].into_iter().flatten().find(|key| is_whole(key, definition));
    if let (Some(partition_key), Some(id)) = (whole, filtered_id(&conjuncts)) {
        let point = key::item(container.number(), &key::partition(definition, partition_key), id);
        return Ok(if contains(&range, &point) {
            Narrowed { access: Access::Point(point), taken: ScopeTaken::Point }
        } else {
            Narrowed { access: Access::Nothing, taken: ScopeTaken::Nothing }
        });
    }
    if range.is_empty() || conjuncts.iter().any(|conjunct| never_holds(conjunct)) {
        return Ok(Narrowed { access: Access::Nothing, taken: ScopeTaken::Nothing });
    }
    Ok(Narrowed { access: Access::Range(range), taken })
}

/// The conditions that must all hold for the filter to hold.
fn collect_conjuncts<'p>(filter: &'p Expr, conjuncts: &mut Vec<&'p Expr>) {
    match filter {
        Expr::And(operands) => operands.iter().for_each(|operand| collect_conjuncts(operand, conjuncts)),
        other => conjuncts.push(other),
    }
}

fn never_holds(conjunct: &Expr) -> bool {
    conjunct.as_constant().is_some_and(|constant| constant.as_bool() != Some(true))
}

/// The components of the partition key that the filter fixes, as far as they make a prefix of it.
fn filtered_key(definition: &PartitionKeyDefinition, conjuncts: &[&Expr]) -> PartitionKey {
    let components = definition.paths.iter().map_while(|path| {
        let mut values = conjuncts.iter().filter_map(|conjunct| equal_to(conjunct, path));
        values.find_map(component)
    });
    let key: PartitionKey = components.collect();
    // No item has a key beyond the limits; the filter will find that out.
    if definition.check_prefix(&key).is_ok() { key } else { PartitionKey::default() }
}

/// The key component that all items with this value have. Equal numbers have equal keys, except that 0 and -0 differ.
fn component(value: &Value) -> Option<KeyComponent> {
    match value {
        Value::Undefined => None,
        Value::Number(number) if *number == Number::Int(0) => None,
        value => KeyComponent::from_value(value),
    }
}

fn filtered_id<'p>(conjuncts: &[&'p Expr]) -> Option<&'p str> {
    let id = PropertyPath::from_iter(["id"]);
    conjuncts.iter().find_map(|conjunct| equal_to(conjunct, &id)?.as_str())
}

/// The constant that this condition says the path is equal to.
fn equal_to<'p>(conjunct: &'p Expr, path: &PropertyPath) -> Option<&'p Value> {
    let Expr::Binary(BinaryOperator::Equal, a, b) = conjunct else { return None };
    let is = |expr: &Expr| expr.as_item_path() == Some(path);
    if is(a) {
        b.as_constant()
    } else if is(b) {
        a.as_constant()
    } else {
        None
    }
}

fn key_of(scope: &Scope) -> Option<&PartitionKey> {
    match scope {
        Scope::Partition(key) => Some(key),
        Scope::Container | Scope::Range(_) => None,
    }
}

fn is_whole(key: &PartitionKey, definition: &PartitionKeyDefinition) -> bool {
    key.components().len() == definition.paths.len()
}

fn taken_by(scope: &Scope, definition: &PartitionKeyDefinition) -> ScopeTaken {
    match key_of(scope) {
        Some(key) if is_whole(key, definition) => ScopeTaken::Partition,
        Some(_) => ScopeTaken::Prefix,
        None => ScopeTaken::Ranges,
    }
}

fn intersect(a: KeyRange, b: KeyRange) -> KeyRange {
    let end = match (a.end, b.end) {
        (Some(a), Some(b)) => Some(min(a, b)),
        (a, b) => a.or(b),
    };
    KeyRange { start: max(a.start, b.start), end }
}

fn contains(range: &KeyRange, key: &[u8]) -> bool {
    key >= range.start.as_slice() && range.end.as_ref().is_none_or(|end| key < end.as_slice())
}
