//! The select list.

use orrery_engine::query::{Expr, Member};

use super::Binder;
use super::expr::check_names;
use crate::ast::{Accessor, Column, Expr as Tree, ExprKind, Literal, Query, SelectList};
use crate::error::{ErrorCode, SqlError};

impl Binder<'_> {
    /// What a row becomes.
    pub(super) fn select_list(&mut self, query: &Query) -> Result<Expr, SqlError> {
        match &query.select.list {
            SelectList::Value(expr) => self.expr(expr),
            SelectList::Columns(columns) => self.columns(columns),
            SelectList::Star(_) if query.from.is_some() => Ok(Expr::Source(0)),
            SelectList::Star(span) => Err(SqlError::new(
                ErrorCode::StarNeedsOneSource,
                span.range(),
                "'SELECT *' is only valid with a single input set.",
            )),
        }
    }

    fn columns(&mut self, columns: &[Column]) -> Result<Expr, SqlError> {
        let names = column_names(columns);
        check_names(names.iter().map(String::as_str).zip(columns.iter().map(|column| column.expr.span)))?;
        let members =
            names.into_iter().zip(columns).map(|(name, column)| Ok(Member::new(name, self.expr(&column.expr)?)));
        Ok(Expr::Object(members.collect::<Result<_, SqlError>>()?))
    }
}

/// The alias, else the last name of a path, else `$1`, `$2` and so on among those that have neither.
fn column_names(columns: &[Column]) -> Vec<String> {
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
        ExprKind::Access { steps, .. } => match steps.last()? {
            Accessor::Member(name) => Some(&name.text),
            Accessor::Index(Tree { kind: ExprKind::Literal(Literal::String(name)), .. }) => Some(name),
            Accessor::Index(_) => None,
        },
        _ => None,
    }
}
