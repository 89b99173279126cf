//! `select()` and `project()`.

use std::sync::Arc;

use super::super::by::Ring;
use super::super::element::column;
use super::super::nested::Nested;
use super::super::{Context, RunError, Traverser};
use super::{Boxed, each, map};
use crate::step::{Projection, SelectSource};
use crate::value::{Column, GMap, GValue, Pop};

/// `select()` of labels or of what a traversal names. What a label does not stand for anywhere drops the traverser.
pub(in crate::run) fn select<'r>(
    cx: &'r Context<'r>,
    pop: Pop,
    from: &'r SelectSource,
    by: &'r [Projection],
) -> Result<Boxed<'r>, RunError> {
    let mut ring = Ring::new(cx, by)?;
    Ok(match from {
        SelectSource::Traversal(traversal) => {
            let mut nested = Nested::new(cx, traversal)?;
            map(cx, move |traverser| {
                let Some(key) = nested.first(traverser)? else { return Ok(None) };
                ring.rewind();
                match named(cx, traverser, &key, pop)? {
                    None => Ok(None),
                    Some(value) => of_value(&mut ring, value),
                }
            })
        }
        SelectSource::Labels(labels) => match &labels[..] {
            [label] => one(cx, label, pop, ring),
            _ => several(cx, labels, pop, ring),
        },
    })
}

/// Null is what it is, whatever `by()` says.
fn of_value(ring: &mut Ring<'_>, value: GValue) -> Result<Option<GValue>, RunError> {
    if matches!(value, GValue::Null) { Ok(Some(value)) } else { ring.of_value(value) }
}

/// What a key stands for, which of a map may be no text.
fn named<'r>(cx: &'r Context<'r>, traverser: &Traverser, key: &GValue, pop: Pop) -> Result<Option<GValue>, RunError> {
    if let GValue::Map(map) = &traverser.value
        && let Some(value) = map.get(key)
    {
        return Ok(Some(value.clone()));
    }
    match key {
        GValue::String(label) => cx.scoped(traverser, label, pop),
        _ => Ok(None),
    }
}

fn one<'r>(cx: &'r Context<'r>, label: &'r Arc<str>, pop: Pop, mut ring: Ring<'r>) -> Boxed<'r> {
    each(move |batch, out| {
        let mut found = Vec::with_capacity(batch.len());
        for traverser in &batch {
            found.push(cx.scoped(traverser, label, pop)?);
        }
        if ring.reads_properties() {
            let mut values: Vec<GValue> = found.iter().flatten().cloned().collect();
            cx.elements.load(&mut values)?;
        }
        for (traverser, value) in batch.iter().zip(found) {
            ring.rewind();
            let Some(value) = value else { continue };
            if let Some(value) = of_value(&mut ring, value)? {
                out.push_back(cx.advance(traverser, value));
            }
        }
        Ok(())
    })
}

fn several<'r>(cx: &'r Context<'r>, labels: &'r [Arc<str>], pop: Pop, mut ring: Ring<'r>) -> Boxed<'r> {
    each(move |batch, out| {
        if ring.reads_properties() {
            let mut values = Vec::new();
            for traverser in &batch {
                for label in labels {
                    values.extend(cx.scoped(traverser, label, pop)?);
                }
            }
            cx.elements.load(&mut values)?;
        }
        'traversers: for traverser in &batch {
            ring.rewind();
            let mut entries = GMap::with_capacity(labels.len());
            for label in labels {
                let Some(value) = cx.scoped(traverser, label, pop)? else { continue 'traversers };
                let Some(value) = ring.of_value(value)? else { continue 'traversers };
                entries.insert(GValue::String(Arc::clone(label)), value);
            }
            out.push_back(cx.advance(traverser, GValue::Map(Arc::new(entries))));
        }
        Ok(())
    })
}

/// `select(keys)` and `select(values)`
pub(in crate::run) fn select_column<'r>(cx: &'r Context<'r>, which: Column) -> Boxed<'r> {
    map(cx, move |traverser| column(&traverser.value, which).map(Some))
}

/// `project()`: a key whose `by()` gives nothing is left out.
pub(in crate::run) fn project<'r>(
    cx: &'r Context<'r>,
    keys: &'r [Arc<str>],
    by: &'r [Projection],
) -> Result<Boxed<'r>, RunError> {
    let mut ring = Ring::new(cx, by)?;
    Ok(each(move |mut batch, out| {
        if ring.reads_properties() {
            cx.elements.load_traversers(&mut batch)?;
        }
        for traverser in &batch {
            ring.rewind();
            let mut entries = GMap::with_capacity(keys.len());
            for key in keys {
                if let Some(value) = ring.of(traverser)? {
                    entries.insert(GValue::String(Arc::clone(key)), value);
                }
            }
            out.push_back(cx.advance(traverser, GValue::Map(Arc::new(entries))));
        }
        Ok(())
    }))
}
