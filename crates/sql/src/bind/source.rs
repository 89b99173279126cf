//! FROM and JOIN.

use orrery_engine::query::{Expr, SourceStep};

use super::Binder;
use super::body::folds;
use super::scope::{Alias, folded_outside, is_root, unknown};
use crate::ast::{self, Collection, Name, Source};
use crate::error::SqlError;

/// What the first source of a query can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The plan's own: source 0, which any name stands for.
    Plan,
    /// What the query around has.
    Outer,
}

impl<'q> Binder<'q> {
    /// The steps that give a row the sources of a FROM clause, whose names are known from then on.
    pub(super) fn from(&mut self, from: Option<&'q ast::From>, start: Start) -> Result<Vec<SourceStep>, SqlError> {
        let Some(from) = from else { return Ok(Vec::new()) };
        let mut steps = Vec::new();
        let first = self.source(&from.first, start, &mut steps)?;
        self.level().only_source = from.joins.is_empty().then_some(first);
        for join in &from.joins {
            self.source(join, Start::Outer, &mut steps)?;
        }
        Ok(steps)
    }

    /// Adds one source; returns its number.
    fn source(&mut self, source: &'q Source, start: Start, steps: &mut Vec<SourceStep>) -> Result<usize, SqlError> {
        let (step, is_item) = self.step(source, start)?;
        let number = match step {
            None => 0,
            Some(step) => {
                steps.push(step);
                self.sources += 1;
                self.sources - 1
            }
        };
        if let Some(name) = source.name() {
            let span = source.alias.as_ref().map_or(source.span, |alias| alias.span);
            self.declare(name, Alias { source: number, is_item }, span)?;
        }
        Ok(number)
    }

    /// How a source comes to a row, if it is not there already as source 0, and whether it is the item.
    fn step(&mut self, source: &'q Source, start: Start) -> Result<(Option<SourceStep>, bool), SqlError> {
        let one_or_each = |expr| if source.iterates { SourceStep::Each(expr) } else { SourceStep::One(expr) };
        match &source.collection {
            Collection::Path { root, steps } => {
                let alias = self.root(root, start)?;
                let is_whole = steps.is_empty() && !source.iterates;
                if is_whole && start == Start::Plan {
                    return Ok((None, alias.is_item));
                }
                let expr = self.follow(alias, steps)?;
                Ok((Some(one_or_each(expr)), alias.is_item && is_whole))
            }
            // Its rows are those of the plan.
            Collection::Subquery(query) if start == Start::Plan && folds(query) => {
                Ok((source.iterates.then_some(SourceStep::Each(Expr::Source(0))), false))
            }
            Collection::Subquery(query) => {
                let body = self.subquery(query, start, source.span)?.into();
                Ok((Some(if source.iterates { SourceStep::EachOf(body) } else { SourceStep::Rows(body) }), false))
            }
            Collection::Call(call) => Ok((Some(one_or_each(self.expr(call)?)), false)),
        }
    }

    fn root(&self, root: &Name, start: Start) -> Result<Alias, SqlError> {
        match self.find(&root.text) {
            Some(found) if found.is_folded => Err(folded_outside(&root.text, root.span)),
            Some(found) => Ok(found.alias),
            None if start == Start::Plan || (is_root(root) && self.reads_items) => {
                Ok(Alias { source: 0, is_item: self.reads_items })
            }
            None => Err(unknown(&root.text, root.span)),
        }
    }
}
