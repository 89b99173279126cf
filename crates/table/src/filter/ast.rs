//! The tree of a filter.

use crate::EdmValue;

/// A condition: true or false of every entity.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// True if any is; at least two.
    Or(Vec<Condition>),
    /// True if all are; at least two.
    And(Vec<Condition>),
    /// True if it is not.
    Not(Box<Condition>),
    /// A property compared with a constant.
    Comparison(Comparison),
    /// A Boolean by itself: `true`, or a property, which is then compared with it.
    Constant(bool),
}

impl Condition {
    /// Its opposite; two of them are none.
    pub(super) fn negated(self) -> Self {
        match self {
            Condition::Not(condition) => *condition,
            Condition::Constant(value) => Condition::Constant(!value),
            condition => Condition::Not(Box::new(condition)),
        }
    }

    /// Whether it is as the other, one of which is a constant.
    pub(super) fn equated(self, other: Self) -> Self {
        match (self, other) {
            (condition, Condition::Constant(true)) | (Condition::Constant(true), condition) => condition,
            (condition, Condition::Constant(false)) | (Condition::Constant(false), condition) => condition.negated(),
            // The caller has checked that one is a constant.
            (condition, _) => condition,
        }
    }

    /// Whether it holds if `test` says which comparisons do.
    pub(super) fn holds(&self, test: &impl Fn(&Comparison) -> bool) -> bool {
        match self {
            Condition::Or(conditions) => conditions.iter().any(|condition| condition.holds(test)),
            Condition::And(conditions) => conditions.iter().all(|condition| condition.holds(test)),
            Condition::Not(condition) => !condition.holds(test),
            Condition::Comparison(comparison) => test(comparison),
            Condition::Constant(value) => *value,
        }
    }

    /// Calls `visit` with every comparison, in the order of the text.
    pub(super) fn each_comparison<'c>(&'c self, visit: &mut impl FnMut(&'c Comparison)) {
        match self {
            Condition::Or(conditions) | Condition::And(conditions) => {
                conditions.iter().for_each(|condition| condition.each_comparison(visit));
            }
            Condition::Not(condition) => condition.each_comparison(visit),
            Condition::Comparison(comparison) => visit(comparison),
            Condition::Constant(_) => {}
        }
    }
}

/// A property compared with a constant; false if the entity has no such property, or one of another type.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The property, keys and Timestamp included.
    pub property: String,
    /// How; a constant that stands on the left has been moved to the right.
    pub operator: Operator,
    /// With what.
    pub constant: Constant,
}

/// A constant of the text.
pub type Constant = EdmValue;

/// How a property is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `eq`
    Equal,
    /// `ne`
    NotEqual,
    /// `gt`
    Greater,
    /// `ge`
    GreaterOrEqual,
    /// `lt`
    Less,
    /// `le`
    LessOrEqual,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 6] = [
        Operator::Equal,
        Operator::NotEqual,
        Operator::Greater,
        Operator::GreaterOrEqual,
        Operator::Less,
        Operator::LessOrEqual,
    ];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Operator::Equal => "eq",
            Operator::NotEqual => "ne",
            Operator::Greater => "gt",
            Operator::GreaterOrEqual => "ge",
            Operator::Less => "lt",
            Operator::LessOrEqual => "le",
        }
    }

    /// The operator with its operands exchanged.
    pub(super) fn mirrored(self) -> Self {
        match self {
            Operator::Equal | Operator::NotEqual => self,
            Operator::Greater => Operator::Less,
            Operator::GreaterOrEqual => Operator::LessOrEqual,
            Operator::Less => Operator::Greater,
            Operator::LessOrEqual => Operator::GreaterOrEqual,
        }
    }
}
