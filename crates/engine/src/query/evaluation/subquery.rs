//! Subqueries: the outputs of a body on a row, and what is made of them.

use std::ops::ControlFlow;

use orrery_value::Value;

use super::body_rows::each_row;
use super::row::Row;
use crate::query::collect::group_table::{GroupTable, finish_group};
use crate::query::collect::identity;
use crate::query::collect::keyed_table::{ENTRY_BYTES, KeyedTable};
use crate::query::{Body, Datum, Expr, Grouping, SubqueryKind};

/// What is brought to each output of a body.
pub(in crate::query) type OutputVisitor<'v> = dyn FnMut(&Datum<'_>) -> ControlFlow<()> + 'v;

/// A subquery's value on a row. It is computed, so that it does not depend on the rows inside of the subquery.
pub(in crate::query) fn evaluate(kind: SubqueryKind, body: &Body, row: &Row<'_>) -> Datum<'static> {
    match kind {
        SubqueryKind::Scalar => scalar(body, row),
        SubqueryKind::Exists => each_output(body, row, &mut |_| ControlFlow::Break(())).is_break().into(),
        SubqueryKind::Array => array(body, row),
        SubqueryKind::First => first(body, row),
        SubqueryKind::Last => last(body, row),
        SubqueryKind::All => {
            let is_true = |value: &Datum<'_>| match value.as_bool() {
                Some(true) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            };
            each_output(body, row, &mut { is_true }).is_continue().into()
        }
    }
}

/// Brings `emit` to each defined output of the body on a row, in order, until it breaks or the effort is used up.
pub(in crate::query) fn each_output<'a>(
    body: &'a Body,
    row: &Row<'a>,
    emit: &mut OutputVisitor<'_>,
) -> ControlFlow<()> {
    if !body.distinct {
        return each_projection(body, row, emit);
    }
    let mut seen: KeyedTable<()> = KeyedTable::new();
    let mut scratch = Vec::new();
    each_projection(body, row, &mut |value| {
        scratch.clear();
        identity::encode(value, &mut scratch);
        if !row.effort().spend(scratch.len() + ENTRY_BYTES) {
            return ControlFlow::Break(());
        }
        match seen.find_or_insert(&scratch, || ()) {
            Some(slot) if slot.is_new => emit(value),
            _ => ControlFlow::Continue(()),
        }
    })
}

fn each_projection<'a>(body: &'a Body, row: &Row<'a>, emit: &mut OutputVisitor<'_>) -> ControlFlow<()> {
    match &body.grouping {
        None => each_row(body, row, &mut |row| emit_projection(&body.projection, row, emit)),
        Some(grouping) => {
            let groups = groups(body, grouping, row);
            for group in groups {
                let (keys, aggregates) = finish_group(group);
                emit_projection(&body.projection, &row.folded(&keys, &aggregates), emit)?;
            }
            ControlFlow::Continue(())
        }
    }
}

fn emit_projection(projection: &Expr, row: &Row<'_>, emit: &mut OutputVisitor<'_>) -> ControlFlow<()> {
    let value = projection.evaluate(row);
    // An exhausted effort makes values undefined that are not: the item fails, whatever is emitted.
    if row.effort().is_exhausted() {
        return ControlFlow::Break(());
    }
    if value.is_undefined() { ControlFlow::Continue(()) } else { emit(&value) }
}

/// The groups of a subquery. What they take in memory is paid for in steps.
fn groups(
    body: &Body,
    grouping: &Grouping,
    row: &Row<'_>,
) -> impl Iterator<Item = crate::query::collect::group_table::Group> + use<> {
    let mut groups = GroupTable::new(grouping);
    // That the rows end early shows in the effort.
    let _ = each_row(body, row, &mut |row| match groups.add(grouping, row) {
        Ok(growth) if row.effort().spend(growth) => ControlFlow::Continue(()),
        Ok(_) => ControlFlow::Break(()),
        Err(error) => {
            row.effort().fail(error);
            ControlFlow::Break(())
        }
    });
    groups.into_groups()
}

fn scalar(body: &Body, row: &Row<'_>) -> Datum<'static> {
    let mut found = None;
    let _ = each_output(body, row, &mut |value| {
        if found.is_some() {
            row.effort().refuse("The cardinality of a scalar subquery result set cannot be greater than one.");
            return ControlFlow::Break(());
        }
        keep(value, row, &mut found)
    });
    found.into()
}

fn first(body: &Body, row: &Row<'_>) -> Datum<'static> {
    let mut found = None;
    let _ = each_output(body, row, &mut |value| {
        let _ = keep(value, row, &mut found);
        ControlFlow::Break(())
    });
    found.into()
}

fn last(body: &Body, row: &Row<'_>) -> Datum<'static> {
    let mut found = None;
    let _ = each_output(body, row, &mut |value| keep(value, row, &mut found));
    found.into()
}

fn array(body: &Body, row: &Row<'_>) -> Datum<'static> {
    let mut elements = Vec::new();
    let _ = each_output(body, row, &mut |value| {
        let mut element = None;
        let flow = keep(value, row, &mut element);
        elements.extend(element);
        flow
    });
    Datum::Owned(Value::Array(elements))
}

/// Copies a value out of the subquery, and pays for it.
fn keep(value: &Datum<'_>, row: &Row<'_>, kept: &mut Option<Value>) -> ControlFlow<()> {
    if !row.effort().spend(value.weight()) {
        return ControlFlow::Break(());
    }
    *kept = Some(value.to_value());
    ControlFlow::Continue(())
}
