//! The select list.

use orrery_engine::query::{Expr, Member};

use super::Binder;
use super::expr::{check_names, step_name};
use crate::ast::{Column, Expr as Tree, ExprKind, Query, SelectList};
use crate::error::{ErrorCode, SqlError};

impl<'q> Binder<'q> {
    /// What a row becomes.
    pub(super) fn select_list(&mut self, query: &'q Query) -> Result<Expr, SqlError> {
        match &query.select.list {
            SelectList::Value(expr) => self.expr(expr),
            SelectList::Columns(columns) => self.columns(columns),
            SelectList::Star(span) => self.level().only_source.map(Expr::Source).ok_or_else(|| {
                let message = "'SELECT *' is only valid with a single input set.";
                SqlError::new(ErrorCode::StarNeedsOneSource, span.range(), message)
            }),
        }
    }

    fn columns(&mut self, columns: &'q [Column]) -> Result<Expr, SqlError> {
        let names = column_names(columns);
        check_names(names.iter().map(String::as_str).zip(columns.iter().map(|column| column.expr.span)))?;
        let members =
            names.into_iter().zip(columns).map(|(name, column)| Ok(Member::new(name, self.expr(&column.expr)?)));
        Ok(Expr::Object(members.collect::<Result<_, SqlError>>()?))
    }
}

/// The alias, else the last name of a path, else `$1`, `$2` and so on among those that have neither.
pub(crate) fn column_names(columns: &[Column]) -> Vec<String> {
    let mut unnamed = 0;
    let name = |column: &Column| match (&column.alias, own_name(&column.expr)) {
        (Some(alias), _) => alias.text.clone(),
        (None, Some(name)) => name.to_owned(),
        (None, None) => {
            unnamed += 1;
            format!("${unnamed}")
        }
    };
    columns.iter().map(name).collect()
}

fn own_name(expr: &Tree) -> Option<&str> {
    match &expr.kind {
        ExprKind::Identifier(name) => Some(name),
        ExprKind::Access { steps, .. } => Some(step_name(steps.last()?)?.0),
        _ => None,
    }
}
