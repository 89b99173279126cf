//! Traversals, what they are made of, and what `profile()` tells.

use super::super::EncodeError;
use super::output::Output;
use super::write::{double, list, long, members, named, value};
use crate::value::{Binding, Bytecode, Constant, GValue, Instruction, Lambda, Metrics, P, Strategy, TraversalMetrics};

pub(super) fn bytecode(output: &mut Output, bytecode: &Bytecode) -> Result<(), EncodeError> {
    let parts = [("source", &bytecode.source), ("step", &bytecode.steps)];
    output.typed("g:Bytecode", |output| {
        let there = parts.into_iter().filter(|(_, list)| !list.is_empty());
        output.object(there, |output, (name, list)| {
            output.name(name);
            output.array(list, instruction)
        })
    })
}

fn instruction(output: &mut Output, instruction: &Instruction) -> Result<(), EncodeError> {
    output.raw("[");
    output.string(&instruction.name);
    for argument in &instruction.arguments {
        output.raw(",");
        value(output, argument)?;
    }
    output.raw("]");
    Ok(())
}

pub(super) fn binding(output: &mut Output, binding: &Binding) -> Result<(), EncodeError> {
    output.typed("g:Binding", |output| {
        output.raw("{\"key\":");
        output.string(&binding.key);
        output.raw(",\"value\":");
        value(output, &binding.value)?;
        output.raw("}");
        Ok(())
    })
}

pub(super) fn lambda(output: &mut Output, lambda: &Lambda) -> Result<(), EncodeError> {
    output.typed("g:Lambda", |output| {
        output.raw("{\"script\":");
        output.string(&lambda.script);
        output.raw(",\"language\":");
        output.string(&lambda.language);
        output.raw(&format!(",\"arguments\":{}}}", lambda.arguments));
        Ok(())
    })
}

pub(super) fn strategy(output: &mut Output, strategy: &Strategy) -> Result<(), EncodeError> {
    output.typed(&format!("g:{}", strategy.name), |output| {
        output.raw("{\"fqcn\":");
        output.string(&strategy.name);
        output.raw(",\"conf\":");
        output.object(&strategy.configuration, |output, (name, setting)| {
            output.name(name);
            value(output, setting)
        })?;
        output.raw("}");
        Ok(())
    })
}

pub(super) fn predicate(output: &mut Output, predicate: &P) -> Result<(), EncodeError> {
    output.typed(if matches!(predicate, P::Text(..)) { "g:TextP" } else { "g:P" }, |output| {
        output.raw("{\"predicate\":");
        output.string(predicate.name());
        output.raw(",\"value\":");
        operands(output, predicate)?;
        output.raw("}");
        Ok(())
    })
}

fn operands(output: &mut Output, predicate: &P) -> Result<(), EncodeError> {
    match predicate {
        P::Compare(_, operand) | P::Text(_, operand) => value(output, operand),
        P::Interval(_, low, high) => output.array([low, high], value),
        P::Within(members) | P::Without(members) => list(output, members),
        P::TypeOf(gtype) => value(output, &GValue::Constant(Constant::GType(*gtype))),
        P::And(all) | P::Or(all) => output.array(all, nested),
        P::Not(inner) => nested(output, inner),
    }
}

fn nested(output: &mut Output, inner: &P) -> Result<(), EncodeError> {
    output.nested(|output| predicate(output, inner))
}

/// A part of what `profile()` tells.
enum Figure<'m> {
    DurationNs(i64),
    Text(&'m str),
    Counts(&'m Metrics),
    Annotations(&'m Metrics),
    Nested(&'m [Metrics]),
}

pub(super) fn metrics(output: &mut Output, metrics: &Metrics) -> Result<(), EncodeError> {
    let mut figures = vec![
        ("dur", Figure::DurationNs(metrics.duration_ns)),
        ("counts", Figure::Counts(metrics)),
        ("name", Figure::Text(&metrics.name)),
        ("annotations", Figure::Annotations(metrics)),
        ("id", Figure::Text(&metrics.id)),
    ];
    if !metrics.nested.is_empty() {
        figures.push(("metrics", Figure::Nested(&metrics.nested)));
    }
    output.typed("g:Metrics", |output| members(output, figures, figure))
}

pub(super) fn traversal_metrics(output: &mut Output, metrics: &TraversalMetrics) -> Result<(), EncodeError> {
    let figures = [("dur", Figure::DurationNs(metrics.duration_ns)), ("metrics", Figure::Nested(&metrics.metrics))];
    output.typed("g:TraversalMetrics", |output| members(output, figures, figure))
}

fn figure(output: &mut Output, figure: Figure) -> Result<(), EncodeError> {
    match figure {
        Figure::DurationNs(duration_ns) => double(output, duration_ns as f64 / 1e6),
        Figure::Text(text) => {
            output.string(text);
            Ok(())
        }
        Figure::Counts(metrics) => {
            let counts = metrics.counts.iter().map(|(name, count)| (&**name, *count));
            members(output, counts, long)
        }
        Figure::Annotations(metrics) => named(output, metrics.annotations.iter().map(|(name, value)| (name, value))),
        Figure::Nested(list) => output.typed_in_three("g:List", |output| {
            output.array(list, |output, inner| output.nested(|output| metrics(output, inner)))
        }),
    }
}
