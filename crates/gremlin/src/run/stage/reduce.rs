//! Steps that make one value of all.

use std::sync::Arc;

use super::super::pipeline::{Queue, Reset, Stage};
use super::super::{Context, Held, RunError, Traverser};
use crate::function::Accumulator;
use crate::function::operator;
use crate::step::Reducer;
use crate::value::{GValue, Operator};

/// Puts values together; nothing but `count()` and `fold()` makes something of nothing.
pub(in crate::run) struct Reduce<'r> {
    cx: &'r Context<'r>,
    kind: Kind<'r>,
    held: Held<'r>,
}

enum Kind<'r> {
    Numbers(Reducer, Accumulator),
    Fold(Vec<GValue>),
    FoldWith { seed: &'r GValue, operator: Operator, value: GValue },
}

impl<'r> Reduce<'r> {
    pub fn numbers(cx: &'r Context<'r>, reducer: Reducer) -> Self {
        Reduce { cx, kind: Kind::Numbers(reducer, Accumulator::new(reducer)), held: cx.held() }
    }

    pub fn fold(cx: &'r Context<'r>) -> Self {
        Reduce { cx, kind: Kind::Fold(Vec::new()), held: cx.held() }
    }

    pub fn fold_with(cx: &'r Context<'r>, seed: &'r GValue, operator: Operator) -> Self {
        Reduce { cx, kind: Kind::FoldWith { seed, operator, value: seed.clone() }, held: cx.held() }
    }

    fn counted(&self, bulk: u64) -> u64 {
        if self.cx.source.bulk { bulk } else { 1 }
    }
}

impl Stage for Reduce<'_> {
    fn take(&mut self, batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        for traverser in batch {
            let bulk = self.counted(traverser.bulk);
            match &mut self.kind {
                Kind::Numbers(_, accumulator) => accumulator.add(&traverser.value, bulk)?,
                Kind::Fold(items) => {
                    for _ in 0..bulk {
                        self.held.grow_by_value(&traverser.value)?;
                        items.push(traverser.value.clone());
                    }
                }
                Kind::FoldWith { operator, value, .. } => {
                    for _ in 0..bulk {
                        *value = operator::apply(*operator, value, &traverser.value)?;
                    }
                    self.held.clear();
                    self.held.grow_by_value(value)?;
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let result = match &mut self.kind {
            Kind::Numbers(_, accumulator) => accumulator.finish()?,
            Kind::Fold(items) => Some(GValue::List(Arc::new(std::mem::take(items)))),
            Kind::FoldWith { value, .. } => Some(value.clone()),
        };
        out.extend(result.map(|value| self.cx.begin(value)));
        Ok(())
    }

    fn reset(&mut self, _kind: Reset) {
        match &mut self.kind {
            Kind::Numbers(reducer, accumulator) => *accumulator = Accumulator::new(*reducer),
            Kind::Fold(items) => items.clear(),
            Kind::FoldWith { seed, value, .. } => *value = seed.clone(),
        }
        self.held.clear();
    }
}
