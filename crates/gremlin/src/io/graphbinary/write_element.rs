//! Elements, paths and graphs.
//!
//! Parents are never written, as official servers have it.

use std::sync::Arc;

use super::super::EncodeError;
use super::code;
use super::output::Output;
use super::write::{string, value};
use crate::value::{Edge, Graph, Path, Property, Vertex, VertexProperty, VertexReference};

pub(super) fn vertex(output: &mut Output, vertex: &Vertex) -> Result<(), EncodeError> {
    output.start(code::VERTEX);
    value(output, &vertex.id)?;
    output.text(&vertex.label)?;
    match &vertex.properties {
        Some(properties) => {
            output.start(code::LIST);
            output.list(properties.iter(), |output, property| output.nested(|output| vertex_property(output, property)))
        }
        None => {
            output.null();
            Ok(())
        }
    }
}

pub(super) fn edge(output: &mut Output, edge: &Edge) -> Result<(), EncodeError> {
    output.start(code::EDGE);
    value(output, &edge.id)?;
    output.text(&edge.label)?;
    for VertexReference { id, label, partition: _ } in [&edge.in_vertex, &edge.out_vertex] {
        value(output, id)?;
        output.text(label)?;
    }
    output.null();
    properties(output, edge.properties.as_deref())
}

pub(super) fn vertex_property(output: &mut Output, property: &VertexProperty) -> Result<(), EncodeError> {
    output.start(code::VERTEX_PROPERTY);
    value(output, &property.id)?;
    output.text(&property.label)?;
    value(output, &property.value)?;
    output.null();
    properties(output, property.properties.as_deref())
}

pub(super) fn property(output: &mut Output, property: &Property) -> Result<(), EncodeError> {
    output.start(code::PROPERTY);
    output.text(&property.key)?;
    value(output, &property.value)?;
    output.null();
    Ok(())
}

fn properties(output: &mut Output, list: Option<&[Arc<Property>]>) -> Result<(), EncodeError> {
    match list {
        Some(list) => {
            output.start(code::LIST);
            bare_properties(output, list)
        }
        None => {
            output.null();
            Ok(())
        }
    }
}

fn bare_properties(output: &mut Output, list: &[Arc<Property>]) -> Result<(), EncodeError> {
    output.list(list.iter(), |output, item| output.nested(|output| property(output, item)))
}

pub(super) fn path(output: &mut Output, path: &Path) -> Result<(), EncodeError> {
    output.start(code::PATH);
    output.start(code::LIST);
    output.list(path.labels.iter(), |output, labels| {
        output.start(code::SET);
        output.list(labels.iter(), |output, label| string(output, label))
    })?;
    output.start(code::LIST);
    output.list(path.objects.iter(), value)
}

pub(super) fn graph(output: &mut Output, graph: &Graph) -> Result<(), EncodeError> {
    output.start(code::GRAPH);
    output.list(graph.vertices.iter(), |output, vertex| {
        value(output, &vertex.id)?;
        output.text(&vertex.label)?;
        output.list(vertex.properties.as_deref().unwrap_or_default().iter(), |output, property| {
            value(output, &property.id)?;
            output.text(&property.label)?;
            value(output, &property.value)?;
            output.null();
            bare_properties(output, property.properties.as_deref().unwrap_or_default())
        })
    })?;
    output.list(graph.edges.iter(), |output, edge| {
        value(output, &edge.id)?;
        output.text(&edge.label)?;
        for end in [&edge.in_vertex, &edge.out_vertex] {
            value(output, &end.id)?;
            // The label, which stands with the vertex.
            output.null();
        }
        output.null();
        bare_properties(output, edge.properties.as_deref().unwrap_or_default())
    })
}
