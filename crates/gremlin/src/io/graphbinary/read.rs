//! Values from bytes.

use std::sync::Arc;

use super::super::{DecodeError, bulk};
use super::code;
use super::input::{Input, MIN_QUALIFIED_BYTES};
use crate::value::{Constant, GValue, Traverser, Tree};

/// The fewest bytes of a count of equal items.
const BULK_BYTES: usize = 8;

/// Reads a value with its type code and flag.
///
/// Nothing of size stands on the stack of this function: it is the one that recurs.
pub(super) fn value(input: &mut Input) -> Result<GValue, DecodeError> {
    let at = input.at();
    input.count_value(at)?;
    let code = input.u8("a type code")?;
    if code == code::UNSPECIFIED_NULL {
        return match input.flag()? {
            false => Ok(GValue::Null),
            true => Err(Input::unexpected(at + 1, "the flag of null", "0x00")),
        };
    }
    let Some(name) = code::name(code).filter(|_| code != code::CUSTOM) else {
        return Err(DecodeError::UnknownType { at, name: format!("0x{code:02x}") });
    };
    if !input.flag()? {
        return Ok(GValue::Null);
    }
    match code {
        code::EDGE | code::VERTEX | code::VERTEX_PROPERTY | code::PROPERTY | code::PATH | code::GRAPH => {
            input.nested(|input| super::read_element::body(input, code))
        }
        code::BYTECODE | code::BINDING | code::LAMBDA | code::P | code::TEXT_P | code::TRAVERSAL_STRATEGY => {
            input.nested(|input| super::read_traversal::body(input, code))
        }
        code::METRICS | code::TRAVERSAL_METRICS => input.nested(|input| super::read_metrics::body(input, code)),
        code::LIST | code::SET | code::MAP | code::BULK_SET | code::TREE | code::TRAVERSER => {
            input.nested(|input| collection(input, code))
        }
        code::BARRIER
        | code::CARDINALITY
        | code::COLUMN
        | code::DIRECTION
        | code::OPERATOR
        | code::ORDER
        | code::PICK
        | code::POP
        | code::SCOPE
        | code::T
        | code::MERGE
        | code::DT
        | code::G_TYPE => constant(input, name),
        _ => super::read_scalar::body(input, code),
    }
}

/// Reads values behind their count.
pub(super) fn values(input: &mut Input) -> Result<Vec<GValue>, DecodeError> {
    input.list(MIN_QUALIFIED_BYTES, "a count of values", value)
}

/// Reads keys and values behind their count.
pub(super) fn entries(input: &mut Input) -> Result<Vec<(GValue, GValue)>, DecodeError> {
    input.list(2 * MIN_QUALIFIED_BYTES, "a count of entries", |input| Ok((value(input)?, value(input)?)))
}

/// Reads a map whose keys are strings.
pub(super) fn named_entries(input: &mut Input) -> Result<Vec<(Arc<str>, GValue)>, DecodeError> {
    input.list(2 * MIN_QUALIFIED_BYTES, "a count of entries", |input| {
        let at = input.at();
        match value(input)? {
            GValue::String(name) => Ok((name, value(input)?)),
            other => Err(Input::unexpected(at, "a string as key", other.kind())),
        }
    })
}

fn collection(input: &mut Input, code: u8) -> Result<GValue, DecodeError> {
    Ok(match code {
        code::LIST => GValue::List(Arc::new(values(input)?)),
        code::SET => GValue::set(values(input)?),
        code::MAP => GValue::map(entries(input)?),
        code::BULK_SET => {
            let items = input.list(MIN_QUALIFIED_BYTES + BULK_BYTES, "a count of items", |input| {
                Ok((value(input)?, count(input)?))
            })?;
            bulk::set(items)
        }
        code::TREE => GValue::Tree(Arc::new(tree(input)?)),
        _ => {
            let bulk = count(input)?;
            GValue::Traverser(Arc::new(Traverser { bulk, value: value(input)? }))
        }
    })
}

fn count(input: &mut Input) -> Result<i64, DecodeError> {
    let at = input.at();
    let bulk = input.i64("a bulk")?;
    if bulk < 0 { Err(Input::unexpected(at, "a bulk", bulk.to_string())) } else { Ok(bulk) }
}

fn tree(input: &mut Input) -> Result<Tree, DecodeError> {
    // A branch has at least a key and the count of its own branches.
    let branches = input.list(MIN_QUALIFIED_BYTES + 4, "a count of branches", |input| {
        let key = value(input)?;
        Ok((key, input.nested(tree)?))
    })?;
    Ok(Tree { branches })
}

/// A constant is its name, itself a value with code and flag.
fn constant(input: &mut Input, enumeration: &'static str) -> Result<GValue, DecodeError> {
    let at = input.at();
    let name = qualified_text(input, "the name of a constant")?;
    match Constant::parse(enumeration, name) {
        Some(constant) => Ok(GValue::Constant(constant)),
        None => Err(Input::unexpected(at, "the name of a constant", format!("{enumeration}.{}", shown(name)))),
    }
}

/// Reads a string with its type code and flag.
pub(super) fn qualified_text<'b>(input: &mut Input<'b>, expected: &'static str) -> Result<&'b str, DecodeError> {
    let at = input.at();
    let code = input.u8(expected)?;
    if code != code::STRING || !input.flag()? {
        return Err(Input::unexpected(at, expected, format!("type 0x{code:02x}")));
    }
    input.text(expected)
}

/// As much of a name as an error may repeat.
pub(super) fn shown(name: &str) -> String {
    const MAX_CHARACTERS: usize = 64;
    name.chars().take(MAX_CHARACTERS).collect()
}
