//! What names mean: which of them lead into the item.

use crate::ast::{Accessor, Collection, Expr, ExprKind, Query, Source};
use crate::bind::expr::step_name;

/// The aliases that an expression may use, the innermost last: each with the names that lead from the item to what it stands for, or
/// none if it stands for something else.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'q>(Vec<(&'q str, Option<Vec<&'q str>>)>);

impl<'q> Scope<'q> {
    /// Adds the sources of a query within this scope.
    pub fn enter(&mut self, query: &'q Query) {
        for source in query.from.iter().flat_map(|from| [&from.first].into_iter().chain(&from.joins)) {
            let path = self.source_path(source);
            self.0.extend(source.name().map(|name| (name, path)));
        }
    }

    /// A root that no alias has is the container, whatever its name.
    fn source_path(&self, source: &'q Source) -> Option<Vec<&'q str>> {
        let Collection::Path { root, steps } = &source.collection else { return None };
        if source.iterates {
            return None;
        }
        let path = match self.find(&root.text) {
            Some(path) => path.clone()?,
            None => Vec::new(),
        };
        follow(path, steps)
    }

    fn find(&self, alias: &str) -> Option<&Option<Vec<&'q str>>> {
        self.0.iter().rev().find(|(name, _)| *name == alias).map(|(_, path)| path)
    }

    /// The names that lead from the item to the expression, if that is a property.
    pub fn item_path(&self, expr: &'q Expr) -> Option<Vec<&'q str>> {
        match &expr.kind {
            ExprKind::Identifier(alias) => self.find(alias)?.clone(),
            ExprKind::Access { base, steps } => follow(self.item_path(base)?, steps),
            _ => None,
        }
    }
}

fn follow<'q>(mut path: Vec<&'q str>, steps: &'q [Accessor]) -> Option<Vec<&'q str>> {
    for step in steps {
        path.push(step_name(step)?.0);
    }
    Some(path)
}
