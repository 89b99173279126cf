//! GraphML: keys that declare the properties, then nodes and edges.

use std::borrow::Cow;

use orrery_gremlin::graph::ElementKind;
use quick_xml::escape::escape;

use crate::transfer::{Column, ColumnType, Member};

/// What ends a file.
pub(super) const FOOTER: &str = "</graph></graphml>\n";

/// What begins a file.
pub(super) fn header(vertices: &[Column], edges: &[Column]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"labelV\" for=\"node\" attr.name=\"labelV\" attr.type=\"string\"/>\n\
         <key id=\"labelE\" for=\"edge\" attr.name=\"labelE\" attr.type=\"string\"/>\n",
    );
    for (columns, kind, of) in [(vertices, ElementKind::Vertex, "node"), (edges, ElementKind::Edge, "edge")] {
        for column in columns.iter().filter(|column| !is_structural(&column.name)) {
            let name = text(&column.name);
            let key = key(kind, &column.name);
            let word = match column.kind {
                ColumnType::Int => "long",
                ColumnType::Double => "double",
                ColumnType::Bool => "boolean",
                ColumnType::String | ColumnType::Json => "string",
            };
            out += &format!("<key id=\"{key}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{word}\"/>\n");
        }
    }
    out + "<graph id=\"G\" edgedefault=\"directed\">\n"
}

/// Writes an element, given as a row.
///
/// # Errors
/// If a value is no JSON.
pub(super) fn write(kind: ElementKind, members: &[Member<'_>], out: &mut Vec<u8>) -> anyhow::Result<()> {
    let find = |name: &str| -> anyhow::Result<String> {
        let member = members.iter().find(|member| member.name == name);
        let value = member.map(|member| serde_json::from_str::<String>(&member.value)).transpose()?;
        Ok(text(&value.unwrap_or_default()))
    };
    let (id, label) = (find("~id")?, find("~label")?);
    let (tag, label_key) = match kind {
        ElementKind::Vertex => ("node", "labelV"),
        ElementKind::Edge => ("edge", "labelE"),
    };
    let ends = match kind {
        ElementKind::Vertex => String::new(),
        ElementKind::Edge => format!(" source=\"{}\" target=\"{}\"", find("~from")?, find("~to")?),
    };
    let mut element = format!("<{tag} id=\"{id}\"{ends}><data key=\"{label_key}\">{label}</data>");
    for member in members.iter().filter(|member| !is_structural(&member.name)) {
        let key = key(kind, &member.name);
        for value in values(&member.value)? {
            element += &format!("<data key=\"{key}\">{}</data>", text(&value));
        }
    }
    out.extend_from_slice(element.as_bytes());
    out.extend_from_slice(format!("</{tag}>\n").as_bytes());
    Ok(())
}

fn is_structural(name: &str) -> bool {
    matches!(name, "~id" | "~label" | "~from" | "~to")
}

/// The id of a property's key. A property of vertices and one of edges may have a name in common and differ in type.
fn key(kind: ElementKind, name: &str) -> String {
    match kind {
        ElementKind::Vertex => format!("v-{}", text(name)),
        ElementKind::Edge => format!("e-{}", text(name)),
    }
}

/// The texts of a value, each by itself.
fn values(json: &str) -> anyhow::Result<Vec<Cow<'_, str>>> {
    if !json.starts_with('[') {
        return Ok(vec![value(json)?]);
    }
    let items: Vec<&serde_json::value::RawValue> = serde_json::from_str(json)?;
    items.into_iter().map(|item| value(item.get())).collect()
}

fn value(json: &str) -> anyhow::Result<Cow<'_, str>> {
    Ok(if json.starts_with('"') { serde_json::from_str::<String>(json)?.into() } else { json.into() })
}

/// Escaped; characters that XML cannot have are replaced.
fn text(text: &str) -> String {
    let is_allowed = |c: char| !c.is_control() || matches!(c, '\n' | '\t' | '\u{7f}'..);
    let replaced: String = text.chars().map(|c| if is_allowed(c) { c } else { '\u{FFFD}' }).collect();
    escape(&replaced).into_owned()
}
