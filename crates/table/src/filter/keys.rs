//! The keys that a filter asks for.

use std::ops::Bound;

use orrery_engine::query::Expr;

use super::compile::{binary, partition_key, row_key};
use super::{Comparison, Condition, Operator};
use crate::EdmValue;

/// Bounds on the keys of the entities that pass a filter: what its conditions say that must all hold. Alternatives are not looked
/// into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyBounds {
    /// The logical partitions.
    pub partition_key: KeyRange,
    /// The names within their partitions.
    pub row_key: KeyRange,
}

/// A range of keys in the order of their characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// Where it begins.
    pub lower: Bound<String>,
    /// Where it ends.
    pub upper: Bound<String>,
}

impl KeyBounds {
    pub(super) fn of(condition: &Condition) -> Self {
        let mut bounds = KeyBounds { partition_key: KeyRange::ALL, row_key: KeyRange::ALL };
        bounds.narrow(condition);
        bounds
    }

    /// Whether no entity can have such keys.
    pub fn is_empty(&self) -> bool {
        self.partition_key.is_empty() || self.row_key.is_empty()
    }

    fn narrow(&mut self, condition: &Condition) {
        match condition {
            Condition::And(conditions) => conditions.iter().for_each(|condition| self.narrow(condition)),
            Condition::Comparison(Comparison { property, operator, constant: EdmValue::String(text) }) => {
                match &**property {
                    "PartitionKey" => self.partition_key.narrow(*operator, text),
                    "RowKey" => self.row_key.narrow(*operator, text),
                    _ => {}
                }
            }
            // Keys are strings and nothing else.
            Condition::Comparison(Comparison { property, .. })
                if property == "PartitionKey" || property == "RowKey" =>
            {
                self.partition_key = KeyRange::none();
            }
            Condition::Constant(false) => self.partition_key = KeyRange::none(),
            Condition::Comparison(_) | Condition::Constant(true) | Condition::Or(_) | Condition::Not(_) => {}
        }
    }
}

impl KeyRange {
    /// All keys.
    pub const ALL: KeyRange = KeyRange { lower: Bound::Unbounded, upper: Bound::Unbounded };

    fn none() -> Self {
        KeyRange { lower: Bound::Unbounded, upper: Bound::Excluded(String::new()) }
    }

    /// The only key in it, if that is said.
    pub fn single(&self) -> Option<&str> {
        match (&self.lower, &self.upper) {
            (Bound::Included(lower), Bound::Included(upper)) if lower == upper => Some(lower),
            _ => None,
        }
    }

    /// Whether no key is in it. Keys between two neighbours such as `a` and `a\0` are not looked for.
    pub fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (_, Bound::Excluded(upper)) if upper.is_empty() => true,
            (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
            (Bound::Included(lower) | Bound::Excluded(lower), Bound::Included(upper) | Bound::Excluded(upper)) => {
                lower >= upper
            }
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        }
    }

    fn narrow(&mut self, operator: Operator, key: &str) {
        let key = || key.to_owned();
        match operator {
            Operator::Equal => {
                self.raise(Bound::Included(key()));
                self.lower(Bound::Included(key()));
            }
            Operator::Greater => self.raise(Bound::Excluded(key())),
            Operator::GreaterOrEqual => self.raise(Bound::Included(key())),
            Operator::Less => self.lower(Bound::Excluded(key())),
            Operator::LessOrEqual => self.lower(Bound::Included(key())),
            Operator::NotEqual => {}
        }
    }

    fn raise(&mut self, bound: Bound<String>) {
        let is_tighter = match (&self.lower, &bound) {
            (Bound::Unbounded, _) => true,
            (Bound::Included(old), Bound::Excluded(new)) => new >= old,
            (Bound::Included(old) | Bound::Excluded(old), Bound::Included(new) | Bound::Excluded(new)) => new > old,
            (_, Bound::Unbounded) => false,
        };
        if is_tighter {
            self.lower = bound;
        }
    }

    fn lower(&mut self, bound: Bound<String>) {
        let is_tighter = match (&self.upper, &bound) {
            (Bound::Unbounded, _) => true,
            (Bound::Included(old), Bound::Excluded(new)) => new <= old,
            (Bound::Included(old) | Bound::Excluded(old), Bound::Included(new) | Bound::Excluded(new)) => new < old,
            (_, Bound::Unbounded) => false,
        };
        if is_tighter {
            self.upper = bound;
        }
    }
}

/// True on entities at or behind a place in the order of keys: (`partition`, `row`), or the partition's first without a row key.
pub fn not_before(partition: &str, row: Option<&str>) -> Expr {
    within(partition, row, Operator::GreaterOrEqual, Operator::Greater)
}

/// True on entities at or before a place in the order of keys: (`partition`, `row`), or the partition's last without a row key.
pub fn not_after(partition: &str, row: Option<&str>) -> Expr {
    within(partition, row, Operator::LessOrEqual, Operator::Less)
}

/// The first condition is a plain one on the partition key, which an index can use.
fn within(partition: &str, row: Option<&str>, loose: Operator, strict: Operator) -> Expr {
    let in_range = binary(loose, partition_key(), partition);
    let Some(row) = row else { return in_range };
    Expr::And(vec![in_range, Expr::Or(vec![binary(strict, partition_key(), partition), binary(loose, row_key(), row)])])
}
