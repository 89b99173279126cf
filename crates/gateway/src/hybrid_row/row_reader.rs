//! Reads one row by its layout.

use super::cursor::Cursor;
use super::layout::{Layout, SparseColumn, SparseKind, Value, VariableColumn, VariableKind, type_code};
use super::{FORMAT_VERSION, HybridRowError};

/// The columns of one row, looked up by their number in the layout.
#[derive(Debug)]
pub(super) struct Row<'a> {
    layout: &'static Layout,
    at: usize,
    cells: Vec<Option<Cell<'a>>>,
}

#[derive(Debug, Clone, Copy)]
struct Cell<'a> {
    value: Value<'a>,
    /// Offset of the value in the body.
    at: usize,
}

impl<'a> Row<'a> {
    /// Reads the row that fills `input`.
    pub(super) fn read(layout: &'static Layout, mut input: Cursor<'a>) -> Result<Self, HybridRowError> {
        let at = input.at();
        expect_header(&mut input, layout.schema_id, layout.name)?;
        let mut row = Row { layout, at, cells: Vec::with_capacity(layout.column_count()) };
        row.read_fixed_and_variable(&mut input)?;
        row.cells.resize(layout.column_count(), None);
        while !input.is_empty() {
            row.read_sparse(&mut input)?;
        }
        Ok(row)
    }

    pub(super) fn bool(&self, column: usize) -> Option<bool> {
        match self.cell(column)?.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn int32(&self, column: usize) -> Option<i32> {
        match self.cell(column)?.value {
            Value::Int32(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn utf8(&self, column: usize) -> Option<&'a str> {
        match self.cell(column)?.value {
            Value::Utf8(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn binary(&self, column: usize) -> Option<&'a [u8]> {
        match self.cell(column)?.value {
            Value::Binary(value) => Some(value),
            _ => None,
        }
    }

    /// Any column's value, whatever its type.
    #[cfg(test)]
    pub(super) fn value(&self, column: usize) -> Option<Value<'a>> {
        self.cell(column).map(|cell| cell.value)
    }

    /// A fixed column's value, or the error that it is missing.
    pub(super) fn required_int32(&self, column: usize) -> Result<i32, HybridRowError> {
        self.int32(column).ok_or_else(|| {
            let name = self.layout.fixed.get(column).copied().unwrap_or(self.layout.name);
            HybridRowError::MissingColumn { column: name, at: self.at }
        })
    }

    /// Offset of a column's value, or of the row when it has none.
    pub(super) fn offset_of(&self, column: usize) -> usize {
        self.cell(column).map_or(self.at, |cell| cell.at)
    }

    fn cell(&self, column: usize) -> Option<&Cell<'a>> {
        self.cells.get(column)?.as_ref()
    }

    fn read_fixed_and_variable(&mut self, input: &mut Cursor<'a>) -> Result<(), HybridRowError> {
        let presence = Presence::read(self.layout.presence_count(), input)?;
        for column in 0..self.layout.fixed.len() {
            let at = input.at();
            // An absent column keeps its place, so the bytes are read either way.
            let value = Value::Int32(input.i32()?);
            self.cells.push(presence.has(column).then_some(Cell { value, at }));
        }
        for column in self.layout.variable {
            let is_present = presence.has(self.cells.len());
            self.cells.push(if is_present { Some(read_variable(column, input)?) } else { None });
        }
        Ok(())
    }

    fn read_sparse(&mut self, input: &mut Cursor<'a>) -> Result<(), HybridRowError> {
        let at = input.at();
        let code = input.u8()?;
        let (index, column) = self.read_path(input)?;
        let cell = Cell { at: input.at(), value: read_sparse_value(column, code, at, input)? };
        match self.cells.get_mut(self.layout.presence_count() + index) {
            Some(empty @ None) => *empty = Some(cell),
            _ => {
                return Err(HybridRowError::DuplicateColumn { column: column.name, at });
            }
        }
        Ok(())
    }

    /// Reads a path and finds its column: its place among the sparse ones and itself.
    fn read_path(&self, input: &mut Cursor<'a>) -> Result<(usize, &'static SparseColumn), HybridRowError> {
        let at = input.at();
        let path = input.varuint()?;
        let spelled = match path.checked_sub(self.layout.first_spelled_path()) {
            Some(size) => Some(input.take(usize::try_from(size).unwrap_or(usize::MAX))?),
            None => None,
        };
        let first_sparse = self.layout.presence_count();
        self.layout
            .sparse
            .iter()
            .enumerate()
            .find(|(index, column)| match spelled {
                Some(name) => column.name.as_bytes() == name,
                None => Layout::path_of(first_sparse + index) == path,
            })
            .ok_or(HybridRowError::UnknownColumn { path, at })
    }
}

/// Reads a row's version and schema id, which must be the ones given.
pub(super) fn expect_header(
    input: &mut Cursor<'_>,
    schema_id: i32,
    expected: &'static str,
) -> Result<(), HybridRowError> {
    let at = input.at();
    match read_header(input)? {
        found if found == schema_id => Ok(()),
        found => Err(HybridRowError::UnexpectedSchema { found, expected, at: at + 1 }),
    }
}

/// Reads a row's version, of which there is one, and returns its schema id.
pub(super) fn read_header(input: &mut Cursor<'_>) -> Result<i32, HybridRowError> {
    let at = input.at();
    match input.u8()? {
        FORMAT_VERSION => input.i32(),
        found => Err(HybridRowError::UnknownVersion { found, at }),
    }
}

/// The bits that say which fixed and variable columns have a value.
struct Presence<'a>(&'a [u8]);

impl<'a> Presence<'a> {
    fn read(column_count: usize, input: &mut Cursor<'a>) -> Result<Self, HybridRowError> {
        let presence = Presence(input.take(column_count.div_ceil(8))?);
        let past_the_last = column_count..presence.0.len() * 8;
        match (presence.0.last(), past_the_last.into_iter().any(|bit| presence.has(bit))) {
            (Some(&bits), true) => Err(HybridRowError::UnknownPresenceBits { bits, at: input.at() - 1 }),
            _ => Ok(presence),
        }
    }

    fn has(&self, column: usize) -> bool {
        self.0.get(column / 8).is_some_and(|byte| byte >> (column % 8) & 1 == 1)
    }
}

fn read_variable<'a>(column: &VariableColumn, input: &mut Cursor<'a>) -> Result<Cell<'a>, HybridRowError> {
    let bytes = input.sized_bytes()?;
    let at = input.at() - bytes.len();
    let value = match column.kind {
        VariableKind::Utf8 => Value::Utf8(text(column.name, bytes, at)?),
        VariableKind::Binary => Value::Binary(bytes),
    };
    Ok(Cell { value, at })
}

fn read_sparse_value<'a>(
    column: &SparseColumn,
    code: u8,
    code_at: usize,
    input: &mut Cursor<'a>,
) -> Result<Value<'a>, HybridRowError> {
    Ok(match (column.kind, code) {
        (SparseKind::Bool, type_code::TRUE) => Value::Bool(true),
        (SparseKind::Bool, type_code::FALSE) => Value::Bool(false),
        (SparseKind::Int32, type_code::INT32) => Value::Int32(input.i32()?),
        (SparseKind::UInt32, type_code::UINT32) => Value::UInt32(input.u32()?),
        (SparseKind::Float64, type_code::FLOAT64) => Value::Float64(input.f64()?),
        (SparseKind::Utf8, type_code::UTF8) => {
            let bytes = input.sized_bytes()?;
            Value::Utf8(text(column.name, bytes, input.at() - bytes.len())?)
        }
        _ => {
            return Err(HybridRowError::WrongType { column: column.name, type_code: code, at: code_at });
        }
    })
}

fn text<'a>(column: &'static str, bytes: &'a [u8], at: usize) -> Result<&'a str, HybridRowError> {
    std::str::from_utf8(bytes).map_err(|_| HybridRowError::InvalidUtf8 { column, at })
}
