//! Printing queries and their clauses.

use std::fmt;

use super::{Printer, Quoted};
use crate::ast::{
    Accessor, Collection, Column, Direction, Expr, From, OrderBy, OrderItem, Query, RankItem, Select, SelectList,
    Source,
};
use crate::lex::is_identifier;
use crate::limits::SUBQUERY_LEVELS;

/// How far the lines of a subquery are indented.
const INDENT: &str = "    ";

impl Printer<'_, '_> {
    pub(super) fn query(&mut self, query: &Query) -> fmt::Result {
        self.select(&query.select)?;
        if let Some(from) = &query.from {
            self.from(from)?;
        }
        if let Some(filter) = &query.filter {
            self.line("WHERE ")?;
            self.expr(filter)?;
        }
        if !query.group_by.is_empty() {
            self.line("GROUP BY ")?;
            self.separated(&query.group_by, Self::expr)?;
        }
        if let Some(order_by) = &query.order_by {
            self.order_by(order_by)?;
        }
        if let Some(range) = &query.offset_limit {
            self.line("OFFSET ")?;
            write!(self.f, "{} LIMIT {}", range.offset, range.limit)?;
        }
        Ok(())
    }

    /// A query in parentheses, on lines of its own.
    pub(super) fn subquery(&mut self, query: &Query) -> fmt::Result {
        self.f.write_str("(")?;
        self.indent += 1;
        self.line("")?;
        self.within(SUBQUERY_LEVELS, |printer| printer.query(query))?;
        self.indent -= 1;
        self.line(")")
    }

    /// Begins a line.
    fn line(&mut self, beginning: &str) -> fmt::Result {
        self.f.write_str("\n")?;
        for _ in 0..self.indent {
            self.f.write_str(INDENT)?;
        }
        self.f.write_str(beginning)
    }

    fn select(&mut self, select: &Select) -> fmt::Result {
        self.f.write_str("SELECT ")?;
        if select.distinct {
            self.f.write_str("DISTINCT ")?;
        }
        if let Some(top) = &select.top {
            write!(self.f, "TOP {top} ")?;
        }
        match &select.list {
            SelectList::Star(_) => self.f.write_str("*"),
            SelectList::Value(expr) => {
                self.f.write_str("VALUE ")?;
                self.expr(expr)
            }
            SelectList::Columns(columns) => self.separated(columns, Self::column),
        }
    }

    fn column(&mut self, column: &Column) -> fmt::Result {
        self.expr(&column.expr)?;
        match &column.alias {
            None => Ok(()),
            Some(alias) if is_identifier(&alias.text) => write!(self.f, " AS {}", alias.text),
            Some(alias) => write!(self.f, " AS {}", Quoted(&alias.text)),
        }
    }

    fn from(&mut self, from: &From) -> fmt::Result {
        self.line("FROM ")?;
        self.source(&from.first)?;
        from.joins.iter().try_for_each(|join| {
            self.line("JOIN ")?;
            self.source(join)
        })
    }

    fn source(&mut self, source: &Source) -> fmt::Result {
        match &source.alias {
            Some(alias) if source.iterates => {
                write!(self.f, "{} IN ", alias.text)?;
                self.collection(&source.collection)
            }
            Some(alias) => {
                self.collection(&source.collection)?;
                write!(self.f, " AS {}", alias.text)
            }
            None => self.collection(&source.collection),
        }
    }

    fn collection(&mut self, collection: &Collection) -> fmt::Result {
        match collection {
            Collection::Path { root, steps } => {
                self.f.write_str(&root.text)?;
                self.steps(steps)
            }
            Collection::Subquery(query) => self.subquery(query),
            Collection::Call(call) => self.expr(call),
        }
    }

    pub(super) fn steps(&mut self, steps: &[Accessor]) -> fmt::Result {
        steps.iter().try_for_each(|step| match step {
            Accessor::Member(name) => write!(self.f, ".{}", name.text),
            Accessor::Index(index) => self.enclosed('[', std::slice::from_ref(index), ']', Self::expr),
        })
    }

    fn order_by(&mut self, order_by: &OrderBy) -> fmt::Result {
        match order_by {
            OrderBy::Items(items) => {
                self.line("ORDER BY ")?;
                self.separated(items, |printer, OrderItem { expr, direction, is_written }| {
                    printer.ordered(expr, is_written.then_some(*direction))
                })
            }
            OrderBy::Rank(items) => {
                self.line("ORDER BY RANK ")?;
                self.separated(items, |printer, RankItem { call, direction }| printer.ordered(call, *direction))
            }
        }
    }

    fn ordered(&mut self, expr: &Expr, direction: Option<Direction>) -> fmt::Result {
        self.expr(expr)?;
        self.f.write_str(match direction {
            None => "",
            Some(Direction::Ascending) => " ASC",
            Some(Direction::Descending) => " DESC",
        })
    }
}
