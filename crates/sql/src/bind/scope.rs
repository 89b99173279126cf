//! Names and what they stand for.

use std::collections::HashMap;

use orrery_engine::query::{Aggregate, AggregateFunction};

use super::Binder;
use crate::ast::Name;
use crate::error::{ErrorCode, SqlError};
use crate::token::Span;

/// One query among those that stand within each other.
#[derive(Default)]
pub(super) struct Level<'q> {
    pub aliases: Vec<(&'q str, Alias)>,
    /// The source of `SELECT *`, if there is one only.
    pub only_source: Option<usize>,
    /// Set while the select list of folded rows is bound: its rows' sources are gone.
    pub is_folded: bool,
    /// Keys of GROUP BY by their shape.
    pub keys: HashMap<u128, usize>,
    pub aggregates: Vec<Aggregate>,
    /// Their numbers by function and shape of the argument.
    pub aggregate_numbers: HashMap<(AggregateFunction, u128), usize>,
}

/// What an alias stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alias {
    pub source: usize,
    /// Whether it is the item, which has computed properties.
    pub is_item: bool,
}

/// An alias and how many queries further out it was introduced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub alias: Alias,
    pub is_own: bool,
    /// Whether the rows that it belongs to are folded where the name is used.
    pub is_folded: bool,
}

impl<'q> Binder<'q> {
    /// What a name stands for; inner aliases hide outer ones.
    pub(super) fn find(&self, name: &str) -> Option<Found> {
        self.levels.iter().rev().enumerate().find_map(|(out, level)| {
            let alias = level.aliases.iter().rev().find(|(known, _)| *known == name)?.1;
            Some(Found { alias, is_own: out == 0, is_folded: level.is_folded })
        })
    }

    /// Introduces a name.
    pub(super) fn declare(&mut self, name: &'q str, alias: Alias, span: Span) -> Result<(), SqlError> {
        let level = self.level();
        if level.aliases.iter().any(|(known, _)| *known == name) {
            let message = format!("The input alias '{name}' is specified more than once in the FROM clause.");
            return Err(SqlError::new(ErrorCode::DuplicateAlias, span.range(), message));
        }
        level.aliases.push((name, alias));
        Ok(())
    }

    /// The query that is bound.
    pub(super) fn level(&mut self) -> &mut Level<'q> {
        self.levels.last_mut().expect("a level is pushed before a query's clauses are bound")
    }
}

pub(super) fn unknown(name: &str, span: Span) -> SqlError {
    let message = format!("Identifier '{name}' could not be resolved.");
    SqlError::new(ErrorCode::UnknownName, span.range(), message)
}

/// Names of the query around that only stand for rows that are folded there.
pub(super) fn folded_outside(name: &str, span: Span) -> SqlError {
    let message = format!(
        "'{name}' cannot be used in this subquery: the query around it groups or aggregates its rows, and the subquery stands in its select list."
    );
    SqlError::new(ErrorCode::NotSupported, span.range(), message)
}

/// The name by which any query may call the container.
pub(super) fn is_root(name: &Name) -> bool {
    name.text.eq_ignore_ascii_case("ROOT")
}
