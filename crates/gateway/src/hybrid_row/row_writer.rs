//! Writes one row by its layout.

use super::FORMAT_VERSION;
use super::layout::{Layout, Value, type_code};

/// The values of a row, in the order of its layout; `None` leaves the column out.
#[derive(Debug)]
pub(super) struct RowValues<'a> {
    pub(super) fixed: &'a [Option<i32>],
    /// Text and binary look alike here.
    pub(super) variable: &'a [Option<&'a [u8]>],
    pub(super) sparse: &'a [Option<Value<'a>>],
}

/// Appends a row to `out`.
pub(super) fn write_row(layout: &Layout, values: &RowValues<'_>, out: &mut Vec<u8>) {
    debug_assert_eq!(values.fixed.len(), layout.fixed.len(), "fixed columns of {}", layout.name);
    debug_assert_eq!(values.variable.len(), layout.variable.len(), "variable columns of {}", layout.name);
    debug_assert_eq!(values.sparse.len(), layout.sparse.len(), "sparse columns of {}", layout.name);
    write_header(layout.schema_id, out);
    write_presence(values, out);
    for value in values.fixed {
        out.extend(value.unwrap_or_default().to_le_bytes());
    }
    for bytes in values.variable.iter().flatten() {
        write_sized_bytes(bytes, out);
    }
    for (index, value) in values.sparse.iter().enumerate() {
        if let Some(value) = value {
            write_sparse(Layout::path_of(layout.presence_count() + index), value, out);
        }
    }
}

/// Appends a row's version and schema id.
pub(super) fn write_header(schema_id: i32, out: &mut Vec<u8>) {
    out.push(FORMAT_VERSION);
    out.extend(schema_id.to_le_bytes());
}

/// Appends one bit per fixed and variable column, lowest first, in whole bytes.
fn write_presence(values: &RowValues<'_>, out: &mut Vec<u8>) {
    let fixed = values.fixed.iter().map(Option::is_some);
    let variable = values.variable.iter().map(Option::is_some);
    let present: Vec<bool> = fixed.chain(variable).collect();
    out.extend(
        present.chunks(8).map(|eight| {
            eight.iter().enumerate().fold(0, |bits, (bit, &is_present)| bits | u8::from(is_present) << bit)
        }),
    );
}

fn write_sparse(path: u64, value: &Value<'_>, out: &mut Vec<u8>) {
    out.push(match value {
        Value::Bool(false) => type_code::FALSE,
        Value::Bool(true) => type_code::TRUE,
        Value::Int32(_) => type_code::INT32,
        Value::UInt32(_) => type_code::UINT32,
        Value::Float64(_) => type_code::FLOAT64,
        Value::Utf8(_) => type_code::UTF8,
        Value::Binary(_) => type_code::BINARY,
    });
    write_varuint(path, out);
    match value {
        Value::Bool(_) => {}
        Value::Int32(value) => out.extend(value.to_le_bytes()),
        Value::UInt32(value) => out.extend(value.to_le_bytes()),
        Value::Float64(value) => out.extend(value.to_le_bytes()),
        Value::Utf8(text) => write_sized_bytes(text.as_bytes(), out),
        Value::Binary(bytes) => write_sized_bytes(bytes, out),
    }
}

fn write_sized_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_varuint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn write_varuint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
