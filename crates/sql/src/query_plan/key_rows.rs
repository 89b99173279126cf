//! What a query's clauses say about the partition key of the items that can make its rows.
//!
//! The answer may be too wide, never too narrow: what is not understood says nothing.

use std::cell::Cell;
use std::collections::HashMap;

use orrery_engine::query::{BinaryOperator, SubqueryKind, UnaryOperator};
use orrery_value::{KeyComponent, PartitionKeyDefinition, PropertyPath, Value};

use super::scope::Scope;
use crate::ast::{Collection, Comparison, Expr, ExprKind, Query, Select, SelectList};
use crate::bind::bind;
use crate::bind::body::is_grouped;
use crate::bind::children::each_child;
use crate::bind::context::Context;
use crate::bind::expr::value_of;

/// Partition keys that are told apart, and steps of combining them; beyond, the filter counts as saying nothing. An IN may have 16,000
/// items.
const MAX_KEY_ROWS: usize = 1 << 16;

/// Partition keys: each row has for each path of the key the value that it must have, or none if it may have any. No row: no item at
/// all.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeyRows {
    paths: usize,
    rows: Vec<KeyRow>,
}

pub(super) type KeyRow = Vec<Option<KeyComponent>>;

impl KeyRows {
    fn any(paths: usize) -> KeyRows {
        KeyRows { paths, rows: vec![vec![None; paths]] }
    }

    pub fn none(paths: usize) -> KeyRows {
        KeyRows { paths, rows: Vec::new() }
    }

    fn one(paths: usize, path: usize, value: KeyComponent) -> KeyRows {
        let mut row = vec![None; paths];
        row[path] = Some(value);
        KeyRows { paths, rows: vec![row] }
    }

    pub fn into_rows(self) -> Vec<KeyRow> {
        self.rows
    }

    fn says_nothing(&self) -> bool {
        self.rows.iter().any(|row| row.iter().all(Option::is_none))
    }

    fn or(mut self, mut other: KeyRows) -> KeyRows {
        if self.says_nothing() || other.says_nothing() || self.rows.len() + other.rows.len() > MAX_KEY_ROWS {
            return KeyRows::any(self.paths);
        }
        self.rows.append(&mut other.rows);
        self
    }

    fn and(self, other: KeyRows) -> KeyRows {
        if self.says_nothing() {
            return other;
        }
        if other.says_nothing() {
            return self;
        }
        if self.rows.len().saturating_mul(other.rows.len()) > MAX_KEY_ROWS {
            // Either side alone is right, only wider.
            return if self.rows.len() <= other.rows.len() { self } else { other };
        }
        let pairs = self.rows.iter().flat_map(|left| other.rows.iter().filter_map(|right| meet(left, right)));
        KeyRows { paths: self.paths, rows: pairs.collect() }
    }
}

/// The key that is both, if there is one.
fn meet(left: &KeyRow, right: &KeyRow) -> Option<KeyRow> {
    let meet = |(left, right): (&Option<KeyComponent>, &Option<KeyComponent>)| match (left, right) {
        (Some(left), Some(right)) => (left == right).then(|| Some(left.clone())),
        (Some(one), None) | (None, Some(one)) => Some(Some(one.clone())),
        (None, None) => Some(None),
    };
    left.iter().zip(right).map(meet).collect()
}

/// Constant expressions, neither literals nor parameters, that are computed for one plan; the others count as unknown.
const MAX_COMPUTED: usize = 64;

/// Finds keys in clauses.
pub(super) struct KeyFinder<'q> {
    definition: Option<&'q PartitionKeyDefinition>,
    parameters: &'q [(String, Value)],
    context: &'q Context,
    by_name: HashMap<&'q str, &'q Value>,
    computed: Cell<usize>,
}

/// What an expression is asked to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
}

impl Truth {
    fn not(self) -> Truth {
        match self {
            Truth::True => Truth::False,
            Truth::False => Truth::True,
        }
    }
}

impl<'q> KeyFinder<'q> {
    pub fn new(
        definition: Option<&'q PartitionKeyDefinition>,
        parameters: &'q [(String, Value)],
        context: &'q Context,
    ) -> Self {
        let by_name = parameters.iter().rev().map(|(name, value)| (name.strip_prefix('@').unwrap_or(name), value));
        KeyFinder { definition, parameters, context, by_name: by_name.collect(), computed: Cell::new(0) }
    }

    /// The keys of items that go through FROM and WHERE.
    pub fn of_sources(&self, query: &'q Query, outer: &Scope<'q>) -> KeyRows {
        let mut scope = outer.clone();
        scope.enter(query);
        let mut keys = self.any();
        for source in query.from.iter().flat_map(|from| [&from.first].into_iter().chain(&from.joins)) {
            if let Collection::Subquery(inner) = &source.collection {
                keys = keys.and(self.of_subquery(inner, &scope));
            }
        }
        match &query.filter {
            Some(filter) => keys.and(self.of(filter, &scope, Truth::True)),
            None => keys,
        }
    }

    /// The keys of items for which a subquery has rows. An aggregate without groups has one without any input.
    fn of_subquery(&self, query: &'q Query, outer: &Scope<'q>) -> KeyRows {
        let folds = query.group_by.is_empty() && is_grouped(query);
        if folds { self.any() } else { self.of_sources(query, outer) }
    }

    /// The keys of items for which the expression is `truth`.
    fn of(&self, expr: &'q Expr, scope: &Scope<'q>, truth: Truth) -> KeyRows {
        if let Some(value) = self.constant(expr) {
            return if value == Value::Bool(truth == Truth::True) { self.any() } else { self.none() };
        }
        if let Some(path) = self.key_path(expr, scope) {
            return self.one(path, KeyComponent::Bool(truth == Truth::True));
        }
        match (&expr.kind, truth) {
            (ExprKind::And(operands), Truth::True) | (ExprKind::Or(operands), Truth::False) => {
                operands.iter().fold(self.any(), |keys, operand| keys.and(self.of(operand, scope, truth)))
            }
            (ExprKind::Or(operands), Truth::True) | (ExprKind::And(operands), Truth::False) => {
                operands.iter().fold(self.none(), |keys, operand| keys.or(self.of(operand, scope, truth)))
            }
            (ExprKind::Unary(UnaryOperator::Not, operand), _) => self.of(operand, scope, truth.not()),
            (ExprKind::Binary(BinaryOperator::Equal, a, b), Truth::True)
            | (ExprKind::Binary(BinaryOperator::NotEqual, a, b), Truth::False) => {
                self.equal(a, b, scope).and(self.defined(expr, scope))
            }
            (ExprKind::Compare { operand, negated, comparison }, _) => {
                let truth = if *negated { truth.not() } else { truth };
                self.compared(operand, comparison, scope, truth)
            }
            (ExprKind::Call { udf: false, name, arguments }, _) => {
                self.called(&name.text.to_ascii_uppercase(), arguments, scope, truth)
            }
            (ExprKind::Subquery(SubqueryKind::Exists, query), Truth::True) => self.of_subquery(query, scope),
            _ => self.defined(expr, scope),
        }
    }

    /// The keys of items for which the expression has a value.
    fn defined(&self, expr: &'q Expr, scope: &Scope<'q>) -> KeyRows {
        match &expr.kind {
            ExprKind::Binary(_, a, b) => self.defined(a, scope).and(self.defined(b, scope)),
            ExprKind::Unary(_, operand) => self.defined(operand, scope),
            ExprKind::Access { base, .. } => self.defined(base, scope),
            ExprKind::Subquery(SubqueryKind::Scalar | SubqueryKind::First | SubqueryKind::Last, query) => {
                self.of_subquery(query, scope)
            }
            _ => self.any(),
        }
    }

    fn equal(&self, a: &'q Expr, b: &'q Expr, scope: &Scope<'q>) -> KeyRows {
        let found = [(a, b), (b, a)].into_iter().find_map(|(path, value)| {
            let path = self.key_path(path, scope)?;
            Some((path, self.constant(value)?))
        });
        match found {
            Some((path, value)) => self.has_value(path, &value),
            None => self.any(),
        }
    }

    /// Items whose key has an array or object count as without a key.
    fn has_value(&self, path: usize, value: &Value) -> KeyRows {
        match value {
            Value::Undefined => self.none(),
            Value::Array(_) | Value::Object(_) => self.one(path, KeyComponent::Undefined),
            value => match KeyComponent::from_value(value) {
                Some(component) => self.one(path, component),
                None => self.any(),
            },
        }
    }

    fn compared(&self, operand: &'q Expr, comparison: &'q Comparison, scope: &Scope<'q>, truth: Truth) -> KeyRows {
        match (comparison, truth) {
            (Comparison::In(items), Truth::True) => {
                let equal = |item: &'q Expr| self.equal(operand, item, scope);
                items.iter().fold(self.none(), |keys, item| keys.or(equal(item))).and(self.defined(operand, scope))
            }
            (Comparison::Like(pattern, escape), Truth::True) => {
                let text = match self.constant(pattern) {
                    Some(Value::String(pattern)) => text_without_wildcards(&pattern, *escape),
                    _ => None,
                };
                match (self.key_path(operand, scope), text) {
                    (Some(path), Some(text)) => self.one(path, KeyComponent::String(text)),
                    _ => self.any(),
                }
            }
            _ => self.defined(operand, scope),
        }
    }

    fn called(&self, function: &str, arguments: &'q [Expr], scope: &Scope<'q>, truth: Truth) -> KeyRows {
        match (function, arguments, truth) {
            ("IS_NULL", [argument], Truth::True) => match self.key_path(argument, scope) {
                Some(path) => self.one(path, KeyComponent::Null),
                None => self.any(),
            },
            ("IS_BOOL", [argument], Truth::True) => match self.key_path(argument, scope) {
                Some(path) => self.one(path, KeyComponent::Bool(false)).or(self.one(path, KeyComponent::Bool(true))),
                None => self.any(),
            },
            ("IS_DEFINED", [argument], Truth::False) => match self.key_path(argument, scope) {
                Some(path) => self.one(path, KeyComponent::Undefined),
                None => self.any(),
            },
            ("ARRAY_CONTAINS" | "_TRY_ARRAY_CONTAINS", [list, item], Truth::True) => {
                match (self.constant(list), self.key_path(item, scope)) {
                    (Some(Value::Array(list)), Some(path)) => {
                        list.iter().fold(self.none(), |keys, value| keys.or(self.has_value(path, value)))
                    }
                    _ => self.any(),
                }
            }
            _ => self.any(),
        }
    }

    /// Which path of the partition key the expression is.
    fn key_path(&self, expr: &'q Expr, scope: &Scope<'q>) -> Option<usize> {
        let path = scope.item_path(expr)?;
        let is_path = |key: &PropertyPath| {
            key.segments().len() == path.len() && key.segments().iter().zip(&path).all(|(a, b)| a.as_str() == *b)
        };
        self.definition?.paths.iter().position(is_path)
    }

    /// The value of an expression that needs no item.
    fn constant(&self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Literal(literal) => Some(value_of(literal)),
            ExprKind::Parameter(name) => self.by_name.get(name.as_str()).copied().cloned(),
            _ if self.computed.get() >= MAX_COMPUTED || !is_closed(expr) => None,
            _ => {
                self.computed.set(self.computed.get() + 1);
                let nothing = Query {
                    select: Select { distinct: false, top: None, list: SelectList::Value(expr.clone()) },
                    from: None,
                    filter: None,
                    group_by: Vec::new(),
                    order_by: None,
                    offset_limit: None,
                };
                let bound = bind(&nothing, self.parameters, self.context).ok()?;
                // What depends on the time is something else by when a range computes it.
                bound.plan.body.projection.as_constant().filter(|_| bound.is_repeatable).cloned()
            }
        }
    }

    fn any(&self) -> KeyRows {
        KeyRows::any(self.paths())
    }

    fn none(&self) -> KeyRows {
        KeyRows::none(self.paths())
    }

    fn one(&self, path: usize, value: KeyComponent) -> KeyRows {
        KeyRows::one(self.paths(), path, value)
    }

    fn paths(&self) -> usize {
        self.definition.map_or(0, |definition| definition.paths.len())
    }
}

/// Whether no item and no subquery is needed, nor a user-defined function.
fn is_closed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Identifier(_) | ExprKind::Subquery(..) | ExprKind::Call { udf: true, .. } => false,
        kind => {
            let mut all = true;
            each_child(kind, &mut |child| all = all && is_closed(child));
            all
        }
    }
}

/// The only text that a pattern matches, if there is only one.
fn text_without_wildcards(pattern: &str, escape: Option<char>) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            char if Some(char) == escape => text.push(chars.next()?),
            '%' | '_' | '[' | ']' => return None,
            char => text.push(char),
        }
    }
    Some(text)
}
