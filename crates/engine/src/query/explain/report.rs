//! How a page was made: what was read and why, what each operator did, and what it cost.

use std::time::{Duration, Instant};

use super::metrics::{QueryMetrics, ScopeTaken};
use crate::catalog::Container;
use crate::item::key;
use crate::query::collect::feed::Examined;
use crate::query::index_access::{IndexNotes, IndexReport};
use crate::query::scope::narrow::Narrowed;
use crate::request_charge::{self, PageCharge};

/// Items examined for each row given out from which on a page is called wasteful.
const WASTEFUL_RATIO: u64 = 20;

/// Fewer items than this are not worth an advice.
const MIN_ITEMS_FOR_ADVICE: u64 = 1_000;

/// How a page was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Explain {
    /// Which part of the container was read.
    pub scope: ScopeTaken,
    /// Physical partitions of the container.
    pub partitions_total: usize,
    /// Those that the query can have rows in.
    pub partitions_touched: usize,
    /// Logical partitions that the query names; none if it does not name them one by one.
    pub logical_partitions: Option<usize>,
    /// Single items looked up.
    pub points: usize,
    /// Ranges of keys scanned.
    pub ranges: usize,
    /// Parts that the scope was read in.
    pub parts: usize,
    /// How the property index served the page.
    pub index: IndexReport,
    /// What was done to rows, from the first operator to the last.
    pub operators: Vec<OperatorReport>,
    /// What the charge is made of.
    pub charge: PageCharge,
    /// What would make the query cheaper.
    pub advice: Vec<String>,
}

/// What an operator did for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorReport {
    /// What it does.
    pub name: &'static str,
    /// Rows that came in.
    pub rows_in: u64,
    /// Rows that went out.
    pub rows_out: u64,
    /// Time it took, with the reading of its input.
    pub time: Duration,
}

/// What is noted while a page is made.
#[derive(Default)]
pub(in crate::query) struct Trace {
    pub examined: Examined,
    pub taken: ScopeTaken,
    pub parts: usize,
    pub load_time: Duration,
    pub index: IndexNotes,
    /// What rows are sorted by, for people.
    pub order: Vec<String>,
    logical_partitions: Option<usize>,
    partitions_touched: usize,
    points: usize,
    ranges: usize,
    stages: Vec<OperatorReport>,
}

impl Trace {
    /// Notes what is read.
    pub fn narrowed(&mut self, container: &Container, narrowed: &Narrowed) {
        self.taken = narrowed.taken;
        self.logical_partitions = narrowed.logical_partitions;
        let spans = &narrowed.access.spans;
        self.points = spans.iter().filter(|span| span.range().is_none()).count();
        self.ranges = spans.len() - self.points;
        let partitions = container.partitions();
        let touches = |range: &&crate::catalog::PartitionRange| {
            let range = key::epk_range(container.number(), &range.epk);
            spans.iter().any(|span| match (span.range(), span.start()) {
                (None, key) => key >= range.start.as_slice() && range.end.as_deref().is_none_or(|end| key < end),
                (Some(span), _) => {
                    range.end.as_ref().is_none_or(|end| span.start < *end)
                        && span.end.as_ref().is_none_or(|end| range.start < *end)
                }
            })
        };
        self.partitions_touched = partitions.ranges().iter().filter(touches).count();
    }

    /// Notes an operator that is done. What came in is what the one before it gave out, or the rows of the items read.
    pub fn stage(&mut self, name: &'static str, started: Instant, rows_out: usize) {
        let rows_in = self.stages.last().map_or(self.examined.rows, |before| before.rows_out);
        self.stages.push(OperatorReport { name, rows_in, rows_out: rows_out as u64, time: started.elapsed() });
    }

    /// Notes that the items of sorted rows were loaded.
    pub fn loaded(&mut self, started: Instant, rows: usize) {
        self.load_time = started.elapsed();
        self.stage("load", started, rows);
    }

    /// The report.
    pub fn explain(&self, container: &Container, metrics: &QueryMetrics) -> Explain {
        let filter = OperatorReport {
            name: "filter",
            rows_in: self.examined.items,
            rows_out: self.examined.rows,
            time: Duration::ZERO,
        };
        Explain {
            scope: self.taken,
            partitions_total: container.partitions().ranges().len(),
            partitions_touched: self.partitions_touched,
            logical_partitions: self.logical_partitions,
            points: self.points,
            ranges: self.ranges,
            parts: self.parts,
            index: self.index.report(),
            operators: std::iter::once(filter).chain(self.stages.iter().cloned()).collect(),
            charge: request_charge::page_parts(self.examined.items as usize, self.examined.bytes as usize),
            advice: self.advice(container, metrics),
        }
    }

    fn advice(&self, container: &Container, metrics: &QueryMetrics) -> Vec<String> {
        let (examined, given) = (metrics.items_examined, metrics.rows_output);
        if examined < MIN_ITEMS_FOR_ADVICE || metrics.rows_matched.max(given).saturating_mul(WASTEFUL_RATIO) > examined
        {
            return self.order_advice(metrics).into_iter().collect();
        }
        let mut advice: Vec<String> = Vec::new();
        if metrics.scope == ScopeTaken::Ranges {
            let settings = container.settings();
            let paths: Vec<_> = settings.partition_key.paths.iter().map(ToString::to_string).collect();
            advice.push(format!(
                "the page examined {examined} items for {given} rows in all logical partitions: a filter on the partition key ({}) \
                 would read only those that it names",
                paths.join(", "),
            ));
        }
        for condition in self.index.excluded() {
            advice.push(format!(
                "the indexing policy leaves {} out: with it, the index would find what the filter asks for there ({})",
                condition.path, condition.asks
            ));
        }
        advice.extend(self.order_advice(metrics));
        advice
    }

    /// Whether an index would have spared sorting many rows.
    fn order_advice(&self, metrics: &QueryMetrics) -> Option<String> {
        let is_worth_it = self.order.len() > 1
            && !self.index.is_ordered()
            && metrics.rows_matched >= MIN_ITEMS_FOR_ADVICE
            && metrics.rows_matched / metrics.rows_output.max(1) >= WASTEFUL_RATIO;
        is_worth_it.then(|| {
            format!(
                "the page sorted {} rows to give {}: a composite index on ({}) would give them in their order",
                metrics.rows_matched,
                metrics.rows_output,
                self.order.join(", ")
            )
        })
    }
}
