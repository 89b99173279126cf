//! New elements, and changes of their properties.

use std::sync::Arc;

use super::super::{GraphError, NewEdge, NewVertex, PropertyChange, id_text};
use super::partition;
use crate::value::{Cardinality, Edge, GValue, Property, Uuid, Vertex, VertexProperty};

/// The vertex that is to be stored.
pub(super) fn new_vertex(new: NewVertex, partition_property: Option<&str>) -> Result<Vertex, GraphError> {
    let placed_by = match partition_property {
        Some(key) => Some(placing_value(&new.properties, key)?),
        None => None,
    };
    let mut vertex = Vertex {
        id: id_or_new(new.id)?,
        label: checked_label(new.label)?,
        partition: placed_by,
        properties: Some(Vec::new()),
    };
    for change in new.properties {
        change_vertex(&mut vertex, change)?;
    }
    Ok(vertex)
}

/// The edge that is to be stored. It is placed as the vertex it leaves.
pub(super) fn new_edge(
    new: NewEdge,
    out_vertex: &Vertex,
    in_vertex: &Vertex,
    partition_property: Option<&str>,
) -> Result<Edge, GraphError> {
    let mut edge = Edge {
        id: id_or_new(new.id)?,
        label: checked_label(new.label)?,
        out_vertex: out_vertex.reference(),
        in_vertex: in_vertex.reference(),
        properties: Some(Vec::new()),
    };
    for (key, value) in new.properties {
        change_edge(&mut edge, PropertyChange { key, value, cardinality: None, meta: Vec::new() }, partition_property)?;
    }
    Ok(edge)
}

/// Changes a property of a vertex. The property that places it is not looked at here.
pub(super) fn change_vertex(vertex: &mut Vertex, change: PropertyChange) -> Result<(), GraphError> {
    check_key(&change.key)?;
    let owner = vertex.reference();
    let properties = vertex.properties.get_or_insert_default();
    let is_of_key = |property: &Arc<VertexProperty>| property.label == change.key;
    let cardinality = change.cardinality.unwrap_or(Cardinality::Single);
    if let GValue::Null = change.value {
        properties.retain(|property| !is_of_key(property));
        return Ok(());
    }
    check_value(&change.value)?;
    if cardinality == Cardinality::Set
        && let Some(same) = properties.iter_mut().find(|property| is_of_key(property) && property.value == change.value)
    {
        return set_meta(Arc::make_mut(same), change.meta);
    }
    let first = properties.iter().position(is_of_key);
    if cardinality == Cardinality::Single {
        properties.retain(|property| !is_of_key(property));
    }
    let at = match (first, properties.iter().rposition(is_of_key)) {
        (_, Some(last)) => last + 1,
        (Some(first), None) => first,
        (None, None) => properties.len(),
    };
    let mut property = VertexProperty {
        id: new_id(),
        label: change.key.clone(),
        value: change.value.clone(),
        vertex: Some(owner),
        properties: Some(Vec::new()),
    };
    set_meta(&mut property, change.meta)?;
    properties.insert(at, Arc::new(property));
    Ok(())
}

/// Sets properties of a property. Null removes one.
pub(super) fn set_meta(property: &mut VertexProperty, meta: Vec<(Arc<str>, GValue)>) -> Result<(), GraphError> {
    let owner = GValue::VertexProperty(Arc::new(VertexProperty { properties: None, ..property.clone() }));
    let properties = property.properties.get_or_insert_default();
    meta.into_iter().try_for_each(|(key, value)| set(properties, key, value, &owner))
}

/// Changes a property of an edge.
pub(super) fn change_edge(
    edge: &mut Edge,
    change: PropertyChange,
    partition_property: Option<&str>,
) -> Result<(), GraphError> {
    if !change.meta.is_empty() {
        return Err(invalid("properties of edges have no properties of their own"));
    }
    let is_elsewhere = || edge.out_vertex.partition.as_ref().is_none_or(|at| !partition::is_same(at, &change.value));
    if partition_property == Some(&*change.key) && change.value != GValue::Null && is_elsewhere() {
        return Err(invalid("an edge has the partition key of the vertex it leaves"));
    }
    let owner = GValue::Edge(Arc::new(Edge { properties: None, ..edge.clone() }));
    set(edge.properties.get_or_insert_default(), change.key, change.value, &owner)
}

fn set(properties: &mut Vec<Arc<Property>>, key: Arc<str>, value: GValue, owner: &GValue) -> Result<(), GraphError> {
    check_key(&key)?;
    let at = properties.iter().position(|property| property.key == key);
    if let GValue::Null = value {
        at.map(|at| properties.remove(at));
        return Ok(());
    }
    check_value(&value)?;
    let property = Arc::new(Property { key, value, element: Some(owner.clone()) });
    match at.and_then(|at| properties.get_mut(at)) {
        Some(present) => *present = property,
        None => properties.push(property),
    }
    Ok(())
}

/// The value that places a new vertex.
fn placing_value(properties: &[PropertyChange], key: &str) -> Result<GValue, GraphError> {
    let mut placing = properties.iter().filter(|change| &*change.key == key);
    let value = placing.next().map_or(GValue::Null, |change| change.value.clone());
    if placing.next().is_some() {
        return Err(invalid("Partition property must be single-valued"));
    }
    partition::check(&value)?;
    Ok(value)
}

fn id_or_new(id: Option<GValue>) -> Result<GValue, GraphError> {
    match id {
        None => Ok(new_id()),
        Some(id) => {
            let text = id_text(&id).filter(|text| !text.is_empty());
            text.map(GValue::String).ok_or_else(|| invalid(format!("{} is no id", id.kind())))
        }
    }
}

fn new_id() -> GValue {
    GValue::string(Uuid::new_v4().to_string())
}

fn checked_label(label: Arc<str>) -> Result<Arc<str>, GraphError> {
    match &*label {
        "" => Err(invalid("Label can not be empty")),
        hidden if hidden.starts_with('~') => Err(invalid(format!("Label can not be a hidden key: {hidden}"))),
        _ => Ok(label),
    }
}

fn check_key(key: &str) -> Result<(), GraphError> {
    match key {
        "" => Err(invalid("Property key can not be the empty string")),
        hidden if hidden.starts_with('~') => Err(invalid(format!("Property key can not be a hidden key: {hidden}"))),
        _ => Ok(()),
    }
}

/// Scalars, and containers of them.
fn check_value(value: &GValue) -> Result<(), GraphError> {
    match value {
        GValue::Bool(_)
        | GValue::String(_)
        | GValue::Char(_)
        | GValue::Uuid(_)
        | GValue::Date(_)
        | GValue::DateTime(_)
        | GValue::Duration(_)
        | GValue::Binary(_)
        | GValue::Null => Ok(()),
        GValue::List(items) => items.iter().try_for_each(check_value),
        GValue::Set(members) => members.iter().try_for_each(check_value),
        GValue::Map(entries) => entries.iter().try_for_each(|(key, value)| check_value(key).and(check_value(value))),
        number if number.is_number() => Ok(()),
        other => Err(invalid(format!("{} is no value of a property", other.kind()))),
    }
}

pub(super) fn invalid(message: impl Into<String>) -> GraphError {
    GraphError::Invalid { message: message.into() }
}
