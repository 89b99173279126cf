//! Elements, paths, trees and graphs.
//!
//! Properties that are not there, or none, are left out. What an element belongs to is never written: readers of official drivers
//! trip over it.

use std::sync::Arc;

use super::super::{EncodeError, text};
use super::Shape;
use super::output::Output;
use super::write::value;
use crate::value::{Edge, GValue, Graph, Path, Property, Tree, Vertex, VertexProperty};

pub(super) fn vertex(output: &mut Output, vertex: &Vertex) -> Result<(), EncodeError> {
    output.typed("g:Vertex", |output| {
        start(output, &vertex.id, &vertex.label, "vertex")?;
        let properties = vertex.properties.as_deref().unwrap_or_default();
        if !properties.is_empty() {
            output.raw(",\"properties\":");
            // Those of one key follow each other.
            let keys = properties.chunk_by(|one, two| one.label == two.label);
            output.object(keys, |output, same_key| {
                output.name(&same_key[0].label);
                output.array(same_key, |output, property| output.nested(|output| within_vertex(output, property)))
            })?;
        }
        output.raw("}");
        Ok(())
    })
}

/// What vertices and edges begin with.
fn start(output: &mut Output, id: &GValue, label: &str, kind: &str) -> Result<(), EncodeError> {
    output.raw("{\"id\":");
    value(output, id)?;
    output.raw(",\"label\":");
    output.string(label);
    if output.shape == Shape::Untyped {
        output.raw(",\"type\":");
        output.string(kind);
    }
    Ok(())
}

/// A property where its key stands outside; without types it is not repeated.
fn within_vertex(output: &mut Output, property: &VertexProperty) -> Result<(), EncodeError> {
    if output.shape == Shape::Untyped {
        return vertex_property_body(output, property, None);
    }
    vertex_property(output, property)
}

pub(super) fn vertex_property(output: &mut Output, property: &VertexProperty) -> Result<(), EncodeError> {
    output.typed("g:VertexProperty", |output| vertex_property_body(output, property, Some(&property.label)))
}

fn vertex_property_body(
    output: &mut Output,
    property: &VertexProperty,
    label: Option<&str>,
) -> Result<(), EncodeError> {
    output.raw("{\"id\":");
    value(output, &property.id)?;
    output.raw(",\"value\":");
    value(output, &property.value)?;
    if let Some(label) = label {
        output.raw(",\"label\":");
        output.string(label);
    }
    let properties = property.properties.as_deref().unwrap_or_default();
    if !properties.is_empty() {
        output.raw(",\"properties\":");
        output.object(properties, |output, property| {
            output.name(&property.key);
            value(output, &property.value)
        })?;
    }
    output.raw("}");
    Ok(())
}

pub(super) fn edge(output: &mut Output, edge: &Edge) -> Result<(), EncodeError> {
    output.typed("g:Edge", |output| {
        start(output, &edge.id, &edge.label, "edge")?;
        output.raw(",\"inVLabel\":");
        output.string(&edge.in_vertex.label);
        output.raw(",\"outVLabel\":");
        output.string(&edge.out_vertex.label);
        output.raw(",\"inV\":");
        value(output, &edge.in_vertex.id)?;
        output.raw(",\"outV\":");
        value(output, &edge.out_vertex.id)?;
        let properties = edge.properties.as_deref().unwrap_or_default();
        if !properties.is_empty() {
            output.raw(",\"properties\":");
            output.object(properties, edge_property)?;
        }
        output.raw("}");
        Ok(())
    })
}

fn edge_property(output: &mut Output, item: &Arc<Property>) -> Result<(), EncodeError> {
    output.name(&item.key);
    if output.shape == Shape::Untyped {
        return value(output, &item.value);
    }
    output.nested(|output| property(output, item))
}

pub(super) fn property(output: &mut Output, property: &Property) -> Result<(), EncodeError> {
    output.typed("g:Property", |output| {
        output.raw("{\"key\":");
        output.string(&property.key);
        output.raw(",\"value\":");
        value(output, &property.value)?;
        output.raw("}");
        Ok(())
    })
}

pub(super) fn path(output: &mut Output, path: &Path) -> Result<(), EncodeError> {
    output.typed("g:Path", |output| {
        output.raw("{\"labels\":");
        output.typed_in_three("g:List", |output| output.array(&path.labels, |output, labels| set(output, labels)))?;
        output.raw(",\"objects\":");
        super::write::list(output, &path.objects)?;
        output.raw("}");
        Ok(())
    })
}

fn set(output: &mut Output, labels: &[Arc<str>]) -> Result<(), EncodeError> {
    output.typed_in_three("g:Set", |output| {
        output.array(labels, |output, label| {
            output.string(label);
            Ok(())
        })
    })
}

pub(super) fn tree(output: &mut Output, branches: &Tree) -> Result<(), EncodeError> {
    output.typed("g:Tree", |output| {
        if output.shape == Shape::Untyped {
            return output.object(&branches.branches, |output, (key, below)| {
                output.name(&text::of_key(key));
                branch(output, key, below)
            });
        }
        output.array(&branches.branches, |output, (key, below)| branch(output, key, below))
    })
}

fn branch(output: &mut Output, key: &GValue, below: &Tree) -> Result<(), EncodeError> {
    output.raw("{\"key\":");
    value(output, key)?;
    output.raw(",\"value\":");
    output.nested(|output| tree(output, below))?;
    output.raw("}");
    Ok(())
}

pub(super) fn graph(output: &mut Output, graph: &Graph) -> Result<(), EncodeError> {
    output.typed("tinker:graph", |output| {
        output.raw("{\"vertices\":");
        output.array(&graph.vertices, |output, item| output.nested(|output| vertex(output, item)))?;
        output.raw(",\"edges\":");
        output.array(&graph.edges, |output, item| output.nested(|output| edge(output, item)))?;
        output.raw("}");
        Ok(())
    })
}
