//! Expressions, bound: no names of aliases or parameters are left in them.

use std::cmp::Ordering;
use std::sync::Arc;

use orrery_value::{PropertyPath, Value, total_order};

use crate::query::{BinaryOperator, Body, Function, Like, UnaryOperator};

/// An expression over a row.
///
/// Building one is free of checks; whoever builds it bounds its depth, as evaluation recurses once per level.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A value of the query's text or parameters.
    Constant(Value),
    /// The value of a source: 0 is the item. A subquery's own sources follow those of the row around it.
    Source(usize),
    /// A key of the group that a folded row stands for.
    GroupKey(usize),
    /// The result of an aggregate of the group that a folded row stands for.
    Aggregate(usize),
    /// Properties within properties: `base.a.b`.
    Path {
        /// What the path starts from.
        base: Box<Expr>,
        /// The names to follow.
        path: PropertyPath,
    },
    /// `base[index]`: a property if the index is a string, an element if it is a number.
    Element {
        /// The object or array.
        base: Box<Expr>,
        /// Which one.
        index: Box<Expr>,
    },
    /// `[a, b]`; undefined elements are left out.
    Array(Vec<Expr>),
    /// `{"a": b}`; undefined members are left out. Names differ from each other.
    Object(Vec<Member>),
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// False if any is false, else undefined if any is not Boolean, else true.
    And(Vec<Expr>),
    /// True if any is true, else undefined if any is not Boolean, else false.
    Or(Vec<Expr>),
    /// `condition ? then : otherwise`
    Conditional {
        /// Selects `then` if it is exactly true.
        condition: Box<Expr>,
        /// The value then.
        then: Box<Expr>,
        /// The value otherwise.
        otherwise: Box<Expr>,
    },
    /// `a ?? b`: the first unless it is undefined.
    Coalesce(Box<Expr>, Box<Expr>),
    /// `needle IN (list)`
    In {
        /// What is looked for.
        needle: Box<Expr>,
        /// Where.
        list: InList,
    },
    /// `value BETWEEN low AND high`
    Between {
        /// What is compared.
        value: Box<Expr>,
        /// The least that is in.
        low: Box<Expr>,
        /// The greatest that is in.
        high: Box<Expr>,
    },
    /// `text LIKE pattern`
    Like {
        /// What is matched.
        text: Box<Expr>,
        /// What with.
        pattern: LikePattern,
    },
    /// A built-in function. There are as many arguments as it takes.
    Call(&'static Function, Vec<Expr>),
    /// A query within the query, evaluated for each row and seeing its sources.
    Subquery(SubqueryKind, Arc<Body>),
}

/// What is made of a subquery's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubqueryKind {
    /// `(SELECT ...)`: its one row; undefined without any; more than one fails the query.
    Scalar,
    /// `EXISTS(SELECT ...)`: whether there is any.
    Exists,
    /// `ARRAY(SELECT ...)`: all of them.
    Array,
    /// `FIRST(SELECT ...)`: the first one; undefined without any.
    First,
    /// `LAST(SELECT ...)`: the last one; undefined without any.
    Last,
    /// `ALL(SELECT ...)`: whether each of them is true, as it is without any.
    All,
}

/// A member of an object that an expression builds.
#[derive(Clone, Debug)]
pub struct Member {
    pub(in crate::query) name: String,
    /// The name as JSON, with the colon after it.
    pub(in crate::query) label: Vec<u8>,
    pub(in crate::query) value: Expr,
}

impl Member {
    /// A member of that name.
    pub fn new(name: impl Into<String>, value: Expr) -> Self {
        let name = Value::String(name.into());
        let mut label = name.to_json();
        label.push(b':');
        let Value::String(name) = name else { unreachable!("it was made a string above") };
        Member { name, label, value }
    }
}

/// The list of an IN, its constants sorted so that long lists are searched in a few comparisons.
#[derive(Clone, Debug)]
pub struct InList {
    pub(in crate::query) constants: Vec<Value>,
    pub(in crate::query) others: Vec<Expr>,
}

impl InList {
    /// A list of these items.
    pub fn new(items: Vec<Expr>) -> Self {
        let mut list = InList { constants: Vec::new(), others: Vec::new() };
        for item in items {
            match item {
                Expr::Constant(value) if !value.is_undefined() => list.constants.push(value),
                other => list.others.push(other),
            }
        }
        list.constants.sort_by(total_order);
        list.constants.dedup_by(|a, b| total_order(a, b) == Ordering::Equal);
        list
    }
}

/// The pattern of a LIKE.
#[derive(Clone, Debug)]
pub enum LikePattern {
    /// Known before the first row.
    Fixed(Like),
    /// Computed for each row.
    Computed {
        /// The pattern's text.
        pattern: Box<Expr>,
        /// The character that takes the next one's meaning away.
        escape: Option<char>,
    },
}

impl Expr {
    /// Properties of `base`, joined with the path that it already is.
    pub fn property(base: Expr, name: &str) -> Expr {
        let (base, mut names) = match base {
            Expr::Path { base, path } => (base, path.segments().iter().map(|name| name.as_str().to_owned()).collect()),
            base => (Box::new(base), Vec::new()),
        };
        names.push(name.to_owned());
        Expr::Path { base, path: names.into_iter().collect() }
    }

    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<&Value> {
        match self {
            Expr::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The path within source 0, if this is one.
    pub fn as_item_path(&self) -> Option<&PropertyPath> {
        match self {
            Expr::Path { base, path } if matches!(**base, Expr::Source(0)) => Some(path),
            _ => None,
        }
    }
}
