//! Vertices and edges from JSON text.

use std::borrow::Cow;
use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::io::{Format, read_value};
use orrery_gremlin::value::{Edge, Property, Vertex, VertexProperty, VertexReference};
use uuid::Uuid;

use crate::transfer::{Member, members, write_object};

/// Part of a graph.
pub(super) enum Element {
    Vertex(Arc<Vertex>),
    /// Of its ends only the ids are known.
    Edge(Arc<Edge>),
}

/// What a record stands for: an element by itself, or a vertex with its edges, of which those that leave it are taken. An edge that is
/// wrong does not take the others with it.
///
/// # Errors
/// Why it is no element.
pub(super) fn elements(text: &[u8]) -> Result<Vec<Result<Element, String>>, String> {
    let text = std::str::from_utf8(text).map_err(|_| "the record is not valid UTF-8".to_owned())?;
    let found = members(text).map_err(|error| error.to_string())?;
    let member = |name: &str| found.iter().find(|member| member.name == name);
    if member("~id").is_some() || member("~from").is_some() {
        return row(&found).map(|element| vec![Ok(element)]);
    }
    if let (Some(_), Some(value)) = (member("@type"), member("@value")) {
        // A typed vertex may have its edges too, within its value.
        return match read(text)? {
            Element::Vertex(vertex) => {
                let inner = members(&value.value).map_err(|error| error.to_string())?;
                Ok(std::iter::once(Ok(Element::Vertex(vertex))).chain(edges_of(&inner)?).collect())
            }
            edge => Ok(vec![Ok(edge)]),
        };
    }
    if member("outV").is_some() && member("inV").is_some() {
        return typed("g:Edge", text).map(|edge| vec![Ok(edge)]);
    }
    let vertex = typed("g:Vertex", text)?;
    Ok(std::iter::once(Ok(vertex)).chain(edges_of(&found)?).collect())
}

/// GraphSON that says its type.
fn read(text: &str) -> Result<Element, String> {
    match read_value(text.as_bytes(), Format::GraphSon3).map_err(|error| error.to_string())? {
        GValue::Vertex(vertex) => Ok(Element::Vertex(vertex)),
        GValue::Edge(edge) => Ok(Element::Edge(edge)),
        other => Err(format!("the record is {}, and neither a vertex nor an edge", other.kind())),
    }
}

fn typed(name: &str, text: &str) -> Result<Element, String> {
    read(&format!("{{\"@type\":\"{name}\",\"@value\":{text}}}"))
}

/// The edges that leave a vertex, by label: `"outE": {"knows": [{"id", "inV", "properties"}]}`.
fn edges_of(vertex: &[Member<'_>]) -> Result<Vec<Result<Element, String>>, String> {
    let value_of = |name: &str| vertex.iter().find(|member| member.name == name).map(|member| &*member.value);
    let (Some(id), Some(by_label)) = (value_of("id"), value_of("outE")) else { return Ok(Vec::new()) };
    let mut edges = Vec::new();
    for label in members(by_label).map_err(|error| format!("outE: {error}"))? {
        let listed: Vec<&serde_json::value::RawValue> =
            serde_json::from_str(&label.value).map_err(|error| format!("outE: {error}"))?;
        edges.extend(listed.into_iter().map(|edge| edge_of(id, &label.name, edge.get())));
    }
    Ok(edges)
}

fn edge_of(from: &str, label: &str, edge: &str) -> Result<Element, String> {
    let mut found = members(edge).map_err(|error| format!("outE: {error}"))?;
    found.retain(|member| !matches!(&*member.name, "outV" | "label"));
    let label = serde_json::to_string(label).map_err(|error| error.to_string())?;
    found.push(Member { name: Cow::Borrowed("label"), value: Cow::Owned(label) });
    found.push(Member { name: Cow::Borrowed("outV"), value: Cow::Borrowed(from) });
    let mut text = Vec::new();
    write_object(&found, &mut text);
    typed("g:Edge", &String::from_utf8_lossy(&text))
}

/// A row of CSV, or an element of GraphML: `~id`, `~label`, `~from`, `~to`, and properties as plain values; of a list each item is one.
fn row(found: &[Member<'_>]) -> Result<Element, String> {
    let value = |member: &Member<'_>| {
        read_value(member.value.as_bytes(), Format::GraphSon3).map_err(|error| format!("'{}': {error}", member.name))
    };
    let mut special: [Option<GValue>; 4] = Default::default();
    let mut properties: Vec<(Arc<str>, GValue)> = Vec::new();
    for member in found {
        let value = value(member)?;
        match ["~id", "~label", "~from", "~to"].iter().position(|name| *name == member.name) {
            Some(place) => special[place] = Some(value),
            None if matches!(value, GValue::Null) => {}
            None => properties.push((Arc::from(&*member.name), value)),
        }
    }
    let [id, label, from, to] = special;
    let id = id.unwrap_or_else(|| GValue::string(Uuid::new_v4().to_string()));
    let label = |default: &str| match &label {
        None => Ok(Arc::from(default)),
        Some(GValue::String(label)) => Ok(Arc::clone(label)),
        Some(other) => Err(format!("~label is {}", other.kind())),
    };
    match (from, to) {
        (None, None) => {
            let properties = properties.into_iter().flat_map(|(key, value)| vertex_properties(&key, value));
            let properties = Some(properties.map(Arc::new).collect());
            Ok(Element::Vertex(Arc::new(Vertex { id, label: label("vertex")?, partition: None, properties })))
        }
        (Some(from), Some(to)) => {
            let end = |id| VertexReference { id, label: Arc::from("vertex"), partition: None };
            let property = |(key, value)| Arc::new(Property { key, value, element: None });
            let properties = Some(properties.into_iter().map(property).collect());
            let (out_vertex, in_vertex) = (end(from), end(to));
            Ok(Element::Edge(Arc::new(Edge { id, label: label("edge")?, out_vertex, in_vertex, properties })))
        }
        _ => Err("an edge needs both ~from and ~to".to_owned()),
    }
}

fn vertex_properties(key: &Arc<str>, value: GValue) -> Vec<VertexProperty> {
    let values = match value {
        GValue::List(items) => Arc::unwrap_or_clone(items),
        value => vec![value],
    };
    let property = |value| VertexProperty {
        id: GValue::string(Uuid::new_v4().to_string()),
        label: Arc::clone(key),
        value,
        vertex: None,
        properties: None,
    };
    values.into_iter().map(property).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let element = |element: Result<Element, String>| match element {
            Ok(Element::Vertex(vertex)) => {
                let properties = vertex.properties.iter().flatten();
                let properties: Vec<_> = properties.map(|one| format!("{}={:?}", one.label, one.value)).collect();
                format!("{:?} {} {}", vertex.id, vertex.label, properties.join(" "))
            }
            Ok(Element::Edge(edge)) => {
                let properties: Vec<_> =
                    edge.properties.iter().flatten().map(|one| format!("{}={:?}", one.key, one.value)).collect();
                let ends = (&edge.out_vertex.id, &edge.in_vertex.id);
                format!("{:?} {} {ends:?} {}", edge.id, edge.label, properties.join(" "))
            }
            Err(reason) => reason,
        };
        match elements(text.as_bytes()) {
            Ok(all) => all.into_iter().map(element).collect::<Vec<_>>().join("\n").replace("String(\"", "(\""),
            Err(reason) => reason,
        }
    }

    #[test]
    fn rows_are_vertices_or_with_ends_edges() {
        assert_eq!(
            shown(r#"{"~id":"1","~label":"airport","code":"ATL","runways":5,"at":[1.5,true]}"#),
            r#"("1") airport code=("ATL") runways=Int(5) at=Double(1.5) at=Bool(true)"#
        );
        assert_eq!(
            shown(r#"{"~id":"7","~from":"1","~to":"3","~label":"route","dist":809,"none":null}"#),
            r#"("7") route (("1"), ("3")) dist=Int(809)"#
        );
        assert_eq!(shown(r#"{"~id":"7","~from":"1"}"#), "an edge needs both ~from and ~to");
        assert_eq!(shown(r#"{"~id":"7","~label":5}"#), "~label is an int");
    }

    #[test]
    fn a_vertex_of_graphson_brings_the_edges_that_leave_it() {
        let lines = r#"{"id":{"@type":"g:Int32","@value":1},"label":"person","outE":{"knows":[{"id":7,"inV":2,"properties":{"weight":0.5}}]},"properties":{"name":[{"id":0,"value":"marko"}]}}"#;
        let expected = "Int(1) person name=(\"marko\")\nInt(7) knows (Int(1), Int(2)) weight=Double(0.5)";
        assert_eq!(shown(lines), expected);
        assert_eq!(shown(&format!(r#"{{"@type":"g:Vertex","@value":{lines}}}"#)), expected);
        assert_eq!(
            shown(r#"{"id":7,"label":"knows","outV":1,"inV":2,"outVLabel":"person"}"#),
            "Int(7) knows (Int(1), Int(2)) "
        );
    }

    #[test]
    fn what_is_no_element_says_why() {
        assert_eq!(
            shown(r#"{"@type":"g:Int32","@value":1}"#),
            "the record is an int, and neither a vertex nor an edge"
        );
        assert!(shown(r#"{"name":1}"#).contains("the id of a vertex"), "{}", shown(r#"{"name":1}"#));
        assert!(!shown("[1]").is_empty());
        assert!(shown(r#"{"id":1,"outE":{"a":[{"id":2}]}}"#).contains("the ids of an edge's vertices"));
    }
}
