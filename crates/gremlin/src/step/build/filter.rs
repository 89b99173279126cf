//! Steps that keep or drop what comes.

use super::{Arguments, pattern};
use crate::GremlinError;
use crate::step::{HasKey, PathRange, Quantifier, StepKind};
use crate::value::{Constant, GValue, P, Scope, T};

pub(super) fn make(arguments: &mut Arguments<'_>) -> Result<Option<StepKind>, GremlinError> {
    Ok(Some(match arguments.name() {
        "hasLabel" => has_token(arguments, T::Label)?,
        "hasId" => has_token(arguments, T::Id)?,
        "hasKey" => has_token(arguments, T::Key)?,
        "hasValue" => has_token(arguments, T::Value)?,
        "hasNot" => StepKind::HasNot(arguments.string_or_null("a key")?),
        "is" => StepKind::Is(arguments.condition()?),
        "where" => where_step(arguments)?,
        "filter" if arguments.has_predicate() => StepKind::Is(arguments.predicate()?),
        "filter" => StepKind::Filter(arguments.traversal()?),
        "not" => StepKind::Not(arguments.traversal()?),
        "and" => StepKind::And(arguments.traversals()?),
        "or" => StepKind::Or(arguments.traversals()?),
        "all" => StepKind::Items(Quantifier::All, arguments.predicate()?),
        "any" => StepKind::Items(Quantifier::Any, arguments.predicate()?),
        "none" => none(arguments)?,
        "coin" => StepKind::Coin(arguments.double("a probability")?),
        "sample" => StepKind::Sample { scope: arguments.scope(), count: arguments.count()?, by: None },
        "dedup" => StepKind::Dedup { scope: arguments.scope(), labels: arguments.strings("labels")?, by: None },
        "range" | "limit" | "skip" => range(arguments)?,
        "tail" => tail(arguments)?,
        "timeLimit" => StepKind::TimeLimit(arguments.count()?),
        "simplePath" => StepKind::SimplePath(PathRange::default()),
        "cyclicPath" => StepKind::CyclicPath(PathRange::default()),
        "drop" => StepKind::Drop,
        "discard" => StepKind::Discard,
        "fail" => StepKind::Fail(arguments.optional_string("a message")?),
        _ => return Ok(None),
    }))
}

/// `has()`, which with a label is two steps.
pub(super) fn has(arguments: &mut Arguments<'_>) -> Result<Vec<StepKind>, GremlinError> {
    match arguments.left() {
        0 | 1 => Ok(vec![StepKind::HasProperty(arguments.string_or_null("a key")?)]),
        2 => {
            let key = has_key(arguments)?;
            Ok(vec![StepKind::Has { key, condition: arguments.condition()? }])
        }
        _ => {
            let label = arguments.string_or_null("a label")?.map_or(GValue::Null, GValue::String);
            let key = has_key(arguments)?;
            let condition = arguments.condition()?;
            let of_label = StepKind::Has { key: HasKey::Token(T::Label), condition: P::equal(label) };
            Ok(vec![of_label, StepKind::Has { key, condition }])
        }
    }
}

fn has_key(arguments: &mut Arguments<'_>) -> Result<HasKey, GremlinError> {
    match arguments.any("a key")? {
        GValue::String(name) => Ok(HasKey::Name(name)),
        GValue::Constant(Constant::T(token)) => Ok(HasKey::Token(token)),
        other => Err(arguments.refuse("a key", &other)),
    }
}

/// One value is to be equal to, several to be among; ids may stand in a list.
fn has_token(arguments: &mut Arguments<'_>, token: T) -> Result<StepKind, GremlinError> {
    let key = HasKey::Token(token);
    if arguments.has_predicate() {
        return Ok(StepKind::Has { key, condition: arguments.predicate()? });
    }
    if arguments.left() == 0 {
        return Err(arguments.error(format!("{}() takes values or a predicate, but none is given", arguments.name())));
    }
    let mut values = Vec::new();
    for _ in 0..arguments.left() {
        let value = arguments.value()?;
        let is_name = matches!(value, GValue::String(_) | GValue::Null);
        match value {
            GValue::List(items) if token == T::Id => {
                values.extend(items.iter().cloned());
                continue;
            }
            value if matches!(token, T::Label | T::Key) && !is_name => return Err(arguments.refuse("strings", &value)),
            value => values.push(value),
        }
    }
    let condition = match <[GValue; 1]>::try_from(values) {
        Ok([value]) => P::equal(value),
        Err(values) => P::Within(values),
    };
    Ok(StepKind::Has { key, condition })
}

fn where_step(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    if arguments.has_predicate() {
        return Ok(StepKind::Where { start: None, condition: arguments.predicate()?, by: Vec::new() });
    }
    if arguments.has_traversal() {
        let traversal = pattern::where_traversal(arguments.traversal()?, arguments)?;
        return Ok(StepKind::WhereTraversal(traversal));
    }
    let start = Some(arguments.string("a label, a predicate or a traversal")?);
    Ok(StepKind::Where { start, condition: arguments.predicate()?, by: Vec::new() })
}

/// Before version 3.8 `none()` was what `discard()` is now.
fn none(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    if arguments.left() == 0 {
        return Ok(StepKind::Discard);
    }
    Ok(StepKind::Items(Quantifier::None, arguments.predicate()?))
}

fn range(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    let scope = arguments.scope();
    let first = arguments.integer("an integer")?;
    let (low, high) = match arguments.name() {
        "limit" => (0, first),
        "skip" => (first, -1),
        _ => (first, arguments.integer("an integer")?),
    };
    if low != -1 && high != -1 && low > high {
        return Err(arguments.error(format!("Not a legal range: [{low}, {high}]")));
    }
    // Minus one is without bound; below that nothing is meant.
    if low < -1 || high < -1 {
        return Err(arguments.error(format!("Not a legal range: [{low}, {high}]")));
    }
    let low = u64::try_from(low).unwrap_or(0);
    Ok(StepKind::Range { scope, low, high: u64::try_from(high).ok() })
}

fn tail(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    let scope: Scope = arguments.scope();
    let count = if arguments.left() == 0 { 1 } else { arguments.count()? };
    Ok(StepKind::Tail { scope, count })
}
