//! Values for variables that an earlier statement of the same text assigns.

use std::sync::Arc;

use super::Expression;
use crate::value::{Bytecode, GMap, GValue, Instruction, P, Strategy};

impl Expression {
    /// The same with the values of variables that had none when the text was read: those that its earlier statements assign, and
    /// which are [`GValue::Binding`] until then. Names that `variables` lacks stay as they are.
    #[must_use]
    pub fn filled(&self, variables: &GMap) -> Expression {
        match self {
            Expression::Traversal { source, bytecode, terminal } => Expression::Traversal {
                source: Arc::clone(source),
                bytecode: Arc::new(fill_bytecode(bytecode, variables)),
                terminal: *terminal,
            },
            Expression::Value(value) => Expression::Value(fill(value, variables)),
        }
    }
}

fn fill_bytecode(bytecode: &Bytecode, variables: &GMap) -> Bytecode {
    let all = |instructions: &[Instruction]| {
        let filled = instructions.iter().map(|instruction| Instruction {
            arguments: instruction.arguments.iter().map(|argument| fill(argument, variables)).collect(),
            ..instruction.clone()
        });
        filled.collect()
    };
    Bytecode { source: all(&bytecode.source), steps: all(&bytecode.steps) }
}

fn fill(value: &GValue, variables: &GMap) -> GValue {
    let again = |value: &GValue| fill(value, variables);
    match value {
        GValue::Binding(binding) => variables.get(&GValue::String(Arc::clone(&binding.key))).unwrap_or(value).clone(),
        GValue::List(items) => GValue::list(items.iter().map(again)),
        GValue::Set(members) => GValue::set(members.iter().map(again)),
        GValue::Map(entries) => GValue::map(entries.iter().map(|(key, value)| (again(key), again(value)))),
        GValue::CardinalityValue(cardinality, value) => GValue::CardinalityValue(*cardinality, Arc::new(again(value))),
        GValue::Bytecode(bytecode) => GValue::Bytecode(Arc::new(fill_bytecode(bytecode, variables))),
        GValue::Predicate(predicate) => GValue::Predicate(Arc::new(fill_predicate(predicate, variables))),
        GValue::Strategy(strategy) => GValue::Strategy(Arc::new(Strategy {
            name: Arc::clone(&strategy.name),
            configuration: strategy.configuration.iter().map(|(key, value)| (Arc::clone(key), again(value))).collect(),
        })),
        other => other.clone(),
    }
}

fn fill_predicate(predicate: &P, variables: &GMap) -> P {
    let again = |value: &GValue| fill(value, variables);
    let all = |parts: &[P]| parts.iter().map(|part| fill_predicate(part, variables)).collect();
    match predicate {
        P::Compare(comparison, value) => P::Compare(*comparison, again(value)),
        P::Interval(interval, low, high) => P::Interval(*interval, again(low), again(high)),
        P::Within(members) => P::Within(fill_members(members, variables)),
        P::Without(members) => P::Without(fill_members(members, variables)),
        P::TypeOf(gtype) => P::TypeOf(*gtype),
        P::Text(comparison, value) => P::Text(*comparison, again(value)),
        P::And(parts) => P::And(all(parts)),
        P::Or(parts) => P::Or(all(parts)),
        P::Not(inner) => P::Not(Box::new(fill_predicate(inner, variables))),
    }
}

/// A variable alone that turns out to be a list or a set stands for its members.
fn fill_members(members: &[GValue], variables: &GMap) -> Vec<GValue> {
    let filled: Vec<GValue> = members.iter().map(|member| fill(member, variables)).collect();
    match (members, &filled[..]) {
        ([GValue::Binding(_)], [GValue::List(items)]) => items.to_vec(),
        ([GValue::Binding(_)], [GValue::Set(items)]) => items.iter().cloned().collect(),
        _ => filled,
    }
}
