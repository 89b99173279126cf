//! What a traversal begins with, as one question to the graph.
//!
//! `V()` and `E()` take the steps behind them into account:
//!
//! - `has()` in all its forms, `hasLabel()`, `hasId()` and `hasNot()` become conditions of one [`Lookup`]. They stay in the traversal as
//!   well, since a graph may give more than what fits.
//! - `hasId()`, or `has(id, ..)`, of known ids turns the look-up into a reading of these elements, as `V(ids)` is.
//! - `order()` by keys directly behind is left to the graph, and `limit()` or `range()` behind that tells it how many are wanted.
//! - `count()` directly behind asks the graph to count; if it cannot, elements are counted as they come.
//! - Labels end all this: what is labelled has to be seen.
//!
//! In a graph with a partition property, a list of two ids is a partition's value and an id, several such lists are several keys, and
//! `has(property, value)` tells the partition of ids. In one without, lists of ids are taken apart, as TinkerPop does.

use std::sync::Arc;

use super::Context;
use crate::graph::{ElementKey, ElementKind, Lookup, LookupCondition, id_predicate, id_text};
use crate::step::{HasKey, Projection, Reducer, Step, StepKind};
use crate::value::{Comparison, GValue, Order, P, Scope, T};

/// A question to the graph, and how many steps it stands for.
#[derive(Debug)]
pub(super) struct Head {
    /// Which elements, if their ids are known.
    pub keys: Option<Vec<ElementKey>>,
    /// What they are like.
    pub lookup: Lookup,
    /// The steps from `V()` on that need not run: that one and, where the graph sorts, all up to `order()` but conditions.
    pub sorted_by: Option<usize>,
    /// The place of `count()`, if only conditions are before it.
    pub count: Option<usize>,
}

impl Head {
    /// Of the steps from `V()` or `E()` on, if the first is one.
    pub fn fold(cx: &Context<'_>, steps: &[Step]) -> Option<Head> {
        let (first, rest) = steps.split_first()?;
        let (kind, ids) = match &first.kind {
            StepKind::V(ids) => (ElementKind::Vertex, ids),
            StepKind::E(ids) => (ElementKind::Edge, ids),
            _ => return None,
        };
        let mut head = Head {
            keys: (!ids.is_empty()).then(|| keys(cx, ids)),
            lookup: Lookup { kind, has: Vec::new(), order: Vec::new(), limit: None },
            sorted_by: None,
            count: None,
        };
        if first.labels.is_empty() {
            head.fold_conditions(cx, rest);
        }
        Some(head)
    }

    fn fold_conditions(&mut self, cx: &Context<'_>, steps: &[Step]) {
        for (at, step) in steps.iter().enumerate() {
            match &step.kind {
                StepKind::Reduce(Reducer::Count, Scope::Global) if self.keys.is_none() => {
                    self.count = Some(at + 1);
                    return;
                }
                StepKind::Order { scope: Scope::Global, by } if self.keys.is_none() && self.lookup.order.is_empty() => {
                    let Some(order) = property_order(cx, by) else { return };
                    self.lookup.has.extend(order.iter().map(|(key, _)| LookupCondition::HasProperty(Arc::clone(key))));
                    self.lookup.order = order;
                    self.sorted_by = Some(at + 1);
                }
                StepKind::Range { scope: Scope::Global, high, .. } => {
                    self.lookup.limit = *high;
                    return;
                }
                kind => match condition(kind) {
                    Some(condition) if self.lookup.order.is_empty() => self.add(cx, condition),
                    _ => return,
                },
            }
            if !step.labels.is_empty() {
                return;
            }
        }
    }

    fn add(&mut self, cx: &Context<'_>, condition: LookupCondition) {
        if let LookupCondition::Has(HasKey::Token(T::Id), P::Compare(Comparison::Equal, id)) = &condition
            && self.keys.is_none()
        {
            self.keys = Some(id_key(id).into_iter().collect());
        }
        if let LookupCondition::Has(HasKey::Token(T::Id), P::Within(ids)) = &condition
            && self.keys.is_none()
        {
            self.keys = Some(ids.iter().filter_map(id_key).collect());
        }
        if let LookupCondition::Has(HasKey::Name(name), P::Compare(Comparison::Equal, value)) = &condition
            && cx.graph.partition_property() == Some(name)
        {
            for key in self.keys.iter_mut().flatten().filter(|key| key.partition.is_none()) {
                key.partition = Some(value.clone());
            }
        }
        self.lookup.has.push(condition);
        self.tell_partitions(cx);
    }

    /// Ids that came behind the condition on the partition get it too.
    fn tell_partitions(&mut self, cx: &Context<'_>) {
        let Some(property) = cx.graph.partition_property() else { return };
        let told = self.lookup.has.iter().find_map(|condition| match condition {
            LookupCondition::Has(HasKey::Name(name), P::Compare(Comparison::Equal, value)) if &**name == property => {
                Some(value.clone())
            }
            _ => None,
        });
        for key in self.keys.iter_mut().flatten().filter(|key| key.partition.is_none()) {
            key.partition = told.clone();
        }
    }
}

/// The condition that a step is, for elements.
fn condition(kind: &StepKind) -> Option<LookupCondition> {
    Some(match kind {
        StepKind::Has { key: HasKey::Token(T::Id), condition } => {
            LookupCondition::Has(HasKey::Token(T::Id), id_predicate(condition))
        }
        StepKind::Has { key: HasKey::Token(T::Key | T::Value), .. } => return None,
        StepKind::Has { key, condition } => LookupCondition::Has(key.clone(), condition.clone()),
        StepKind::HasProperty(Some(name)) => LookupCondition::HasProperty(Arc::clone(name)),
        StepKind::HasNot(Some(name)) => LookupCondition::HasNot(Arc::clone(name)),
        _ => return None,
    })
}

/// The order, if it is one of property values only.
fn property_order(cx: &Context<'_>, by: &[(Projection, Order)]) -> Option<Vec<(Arc<str>, Order)>> {
    if by.is_empty() {
        return None;
    }
    let key = |(projection, order): &(Projection, Order)| match (projection, order) {
        (Projection::Key(key), Order::Asc | Order::Desc) if !cx.makes_productive(Some(key)) => {
            Some((Arc::clone(key), *order))
        }
        _ => None,
    };
    by.iter().map(key).collect()
}

fn id_key(id: &GValue) -> Option<ElementKey> {
    let partition = match id {
        GValue::Vertex(vertex) => vertex.partition.clone(),
        GValue::Edge(edge) => edge.out_vertex.partition.clone(),
        _ => None,
    };
    Some(ElementKey { id: id_text(id)?, partition })
}

/// What ids as arguments name. What can be no id names nothing.
pub(super) fn keys(cx: &Context<'_>, ids: &[GValue]) -> Vec<ElementKey> {
    let is_partitioned = cx.graph.partition_property().is_some();
    let mut keys = Vec::with_capacity(ids.len());
    for id in ids {
        match id {
            GValue::List(parts) => match &parts[..] {
                [partition, id] if is_partitioned && !is_element(id) => {
                    let id = id_text(id);
                    keys.extend(id.map(|id| ElementKey { id, partition: Some(partition.clone()) }));
                }
                parts => keys.extend(parts.iter().filter_map(id_key)),
            },
            GValue::Set(members) => keys.extend(members.iter().filter_map(id_key)),
            id => keys.extend(id_key(id)),
        }
    }
    keys
}

fn is_element(value: &GValue) -> bool {
    matches!(value, GValue::Vertex(_) | GValue::Edge(_))
}
