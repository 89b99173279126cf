//! Elements, paths and graphs.

use std::sync::Arc;

use super::super::DecodeError;
use super::super::json::{Item, Kind};
use super::read::{Typed, array, deeper, member, string, unexpected, value};
use crate::value::{Edge, GValue, Graph, Path, Property, Vertex, VertexProperty, VertexReference};

pub(super) fn typed(item: Item, name: &str, depth: usize) -> Result<GValue, DecodeError> {
    Ok(match name {
        "Vertex" => GValue::Vertex(Arc::new(vertex(item, depth)?)),
        "Edge" => GValue::Edge(Arc::new(edge(item, depth)?)),
        "VertexProperty" => GValue::VertexProperty(Arc::new(vertex_property(item, None, depth)?)),
        "Property" => GValue::Property(Arc::new(property(item, depth)?)),
        "Path" => GValue::Path(Arc::new(path(item, depth)?)),
        _ => GValue::Graph(Arc::new(graph(item, depth)?)),
    })
}

/// The value of `@value` if `item` is of a type, else `item` itself.
fn inner<'j>(item: Item<'j>, name: &str) -> Result<Item<'j>, DecodeError> {
    match Typed::of(item) {
        Some(typed) if typed.name == name => typed.value(),
        _ => Ok(item),
    }
}

fn label(item: Item, name: &str, default: &str) -> Result<Arc<str>, DecodeError> {
    item.member(name).map_or_else(|| Ok(default.into()), string)
}

fn vertex(item: Item, depth: usize) -> Result<Vertex, DecodeError> {
    let id = value(member(item, "id", "the id of a vertex")?, depth)?;
    let label = label(item, "label", "vertex")?;
    let properties = item.member("properties").map(|all| vertex_properties(all, depth)).transpose()?;
    Ok(Vertex { id, label, partition: None, properties })
}

fn vertex_properties(all: Item, depth: usize) -> Result<Vec<Arc<VertexProperty>>, DecodeError> {
    if all.kind() != Kind::Object {
        return Err(unexpected(all, "an object of properties"));
    }
    let mut properties = Vec::new();
    for (key, list) in all.members() {
        let key = string(key)?;
        for item in array(list, "an array of properties")?.items() {
            let depth = deeper(item, depth)?;
            let property = vertex_property(inner(item, "g:VertexProperty")?, Some(&key), depth)?;
            properties.push(Arc::new(property));
        }
    }
    Ok(properties)
}

/// A property, whose label may be known from where it stands.
fn vertex_property(item: Item, key: Option<&Arc<str>>, depth: usize) -> Result<VertexProperty, DecodeError> {
    let label = match (item.member("label"), key) {
        (None, Some(key)) => key.clone(),
        _ => string(member(item, "label", "the label of a property")?)?,
    };
    let vertex = item
        .member("vertex")
        .map(|id| Ok(VertexReference { id: value(id, depth)?, label: "vertex".into(), partition: None }));
    Ok(VertexProperty {
        id: value(member(item, "id", "the id of a property")?, depth)?,
        label,
        value: value(member(item, "value", "the value of a property")?, depth)?,
        vertex: vertex.transpose()?,
        properties: item.member("properties").map(|all| properties(all, depth)).transpose()?,
    })
}

/// Properties by name: typed ones, or their values alone.
fn properties(all: Item, depth: usize) -> Result<Vec<Arc<Property>>, DecodeError> {
    if all.kind() != Kind::Object {
        return Err(unexpected(all, "an object of properties"));
    }
    let read = all.members().map(|(key, item)| {
        if let Some(typed) = Typed::of(item).filter(|typed| typed.name == "g:Property") {
            return Ok(Arc::new(property(typed.value()?, deeper(item, depth)?)?));
        }
        Ok(Arc::new(Property { key: string(key)?, value: value(item, depth)?, element: None }))
    });
    read.collect()
}

fn property(item: Item, depth: usize) -> Result<Property, DecodeError> {
    let element = item.member("element").filter(|element| element.kind() != Kind::Null);
    Ok(Property {
        key: string(member(item, "key", "the key of a property")?)?,
        value: value(member(item, "value", "the value of a property")?, depth)?,
        element: element.map(|element| value(element, depth)).transpose()?,
    })
}

fn edge(item: Item, depth: usize) -> Result<Edge, DecodeError> {
    let end = |id: &str, label_name: &str| {
        let id = value(member(item, id, "the ids of an edge's vertices")?, depth)?;
        Ok(VertexReference { id, label: label(item, label_name, "vertex")?, partition: None })
    };
    Ok(Edge {
        id: value(member(item, "id", "the id of an edge")?, depth)?,
        label: label(item, "label", "edge")?,
        out_vertex: end("outV", "outVLabel")?,
        in_vertex: end("inV", "inVLabel")?,
        properties: item.member("properties").map(|all| properties(all, depth)).transpose()?,
    })
}

fn path(item: Item, depth: usize) -> Result<Path, DecodeError> {
    let labels = array(member(item, "labels", "the labels of a path")?, "an array of sets of labels")?;
    let labels = labels.items().map(|set| array(set, "an array of labels")?.items().map(string).collect());
    let labels: Vec<_> = labels.collect::<Result<_, DecodeError>>()?;
    let objects = array(member(item, "objects", "the objects of a path")?, "an array of objects")?;
    let objects = super::read::items(objects, depth)?;
    if labels.len() != objects.len() {
        return Err(DecodeError::Unexpected {
            at: item.at(),
            expected: "labels for each object",
            found: format!("{} sets of labels for {} objects", labels.len(), objects.len()),
        });
    }
    Ok(Path { labels, objects })
}

fn graph(item: Item, depth: usize) -> Result<Graph, DecodeError> {
    let vertices = array(member(item, "vertices", "the vertices of a graph")?, "an array of vertices")?;
    let vertices = vertices.items().map(|item| Ok(Arc::new(vertex(inner(item, "g:Vertex")?, deeper(item, depth)?)?)));
    let edges = array(member(item, "edges", "the edges of a graph")?, "an array of edges")?;
    let edges = edges.items().map(|item| Ok(Arc::new(edge(inner(item, "g:Edge")?, deeper(item, depth)?)?)));
    Ok(Graph {
        vertices: vertices.collect::<Result<_, DecodeError>>()?,
        edges: edges.collect::<Result<_, DecodeError>>()?,
    })
}
