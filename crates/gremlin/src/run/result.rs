//! Results on their way out.

use std::sync::Arc;

use super::pipeline::{MAX_BATCH, Pipeline};
use super::{Context, RunError, Sink};
use crate::value::{Edge, GValue, Path, Traverser, Vertex};

/// How much more is asked for each time.
const GROWTH: usize = 8;

/// Gives the results to the sink: at first one, then more and more at once.
pub(super) fn deliver<'r>(
    cx: &'r Context<'r>,
    pipeline: &mut Pipeline<'r>,
    sink: &mut Sink<'_>,
) -> Result<(), RunError> {
    let has_properties = has_properties(cx);
    let most = cx.options.batch_size.clamp(1, MAX_BATCH);
    let mut wanted = 1;
    let mut waiting: Vec<Traverser> = Vec::new();
    loop {
        let batch = pipeline.next(wanted)?;
        if batch.is_empty() {
            break;
        }
        let mut values: Vec<GValue> = batch.iter().map(|traverser| traverser.value.clone()).collect();
        finish(cx, &mut values, has_properties)?;
        for (traverser, value) in batch.into_iter().zip(values) {
            let bulk = i64::try_from(if cx.source.bulk { traverser.bulk } else { 1 }).unwrap_or(i64::MAX);
            match waiting.last_mut() {
                Some(last) if last.value == value => last.bulk = last.bulk.saturating_add(bulk),
                _ => waiting.push(Traverser { bulk, value }),
            }
        }
        while waiting.len() >= wanted.min(most) {
            cx.graph.settle()?;
            let rest = waiting.split_off(wanted.min(most).min(waiting.len()));
            if sink(std::mem::replace(&mut waiting, rest)).is_break() {
                return Ok(());
            }
        }
        wanted = (wanted * GROWTH).min(most);
    }
    if !waiting.is_empty() {
        cx.graph.settle()?;
        // Whether more is wanted does not matter at the end.
        let _ = sink(waiting);
    }
    Ok(())
}

/// Whether elements go out with their properties: unless the request says `tokens`.
pub(super) fn has_properties(cx: &Context<'_>) -> bool {
    let option = cx.source.option("materializeProperties");
    !matches!(option, Some(GValue::String(wanted)) if &**wanted == "tokens")
}

/// Elements get their properties, or lose them; those in paths always do.
fn finish(cx: &Context<'_>, values: &mut [GValue], has_properties: bool) -> Result<(), RunError> {
    if has_properties {
        let mut references = Vec::new();
        values.iter().for_each(|value| collect(value, &mut references));
        cx.elements.load(&mut references)?;
    }
    for value in values {
        *value = finished(cx, value, has_properties)?;
    }
    Ok(())
}

/// References among a value, outside paths.
fn collect(value: &GValue, references: &mut Vec<GValue>) {
    match value {
        GValue::Vertex(vertex) if vertex.properties.is_none() => references.push(value.clone()),
        GValue::Edge(edge) if edge.properties.is_none() => references.push(value.clone()),
        GValue::List(items) => items.iter().for_each(|item| collect(item, references)),
        GValue::Set(members) => members.iter().for_each(|member| collect(member, references)),
        GValue::BulkSet(set) => set.items.iter().for_each(|(item, _)| collect(item, references)),
        GValue::Map(entries) => entries.iter().for_each(|(key, value)| {
            collect(key, references);
            collect(value, references);
        }),
        _ => {}
    }
}

fn finished(cx: &Context<'_>, value: &GValue, has_properties: bool) -> Result<GValue, RunError> {
    let all = |items: &mut dyn Iterator<Item = &GValue>| -> Result<Vec<GValue>, RunError> {
        items.map(|item| finished(cx, item, has_properties)).collect()
    };
    Ok(match value {
        GValue::Vertex(_) | GValue::Edge(_) if has_properties => {
            let mut loaded = value.clone();
            cx.elements.load_one(&mut loaded)?;
            loaded
        }
        GValue::Vertex(_) | GValue::Edge(_) => bare(value),
        GValue::List(items) => GValue::list(all(&mut items.iter())?),
        GValue::Set(members) => GValue::set(all(&mut members.iter())?),
        GValue::BulkSet(set) => {
            let values = all(&mut set.items.iter().map(|(value, _)| value))?;
            let items = values.into_iter().zip(set.items.iter().map(|(_, count)| *count)).collect();
            GValue::BulkSet(Arc::new(crate::value::BulkSet { items }))
        }
        GValue::Map(entries) => {
            let keys = all(&mut entries.keys())?;
            GValue::map(keys.into_iter().zip(all(&mut entries.values())?))
        }
        GValue::Path(path) => {
            let objects = path.objects.iter().map(bare_within).collect();
            GValue::Path(Arc::new(Path { labels: path.labels.clone(), objects }))
        }
        other => other.clone(),
    })
}

/// An element without properties.
fn bare(value: &GValue) -> GValue {
    match value {
        GValue::Vertex(vertex) if vertex.properties.is_some() => {
            GValue::Vertex(Arc::new(Vertex { properties: None, ..(**vertex).clone() }))
        }
        GValue::Edge(edge) if edge.properties.is_some() => {
            GValue::Edge(Arc::new(Edge { properties: None, ..(**edge).clone() }))
        }
        other => other.clone(),
    }
}

/// The same of elements in collections.
fn bare_within(value: &GValue) -> GValue {
    match value {
        GValue::List(items) => GValue::list(items.iter().map(bare_within)),
        GValue::Set(members) => GValue::set(members.iter().map(bare_within)),
        GValue::Map(entries) => GValue::map(entries.iter().map(|(key, value)| (bare_within(key), bare_within(value)))),
        other => bare(other),
    }
}
