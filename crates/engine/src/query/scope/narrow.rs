//! Pruning: what the filter says about the partition key and the id decides which items are read at all.
//!
//! The filter is applied to what is read all the same, so narrowing may be too wide, never too narrow.

use std::cmp::{max, min};

use orrery_store::KeyRange;
use orrery_value::{PartitionKey, PartitionKeyDefinition};

use super::access::{Access, Span};
use super::key_terms::{KeyTerm, terms_of};
use crate::Error;
use crate::catalog::{Container, ContainerSettings};
use crate::item::{Scope, key, key_range};
use crate::query::{Plan, ScopeTaken};

/// A scope after pruning.
#[derive(Debug)]
pub(in crate::query) struct Narrowed {
    pub access: Access,
    pub taken: ScopeTaken,
    /// Logical partitions that were named, if the scope is made of such.
    pub logical_partitions: Option<usize>,
    /// The keys that were named, or prefixes of such.
    pub keys: Vec<PartitionKey>,
}

/// The part of `scope` that can hold rows of the plan.
///
/// # Errors
/// [`Error::Invalid`] if the scope's key does not fit the container's definition.
pub(in crate::query) fn narrow(
    container: &Container,
    settings: &ContainerSettings,
    scope: &Scope,
    plan: &Plan,
) -> Result<Narrowed, Error> {
    let definition = &settings.partition_key;
    let whole = key_range(container, settings, scope)?;
    let mut terms = terms_of(plan.body.filter.as_ref().map(|filter| &filter.expr), definition);
    if let Scope::Partition(key) = scope {
        let given = KeyTerm::of_key(key, definition.paths.len());
        terms = terms.iter().filter_map(|term| term.both(&given)).collect();
    }
    let mut taken = ScopeTaken::Nothing;
    let mut spans = Vec::with_capacity(terms.len());
    let mut keys = Vec::new();
    for term in &terms {
        let Some((span, kind)) = span_of(term, container.number(), definition) else { continue };
        let Some(span) = within(span, &whole) else { continue };
        taken = max(taken, kind);
        if kind <= ScopeTaken::Prefix {
            keys.push(term.key());
        }
        spans.push(span);
    }
    keys.sort_unstable();
    keys.dedup();
    let logical_partitions = (taken <= ScopeTaken::Partition).then_some(keys.len());
    Ok(Narrowed { access: Access { spans: in_order(spans) }, taken, logical_partitions, keys })
}

/// Where the items of a term lie; none if there can be no item with such a key.
fn span_of(term: &KeyTerm, container: u32, definition: &PartitionKeyDefinition) -> Option<(Span, ScopeTaken)> {
    let key: PartitionKey = term.key();
    if !definition.is_prefix(&key) || key.components().is_empty() && !definition.paths.is_empty() {
        return Some((Span::Range(key::container_range(container)), ScopeTaken::Ranges));
    }
    definition.check_prefix(&key).ok()?;
    if key.components().len() < definition.paths.len() {
        return Some((Span::Range(key::epk_range(container, &definition.epk_range(&key))), ScopeTaken::Prefix));
    }
    let partition = key::partition(definition, &key);
    Some(match &term.id {
        Some(id) => (Span::Point(key::item(container, &partition, id)), ScopeTaken::Point),
        None => (Span::Range(key::partition_range(container, &partition)), ScopeTaken::Partition),
    })
}

fn within(span: Span, range: &KeyRange) -> Option<Span> {
    match span {
        Span::Point(key) => {
            let inside = key >= range.start && range.end.as_ref().is_none_or(|end| key < *end);
            inside.then_some(Span::Point(key))
        }
        Span::Range(other) => {
            let both = intersect(other, range.clone());
            (!both.is_empty()).then_some(Span::Range(both))
        }
        // No index is chosen yet.
        Span::Index(_) => Some(span),
    }
}

fn intersect(a: KeyRange, b: KeyRange) -> KeyRange {
    let end = match (a.end, b.end) {
        (Some(a), Some(b)) => Some(min(a, b)),
        (a, b) => a.or(b),
    };
    KeyRange { start: max(a.start, b.start), end }
}

/// Spans in the order of keys, without overlap: terms of an OR may name the same items.
fn in_order(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by(|a, b| a.start().cmp(b.start()));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match (merged.last_mut(), span) {
            (Some(Span::Range(last)), Span::Point(key)) if last.end.as_ref().is_none_or(|end| key < *end) => {}
            (Some(Span::Range(last)), Span::Range(next)) if last.end.as_ref().is_none_or(|end| next.start <= *end) => {
                last.end = match (last.end.take(), next.end) {
                    (Some(a), Some(b)) => Some(max(a, b)),
                    _ => None,
                };
            }
            (Some(Span::Point(last)), Span::Point(key)) if *last == key => {}
            (Some(last @ Span::Point(_)), Span::Range(next)) if last.start() == next.start.as_slice() => {
                *last = Span::Range(next);
            }
            (_, span) => merged.push(span),
        }
    }
    merged
}
