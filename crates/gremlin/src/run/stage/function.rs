//! Steps that are functions of a value, and those on the items of each list.

use std::sync::Arc;

use super::super::by::{Argument, Ring};
use super::super::{Context, RunError, Traverser, element, evaluation};
use super::order::Keys;
use super::{Boxed, each, map, map_loaded};
use crate::function::collection::{self, ListArgument, list_function};
use crate::function::math::Expression;
use crate::function::{self, Template, TemplatePart, number, reduce_local, text};
use crate::step::{Operand, Projection, StepKind};
use crate::value::{GValue, Order, Pop, Scope};

/// What makes one value of another and needs nothing but it.
type Function<'r> = Box<dyn Fn(&GValue) -> Result<GValue, RunError> + 'r>;

/// A step that is one, or one that is of a `Scope::Local`.
pub(in crate::run) fn function<'r>(cx: &'r Context<'r>, kind: &'r StepKind) -> Result<Boxed<'r>, RunError> {
    if let Some(function) = plain(kind) {
        return Ok(map(cx, move |traverser| function(&traverser.value).map(Some)));
    }
    Ok(match kind {
        StepKind::Unfold => each(|batch, out| {
            for traverser in batch {
                for (value, times) in collection::unfold(&traverser.value) {
                    let mut at = cx.advance(&traverser, value);
                    at.bulk = at.bulk.saturating_mul(u64::try_from(times).unwrap_or(0));
                    out.push_back(at);
                }
            }
            Ok(())
        }),
        StepKind::Reduce(reducer, _) => map(cx, move |traverser| reduce_local(*reducer, &traverser.value)),
        StepKind::Sample { count, .. } => map(cx, move |traverser| {
            collection::sample(&traverser.value, *count, |bound| cx.random.below(bound)).map(Some)
        }),
        StepKind::Order { by, .. } => order_items(cx, by)?,
        StepKind::Math { expression, by } => math(cx, expression, by)?,
        StepKind::Format { template, by } => format(cx, template, by)?,
        StepKind::Concat(parts) => concat(cx, parts)?,
        StepKind::DateDiff(other) => with_argument(cx, other, function::date_diff)?,
        StepKind::List(which, other) => {
            let from = match other {
                Operand::Value(_) => ListArgument::Value,
                Operand::Traversal(_) => ListArgument::Traversal,
            };
            with_argument(cx, other, move |one, two| list_function(*which, one, two, from))?
        }
        _ => return Err(evaluation("a step has no stage of its own")),
    })
}

fn plain(kind: &StepKind) -> Option<Function<'_>> {
    Some(match kind {
        StepKind::Text(which, scope) => Box::new(move |value| text::text_function(*which, *scope, value)),
        StepKind::Reverse => Box::new(collection::reverse),
        StepKind::Replace { scope, old, new } => {
            Box::new(move |value| text::replace(value, *scope, old.as_deref(), new.as_deref()))
        }
        StepKind::Split { scope, separator } => Box::new(move |value| text::split(value, *scope, separator.as_deref())),
        StepKind::Substring { scope, start, end } => {
            Box::new(move |value| text::substring(value, *scope, *start, *end))
        }
        StepKind::AsNumber(gtype) => Box::new(move |value| number::as_number(value, *gtype)),
        StepKind::AsBool => Box::new(function::as_bool),
        StepKind::AsDate => Box::new(function::as_date),
        StepKind::DateAdd { unit, amount } => Box::new(move |value| function::date_add(value, *unit, *amount)),
        StepKind::Conjoin(separator) => Box::new(move |value| collection::conjoin(value, separator)),
        StepKind::Index(form) => Box::new(move |value| collection::index(value, *form)),
        StepKind::Dedup { scope: Scope::Local, .. } => Box::new(collection::dedup),
        StepKind::Range { scope: Scope::Local, low, high } => {
            Box::new(move |value| collection::range(value, *low, *high))
        }
        StepKind::Tail { scope: Scope::Local, count } => Box::new(move |value| collection::tail(value, *count)),
        _ => return None,
    })
}

fn with_argument<'r>(
    cx: &'r Context<'r>,
    operand: &'r Operand,
    function: impl Fn(&GValue, &GValue) -> Result<GValue, RunError> + 'r,
) -> Result<Boxed<'r>, RunError> {
    let mut argument = Argument::new(cx, operand)?;
    Ok(map(cx, move |traverser| {
        let other = argument.of(traverser)?.unwrap_or_default();
        function(&traverser.value, &other).map(Some)
    }))
}

fn concat<'r>(cx: &'r Context<'r>, parts: &'r [Operand]) -> Result<Boxed<'r>, RunError> {
    let mut parts = parts.iter().map(|part| Argument::new(cx, part)).collect::<Result<Vec<_>, _>>()?;
    Ok(map(cx, move |traverser| {
        let mut values = Vec::with_capacity(parts.len());
        for part in &mut parts {
            values.push(part.of(traverser)?.unwrap_or_default());
        }
        text::concat(&traverser.value, &values).map(Some)
    }))
}

/// `order(local)`: sorts the items of lists and the entries of maps. An item that has no value to sort by is left out.
fn order_items<'r>(cx: &'r Context<'r>, by: &'r [(Projection, Order)]) -> Result<Boxed<'r>, RunError> {
    let mut keys = Keys::new(cx, by)?;
    Ok(map(cx, move |traverser| {
        let is_map = matches!(traverser.value, GValue::Map(_));
        let items = match &traverser.value {
            GValue::List(_) | GValue::Set(_) | GValue::BulkSet(_) | GValue::Map(_) => {
                collection::expanded(&traverser.value)?
            }
            other => return Ok(Some(other.clone())),
        };
        let mut sorted = Vec::with_capacity(items.len());
        for item in items {
            let at = cx.begin(item);
            if let Some(key) = keys.of(&at)? {
                sorted.push((key, at.value));
            }
        }
        keys.sort(&mut sorted);
        let items = sorted.into_iter().map(|(_, item)| item);
        Ok(Some(if is_map { collection::map_of(items) } else { GValue::list(items) }))
    }))
}

/// `math()`: `_` is the object, other variables are labels.
fn math<'r>(cx: &'r Context<'r>, expression: &str, by: &'r [Projection]) -> Result<Boxed<'r>, RunError> {
    let expression = Expression::parse(expression)?;
    let mut ring = Ring::new(cx, by)?;
    Ok(map(cx, move |traverser| {
        ring.rewind();
        let mut values = Vec::with_capacity(expression.variables().len());
        for name in expression.variables() {
            let value = if &**name == "_" {
                ring.of(traverser)?
            } else {
                let value = cx.scoped(traverser, name, Pop::Last)?.unwrap_or_default();
                ring.of_value(value)?
            };
            let Some(value) = value else { return Ok(None) };
            let number = number::to_f64(&value);
            values.push(number.ok_or_else(|| {
                evaluation(format!(
                    "The variable {name} for math() step must resolve to a Number - it is {}",
                    value.kind()
                ))
            })?);
        }
        Ok(Some(GValue::Double(expression.evaluate(&values)?)))
    }))
}

/// `format()`: a template with its names filled in.
fn format<'r>(cx: &'r Context<'r>, template: &str, by: &'r [Projection]) -> Result<Boxed<'r>, RunError> {
    let template = Template::parse(template);
    let mut ring = Ring::new(cx, by)?;
    Ok(map_loaded(cx, move |traverser| {
        ring.rewind();
        let mut made = String::new();
        for part in &template.parts {
            let value = match part {
                TemplatePart::Text(text) => {
                    made.push_str(text);
                    continue;
                }
                TemplatePart::Name(name) => named(cx, traverser, name)?,
                TemplatePart::Projection => ring.of(traverser)?,
            };
            let Some(value) = value else { return Ok(None) };
            made.push_str(&text::text_of(&value));
        }
        Ok(Some(GValue::string(made)))
    }))
}

fn named<'r>(cx: &'r Context<'r>, traverser: &Traverser, name: &Arc<str>) -> Result<Option<GValue>, RunError> {
    match element::property(&traverser.value, name) {
        Some(value) => Ok(Some(value)),
        None => cx.scoped(traverser, name, Pop::Last),
    }
}
