//! How a schema's columns lie in a row.

/// The columns of a schema, in their order on the wire. The number of a column is its place in `fixed`, `variable` and
/// `sparse` taken together, from 0.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) name: &'static str,
    pub(super) schema_id: i32,
    /// Names of the fixed columns. Both batch schemas have only nullable 32-bit integers here.
    pub(super) fixed: &'static [&'static str],
    pub(super) variable: &'static [VariableColumn],
    pub(super) sparse: &'static [SparseColumn],
}

/// A column whose value is a size and bytes between the fixed and the sparse columns.
#[derive(Debug)]
pub(super) struct VariableColumn {
    pub(super) name: &'static str,
    pub(super) kind: VariableKind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum VariableKind {
    Utf8,
    Binary,
}

/// A column that carries its type and path with it and is there only when it has a value.
#[derive(Debug)]
pub(super) struct SparseColumn {
    pub(super) name: &'static str,
    pub(super) kind: SparseKind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum SparseKind {
    Bool,
    Int32,
    UInt32,
    Float64,
    Utf8,
}

/// The codes before sparse values that say their type.
pub(super) mod type_code {
    pub(in super::super) const FALSE: u8 = 2;
    pub(in super::super) const TRUE: u8 = 3;
    pub(in super::super) const INT32: u8 = 7;
    pub(in super::super) const UINT32: u8 = 11;
    pub(in super::super) const FLOAT64: u8 = 16;
    pub(in super::super) const UTF8: u8 = 20;
    pub(in super::super) const BINARY: u8 = 21;
}

/// A column's value; strings and bytes borrow from the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Bool(bool),
    Int32(i32),
    UInt32(u32),
    Float64(f64),
    Utf8(&'a str),
    Binary(&'a [u8]),
}

impl Layout {
    /// Columns that have a presence bit: all but the sparse ones.
    pub(super) const fn presence_count(&self) -> usize {
        self.fixed.len() + self.variable.len()
    }

    pub(super) const fn column_count(&self) -> usize {
        self.presence_count() + self.sparse.len()
    }

    /// What stands for the column in a sparse path; 0 is the empty path.
    pub(super) const fn path_of(column: usize) -> u64 {
        column as u64 + 1
    }

    /// The first path that is not a column but a name spelled out, of length zero.
    pub(super) const fn first_spelled_path(&self) -> u64 {
        Self::path_of(self.column_count())
    }
}
