//! The syntax tree: what the text says, before any name is resolved.
//!
//! `Display` prints a tree as SQL in the service's spelling, every operation in parentheses, so that parsing the text gives the same
//! tree again. `Debug` shows no places, and expressions as s-expressions, so that it tells trees apart and nothing else.

mod expr;
mod print;

pub use expr::{Accessor, Comparison, Expr, ExprKind, Literal};
pub use orrery_engine::query::{BinaryOperator, Direction, SubqueryKind, UnaryOperator};

use crate::limits::SUBQUERY_LEVELS;
pub use crate::token::Span;

/// A query or a subquery.
#[derive(Clone, Debug)]
pub struct Query {
    /// What rows become.
    pub select: Select,
    /// Where rows come from.
    pub from: Option<From>,
    /// Which rows count.
    pub filter: Option<Expr>,
    /// What rows are grouped by; empty if they are not.
    pub group_by: Vec<Expr>,
    /// What rows are sorted by. Binding refuses it in a subquery, as it does TOP.
    pub order_by: Option<OrderBy>,
    /// Which part of the rows is wanted. Binding refuses it in a subquery.
    pub offset_limit: Option<OffsetLimit>,
}

impl Query {
    /// Levels of expressions and subqueries in it. Looks at every expression of its clauses, but not into them.
    pub(crate) fn depth(&self) -> usize {
        let selected: Vec<&Expr> = match &self.select.list {
            SelectList::Star(_) => Vec::new(),
            SelectList::Value(expr) => vec![expr],
            SelectList::Columns(columns) => columns.iter().map(|column| &column.expr).collect(),
        };
        let ordered: Vec<&Expr> = match &self.order_by {
            None => Vec::new(),
            Some(OrderBy::Items(items)) => items.iter().map(|item| &item.expr).collect(),
            Some(OrderBy::Rank(items)) => items.iter().map(|item| &item.call).collect(),
        };
        let sources = self.from.iter().flat_map(From::sources).map(|source| source.collection.depth());
        let exprs = selected.into_iter().chain(&self.filter).chain(&self.group_by).chain(ordered);
        exprs.map(|expr| expr.depth).chain(sources).max().unwrap_or(0)
    }
}

/// The FROM clause.
#[derive(Clone, Debug)]
pub struct From {
    /// The first source.
    pub first: Source,
    /// `JOIN source`, in order.
    pub joins: Vec<Source>,
}

impl From {
    /// All sources, from the left.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.first).chain(&self.joins)
    }
}

/// The ORDER BY clause.
#[derive(Clone, Debug)]
pub enum OrderBy {
    /// `ORDER BY a, b DESC`
    Items(Vec<OrderItem>),
    /// `ORDER BY RANK score`: the calls as written.
    Rank(Vec<RankItem>),
}

/// An item of ORDER BY RANK.
#[derive(Clone, Debug)]
pub struct RankItem {
    /// The call of the scoring function.
    pub call: Expr,
    /// The direction, if the text gives one.
    pub direction: Option<Direction>,
}

/// The SELECT clause.
#[derive(Clone, Debug)]
pub struct Select {
    /// DISTINCT
    pub distinct: bool,
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

/// A source of FROM or JOIN.
#[derive(Clone)]
pub struct Source {
    /// What it reads.
    pub collection: Collection,
    /// `collection AS alias`, or `alias IN collection`.
    pub alias: Option<Name>,
    /// Whether it gives the elements of the collection: `alias IN collection`.
    pub iterates: bool,
    /// Where it stands.
    pub span: Span,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut source = f.debug_struct("Source");
        source
            .field("collection", &self.collection)
            .field("alias", &self.alias)
            .field("iterates", &self.iterates)
            .finish()
    }
}

/// What a source reads.
#[derive(Clone, Debug)]
pub enum Collection {
    /// `c.a["b"][0]`: an alias or the container, and steps by constant names and numbers.
    Path {
        /// The alias, or any name for the container.
        root: Name,
        /// Steps from there: literal strings and numbers only.
        steps: Vec<Accessor>,
    },
    /// `(SELECT ...)`
    Subquery(Box<Query>),
    /// `t IN FUNCTION(c.x)`: the value of a call.
    Call(Expr),
}

impl Collection {
    fn depth(&self) -> usize {
        match self {
            Collection::Path { .. } => 1,
            Collection::Subquery(query) => SUBQUERY_LEVELS + query.depth(),
            Collection::Call(call) => call.depth,
        }
    }
}

impl Source {
    /// The name that expressions use for it: the alias, else the last name of its path.
    pub fn name(&self) -> Option<&str> {
        match (&self.alias, &self.collection) {
            (Some(alias), _) => Some(&alias.text),
            (None, Collection::Path { root, steps }) => match steps.last() {
                None => Some(&root.text),
                Some(Accessor::Member(name)) => Some(&name.text),
                Some(Accessor::Index(Expr { kind: ExprKind::Literal(Literal::String(name)), .. })) => Some(name),
                Some(Accessor::Index(_)) => None,
            },
            (None, Collection::Subquery(_) | Collection::Call(_)) => None,
        }
    }
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
    /// Whether the text gives the direction.
    pub is_written: bool,
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
