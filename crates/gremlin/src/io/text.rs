//! Values as texts, as Java's `toString` gives them: for consoles, and for the keys of JSON objects.

use std::fmt::Write;

use base64::Engine;

use crate::value::{Bytecode, DateTime, GValue, Instruction, Metrics, P, Tree};

/// Longest value of a property that is shown whole.
const MAX_PROPERTY_CHARACTERS: usize = 20;

/// The text of `value`.
pub(crate) fn of(value: &GValue) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// The text of `value` as the key of a JSON object: an element is its id.
pub(super) fn of_key(value: &GValue) -> String {
    match value {
        GValue::Vertex(vertex) => of(&vertex.id),
        GValue::Edge(edge) => of(&edge.id),
        GValue::VertexProperty(property) => of(&property.id),
        GValue::Date(ms) => DateTime::from_ms(*ms).to_string(),
        other => of(other),
    }
}

fn write(value: &GValue, out: &mut String) {
    match value {
        GValue::Null => out.push_str("null"),
        GValue::Bool(truth) => push(out, truth),
        GValue::Byte(number) => push(out, number),
        GValue::Short(number) => push(out, number),
        GValue::Int(number) => push(out, number),
        GValue::Long(number) => push(out, number),
        GValue::BigInteger(number) => push(out, number),
        GValue::Float(number) => float(number, f64::from(*number), out),
        GValue::Double(number) => float(number, *number, out),
        GValue::BigDecimal(number) => push(out, number),
        GValue::String(text) | GValue::Class(text) => out.push_str(text),
        GValue::Char(character) => out.push(*character),
        GValue::Uuid(uuid) => push(out, uuid),
        GValue::Date(ms) => push(out, &DateTime::from_ms(*ms)),
        GValue::DateTime(date) => push(out, date),
        GValue::Duration(duration) => push(out, duration),
        GValue::Binary(bytes) => out.push_str(&base64::engine::general_purpose::STANDARD.encode(bytes)),
        GValue::Constant(constant) => out.push_str(constant.name()),
        container => nested(container, out),
    }
}

fn nested(container: &GValue, out: &mut String) {
    match container {
        GValue::List(items) => between("[", items.iter(), "]", out, write),
        GValue::Set(members) => between("[", members.iter(), "]", out, write),
        GValue::Map(entries) => between("{", entries.iter(), "}", out, |(key, value), out| entry(key, value, out)),
        GValue::Entry(pair) => entry(&pair.0, &pair.1, out),
        GValue::BulkSet(set) => {
            between("{", set.items.iter(), "}", out, |(value, bulk), out| entry(value, &GValue::Long(*bulk), out));
        }
        GValue::Vertex(vertex) => between("v[", [&vertex.id], "]", out, write),
        GValue::Edge(edge) => {
            between("e[", [&edge.id], "][", out, write);
            write(&edge.out_vertex.id, out);
            between("-", [&edge.label], "->", out, |label, out| out.push_str(label));
            write(&edge.in_vertex.id, out);
            out.push(']');
        }
        GValue::VertexProperty(property) => named_value("vp", &property.label, &property.value, out),
        GValue::Property(property) => named_value("p", &property.key, &property.value, out),
        GValue::Path(path) => between("[", path.objects.iter(), "]", out, write),
        GValue::Tree(branches) => tree(branches, out),
        GValue::Graph(graph) => {
            push(out, &format_args!("graph[vertices:{} edges:{}]", graph.vertices.len(), graph.edges.len()));
        }
        GValue::Predicate(inner) => predicate(inner, out),
        GValue::CardinalityValue(cardinality, value) => {
            out.push_str(cardinality.name());
            between("(", [&**value], ")", out, write);
        }
        GValue::Traverser(traverser) => write(&traverser.value, out),
        GValue::Bytecode(inner) => bytecode(inner, out),
        GValue::Binding(binding) => {
            between("binding[", [binding], "]", out, |binding, out| {
                out.push_str(&binding.key);
                out.push('=');
                write(&binding.value, out);
            });
        }
        GValue::Strategy(strategy) => out.push_str(&strategy.name),
        GValue::Lambda(lambda) => between("lambda[", [&lambda.script], "]", out, |script, out| out.push_str(script)),
        GValue::Metrics(figures) => metrics(figures, 0, out),
        GValue::TraversalMetrics(figures) => {
            out.push_str("Traversal Metrics\n");
            figures.metrics.iter().for_each(|inner| metrics(inner, 0, out));
            push(out, &format_args!(">TOTAL {:.3} ms", figures.duration_ns as f64 / 1e6));
        }
        other => out.push_str(other.kind()),
    }
}

fn push(out: &mut String, value: &impl std::fmt::Display) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{value}");
}

fn between<T>(
    start: &str,
    parts: impl IntoIterator<Item = T>,
    end: &str,
    out: &mut String,
    mut write: impl FnMut(T, &mut String),
) {
    out.push_str(start);
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write(part, out);
    }
    out.push_str(end);
}

/// Digits with at least one behind the point, and an exponent beyond seven of them.
fn float<F: std::fmt::Debug + std::fmt::LowerExp>(number: &F, wide: f64, out: &mut String) {
    let size = wide.abs();
    if wide.is_nan() {
        out.push_str("NaN");
    } else if wide.is_infinite() {
        out.push_str(if wide > 0.0 { "Infinity" } else { "-Infinity" });
    } else if size == 0.0 || (1e-3..1e7).contains(&size) {
        let _ = write!(out, "{number:?}");
    } else {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let fraction = if digits.contains('.') { "" } else { ".0" };
        let _ = write!(out, "{digits}{fraction}E{exponent}");
    }
}

fn entry(key: &GValue, value: &GValue, out: &mut String) {
    write(key, out);
    out.push('=');
    write(value, out);
}

fn named_value(kind: &str, name: &str, value: &GValue, out: &mut String) {
    let text = of(value);
    let shown = if text.chars().nth(MAX_PROPERTY_CHARACTERS).is_some() {
        text.chars().take(MAX_PROPERTY_CHARACTERS - 3).chain("...".chars()).collect()
    } else {
        text
    };
    push(out, &format_args!("{kind}[{name}->{shown}]"));
}

fn tree(branches: &Tree, out: &mut String) {
    between("{", &branches.branches, "}", out, |(key, below), out| {
        write(key, out);
        out.push('=');
        tree(below, out);
    });
}

fn predicate(inner: &P, out: &mut String) {
    out.push_str(inner.name());
    match inner {
        P::Compare(_, operand) | P::Text(_, operand) => between("(", [operand], ")", out, write),
        P::Interval(_, low, high) => between("(", [low, high], ")", out, write),
        P::Within(members) | P::Without(members) => between("([", members, "])", out, write),
        P::TypeOf(gtype) => between("(", [gtype.name()], ")", out, |name, out| out.push_str(name)),
        P::And(all) | P::Or(all) => between("(", all, ")", out, predicate),
        P::Not(inner) => between("(", [&**inner], ")", out, predicate),
    }
}

fn bytecode(inner: &Bytecode, out: &mut String) {
    let instructions = |list: &[Instruction], out: &mut String| {
        between("[", list, "]", out, |instruction, out| {
            out.push_str(&instruction.name);
            between("(", &instruction.arguments, ")", out, write);
        });
    };
    out.push('[');
    instructions(&inner.source, out);
    out.push_str(", ");
    instructions(&inner.steps, out);
    out.push(']');
}

/// A line for each step, those within others indented.
fn metrics(figures: &Metrics, depth: usize, out: &mut String) {
    let duration_ms = figures.duration_ns as f64 / 1e6;
    push(out, &format_args!("{:indent$}{} {duration_ms:.3} ms", "", figures.name, indent = 2 * depth));
    for (name, count) in &figures.counts {
        push(out, &format_args!(" {name}={count}"));
    }
    out.push('\n');
    figures.nested.iter().for_each(|inner| metrics(inner, depth + 1, out));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Cardinality, T, Vertex, VertexProperty};

    fn vertex(id: i32) -> GValue {
        GValue::Vertex(Vertex { id: id.into(), label: "person".into(), partition: None, properties: None }.into())
    }

    #[test]
    fn texts_are_those_of_java() {
        let property = |value: &str| {
            let property = VertexProperty {
                id: 1.into(),
                label: "name".into(),
                value: value.into(),
                vertex: None,
                properties: None,
            };
            GValue::VertexProperty(property.into())
        };
        let cases = [
            (GValue::Double(1.0), "1.0"),
            (GValue::Double(1e7), "1.0E7"),
            (GValue::Double(1.5e-7), "1.5E-7"),
            (GValue::Float(0.1), "0.1"),
            (GValue::Double(f64::NEG_INFINITY), "-Infinity"),
            (GValue::list([1.into(), GValue::Null, "a".into()]), "[1, null, a]"),
            (GValue::map([("a".into(), 1.into()), (T::Id.into(), GValue::list([]))]), "{a=1, id=[]}"),
            (vertex(1), "v[1]"),
            (property("marko"), "vp[name->marko]"),
            (property("a text of more than twenty"), "vp[name->a text of more th...]"),
            (GValue::CardinalityValue(Cardinality::Set, std::sync::Arc::new(1.into())), "set(1)"),
            (GValue::Predicate(P::Not(P::Within(vec![1.into(), 2.into()]).into()).into()), "not(within([1, 2]))"),
        ];
        for (value, text) in cases {
            assert_eq!(of(&value), text);
        }
    }

    #[test]
    fn an_element_as_a_key_is_its_id() {
        assert_eq!(of_key(&vertex(7)), "7");
    }
}
