//! The rows of a body: its sources one after another, then its filter. No product of sources is ever held in memory.

use std::ops::ControlFlow;

use super::row::Row;
use super::subquery::each_output;
use orrery_value::{NodeKind, Value};

use crate::query::{Body, Datum, Predicate, SourceStep};

/// What is brought to each row. It cannot keep anything of it.
pub(in crate::query) type RowVisitor<'v> = dyn FnMut(&Row<'_>) -> ControlFlow<()> + 'v;

/// Brings `visit` to each row that the body makes of `row`, in order, until it breaks or the effort is used up.
#[inline]
pub(in crate::query) fn each_row<'a>(body: &'a Body, row: &Row<'a>, visit: &mut RowVisitor<'_>) -> ControlFlow<()> {
    from_step(&body.sources, body.filter.as_ref(), row, visit)
}

fn from_step<'a>(
    steps: &'a [SourceStep],
    filter: Option<&'a Predicate>,
    row: &Row<'a>,
    visit: &mut RowVisitor<'_>,
) -> ControlFlow<()> {
    let Some((step, rest)) = steps.split_first() else {
        return if filter.is_none_or(|filter| filter.keeps(row)) { visit(row) } else { ControlFlow::Continue(()) };
    };
    match step {
        SourceStep::One(expr) => match expr.evaluate(row) {
            value if value.is_undefined() => ControlFlow::Continue(()),
            value => with_source(value, rest, filter, row, visit),
        },
        SourceStep::Each(expr) => {
            each_element(expr.evaluate(row), |element| with_source(element, rest, filter, row, visit))
        }
        SourceStep::Rows(body) => {
            each_output(body, row, &mut |value| with_source(value.share(), rest, filter, row, visit))
        }
        SourceStep::EachOf(body) => each_output(body, row, &mut |value| {
            each_element(value.share(), |element| with_source(element, rest, filter, row, visit))
        }),
    }
}

fn with_source<'a>(
    value: Datum<'a>,
    rest: &'a [SourceStep],
    filter: Option<&'a Predicate>,
    row: &Row<'a>,
    visit: &mut RowVisitor<'_>,
) -> ControlFlow<()> {
    if !row.effort().spend(1) {
        return ControlFlow::Break(());
    }
    let source = row.next_source(value);
    from_step(rest, filter, &row.with(&source), visit)
}

/// The elements of an array one by one; of other values none.
fn each_element<'a>(array: Datum<'a>, mut visit: impl FnMut(Datum<'a>) -> ControlFlow<()>) -> ControlFlow<()> {
    match array {
        Datum::Stored(node) if node.kind() == NodeKind::Array => node.elements().map(Datum::Stored).try_for_each(visit),
        Datum::Borrowed(Value::Array(elements)) => elements.iter().map(Datum::Borrowed).try_for_each(visit),
        Datum::Owned(Value::Array(elements)) => elements.into_iter().map(Datum::Owned).try_for_each(&mut visit),
        _ => ControlFlow::Continue(()),
    }
}
