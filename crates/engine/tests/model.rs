//! A container as a `BTreeMap`: what the engine must do, so simple that it is clearly right.

use std::collections::BTreeMap;

use orrery_engine::{Container, Scope};
use orrery_value::{Epk, PartitionKey};
use serde_json::{Value as Json, json};

/// Order of a list: effective partition key, partition key, id.
pub type Place = (Epk, PartitionKey, String);

/// The newest version of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    pub number: u64,
    /// The number of the first version, which the rid holds.
    pub document: u64,
    pub body: Json,
}

/// Items and the newest number.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub items: BTreeMap<Place, Version>,
    pub head: u64,
}

/// What to do to an item.
#[derive(Clone, Debug)]
pub enum Act {
    Create,
    Upsert,
    Replace,
    /// Adds to `/n` and sets `/tag`.
    Patch(i64),
    Delete,
    Read,
}

/// A precondition, relative to the item as it is when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    Always,
    /// If-Match with the etag of the version with that number, or of none.
    Match(Option<u64>),
    MatchAny,
    NoneMatchAny,
}

/// What the engine should answer: the version left or read, nothing for a delete, or an error's variant.
pub type Outcome = Result<Option<Version>, &'static str>;

impl Model {
    /// Does one operation.
    pub fn apply(&mut self, act: &Act, place: &Place, body: &Json, when: When) -> Outcome {
        let current = self.items.get(place).cloned();
        match (act, current) {
            (Act::Create, Some(_)) => Err(if when == When::NoneMatchAny { "PreconditionFailed" } else { "Conflict" }),
            (Act::Upsert, None) if matches!(when, When::Match(_) | When::MatchAny) => Err("PreconditionFailed"),
            (Act::Create | Act::Upsert, None) => Ok(Some(self.store(place, None, body.clone()))),
            (_, None) => Err("NotFound"),
            (Act::Read, Some(_)) if when == When::NoneMatchAny => Err("NotModified"),
            (Act::Read, Some(current)) => Ok(Some(current)),
            (_, Some(current)) if !when.holds(&current) => Err("PreconditionFailed"),
            (Act::Upsert | Act::Replace, Some(current)) => Ok(Some(self.store(place, Some(&current), body.clone()))),
            (Act::Patch(by), Some(current)) => Ok(Some(self.store(place, Some(&current), patched(&current.body, *by)))),
            (Act::Delete, Some(_)) => {
                self.head += 1;
                self.items.remove(place);
                Ok(None)
            }
        }
    }

    fn store(&mut self, place: &Place, current: Option<&Version>, body: Json) -> Version {
        self.head += 1;
        let document = current.map_or(self.head, |current| current.document);
        let version = Version { number: self.head, document, body };
        self.items.insert(place.clone(), version.clone());
        version
    }

    /// The items of a scope in key order.
    pub fn list(&self, scope: &Scope) -> Vec<Version> {
        self.items.iter().filter(|(place, _)| in_scope(scope, place)).map(|(_, version)| version.clone()).collect()
    }

    /// The items of a scope in the order of writing, behind a number.
    pub fn feed(&self, scope: &Scope, after: u64) -> Vec<Version> {
        let mut changes: Vec<Version> = self.list(scope).into_iter().filter(|version| version.number > after).collect();
        changes.sort_by_key(|version| version.number);
        changes
    }
}

impl When {
    fn holds(self, current: &Version) -> bool {
        match self {
            When::Always | When::MatchAny => true,
            When::Match(number) => number == Some(current.number),
            When::NoneMatchAny => false,
        }
    }
}

/// Whether a scope holds a place, by its definition rather than by key ranges.
pub fn in_scope(scope: &Scope, (epk, key, _): &Place) -> bool {
    match scope {
        Scope::Container => true,
        Scope::Range(range) => range.min <= *epk && *epk < range.max,
        Scope::Partition(prefix) => key.components().starts_with(prefix.components()),
    }
}

/// Where a body lies in a container.
pub fn place_of(container: &Container, body: &Json) -> Place {
    let key = crate::support::key_in(container, body);
    let id = body["id"].as_str().expect("an id").to_owned();
    (container.settings().partition_key.epk(&key), key, id)
}

/// The patch that [`Act::Patch`] stands for.
pub fn patch_operations(by: i64) -> Json {
    json!([{"op": "incr", "path": "/n", "value": by}, {"op": "set", "path": "/tag", "value": format!("by {by}")}])
}

fn patched(body: &Json, by: i64) -> Json {
    let mut body = body.clone();
    body["n"] = json!(body["n"].as_i64().unwrap_or(0) + by);
    body["tag"] = json!(format!("by {by}"));
    body
}
