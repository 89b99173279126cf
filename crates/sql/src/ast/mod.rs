//! The syntax tree: what the text says, before any name is resolved.
//!
//! `Display` prints a tree as SQL, every operation in parentheses, so that parsing the text gives the same tree again. `Debug` shows
//! no places, and expressions as s-expressions.

mod expr;
mod print;

pub use expr::{Accessor, Comparison, Expr, ExprKind, Literal};
pub use orrery_engine::query::{BinaryOperator, Direction, UnaryOperator};

pub use crate::token::Span;

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    /// What rows become.
    pub select: Select,
    /// Where rows come from.
    pub from: Option<Source>,
    /// Which rows count.
    pub filter: Option<Expr>,
    /// What rows are sorted by; empty if they are not.
    pub order_by: Vec<OrderItem>,
    /// Which part of the rows is wanted.
    pub offset_limit: Option<OffsetLimit>,
}

/// The SELECT clause.
#[derive(Clone, Debug)]
pub struct Select {
    /// `TOP n`
    pub top: Option<Count>,
    /// The columns.
    pub list: SelectList,
}

/// What stands after SELECT.
#[derive(Clone)]
pub enum SelectList {
    /// `*`
    Star(Span),
    /// `VALUE expr`
    Value(Expr),
    /// Columns.
    Columns(Vec<Column>),
}

impl std::fmt::Debug for SelectList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SelectList::Star(_) => f.write_str("Star"),
            SelectList::Value(expr) => f.debug_tuple("Value").field(expr).finish(),
            SelectList::Columns(columns) => f.debug_tuple("Columns").field(columns).finish(),
        }
    }
}

/// One column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its value.
    pub expr: Expr,
    /// Its name, if the text gives one.
    pub alias: Option<Name>,
}

/// The source of FROM.
#[derive(Clone, Debug)]
pub struct Source {
    /// The collection's name, which is no more than an alias.
    pub collection: Name,
    /// The name to use instead.
    pub alias: Option<Name>,
}

/// An identifier.
#[derive(Clone)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// An item of ORDER BY.
#[derive(Clone, Debug)]
pub struct OrderItem {
    /// What is compared.
    pub expr: Expr,
    /// Which end comes first.
    pub direction: Direction,
}

/// `OFFSET n LIMIT m`
#[derive(Clone, Debug)]
pub struct OffsetLimit {
    /// Rows skipped.
    pub offset: Count,
    /// Rows wanted.
    pub limit: Count,
}

/// A number of rows.
#[derive(Clone)]
pub struct Count {
    /// The number or where it comes from.
    pub kind: CountKind,
    /// Where it stands.
    pub span: Span,
}

impl std::fmt::Debug for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// How a number of rows is given.
#[derive(Clone, Debug)]
pub enum CountKind {
    /// In the text.
    Number(orrery_value::Number),
    /// `@name`
    Parameter(String),
}
