//! Values to JSON.

use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

use base64::Engine;

use super::super::json::{write_f32, write_f64};
use super::super::{EncodeError, predicate, text};
use super::output::Output;
use super::{Shape, write_element, write_traversal};
use crate::value::{BulkSet, GMap, GValue};

/// Writes a value, typed if the shape has types.
pub(super) fn value(output: &mut Output, value: &GValue) -> Result<(), EncodeError> {
    match value {
        GValue::Null => output.raw("null"),
        GValue::Bool(truth) => output.raw(if *truth { "true" } else { "false" }),
        GValue::String(text) => output.string(text),
        GValue::Byte(number) => return bare(output, "gx:Byte", number),
        GValue::Short(number) => return bare(output, "gx:Int16", number),
        GValue::Int(number) => return bare(output, "g:Int32", number),
        GValue::Long(number) => return bare(output, "g:Int64", number),
        GValue::BigInteger(number) => return bare(output, "gx:BigInteger", number),
        GValue::BigDecimal(number) => return bare(output, "gx:BigDecimal", number),
        GValue::Date(ms) => return bare(output, "g:Date", ms),
        GValue::Float(number) => {
            return output.typed("g:Float", |output| {
                write_f32(*number, output.out);
                Ok(())
            });
        }
        GValue::Double(number) => return double(output, *number),
        GValue::Char(character) => return quoted(output, "gx:Char", character),
        GValue::Uuid(uuid) => return quoted(output, "g:UUID", uuid),
        GValue::DateTime(date) => return quoted(output, "gx:OffsetDateTime", date),
        GValue::Duration(duration) => return quoted(output, "gx:Duration", duration),
        GValue::Binary(bytes) => {
            return quoted(output, "gx:ByteBuffer", &base64::engine::general_purpose::STANDARD.encode(bytes));
        }
        GValue::Constant(constant) => {
            return output.typed(&format!("g:{}", constant.enumeration()), |output| {
                output.string(constant.name());
                Ok(())
            });
        }
        GValue::Class(name) => return quoted(output, "g:Class", name),
        container => return output.nested(|output| nested(output, container)),
    }
    Ok(())
}

fn nested(output: &mut Output, container: &GValue) -> Result<(), EncodeError> {
    match container {
        GValue::List(items) => list(output, items.iter()),
        GValue::Set(members) => output.typed_in_three("g:Set", |output| output.array(members.iter(), value)),
        GValue::Map(entries) => map(output, entries),
        GValue::Entry(entry) => map(output, &GMap::from([(**entry).clone()])),
        GValue::BulkSet(set) => bulk_set(output, set),
        GValue::Traverser(traverser) => output.typed("g:Traverser", |output| {
            output.raw("{\"bulk\":");
            bare(output, "g:Int64", &traverser.bulk)?;
            output.raw(",\"value\":");
            value(output, &traverser.value)?;
            output.raw("}");
            Ok(())
        }),
        GValue::Vertex(vertex) => write_element::vertex(output, vertex),
        GValue::Edge(edge) => write_element::edge(output, edge),
        GValue::VertexProperty(property) => write_element::vertex_property(output, property),
        GValue::Property(property) => write_element::property(output, property),
        GValue::Path(path) => write_element::path(output, path),
        GValue::Tree(tree) => write_element::tree(output, tree),
        GValue::Graph(graph) => write_element::graph(output, graph),
        GValue::Bytecode(bytecode) => write_traversal::bytecode(output, bytecode),
        GValue::CardinalityValue(cardinality, value) => {
            write_traversal::bytecode(output, &predicate::cardinality_value(*cardinality, value))
        }
        GValue::Binding(binding) => write_traversal::binding(output, binding),
        GValue::Predicate(predicate) => write_traversal::predicate(output, predicate),
        GValue::Strategy(strategy) => write_traversal::strategy(output, strategy),
        GValue::Lambda(lambda) => write_traversal::lambda(output, lambda),
        GValue::Metrics(metrics) => write_traversal::metrics(output, metrics),
        GValue::TraversalMetrics(metrics) => write_traversal::traversal_metrics(output, metrics),
        other => Err(EncodeError::Unsupported { kind: other.kind() }),
    }
}

/// A type whose value stands without quotes.
fn bare(output: &mut Output, name: &str, number: &impl Display) -> Result<(), EncodeError> {
    output.typed(name, |output| {
        // Writing to memory cannot fail.
        let _ = write!(output.out, "{number}");
        Ok(())
    })
}

/// A type whose value is a string.
fn quoted(output: &mut Output, name: &str, text: &impl Display) -> Result<(), EncodeError> {
    output.typed(name, |output| {
        output.string(&text.to_string());
        Ok(())
    })
}

/// A double.
pub(super) fn double(output: &mut Output, number: f64) -> Result<(), EncodeError> {
    output.typed("g:Double", |output| {
        write_f64(number, output.out);
        Ok(())
    })
}

/// A long.
pub(super) fn long(output: &mut Output, number: i64) -> Result<(), EncodeError> {
    bare(output, "g:Int64", &number)
}

/// A list of values.
pub(super) fn list<'v>(output: &mut Output, items: impl IntoIterator<Item = &'v GValue>) -> Result<(), EncodeError> {
    output.typed_in_three("g:List", |output| output.array(items, value))
}

fn map(output: &mut Output, entries: &GMap) -> Result<(), EncodeError> {
    if output.shape == Shape::Three {
        return output.typed("g:Map", |output| {
            output.array(entries, |output, (key, entry)| {
                value(output, key)?;
                output.raw(",");
                value(output, entry)
            })
        });
    }
    output.object(entries, |output, (key, entry)| {
        match key {
            GValue::String(key) => output.name(key),
            other => output.name(&text::of_key(other)),
        }
        value(output, entry)
    })
}

/// A map with strings as keys.
pub(super) fn named<'v>(
    output: &mut Output,
    entries: impl IntoIterator<Item = (&'v Arc<str>, &'v GValue)>,
) -> Result<(), EncodeError> {
    members(output, entries.into_iter().map(|(name, entry)| (&**name, entry)), value)
}

/// A map whose keys are strings and whose values `write` writes.
pub(super) fn members<'n, T>(
    output: &mut Output,
    entries: impl IntoIterator<Item = (&'n str, T)>,
    mut write: impl FnMut(&mut Output, T) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    if output.shape == Shape::Three {
        return output.typed("g:Map", |output| {
            output.array(entries, |output, (name, entry)| {
                output.string(name);
                output.raw(",");
                write(output, entry)
            })
        });
    }
    output.object(entries, |output, (name, entry)| {
        output.name(name);
        write(output, entry)
    })
}

/// Values with their counts; before GraphSON 3, as often as they count.
fn bulk_set(output: &mut Output, set: &BulkSet) -> Result<(), EncodeError> {
    if output.shape == Shape::Three {
        return output.typed("g:BulkSet", |output| {
            output.array(&set.items, |output, (item, bulk)| {
                value(output, item)?;
                output.raw(",");
                long(output, *bulk)
            })
        });
    }
    let repeated = set.items.iter().flat_map(|(item, bulk)| (0..*bulk).map(move |_| item));
    output.array(repeated, |output, item| {
        output.count_repeated()?;
        value(output, item)
    })
}
