//! Elements, paths and graphs.

use std::sync::Arc;

use super::super::DecodeError;
use super::code;
use super::input::{Input, MIN_QUALIFIED_BYTES};
use super::read::value;
use crate::value::{Edge, GValue, Graph, Path, Property, Vertex, VertexProperty, VertexReference};

/// The fewest bytes of a vertex or an edge of a graph: an id and two lengths.
const MIN_ELEMENT_BYTES: usize = MIN_QUALIFIED_BYTES + 8;

pub(super) fn body(input: &mut Input, code: u8) -> Result<GValue, DecodeError> {
    Ok(match code {
        code::EDGE => GValue::Edge(Arc::new(edge(input)?)),
        code::VERTEX => GValue::Vertex(Arc::new(vertex(input)?)),
        code::VERTEX_PROPERTY => GValue::VertexProperty(Arc::new(vertex_property(input)?)),
        code::PROPERTY => GValue::Property(Arc::new(property(input)?)),
        code::PATH => GValue::Path(Arc::new(path(input)?)),
        _ => GValue::Graph(Arc::new(graph(input)?)),
    })
}

fn vertex(input: &mut Input) -> Result<Vertex, DecodeError> {
    Ok(Vertex {
        id: value(input)?,
        label: input.string("a label")?,
        partition: None,
        properties: list_of(input, "a vertex property", |value| match value {
            GValue::VertexProperty(property) => Ok(property),
            other => Err(other),
        })?,
    })
}

fn edge(input: &mut Input) -> Result<Edge, DecodeError> {
    let (id, label) = (value(input)?, input.string("a label")?);
    let in_vertex = VertexReference { id: value(input)?, label: input.string("a label")?, partition: None };
    let out_vertex = VertexReference { id: value(input)?, label: input.string("a label")?, partition: None };
    // The parent, which has no meaning for an edge.
    value(input)?;
    Ok(Edge { id, label, out_vertex, in_vertex, properties: properties(input)? })
}

fn vertex_property(input: &mut Input) -> Result<VertexProperty, DecodeError> {
    Ok(VertexProperty {
        id: value(input)?,
        label: input.string("a label")?,
        value: value(input)?,
        vertex: match value(input)? {
            GValue::Vertex(vertex) => {
                Some(VertexReference { id: vertex.id.clone(), label: vertex.label.clone(), partition: None })
            }
            _ => None,
        },
        properties: properties(input)?,
    })
}

fn property(input: &mut Input) -> Result<Property, DecodeError> {
    let (key, property_value) = (input.string("a key")?, value(input)?);
    let element = Some(value(input)?).filter(|element| *element != GValue::Null);
    Ok(Property { key, value: property_value, element })
}

fn properties(input: &mut Input) -> Result<Option<Vec<Arc<Property>>>, DecodeError> {
    list_of(input, "a property", as_property)
}

fn as_property(value: GValue) -> Result<Arc<Property>, GValue> {
    match value {
        GValue::Property(property) => Ok(property),
        other => Err(other),
    }
}

/// Reads a value that is a list of one type, or null.
fn list_of<T>(
    input: &mut Input,
    expected: &'static str,
    unwrap: impl Fn(GValue) -> Result<T, GValue>,
) -> Result<Option<Vec<T>>, DecodeError> {
    let at = input.at();
    match value(input)? {
        GValue::Null => Ok(None),
        GValue::List(items) => {
            let items = Arc::unwrap_or_clone(items).into_iter().map(unwrap);
            let items: Result<_, GValue> = items.collect();
            items.map(Some).map_err(|other| Input::unexpected(at, expected, other.kind()))
        }
        other => Err(Input::unexpected(at, "a list or null", other.kind())),
    }
}

fn path(input: &mut Input) -> Result<Path, DecodeError> {
    let at = input.at();
    let labels = list_of(input, "a set of labels", labels)?.unwrap_or_default();
    let objects = list_of(input, "an object", Ok)?.unwrap_or_default();
    if labels.len() != objects.len() {
        let found = format!("{} sets of labels for {} objects", labels.len(), objects.len());
        return Err(Input::unexpected(at, "labels for each object", found));
    }
    Ok(Path { labels, objects })
}

fn labels(value: GValue) -> Result<Vec<Arc<str>>, GValue> {
    let label = |value: &GValue| match value {
        GValue::String(label) => Ok(label.clone()),
        other => Err(other.clone()),
    };
    match &value {
        GValue::Set(labels) => labels.iter().map(label).collect(),
        GValue::List(labels) => labels.iter().map(label).collect(),
        _ => Err(value),
    }
}

/// A graph has vertices and edges in a form of their own: bare, with labels of an edge's vertices left out.
fn graph(input: &mut Input) -> Result<Graph, DecodeError> {
    let vertices = input.list(MIN_ELEMENT_BYTES, "a count of vertices", graph_vertex)?;
    let by_id = vertices.iter().map(|vertex| (vertex.id.clone(), vertex.label.clone())).collect();
    let edges = input.list(MIN_ELEMENT_BYTES, "a count of edges", |input| graph_edge(input, &by_id))?;
    Ok(Graph { vertices, edges })
}

fn graph_vertex(input: &mut Input) -> Result<Arc<Vertex>, DecodeError> {
    let (id, label) = (value(input)?, input.string("a label")?);
    let properties = input.list(MIN_ELEMENT_BYTES, "a count of properties", |input| {
        let (id, label, property_value) = (value(input)?, input.string("a label")?, value(input)?);
        // The parent.
        value(input)?;
        let properties = Some(bare_properties(input)?);
        Ok(Arc::new(VertexProperty { id, label, value: property_value, vertex: None, properties }))
    })?;
    Ok(Arc::new(Vertex { id, label, partition: None, properties: Some(properties) }))
}

fn graph_edge(
    input: &mut Input,
    labels: &std::collections::HashMap<GValue, Arc<str>>,
) -> Result<Arc<Edge>, DecodeError> {
    let (id, label) = (value(input)?, input.string("a label")?);
    let mut end = || {
        let id = value(input)?;
        value(input)?;
        let label = labels.get(&id).cloned().unwrap_or_else(|| "vertex".into());
        Ok(VertexReference { id, label, partition: None })
    };
    let (in_vertex, out_vertex) = (end()?, end()?);
    // The parent.
    value(input)?;
    let properties = Some(bare_properties(input)?);
    Ok(Arc::new(Edge { id, label, out_vertex, in_vertex, properties }))
}

/// A list of properties without code and flag of its own; the properties have theirs.
fn bare_properties(input: &mut Input) -> Result<Vec<Arc<Property>>, DecodeError> {
    input.list(MIN_QUALIFIED_BYTES, "a count of properties", |input| {
        let at = input.at();
        as_property(value(input)?).map_err(|other| Input::unexpected(at, "a property", other.kind()))
    })
}
