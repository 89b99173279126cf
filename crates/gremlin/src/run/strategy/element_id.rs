//! `ElementIdStrategy`: ids that the user gives are kept in a property.

use std::sync::Arc;

use crate::step::{HasKey, Operand, PropertyKey, PropertyWrite, Step, StepKind, Traversal};
use crate::value::{GValue, P, T, Uuid};

use super::super::walk;

/// Looks for ids in the property of this key, and writes them there.
pub(super) fn apply(key: &Arc<str>, whole: &mut Traversal) {
    let mut steps = Vec::with_capacity(whole.steps.len());
    for mut step in std::mem::take(&mut whole.steps) {
        walk::children_mut(&mut step.kind, &mut |child| apply(key, child));
        let mut condition = None;
        match &mut step.kind {
            StepKind::V(ids) | StepKind::E(ids) => condition = members(ids),
            StepKind::Has { key: name @ HasKey::Token(T::Id), .. } => *name = HasKey::Name(Arc::clone(key)),
            StepKind::Id => step.kind = StepKind::Values(vec![Some(Arc::clone(key))]),
            StepKind::AddV { properties, .. } | StepKind::AddE { properties, .. } => keep_id(key, properties),
            _ => {}
        }
        if let (StepKind::V(ids) | StepKind::E(ids), Some(_)) = (&mut step.kind, &condition) {
            ids.clear();
        }
        let has = |members| StepKind::Has { key: HasKey::Name(Arc::clone(key)), condition: P::Within(members) };
        steps.push(step);
        steps.extend(condition.map(has).map(Step::from));
    }
    whole.steps = steps;
}

/// The ids that are given; `None` where there are none, or elements, which are found by their own.
fn members(ids: &[GValue]) -> Option<Vec<GValue>> {
    let is_element = |id: &GValue| matches!(id, GValue::Vertex(_) | GValue::Edge(_));
    if ids.is_empty() || ids.iter().any(is_element) {
        return None;
    }
    let flat = ids.iter().flat_map(|id| match id {
        GValue::List(ids) => ids.to_vec(),
        id => vec![id.clone()],
    });
    Some(flat.collect())
}

/// The id of a new element as a property; made up unless one is given.
fn keep_id(key: &Arc<str>, properties: &mut Vec<PropertyWrite>) {
    let name = || PropertyKey::Name(Arc::clone(key));
    let is_given = |write: &&mut PropertyWrite| {
        matches!(write.key, PropertyKey::Token(T::Id)) || write.key == PropertyKey::Name(Arc::clone(key))
    };
    match properties.iter_mut().find(is_given) {
        Some(write) => write.key = name(),
        None => properties.push(PropertyWrite {
            cardinality: None,
            key: name(),
            value: Operand::Value(GValue::string(Uuid::new_v4().to_string())),
            meta: Vec::new(),
        }),
    }
}
