//! Predicates.

use super::{GType, GValue};

/// A condition on one value. In `where()` the operands are labels of the path instead.
#[derive(Clone, Debug)]
pub enum P {
    /// A comparison with one operand.
    Compare(Comparison, GValue),
    /// A comparison with two bounds.
    Interval(Interval, GValue, GValue),
    /// Equal to one of these.
    Within(Vec<GValue>),
    /// Equal to none of these.
    Without(Vec<GValue>),
    /// Of this class, or one below it.
    TypeOf(GType),
    /// A comparison of strings. The operand is a string, or null, to which nothing compares.
    Text(TextComparison, GValue),
    /// All hold.
    And(Vec<P>),
    /// One holds.
    Or(Vec<P>),
    /// Does not hold.
    Not(Box<P>),
}

/// Comparisons with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `eq`
    Equal,
    /// `neq`
    NotEqual,
    /// `lt`
    Less,
    /// `lte`
    LessOrEqual,
    /// `gt`
    Greater,
    /// `gte`
    GreaterOrEqual,
}

/// Comparisons with two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interval {
    /// Between the bounds, and neither of them.
    Inside,
    /// Below the lower or above the upper one.
    Outside,
    /// From the lower one up to the upper one, exclusive.
    Between,
}

/// Comparisons of strings: `TextP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextComparison {
    /// `startingWith`
    StartingWith,
    /// `notStartingWith`
    NotStartingWith,
    /// `endingWith`
    EndingWith,
    /// `notEndingWith`
    NotEndingWith,
    /// `containing`
    Containing,
    /// `notContaining`
    NotContaining,
    /// A regular expression is found somewhere in the string.
    Regex,
    /// It is not.
    NotRegex,
}

impl Comparison {
    /// As the language spells it.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Equal => "eq",
            Comparison::NotEqual => "neq",
            Comparison::Less => "lt",
            Comparison::LessOrEqual => "lte",
            Comparison::Greater => "gt",
            Comparison::GreaterOrEqual => "gte",
        }
    }

    /// By its name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "eq" => Comparison::Equal,
            "neq" => Comparison::NotEqual,
            "lt" => Comparison::Less,
            "lte" => Comparison::LessOrEqual,
            "gt" => Comparison::Greater,
            "gte" => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }
}

impl Interval {
    /// As the language spells it.
    pub fn name(self) -> &'static str {
        match self {
            Interval::Inside => "inside",
            Interval::Outside => "outside",
            Interval::Between => "between",
        }
    }

    /// By its name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "inside" => Interval::Inside,
            "outside" => Interval::Outside,
            "between" => Interval::Between,
            _ => return None,
        })
    }
}

impl TextComparison {
    /// As the language spells it.
    pub fn name(self) -> &'static str {
        match self {
            TextComparison::StartingWith => "startingWith",
            TextComparison::NotStartingWith => "notStartingWith",
            TextComparison::EndingWith => "endingWith",
            TextComparison::NotEndingWith => "notEndingWith",
            TextComparison::Containing => "containing",
            TextComparison::NotContaining => "notContaining",
            TextComparison::Regex => "regex",
            TextComparison::NotRegex => "notRegex",
        }
    }

    /// By its name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "startingWith" => TextComparison::StartingWith,
            "notStartingWith" => TextComparison::NotStartingWith,
            "endingWith" => TextComparison::EndingWith,
            "notEndingWith" => TextComparison::NotEndingWith,
            "containing" => TextComparison::Containing,
            "notContaining" => TextComparison::NotContaining,
            "regex" => TextComparison::Regex,
            "notRegex" => TextComparison::NotRegex,
            _ => return None,
        })
    }
}

impl P {
    /// Equal to a value.
    pub fn equal(value: GValue) -> Self {
        P::Compare(Comparison::Equal, value)
    }

    /// The predicate of a name with its operands, as texts, GraphSON and GraphBinary have it: two for an interval, predicates for
    /// `and`, `or` and `not`, members or one list of them for `within` and `without`. `None` where there is no such predicate.
    pub fn from_name(name: &str, mut operands: Vec<GValue>) -> Option<P> {
        if let "within" | "without" = name {
            let members = members(operands);
            return Some(if name == "within" { P::Within(members) } else { P::Without(members) });
        }
        if let "and" | "or" = name {
            return connected(name == "and", operands);
        }
        if let Some(interval) = Interval::parse(name) {
            if let [GValue::List(bounds)] = &operands[..] {
                operands = bounds.to_vec();
            }
            let [low, high] = <[GValue; 2]>::try_from(operands).ok()?;
            return Some(P::Interval(interval, low, high));
        }
        let [operand] = <[GValue; 1]>::try_from(operands).ok()?;
        if let Some(comparison) = Comparison::parse(name) {
            return Some(P::Compare(comparison, operand));
        }
        if let Some(comparison) = TextComparison::parse(name) {
            return matches!(operand, GValue::String(_) | GValue::Null).then_some(P::Text(comparison, operand));
        }
        match (name, operand) {
            ("not", operand) => Some(predicate(operand)?.negate()),
            ("typeOf", operand) => gtype(&operand).map(P::TypeOf),
            _ => None,
        }
    }

    /// The opposite, as TinkerPop writes it: the opposite comparison where there is one. Numbers that do not compare make a difference
    /// to order: these are negated as a whole.
    #[must_use]
    pub fn negate(self) -> P {
        match self {
            P::Compare(Comparison::Equal, value) => P::Compare(Comparison::NotEqual, value),
            P::Compare(Comparison::NotEqual, value) => P::Compare(Comparison::Equal, value),
            P::Within(members) => P::Without(members),
            P::Without(members) => P::Within(members),
            P::Not(inner) => *inner,
            other => P::Not(Box::new(other)),
        }
    }

    /// The name of the outermost condition.
    pub fn name(&self) -> &'static str {
        match self {
            P::Compare(comparison, _) => comparison.name(),
            P::Interval(interval, ..) => interval.name(),
            P::Within(_) => "within",
            P::Without(_) => "without",
            P::TypeOf(_) => "typeOf",
            P::Text(comparison, _) => comparison.name(),
            P::And(_) => "and",
            P::Or(_) => "or",
            P::Not(_) => "not",
        }
    }
}

/// All or one of these; a connective within its like is no level of its own.
fn connected(is_and: bool, operands: Vec<GValue>) -> Option<P> {
    let operands = match &operands[..] {
        [GValue::List(parts)] => parts.to_vec(),
        _ => operands,
    };
    let mut parts = Vec::new();
    for operand in operands {
        match predicate(operand)? {
            P::And(inner) if is_and => parts.extend(inner),
            P::Or(inner) if !is_and => parts.extend(inner),
            part => parts.push(part),
        }
    }
    match <[P; 1]>::try_from(parts) {
        Ok([only]) => Some(only),
        Err(parts) if parts.is_empty() => None,
        Err(parts) if is_and => Some(P::And(parts)),
        Err(parts) => Some(P::Or(parts)),
    }
}

/// The members: of a single list or set its own.
fn members(operands: Vec<GValue>) -> Vec<GValue> {
    match &operands[..] {
        [GValue::List(list)] => list.to_vec(),
        [GValue::Set(set)] => set.iter().cloned().collect(),
        [GValue::BulkSet(set)] => set.items.iter().map(|(value, _)| value.clone()).collect(),
        _ => operands,
    }
}

fn predicate(value: GValue) -> Option<P> {
    match value {
        GValue::Predicate(predicate) => Some(std::sync::Arc::unwrap_or_clone(predicate)),
        _ => None,
    }
}

fn gtype(value: &GValue) -> Option<GType> {
    match value {
        GValue::Constant(super::Constant::GType(gtype)) => Some(*gtype),
        GValue::String(name) | GValue::Class(name) => {
            GType::parse(name.rsplit('.').next().unwrap_or_default().to_ascii_uppercase().as_str())
        }
        _ => None,
    }
}
