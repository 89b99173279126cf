//! Look-ups: every element is looked at.

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::{ElementKind, GraphError, Lookup, LookupCondition, id_predicate};
use super::property::invalid;
use super::state::State;
use crate::function::Condition;
use crate::function::order::total_order;
use crate::step::HasKey;
use crate::value::{GValue, Order, P, T};

/// The conditions of a look-up, made ready.
pub(super) struct Matcher(Vec<Test>);

enum Test {
    Token(T, Condition),
    Property(Arc<str>, Condition),
    Exists(Arc<str>),
    Lacks(Arc<str>),
}

impl Matcher {
    pub(super) fn new(lookup: &Lookup) -> Result<Self, GraphError> {
        let ready = |predicate: &P| Condition::new(predicate).map_err(|error| invalid(error.to_string()));
        let tests = lookup.has.iter().map(|condition| {
            Ok(match condition {
                LookupCondition::Has(HasKey::Token(T::Id), predicate) => {
                    Test::Token(T::Id, ready(&id_predicate(predicate))?)
                }
                LookupCondition::Has(HasKey::Token(token), predicate) => Test::Token(*token, ready(predicate)?),
                LookupCondition::Has(HasKey::Name(key), predicate) => Test::Property(key.clone(), ready(predicate)?),
                LookupCondition::HasProperty(key) => Test::Exists(key.clone()),
                LookupCondition::HasNot(key) => Test::Lacks(key.clone()),
            })
        });
        Ok(Matcher(tests.collect::<Result<_, GraphError>>()?))
    }

    /// All elements that fit.
    pub(super) fn matching(&self, state: &State, kind: ElementKind) -> Vec<GValue> {
        let mut found: Vec<GValue> = match kind {
            ElementKind::Vertex => state.vertices.values().cloned().map(GValue::Vertex).collect(),
            ElementKind::Edge => state.edges.values().cloned().map(GValue::Edge).collect(),
        };
        found.retain(|element| self.0.iter().all(|test| test.holds(element)));
        found
    }

    /// The elements that fit in the order asked for, and no more than are wanted.
    pub(super) fn find(&self, state: &State, lookup: &Lookup) -> Vec<GValue> {
        let mut found = self.matching(state, lookup.kind);
        found.sort_by(|one, two| in_order(one, two, &lookup.order));
        found.truncate(lookup.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
        found
    }
}

impl Test {
    fn holds(&self, element: &GValue) -> bool {
        match self {
            Test::Token(token, condition) => token_of(element, *token).is_some_and(|value| condition.holds(&value)),
            Test::Property(key, condition) => values(element, key).iter().any(|value| condition.holds(value)),
            Test::Exists(key) => !values(element, key).is_empty(),
            Test::Lacks(key) => values(element, key).is_empty(),
        }
    }
}

fn token_of(element: &GValue, token: T) -> Option<GValue> {
    match (element, token) {
        (GValue::Vertex(vertex), T::Id) => Some(vertex.id.clone()),
        (GValue::Vertex(vertex), T::Label) => Some(GValue::String(vertex.label.clone())),
        (GValue::Edge(edge), T::Id) => Some(edge.id.clone()),
        (GValue::Edge(edge), T::Label) => Some(GValue::String(edge.label.clone())),
        _ => None,
    }
}

fn values(element: &GValue, key: &str) -> Vec<GValue> {
    match element {
        GValue::Vertex(vertex) => {
            let properties = vertex.properties.iter().flatten().filter(|property| &*property.label == key);
            properties.map(|property| property.value.clone()).collect()
        }
        GValue::Edge(edge) => {
            let properties = edge.properties.iter().flatten().filter(|property| &*property.key == key);
            properties.map(|property| property.value.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// By the first value of each property; elements without one come first.
fn in_order(one: &GValue, two: &GValue, by: &[(Arc<str>, Order)]) -> Ordering {
    let compare = |(key, order): &(Arc<str>, Order)| {
        let (one, two) = (values(one, key), values(two, key));
        let ascending = match (one.first(), two.first()) {
            (Some(one), Some(two)) => total_order(one, two),
            (one, two) => one.is_some().cmp(&two.is_some()),
        };
        if *order == Order::Desc { ascending.reverse() } else { ascending }
    };
    by.iter().map(compare).find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}
