//! From an item to the rows that operators see: the bodies of inner queries that need no other item, then the plan's own.

use std::ops::ControlFlow;
use std::sync::Arc;

use orrery_store::Visit;

use crate::Error;
use crate::item::ItemView;
use crate::query::evaluation::body_rows::{RowVisitor, each_row};
use crate::query::evaluation::row::{Row, Source};
use crate::query::evaluation::subquery::each_output;
use crate::query::scope::early_filter::early_filter;
use crate::query::{Body, From, Plan, Predicate};

/// How the rows of a plan come from its input.
pub(in crate::query) struct Feed {
    /// The plan whose rows they are.
    pub plan: Arc<Plan>,
    /// Plans of `FROM (SELECT ...)` whose rows depend on one input row each, the innermost first.
    inner: Vec<Arc<Plan>>,
    /// What the plan's filter says of the rows that its body adds sources to.
    early: Option<Predicate>,
}

/// Where a row comes from.
pub(in crate::query) struct At<'p> {
    /// The item's key without its container's number; of a row that other rows were folded into, the hash of its identity.
    pub key: &'p [u8],
    /// Decides between rows that sort alike: the document number, or that hash.
    pub number: u128,
    /// The row's place among those of the same item.
    pub ordinal: u64,
    /// The item, if there is one.
    pub item: Option<ItemView<'p>>,
}

/// What an operator does with rows.
pub(in crate::query) trait Collector: Send + 'static {
    /// Asked before each item: whether no more of them are wanted. Gets what was examined so far.
    fn is_full(&mut self, _examined: &Examined) -> bool {
        false
    }

    /// Takes a row.
    fn add(&mut self, row: &Row<'_>, at: &At<'_>) -> Result<Visit, Error>;

    /// Told after each item whose rows were all taken.
    fn item_done(&mut self, _key: &[u8]) {}
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::query) struct Examined {
    pub items: u64,
    pub bytes: u64,
    pub steps: u64,
    pub rows: u64,
}

impl Examined {
    /// Adds what another part looked at.
    pub fn add(&mut self, other: &Examined) {
        self.items += other.items;
        self.bytes += other.bytes;
        self.steps += other.steps;
        self.rows += other.rows;
    }
}

impl Feed {
    /// The feed of a plan, and the plan that says where its input comes from: the plan itself, or the innermost of those that it
    /// takes its rows from one by one.
    pub fn new(plan: &Arc<Plan>) -> (Self, Arc<Plan>) {
        let mut inner = Vec::new();
        let mut base = plan.clone();
        while let From::Query(next) = &base.clone().from {
            if !next.is_plain() {
                break;
            }
            inner.insert(0, next.clone());
            base = next.clone();
        }
        (Feed { early: early_filter(&plan.body), plan: plan.clone(), inner }, base)
    }

    /// Whether a row is the input itself, kept or not by a filter.
    pub fn is_direct(&self) -> bool {
        self.inner.is_empty() && self.plan.body.sources.is_empty()
    }

    /// Whether source 0 of a row is the input row's.
    pub fn is_over_items(&self) -> bool {
        self.inner.is_empty()
    }

    /// Brings `visit` to each row that comes from an input row, in order.
    #[inline]
    pub fn each_row<'a>(&'a self, input: &Row<'a>, visit: &mut RowVisitor<'_>) -> ControlFlow<()> {
        layered(&self.inner, self.early.as_ref(), &self.plan.body, input, visit)
    }

    /// Brings a collector to each row that comes from an input row. Returns how many rows there were.
    #[inline]
    pub fn bring<C: Collector>(
        &self,
        input: &Row<'_>,
        key: &[u8],
        number: u128,
        item: Option<ItemView<'_>>,
        collector: &mut C,
    ) -> (u64, Result<Visit, Error>) {
        // Source 0 is the item only if no query stands between them.
        let mut at = At { key, number, ordinal: 0, item: item.filter(|_| self.inner.is_empty()) };
        let mut end = Ok(Visit::Continue);
        // How it ended stands in `end`.
        let _ = self.each_row(input, &mut |row| match collector.add(row, &at) {
            Ok(Visit::Continue) => {
                at.ordinal += 1;
                ControlFlow::Continue(())
            }
            other => {
                end = other;
                ControlFlow::Break(())
            }
        });
        (at.ordinal, end)
    }
}

fn layered<'a>(
    inner: &'a [Arc<Plan>],
    early: Option<&'a Predicate>,
    body: &'a Body,
    input: &Row<'a>,
    visit: &mut RowVisitor<'_>,
) -> ControlFlow<()> {
    let Some((first, rest)) = inner.split_first() else {
        let kept = early.is_none_or(|early| early.keeps(input));
        return if kept { each_row(body, input, visit) } else { ControlFlow::Continue(()) };
    };
    each_output(&first.body, input, &mut |value| {
        let source = Source::first(value.share());
        layered(rest, early, body, &Row::of(&source, input.effort()), visit)
    })
}
