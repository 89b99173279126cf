//! An element as an object of plain values: `~id`, `~label`, the ends of an edge, and its properties.

use std::sync::Arc;

use anyhow::{Context, bail};
use orrery_gremlin::GValue;
use orrery_gremlin::graph::id_text;
use orrery_gremlin::io::{Format, write_value};

/// The object's JSON. Several values of one property are an array.
///
/// # Errors
/// If this is no vertex or edge, or has a value that is not plain.
pub(super) fn row(element: &GValue) -> anyhow::Result<String> {
    let mut members: Vec<(Arc<str>, Vec<String>)> = Vec::new();
    let mut add = |name: &Arc<str>, value: &GValue| -> anyhow::Result<()> {
        let json = json(value)?;
        match members.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(json),
            None => members.push((Arc::clone(name), vec![json])),
        }
        Ok(())
    };
    let id = |id: &GValue| id_text(id).map(GValue::String).context("an element has no id");
    match element {
        GValue::Vertex(vertex) => {
            add(&"~id".into(), &id(&vertex.id)?)?;
            add(&"~label".into(), &GValue::String(Arc::clone(&vertex.label)))?;
            for property in vertex.properties.iter().flatten() {
                add(&property.label, &property.value)?;
            }
        }
        GValue::Edge(edge) => {
            add(&"~id".into(), &id(&edge.id)?)?;
            add(&"~from".into(), &id(&edge.out_vertex.id)?)?;
            add(&"~to".into(), &id(&edge.in_vertex.id)?)?;
            add(&"~label".into(), &GValue::String(Arc::clone(&edge.label)))?;
            for property in edge.properties.iter().flatten() {
                add(&property.key, &property.value)?;
            }
        }
        other => bail!("{} is no element of a graph", other.kind()),
    }
    let member = |(name, values): (Arc<str>, Vec<String>)| {
        let value = match &values[..] {
            [one] => one.clone(),
            several => format!("[{}]", several.join(",")),
        };
        anyhow::Ok(format!("{}:{value}", json(&GValue::String(name))?))
    };
    let members = members.into_iter().map(member).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(format!("{{{}}}", members.join(",")))
}

/// Without types.
fn json(value: &GValue) -> anyhow::Result<String> {
    let mut out = Vec::new();
    write_value(value, Format::GraphSon1, &mut out)?;
    Ok(String::from_utf8(out)?)
}
