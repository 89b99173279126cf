//! Predicates on values.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use super::order::{compare, equals};
use super::refuse;
use crate::run::RunError;
use crate::value::{Comparison, GType, GValue, Interval, P, TextComparison};

/// Largest program of one regular expression.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// From how many strings on a set of them is made for `within`.
const MIN_HASHED_MEMBERS: usize = 8;

/// A predicate made ready for many values: expressions are compiled, and sets hashed.
///
/// Logic is two-valued: what does not compare is false, and its negation true.
#[derive(Clone, Debug)]
pub struct Condition(Node);

#[derive(Clone, Debug)]
enum Node {
    Equal(GValue),
    Less(GValue),
    LessOrEqual(GValue),
    Greater(GValue),
    GreaterOrEqual(GValue),
    Within(Vec<GValue>),
    WithinStrings(HashSet<Arc<str>>),
    TypeOf(GType),
    Text(TextTest),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
}

/// A condition on strings; other values fail it, and its opposite too.
#[derive(Clone, Debug)]
enum TextTest {
    /// The operand is null.
    Never,
    StartsWith(Arc<str>, bool),
    EndsWith(Arc<str>, bool),
    Contains(Arc<str>, bool),
    Matches(Regex, bool),
}

impl Condition {
    /// Of a predicate.
    ///
    /// # Errors
    /// An expression is of no form that is known, or too large.
    pub fn new(predicate: &P) -> Result<Self, RunError> {
        node(predicate).map(Condition)
    }

    /// Whether it holds for a value.
    pub fn holds(&self, value: &GValue) -> bool {
        self.0.holds(value)
    }
}

impl Node {
    fn holds(&self, value: &GValue) -> bool {
        let compares = |operand, fits: fn(Ordering) -> bool| compare(value, operand).is_some_and(fits);
        match self {
            Node::Equal(operand) => equals(value, operand),
            Node::Less(operand) => compares(operand, Ordering::is_lt),
            Node::LessOrEqual(operand) => compares(operand, Ordering::is_le),
            Node::Greater(operand) => compares(operand, Ordering::is_gt),
            Node::GreaterOrEqual(operand) => compares(operand, Ordering::is_ge),
            Node::Within(members) => members.iter().any(|member| equals(value, member)),
            Node::WithinStrings(members) => value.as_str().is_some_and(|text| members.contains(text)),
            Node::TypeOf(gtype) => is_of_type(value, *gtype),
            Node::Text(test) => value.as_str().is_some_and(|text| test.holds(text)),
            Node::All(parts) => parts.iter().all(|part| part.holds(value)),
            Node::Any(parts) => parts.iter().any(|part| part.holds(value)),
            Node::Not(inner) => !inner.holds(value),
        }
    }
}

impl TextTest {
    fn holds(&self, text: &str) -> bool {
        match self {
            TextTest::Never => false,
            TextTest::StartsWith(operand, wanted) => text.starts_with(&**operand) == *wanted,
            TextTest::EndsWith(operand, wanted) => text.ends_with(&**operand) == *wanted,
            TextTest::Contains(operand, wanted) => text.contains(&**operand) == *wanted,
            TextTest::Matches(expression, wanted) => expression.is_match(text) == *wanted,
        }
    }
}

fn node(predicate: &P) -> Result<Node, RunError> {
    Ok(match predicate {
        P::Compare(comparison, operand) => compared(*comparison, operand),
        P::Interval(Interval::Inside, low, high) => {
            Node::All(vec![Node::Greater(low.clone()), Node::Less(high.clone())])
        }
        P::Interval(Interval::Outside, low, high) => {
            Node::Any(vec![Node::Less(low.clone()), Node::Greater(high.clone())])
        }
        P::Interval(Interval::Between, low, high) => {
            Node::All(vec![Node::GreaterOrEqual(low.clone()), Node::Less(high.clone())])
        }
        P::Within(members) => within(members),
        P::Without(members) => not(within(members)),
        P::TypeOf(gtype) => Node::TypeOf(*gtype),
        P::Text(comparison, operand) => Node::Text(text_test(*comparison, operand)?),
        P::And(parts) => Node::All(parts.iter().map(node).collect::<Result<_, _>>()?),
        P::Or(parts) => Node::Any(parts.iter().map(node).collect::<Result<_, _>>()?),
        P::Not(inner) => not(node(inner)?),
    })
}

fn compared(comparison: Comparison, operand: &GValue) -> Node {
    let operand = operand.clone();
    match comparison {
        Comparison::Equal => Node::Equal(operand),
        Comparison::NotEqual => not(Node::Equal(operand)),
        Comparison::Less => Node::Less(operand),
        Comparison::LessOrEqual => Node::LessOrEqual(operand),
        Comparison::Greater => Node::Greater(operand),
        Comparison::GreaterOrEqual => Node::GreaterOrEqual(operand),
    }
}

fn not(node: Node) -> Node {
    Node::Not(Box::new(node))
}

fn within(members: &[GValue]) -> Node {
    let strings = members.iter().map(|member| match member {
        GValue::String(text) => Some(text.clone()),
        _ => None,
    });
    match strings.collect() {
        Some(strings) if members.len() >= MIN_HASHED_MEMBERS => Node::WithinStrings(strings),
        _ => Node::Within(members.to_vec()),
    }
}

fn text_test(comparison: TextComparison, operand: &GValue) -> Result<TextTest, RunError> {
    let GValue::String(operand) = operand else { return Ok(TextTest::Never) };
    let text = operand.clone();
    Ok(match comparison {
        TextComparison::StartingWith => TextTest::StartsWith(text, true),
        TextComparison::NotStartingWith => TextTest::StartsWith(text, false),
        TextComparison::EndingWith => TextTest::EndsWith(text, true),
        TextComparison::NotEndingWith => TextTest::EndsWith(text, false),
        TextComparison::Containing => TextTest::Contains(text, true),
        TextComparison::NotContaining => TextTest::Contains(text, false),
        TextComparison::Regex => TextTest::Matches(compile(&text)?, true),
        TextComparison::NotRegex => TextTest::Matches(compile(&text)?, false),
    })
}

fn compile(text: &str) -> Result<Regex, RunError> {
    RegexBuilder::new(text)
        .size_limit(MAX_REGEX_BYTES)
        .build()
        .map_err(|error| refuse(format!("the regular expression '{text}' cannot be used: {error}")))
}

/// Whether a value is of a class or of one below it.
fn is_of_type(value: &GValue, gtype: GType) -> bool {
    match gtype {
        GType::Int => matches!(value, GValue::Int(_)),
        GType::Long => matches!(value, GValue::Long(_)),
        GType::Double => matches!(value, GValue::Double(_)),
        GType::Float => matches!(value, GValue::Float(_)),
        GType::Byte => matches!(value, GValue::Byte(_)),
        GType::Short => matches!(value, GValue::Short(_)),
        GType::BigInt => matches!(value, GValue::BigInteger(_)),
        GType::BigDecimal => matches!(value, GValue::BigDecimal(_)),
        GType::Number => value.is_number(),
        GType::String => matches!(value, GValue::String(_)),
        GType::Boolean => matches!(value, GValue::Bool(_)),
        GType::Char => matches!(value, GValue::Char(_)),
        GType::Uuid => matches!(value, GValue::Uuid(_)),
        GType::Binary => matches!(value, GValue::Binary(_)),
        GType::DateTime => matches!(value, GValue::Date(_) | GValue::DateTime(_)),
        GType::Duration => matches!(value, GValue::Duration(_)),
        GType::List => matches!(value, GValue::List(_)),
        GType::Set => matches!(value, GValue::Set(_) | GValue::BulkSet(_)),
        GType::Map => matches!(value, GValue::Map(_) | GValue::Tree(_)),
        GType::Null => matches!(value, GValue::Null),
        GType::Vertex => matches!(value, GValue::Vertex(_)),
        GType::Edge => matches!(value, GValue::Edge(_)),
        GType::Property => matches!(value, GValue::Property(_) | GValue::VertexProperty(_)),
        GType::VertexProperty => matches!(value, GValue::VertexProperty(_)),
        GType::Path => matches!(value, GValue::Path(_)),
        GType::Tree => matches!(value, GValue::Tree(_)),
        GType::Graph => matches!(value, GValue::Graph(_)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(name: &str, operands: &[GValue], value: impl Into<GValue>) -> bool {
        let predicate = P::from_name(name, operands.to_vec()).unwrap();
        Condition::new(&predicate).unwrap().holds(&value.into())
    }

    #[test]
    fn what_does_not_compare_is_false_and_its_negation_true() {
        assert!(!holds("gt", &[f64::NAN.into()], 1.0));
        assert!(!holds("lte", &["foo".into()], 1.0));
        assert!(holds("neq", &["foo".into()], 1.0));
        assert!(holds("neq", &[f64::NAN.into()], f64::NAN));
        assert!(holds("eq", &[GValue::Null], GValue::Null));
        assert!(!holds("lt", &[GValue::Null], GValue::Null));
        let negated = P::from_name("gt", vec![f64::NAN.into()]).unwrap().negate();
        assert!(Condition::new(&negated).unwrap().holds(&1.into()));
    }

    #[test]
    fn intervals_have_their_bounds() {
        let inside = |name, value: i32| holds(name, &[1.into(), 3.into()], value);
        assert_eq!([0, 1, 2, 3, 4].map(|value| inside("between", value)), [false, true, true, false, false]);
        assert_eq!([0, 1, 2, 3, 4].map(|value| inside("inside", value)), [false, false, true, false, false]);
        assert_eq!([0, 1, 2, 3, 4].map(|value| inside("outside", value)), [true, false, false, false, true]);
    }

    #[test]
    fn members_are_found_whatever_their_class() {
        assert!(holds("within", &[1.0.into(), "a".into()], 1));
        assert!(!holds("without", &[1.0.into()], 1));
        let names: Vec<GValue> = (0..20).map(|number| GValue::string(number.to_string())).collect();
        assert!(holds("within", &names, "7"));
        assert!(!holds("within", &names, 7));
        assert!(holds("without", &names, "20"));
        assert!(!holds("within", &[], 1));
        assert!(holds("without", &[], 1));
    }

    #[test]
    fn texts_fail_on_what_is_no_text_and_expressions_find() {
        assert!(holds("startingWith", &["ma".into()], "marko"));
        assert!(holds("notEndingWith", &["ma".into()], "marko"));
        assert!(!holds("notContaining", &["ma".into()], 1));
        assert!(!holds("containing", &[GValue::Null], "a"));
        assert!(holds("regex", &["r.o$".into()], "marko"));
        assert!(!holds("notRegex", &["^m".into()], "marko"));
        let broken = P::from_name("regex", vec!["(".into()]).unwrap();
        assert!(Condition::new(&broken).is_err());
    }

    #[test]
    fn a_number_of_any_class_is_a_number() {
        assert!(holds("typeOf", &[GType::Number.into()], GValue::Byte(1)));
        assert!(!holds("typeOf", &[GType::Number.into()], "1"));
        assert!(holds("typeOf", &["number".into()], 1));
    }
}
