//! The arguments of one instruction, taken one by one.

use std::sync::Arc;

use super::{Context, assemble};
use crate::GremlinError;
use crate::step::{Names, Operand, Step, StepKind, Traversal};
use crate::value::{Bytecode, Constant, GValue, Instruction, MAX_NESTING, P, Scope};

pub(super) struct Arguments<'a> {
    cx: &'a Context,
    /// How deep the traversal of this instruction is nested.
    depth: usize,
    instruction: &'a Instruction,
    taken: usize,
}

impl<'a> Arguments<'a> {
    pub fn new(cx: &'a Context, depth: usize, instruction: &'a Instruction) -> Self {
        Arguments { cx, depth, instruction, taken: 0 }
    }

    pub fn name(&self) -> &'a str {
        &self.instruction.name
    }

    pub fn at(&self) -> Option<usize> {
        self.instruction.at
    }

    pub fn left(&self) -> usize {
        self.instruction.arguments.len() - self.taken
    }

    /// The next one as it counts: of a binding its value. Not taken yet.
    pub fn peek(&self) -> Option<&'a GValue> {
        self.instruction.arguments.get(self.taken).map(bound)
    }

    /// The next one, which must be there.
    pub fn any(&mut self, wanted: &str) -> Result<GValue, GremlinError> {
        let Some(value) = self.peek() else {
            let message = format!("{}() takes {wanted}, but argument {} is missing", self.name(), self.taken + 1);
            return Err(self.error(message));
        };
        self.taken += 1;
        self.check_value(value)
    }

    /// A value is anything but what is not one by itself; of bytecode a value with cardinality is its form.
    fn check_value(&self, value: &GValue) -> Result<GValue, GremlinError> {
        match value {
            GValue::Lambda(_) => Err(GremlinError::Unsupported {
                what: format!("lambdas, as {}() has one, are", self.name()),
                at: self.at(),
            }),
            GValue::Bytecode(bytecode) => match &bytecode.source[..] {
                [instruction] if &*instruction.name == "CardinalityValueTraversal" => {
                    self.cardinality_value(instruction)
                }
                _ => Ok(value.clone()),
            },
            _ => Ok(value.clone()),
        }
    }

    fn cardinality_value(&self, instruction: &Instruction) -> Result<GValue, GremlinError> {
        match &instruction.arguments[..] {
            [GValue::Constant(Constant::Cardinality(cardinality)), value] => {
                Ok(GValue::CardinalityValue(*cardinality, Arc::new(bound(value).clone())))
            }
            _ => Err(self.error(format!("{}() has a cardinality without a value", self.name()))),
        }
    }

    /// Whether all are taken; an error otherwise.
    pub fn end(&self) -> Result<(), GremlinError> {
        if self.left() == 0 {
            return Ok(());
        }
        let (name, given) = (self.name(), self.instruction.arguments.len());
        let message = match self.taken {
            0 => format!("{name}() takes no arguments, but {given} are given"),
            taken => format!("{name}() takes {taken} arguments here, but {given} are given"),
        };
        Err(self.error(message))
    }

    pub fn error(&self, message: String) -> GremlinError {
        GremlinError::Step { step: self.name().to_owned(), message, at: self.at() }
    }

    /// The one taken last is of the wrong kind.
    pub fn refuse(&self, wanted: &str, given: &GValue) -> GremlinError {
        self.error(format!("{}() takes {wanted}, but argument {} is {}", self.name(), self.taken, given.kind()))
    }

    pub fn string(&mut self, wanted: &str) -> Result<Arc<str>, GremlinError> {
        match self.any(wanted)? {
            GValue::String(text) => Ok(text),
            other => Err(self.refuse(wanted, &other)),
        }
    }

    pub fn string_or_null(&mut self, wanted: &str) -> Result<Option<Arc<str>>, GremlinError> {
        match self.any(wanted)? {
            GValue::String(text) => Ok(Some(text)),
            GValue::Null => Ok(None),
            other => Err(self.refuse(wanted, &other)),
        }
    }

    /// A string, if anything is left.
    pub fn optional_string(&mut self, wanted: &str) -> Result<Option<Arc<str>>, GremlinError> {
        if self.left() == 0 { Ok(None) } else { self.string(wanted).map(Some) }
    }

    /// All that are left.
    pub fn strings(&mut self, wanted: &str) -> Result<Vec<Arc<str>>, GremlinError> {
        (0..self.left()).map(|_| self.string(wanted)).collect()
    }

    /// All that are left.
    pub fn names(&mut self, wanted: &str) -> Result<Names, GremlinError> {
        (0..self.left()).map(|_| self.string_or_null(wanted)).collect()
    }

    /// All that are left, none of them a traversal or a predicate.
    pub fn values(&mut self) -> Result<Vec<GValue>, GremlinError> {
        (0..self.left()).map(|_| self.value()).collect()
    }

    pub fn value(&mut self) -> Result<GValue, GremlinError> {
        match self.any("a value")? {
            refused @ (GValue::Bytecode(_) | GValue::Predicate(_)) => Err(self.refuse("a value", &refused)),
            value => Ok(value),
        }
    }

    pub fn integer(&mut self, wanted: &str) -> Result<i64, GremlinError> {
        let value = self.any(wanted)?;
        value.as_i64().ok_or_else(|| self.refuse(wanted, &value))
    }

    /// An integer that is not negative.
    pub fn count(&mut self) -> Result<u64, GremlinError> {
        let number = self.integer("an integer")?;
        u64::try_from(number)
            .map_err(|_| self.error(format!("{}() takes no negative number, but {number} is given", self.name())))
    }

    pub fn double(&mut self, wanted: &str) -> Result<f64, GremlinError> {
        match self.any(wanted)? {
            GValue::Float(number) => Ok(f64::from(number)),
            GValue::Double(number) => Ok(number),
            GValue::BigDecimal(number) => Ok(number.to_f64()),
            other => match other.as_i64() {
                Some(number) => Ok(number as f64),
                None => Err(self.refuse(wanted, &other)),
            },
        }
    }

    /// The scope, if one is given first.
    pub fn scope(&mut self) -> Scope {
        match self.peek() {
            Some(GValue::Constant(Constant::Scope(scope))) => {
                self.taken += 1;
                *scope
            }
            _ => Scope::Global,
        }
    }

    /// A constant of one enumeration, if one is next.
    pub fn constant<T>(&mut self, of: impl Fn(Constant) -> Option<T>) -> Option<T> {
        let Some(GValue::Constant(constant)) = self.peek() else { return None };
        let found = of(*constant)?;
        self.taken += 1;
        Some(found)
    }

    pub fn has_traversal(&self) -> bool {
        matches!(self.peek(), Some(GValue::Bytecode(bytecode)) if !is_cardinality_value(bytecode))
    }

    pub fn traversal(&mut self) -> Result<Traversal, GremlinError> {
        match self.any("a traversal")? {
            GValue::Bytecode(bytecode) => nested(self.cx, self.depth, &bytecode),
            other => Err(self.refuse("a traversal", &other)),
        }
    }

    /// The steps of a traversal that stands within an argument.
    pub fn nested(&self, bytecode: &Bytecode) -> Result<Traversal, GremlinError> {
        nested(self.cx, self.depth, bytecode)
    }

    /// All that are left.
    pub fn traversals(&mut self) -> Result<Vec<Traversal>, GremlinError> {
        (0..self.left()).map(|_| self.traversal()).collect()
    }

    pub fn operand(&mut self, wanted: &str) -> Result<Operand, GremlinError> {
        if self.has_traversal() {
            return self.traversal().map(Operand::Traversal);
        }
        match self.any(wanted)? {
            refused @ GValue::Predicate(_) => Err(self.refuse(wanted, &refused)),
            value => Ok(Operand::Value(value)),
        }
    }

    /// A predicate, or a value to be equal to.
    pub fn condition(&mut self) -> Result<P, GremlinError> {
        match self.any("a value or a predicate")? {
            GValue::Predicate(predicate) => Ok(unbound(&predicate)),
            refused @ GValue::Bytecode(_) => Err(self.refuse("a value or a predicate", &refused)),
            value => Ok(P::equal(value)),
        }
    }

    pub fn predicate(&mut self) -> Result<P, GremlinError> {
        match self.any("a predicate")? {
            GValue::Predicate(predicate) => Ok(unbound(&predicate)),
            other => Err(self.refuse("a predicate", &other)),
        }
    }

    pub fn has_predicate(&self) -> bool {
        matches!(self.peek(), Some(GValue::Predicate(_)))
    }

    /// Whether and/or without arguments are to be joined.
    pub fn joins_connectives(&self) -> bool {
        self.cx.joins_connectives
    }
}

fn is_cardinality_value(bytecode: &Bytecode) -> bool {
    matches!(&bytecode.source[..], [instruction] if &*instruction.name == "CardinalityValueTraversal")
}

/// The steps of a nested traversal; one without any passes objects on.
pub(super) fn nested(cx: &Context, depth: usize, bytecode: &Bytecode) -> Result<Traversal, GremlinError> {
    if let Some(first) = bytecode.source.first() {
        let message = format!("{}() is for the source of a whole traversal", first.name);
        return Err(GremlinError::Step { step: first.name.to_string(), message, at: first.at });
    }
    if depth >= MAX_NESTING {
        let at = bytecode.steps.first().and_then(|step| step.at);
        return Err(GremlinError::TooLarge { what: "levels of nesting", limit: MAX_NESTING, at });
    }
    let mut steps = assemble::assemble(cx, depth + 1, &bytecode.steps)?;
    if steps.is_empty() {
        steps.push(Step::from(StepKind::Identity));
    }
    Ok(Traversal { steps })
}

/// The value that counts.
pub(super) fn bound(value: &GValue) -> &GValue {
    let mut value = value;
    while let GValue::Binding(binding) = value {
        value = &binding.value;
    }
    value
}

/// The predicate with the values of its bindings.
fn unbound(predicate: &P) -> P {
    let all = |values: &[GValue]| values.iter().map(|value| bound(value).clone()).collect();
    match predicate {
        P::Compare(comparison, value) => P::Compare(*comparison, bound(value).clone()),
        P::Interval(interval, low, high) => P::Interval(*interval, bound(low).clone(), bound(high).clone()),
        P::Within(members) => P::Within(all(members)),
        P::Without(members) => P::Without(all(members)),
        P::Text(comparison, value) => P::Text(*comparison, bound(value).clone()),
        P::TypeOf(gtype) => P::TypeOf(*gtype),
        P::And(parts) => P::And(parts.iter().map(unbound).collect()),
        P::Or(parts) => P::Or(parts.iter().map(unbound).collect()),
        P::Not(inner) => P::Not(Box::new(unbound(inner))),
    }
}
