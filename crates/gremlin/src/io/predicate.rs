//! Predicates and values with cardinality, which both formats hide in something more general.

use std::sync::Arc;

use crate::value::{Bytecode, Comparison, Constant, GValue, Instruction, P};

/// The one source instruction of the bytecode that stands for a value with cardinality.
const CARDINALITY_VALUE: &str = "CardinalityValueTraversal";

/// The predicate called `name`. None if there is no such one, or the operands do not suit it.
pub(super) fn predicate(name: &str, mut operands: Vec<GValue>) -> Option<GValue> {
    // Clients spread the elements of a list that is compared as if they were operands. Members are always spread: one that is a list
    // is a member.
    let is_spread = operands.len() != 1 && Comparison::parse(name).is_some();
    if is_spread || matches!(name, "within" | "without") {
        operands = vec![GValue::list(operands)];
    }
    P::from_name(name, operands).map(|predicate| GValue::Predicate(Arc::new(predicate)))
}

/// The traversal, or the value with cardinality that it stands for.
pub(super) fn bytecode(bytecode: Bytecode) -> GValue {
    if let ([], [Instruction { name, arguments, .. }]) = (&bytecode.steps[..], &bytecode.source[..])
        && **name == *CARDINALITY_VALUE
        && let [GValue::Constant(Constant::Cardinality(cardinality)), value] = &arguments[..]
    {
        return GValue::CardinalityValue(*cardinality, Arc::new(value.clone()));
    }
    GValue::Bytecode(Arc::new(bytecode))
}

/// The bytecode that stands for a value with cardinality.
pub(super) fn cardinality_value(cardinality: crate::value::Cardinality, value: &GValue) -> Bytecode {
    let arguments = vec![cardinality.into(), value.clone()];
    Bytecode { source: vec![Instruction::new(CARDINALITY_VALUE, arguments)], steps: Vec::new() }
}
