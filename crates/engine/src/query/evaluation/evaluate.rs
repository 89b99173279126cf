//! Evaluating expressions on a row. Nothing here fails: what has no value is undefined.

use orrery_value::{Number, Object, PropertyName, Value};

use super::compare::{Comparison, equals, order, sort_order};
use super::row::Row;
use super::subquery;
use crate::query::{Datum, Expr, Function, InList, Like, LikePattern, Member};

impl Expr {
    /// The expression's value on a row. Recurses once per level of the expression.
    pub(in crate::query) fn evaluate<'a>(&'a self, row: &Row<'a>) -> Datum<'a> {
        if !row.effort().spend(1) {
            return Datum::UNDEFINED;
        }
        match self {
            Expr::Constant(value) => Datum::Borrowed(value),
            Expr::Source(source) => row.source(*source),
            Expr::Aggregate(aggregate) => row.aggregate(*aggregate),
            Expr::GroupKey(key) => row.key(*key),
            Expr::Subquery(kind, body) => subquery::evaluate(*kind, body, row),
            Expr::Path { base, path } => match **base {
                Expr::Source(source) => row.path(source, path),
                _ => path.segments().iter().fold(base.evaluate(row), Datum::property),
            },
            Expr::Element { base, index } => element(base.evaluate(row), &index.evaluate(row)),
            Expr::Array(elements) => array(elements, row),
            Expr::Object(members) => object(members, row),
            Expr::Unary(operator, operand) => operator.apply(&operand.evaluate(row)),
            Expr::Binary(operator, a, b) => operator.apply(&a.evaluate(row), &b.evaluate(row), row.effort()),
            Expr::And(operands) => logic(operands, row, false),
            Expr::Or(operands) => logic(operands, row, true),
            Expr::Conditional { condition, then, otherwise } => {
                let branch = if condition.holds(row) { then } else { otherwise };
                branch.evaluate(row)
            }
            Expr::Coalesce(first, second) => match first.evaluate(row) {
                value if value.is_undefined() => second.evaluate(row),
                value => value,
            },
            Expr::In { needle, list } => is_in(&needle.evaluate(row), list, row).into(),
            Expr::Between { value, low, high } => between(value, low, high, row).into(),
            Expr::Like { text, pattern } => like(&text.evaluate(row), pattern, row).into(),
            Expr::Call(function, arguments) => call(function, arguments, row),
        }
    }

    /// Whether the expression is exactly `true`.
    pub(in crate::query) fn holds(&self, row: &Row<'_>) -> bool {
        self.evaluate(row).as_bool() == Some(true)
    }
}

fn element<'a>(base: Datum<'a>, index: &Datum<'_>) -> Datum<'a> {
    if let Some(name) = index.as_str() {
        return base.property(&PropertyName::new(name));
    }
    match index.as_number().and_then(Number::as_i64).map(usize::try_from) {
        Some(Ok(index)) => base.element(index),
        _ => Datum::UNDEFINED,
    }
}

fn array<'a>(elements: &'a [Expr], row: &Row<'a>) -> Datum<'a> {
    let values = elements.iter().map(|element| built(element, row)).filter(|value| !value.is_undefined());
    Datum::Owned(Value::Array(values.collect()))
}

fn object<'a>(members: &'a [Member], row: &Row<'a>) -> Datum<'a> {
    let mut object = Object::new();
    for member in members {
        let value = built(&member.value, row);
        if !value.is_undefined() {
            object.push(member.name.as_str(), value);
        }
    }
    Datum::Owned(Value::Object(object))
}

/// A value that becomes part of another: this copies it, and is paid for.
fn built<'a>(expr: &'a Expr, row: &Row<'a>) -> Value {
    let datum = expr.evaluate(row);
    let paid = match &datum {
        Datum::Owned(_) => true,
        datum => row.effort().spend(datum.weight()),
    };
    if paid { datum.into_value() } else { Value::Undefined }
}

/// AND (`decisive` false) and OR (`decisive` true): one decisive operand decides, else an undefined one leaves it open.
fn logic<'a>(operands: &'a [Expr], row: &Row<'a>, decisive: bool) -> Datum<'a> {
    let mut open = false;
    for operand in operands {
        match operand.evaluate(row).as_bool() {
            Some(bool) if bool == decisive => return bool.into(),
            Some(_) => {}
            None => open = true,
        }
    }
    if open { Datum::UNDEFINED } else { Datum::from(!decisive) }
}

fn is_in<'a>(needle: &Datum<'_>, list: &'a InList, row: &Row<'a>) -> Option<bool> {
    if needle.is_undefined() {
        return None;
    }
    if list.constants.binary_search_by(|constant| sort_order(needle, constant).reverse()).is_ok() {
        return Some(true);
    }
    let mut open = false;
    for item in &list.others {
        match equals(needle, &item.evaluate(row), row.effort()) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => open = true,
        }
    }
    (!open).then_some(false)
}

/// `value >= low AND value <= high`, with AND's rules.
fn between<'a>(value: &'a Expr, low: &'a Expr, high: &'a Expr, row: &Row<'a>) -> Option<bool> {
    let value = value.evaluate(row);
    let within = |bound: &Datum<'_>, accepts: fn(std::cmp::Ordering) -> bool| {
        order(&value, bound, row.effort()).map(|comparison: Comparison| comparison.is(accepts))
    };
    let above = within(&low.evaluate(row), std::cmp::Ordering::is_ge);
    if above == Some(false) {
        return above;
    }
    match (above, within(&high.evaluate(row), std::cmp::Ordering::is_le)) {
        (_, Some(false)) => Some(false),
        (Some(_), Some(_)) => Some(true),
        _ => None,
    }
}

fn like<'a>(text: &Datum<'_>, pattern: &'a LikePattern, row: &Row<'a>) -> Option<bool> {
    let text = text.as_str()?;
    match pattern {
        LikePattern::Fixed(like) => Some(like.matches(&text, row.effort())),
        LikePattern::Computed { pattern, escape } => {
            let pattern = pattern.evaluate(row);
            let pattern = pattern.as_str()?;
            row.effort().spend(pattern.len()).then(|| Like::new(&pattern, *escape).matches(&text, row.effort()))
        }
    }
}

/// Few arguments, as nearly all functions have, need no memory.
fn call<'a>(function: &'static Function, arguments: &'a [Expr], row: &Row<'a>) -> Datum<'a> {
    let effort = row.effort();
    match arguments {
        [a] => (function.call)(&[a.evaluate(row)], effort),
        [a, b] => (function.call)(&[a.evaluate(row), b.evaluate(row)], effort),
        [a, b, c] => (function.call)(&[a.evaluate(row), b.evaluate(row), c.evaluate(row)], effort),
        arguments => {
            let arguments: Vec<_> = arguments.iter().map(|argument| argument.evaluate(row)).collect();
            (function.call)(&arguments, effort)
        }
    }
}
