//! Values to bytes.

use std::sync::Arc;

use super::super::{EncodeError, predicate};
use super::output::Output;
use super::{code, write_element, write_traversal};
use crate::value::{BigDecimal, BigInt, Constant, DateTime, GValue, Metrics, TraversalMetrics, Tree};

/// Writes a value with its type code and flag.
pub(super) fn value(output: &mut Output, value: &GValue) -> Result<(), EncodeError> {
    match value {
        GValue::Null => output.null(),
        GValue::Bool(truth) => output.bytes(&[code::BOOLEAN, 0, u8::from(*truth)]),
        GValue::Byte(number) => number_body(output, code::BYTE, &number.to_be_bytes()),
        GValue::Short(number) => number_body(output, code::SHORT, &number.to_be_bytes()),
        GValue::Int(number) => number_body(output, code::INT, &number.to_be_bytes()),
        GValue::Long(number) => number_body(output, code::LONG, &number.to_be_bytes()),
        GValue::BigInteger(number) => big_integer(output, number)?,
        GValue::Float(number) => number_body(output, code::FLOAT, &number.to_be_bytes()),
        GValue::Double(number) => number_body(output, code::DOUBLE, &number.to_be_bytes()),
        GValue::BigDecimal(number) => big_decimal(output, number)?,
        GValue::String(text) => string(output, text)?,
        GValue::Char(character) => {
            output.start(code::CHAR);
            output.bytes(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        GValue::Uuid(uuid) => number_body(output, code::UUID, uuid.as_bytes()),
        GValue::Date(ms) => number_body(output, code::DATE, &ms.to_be_bytes()),
        GValue::DateTime(date) => date_time(output, date)?,
        GValue::Duration(duration) => {
            output.start(code::DURATION);
            output.i64(duration.seconds);
            output.bytes(&duration.nanos.to_be_bytes());
        }
        GValue::Binary(bytes) => {
            output.start(code::BYTE_BUFFER);
            output.sized(bytes)?;
        }
        GValue::Constant(constant) => constant_name(output, *constant)?,
        GValue::Class(name) => {
            output.start(code::CLASS);
            output.text(name)?;
        }
        container => return output.nested(|output| nested(output, container)),
    }
    Ok(())
}

fn nested(output: &mut Output, container: &GValue) -> Result<(), EncodeError> {
    match container {
        GValue::List(items) => {
            output.start(code::LIST);
            output.list(items.iter(), value)
        }
        GValue::Set(members) => {
            output.start(code::SET);
            output.list(members.iter(), value)
        }
        GValue::Map(entries) => {
            output.start(code::MAP);
            output.list(entries.iter(), |output, (key, entry)| {
                value(output, key)?;
                value(output, entry)
            })
        }
        GValue::Entry(entry) => {
            output.start(code::MAP);
            output.list([&**entry].into_iter(), |output, (key, entry)| {
                value(output, key)?;
                value(output, entry)
            })
        }
        GValue::BulkSet(set) => {
            output.start(code::BULK_SET);
            output.list(set.items.iter(), |output, (item, bulk)| {
                value(output, item)?;
                output.i64(*bulk);
                Ok(())
            })
        }
        GValue::Tree(branches) => {
            output.start(code::TREE);
            tree(output, branches)
        }
        GValue::Traverser(traverser) => {
            output.start(code::TRAVERSER);
            output.i64(traverser.bulk);
            value(output, &traverser.value)
        }
        GValue::Vertex(vertex) => write_element::vertex(output, vertex),
        GValue::Edge(edge) => write_element::edge(output, edge),
        GValue::VertexProperty(property) => write_element::vertex_property(output, property),
        GValue::Property(property) => write_element::property(output, property),
        GValue::Path(path) => write_element::path(output, path),
        GValue::Graph(graph) => write_element::graph(output, graph),
        GValue::Bytecode(bytecode) => write_traversal::bytecode(output, bytecode),
        GValue::CardinalityValue(cardinality, value) => {
            write_traversal::bytecode(output, &predicate::cardinality_value(*cardinality, value))
        }
        GValue::Binding(binding) => write_traversal::binding(output, binding),
        GValue::Predicate(predicate) => write_traversal::predicate(output, predicate),
        GValue::Strategy(strategy) => write_traversal::strategy(output, strategy),
        GValue::Lambda(lambda) => write_traversal::lambda(output, lambda),
        GValue::Metrics(figures) => metrics(output, figures),
        GValue::TraversalMetrics(figures) => traversal_metrics(output, figures),
        other => Err(EncodeError::Unsupported { kind: other.kind() }),
    }
}

fn number_body(output: &mut Output, code: u8, bytes: &[u8]) {
    output.start(code);
    output.bytes(bytes);
}

/// Writes a string with its type code and flag.
pub(super) fn string(output: &mut Output, text: &str) -> Result<(), EncodeError> {
    output.start(code::STRING);
    output.text(text)
}

fn big_integer(output: &mut Output, number: &BigInt) -> Result<(), EncodeError> {
    output.start(code::BIG_INTEGER);
    output.sized(&number.to_signed_bytes_be())
}

fn big_decimal(output: &mut Output, number: &BigDecimal) -> Result<(), EncodeError> {
    output.start(code::BIG_DECIMAL);
    output.i32(number.scale);
    output.sized(&number.unscaled.to_signed_bytes_be())
}

fn date_time(output: &mut Output, date: &DateTime) -> Result<(), EncodeError> {
    let local = date.to_local().ok_or(EncodeError::Unsupported { kind: "a date beyond the year 9999" })?;
    output.start(code::OFFSET_DATE_TIME);
    output.i32(local.year);
    output.bytes(&[local.month, local.day]);
    let of_day = (i64::from(local.hour) * 60 + i64::from(local.minute)) * 60 + i64::from(local.second);
    output.i64(of_day * 1_000_000_000 + i64::from(date.nanos));
    output.i32(date.offset_seconds);
    Ok(())
}

/// A constant is its name, itself a value with code and flag.
fn constant_name(output: &mut Output, constant: Constant) -> Result<(), EncodeError> {
    output.start(match constant {
        Constant::Barrier(_) => code::BARRIER,
        Constant::Cardinality(_) => code::CARDINALITY,
        Constant::Column(_) => code::COLUMN,
        Constant::DateUnit(_) => code::DT,
        Constant::Direction(_) => code::DIRECTION,
        Constant::GType(_) => code::G_TYPE,
        Constant::Merge(_) => code::MERGE,
        Constant::Operator(_) => code::OPERATOR,
        Constant::Order(_) => code::ORDER,
        Constant::Pick(_) => code::PICK,
        Constant::Pop(_) => code::POP,
        Constant::Scope(_) => code::SCOPE,
        Constant::T(_) => code::T,
    });
    string(output, constant.name())
}

fn tree(output: &mut Output, branches: &Tree) -> Result<(), EncodeError> {
    output.list(branches.branches.iter(), |output, (key, below)| {
        value(output, key)?;
        output.nested(|output| tree(output, below))
    })
}

/// A map whose keys are strings, without code and flag of its own.
pub(super) fn named_entries<'v>(
    output: &mut Output,
    entries: impl ExactSizeIterator<Item = (&'v Arc<str>, &'v GValue)>,
) -> Result<(), EncodeError> {
    output.list(entries, |output, (name, entry)| {
        string(output, name)?;
        value(output, entry)
    })
}

fn metrics(output: &mut Output, figures: &Metrics) -> Result<(), EncodeError> {
    output.start(code::METRICS);
    output.text(&figures.id)?;
    output.text(&figures.name)?;
    output.i64(figures.duration_ns);
    output.list(figures.counts.iter(), |output, (name, count)| {
        string(output, name)?;
        number_body(output, code::LONG, &count.to_be_bytes());
        Ok(())
    })?;
    named_entries(output, figures.annotations.iter().map(|(name, value)| (name, value)))?;
    output.list(figures.nested.iter(), |output, inner| output.nested(|output| metrics(output, inner)))
}

fn traversal_metrics(output: &mut Output, figures: &TraversalMetrics) -> Result<(), EncodeError> {
    output.start(code::TRAVERSAL_METRICS);
    output.i64(figures.duration_ns);
    output.list(figures.metrics.iter(), |output, inner| output.nested(|output| metrics(output, inner)))
}
