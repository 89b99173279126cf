//! Conditions of look-ups as expressions of the engine.
//!
//! An expression keeps every element that fits, and perhaps others. What no expression says is left out of the filter.

use std::sync::Arc;

use orrery_engine::Predicate;
use orrery_engine::query::{BinaryOperator, Body, Expr, InList, SourceStep, SubqueryKind, UnaryOperator, function};
use orrery_value::Value;

use super::numbers::Bounds;
use crate::graph::document::{DEFAULT_EDGE_LABEL, DEFAULT_VERTEX_LABEL, Layout, check_key};
use crate::graph::{ElementKind, Lookup, LookupCondition, id_text};
use crate::step::HasKey;
use crate::value::{Comparison, GValue, Interval, P, T, TextComparison};

/// Levels of a predicate that are looked at; what is nested deeper is left out.
const MAX_LEVELS: usize = 16;

/// A look-up's conditions as far as the engine can check them.
pub(super) struct Conditions {
    pub filter: Expr,
    /// Every element that passes the filter fits.
    pub is_exact: bool,
}

impl Conditions {
    pub fn of(layout: &Layout, lookup: &Lookup) -> Self {
        let mut filter = vec![of_kind(lookup.kind)];
        let mut is_exact = true;
        for condition in &lookup.has {
            let expr = match condition {
                LookupCondition::Has(HasKey::Token(token), predicate) => token_is(lookup.kind, *token, predicate),
                LookupCondition::Has(HasKey::Name(key), predicate) => {
                    is_exact = false;
                    has(layout, lookup.kind, key, predicate)
                }
                LookupCondition::HasProperty(key) => {
                    is_exact = false;
                    let is_hidden = lookup.kind == ElementKind::Edge && layout.partition_property() == Some(key);
                    (check_key(key).is_ok() && !is_hidden).then(|| call("IS_DEFINED", vec![item(key)]))
                }
                LookupCondition::HasNot(_) => None,
            };
            is_exact &= expr.is_some();
            filter.extend(expr);
        }
        Conditions { filter: Expr::And(filter), is_exact }
    }
}

/// A member of the root.
pub(super) fn item(name: &str) -> Expr {
    Expr::property(Expr::Source(0), name)
}

/// Items that are vertices, or edges.
pub(super) fn of_kind(kind: ElementKind) -> Expr {
    let is_edge = || item("_isEdge");
    match kind {
        ElementKind::Edge => Expr::And(vec![
            binary(BinaryOperator::Equal, is_edge(), Value::Bool(true)),
            call("IS_STRING", vec![item("_vertexId")]),
            call("IS_STRING", vec![item("_sink")]),
        ]),
        ElementKind::Vertex => {
            let is_absent = Expr::Unary(UnaryOperator::Not, Box::new(call("IS_DEFINED", vec![is_edge()])));
            let is_other = Expr::Coalesce(
                Box::new(binary(BinaryOperator::NotEqual, is_edge(), Value::Bool(true))),
                Box::new(Expr::Constant(Value::Bool(true))),
            );
            Expr::Or(vec![is_absent, is_other])
        }
    }
}

/// One of these strings.
pub(super) fn is_one_of<'t>(what: Expr, texts: impl IntoIterator<Item = &'t str>) -> Expr {
    let texts = texts.into_iter().map(|text| Expr::Constant(Value::from(text))).collect();
    Expr::In { needle: Box::new(what), list: InList::new(texts) }
}

fn token_is(kind: ElementKind, token: T, predicate: &P) -> Option<Expr> {
    let operands = match predicate {
        P::Compare(Comparison::Equal, operand) => std::slice::from_ref(operand),
        P::Within(operands) => operands,
        _ => return None,
    };
    match token {
        T::Id => {
            let ids: Vec<Arc<str>> = operands.iter().filter_map(id_text).collect();
            Some(is_one_of(item("id"), ids.iter().map(|id| &**id)))
        }
        T::Label => {
            let labels: Vec<&str> = operands.iter().filter_map(GValue::as_str).collect();
            let default = match kind {
                ElementKind::Vertex => DEFAULT_VERTEX_LABEL,
                ElementKind::Edge => DEFAULT_EDGE_LABEL,
            };
            let is_default = labels.contains(&default);
            let is_label = is_one_of(item("label"), labels);
            if !is_default {
                return Some(is_label);
            }
            let has_none = Expr::Unary(UnaryOperator::Not, Box::new(call("IS_STRING", vec![item("label")])));
            Some(Expr::Or(vec![is_label, has_none]))
        }
        T::Key | T::Value => None,
    }
}

/// An element has a value of a property that is like this.
fn has(layout: &Layout, kind: ElementKind, key: &str, predicate: &P) -> Option<Expr> {
    check_key(key).ok()?;
    let is_scalar = kind == ElementKind::Edge || layout.partition_property().is_some_and(|name| &**name == key);
    let scalar = value_is(&item(key), predicate, 0)?;
    if is_scalar {
        return Some(scalar);
    }
    let each = |value: Expr| value_is(&value, predicate, 0);
    let element = Expr::Or(vec![each(Expr::property(Expr::Source(1), "_value"))?, each(Expr::Source(1))?]);
    let body = Body {
        sources: vec![SourceStep::Each(item(key))],
        filter: Some(Predicate::new(element)),
        ..Body::of(Expr::Source(1))
    };
    Some(Expr::Or(vec![Expr::Subquery(SubqueryKind::Exists, Arc::new(body)), scalar]))
}

/// A stored value is like this, or near to it; `None` where the engine cannot tell.
fn value_is(value: &Expr, predicate: &P, level: usize) -> Option<Expr> {
    if level > MAX_LEVELS {
        return None;
    }
    match predicate {
        P::Compare(Comparison::Equal, operand) => equal(value, operand),
        P::Compare(comparison, operand) => compared(value, *comparison, operand),
        P::Within(operands) => {
            let each: Option<Vec<Expr>> = operands.iter().map(|operand| equal(value, operand)).collect();
            each.map(one_of)
        }
        P::Interval(Interval::Outside, low, high) => {
            Some(Expr::Or(vec![compared(value, Comparison::Less, low)?, compared(value, Comparison::Greater, high)?]))
        }
        P::Interval(_, low, high) => Some(Expr::And(vec![
            compared(value, Comparison::GreaterOrEqual, low)?,
            compared(value, Comparison::LessOrEqual, high)?,
        ])),
        P::Text(comparison, GValue::String(text)) => {
            let name = match comparison {
                TextComparison::StartingWith => "STARTSWITH",
                TextComparison::EndingWith => "ENDSWITH",
                TextComparison::Containing => "CONTAINS",
                _ => return None,
            };
            Some(call(name, vec![value.clone(), Expr::Constant(Value::from(&**text))]))
        }
        P::And(parts) => {
            let known: Vec<Expr> = parts.iter().filter_map(|part| value_is(value, part, level + 1)).collect();
            (!known.is_empty()).then_some(Expr::And(known))
        }
        P::Or(parts) => {
            let all: Option<Vec<Expr>> = parts.iter().map(|part| value_is(value, part, level + 1)).collect();
            all.map(Expr::Or)
        }
        P::Without(_) | P::TypeOf(_) | P::Text(..) | P::Not(_) => None,
    }
}

/// Equalities as one list where they are equalities with constants.
fn one_of(each: Vec<Expr>) -> Expr {
    let mut operands = Vec::with_capacity(each.len());
    for expr in &each {
        match expr {
            Expr::Binary(BinaryOperator::Equal, value, operand) => operands.push((value, operand)),
            _ => return Expr::Or(each),
        }
    }
    match operands.first() {
        None => Expr::Constant(Value::Bool(false)),
        Some((value, _)) => Expr::In {
            needle: (*value).clone(),
            list: InList::new(operands.iter().map(|(_, operand)| (***operand).clone()).collect()),
        },
    }
}

fn equal(value: &Expr, operand: &GValue) -> Option<Expr> {
    match operand {
        GValue::Bool(truth) => Some(binary(BinaryOperator::Equal, value.clone(), Value::Bool(*truth))),
        GValue::String(text) => Some(binary(BinaryOperator::Equal, value.clone(), Value::from(&**text))),
        GValue::Uuid(uuid) => Some(binary(BinaryOperator::Equal, value.clone(), Value::from(uuid.to_string()))),
        number => Bounds::of(number).map(|bounds| bounds.are_around(value)),
    }
}

fn compared(value: &Expr, comparison: Comparison, operand: &GValue) -> Option<Expr> {
    if let GValue::String(text) = operand {
        // Below the surrogates the order of code units is that of characters.
        let is_ordered_alike = text.chars().all(|character| character <= '\u{D7FF}');
        let operator = match comparison {
            Comparison::Less => BinaryOperator::Less,
            Comparison::LessOrEqual => BinaryOperator::LessOrEqual,
            Comparison::Greater => BinaryOperator::Greater,
            Comparison::GreaterOrEqual => BinaryOperator::GreaterOrEqual,
            Comparison::Equal | Comparison::NotEqual => return None,
        };
        return is_ordered_alike.then(|| binary(operator, value.clone(), Value::from(&**text)));
    }
    let bounds = Bounds::of(operand)?;
    match comparison {
        Comparison::Less | Comparison::LessOrEqual => Some(bounds.are_not_below(value)),
        Comparison::Greater | Comparison::GreaterOrEqual => Some(bounds.are_not_above(value)),
        Comparison::Equal | Comparison::NotEqual => None,
    }
}

pub(super) fn binary(operator: BinaryOperator, left: Expr, right: Value) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(Expr::Constant(right)))
}

fn call(name: &'static str, arguments: Vec<Expr>) -> Expr {
    Expr::Call(function(name).expect("the engine has this function"), arguments)
}
