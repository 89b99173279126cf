//! What the steps of a traversal cost: for `profile()` and `executionProfile()`.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::graph::Usage;
use crate::step::{Step, StepKind, Traversal};
use crate::text::print;
use crate::value::{Direction, GMap, GValue, Metrics, TraversalMetrics};

/// Figures of the stages of a pipeline, shared between it and the stage that shows them.
#[derive(Clone)]
pub(super) struct Figures(Rc<Shared>);

struct Shared {
    started: Instant,
    operators: RefCell<Vec<Operator>>,
    /// The operator of each stage.
    of_stage: Vec<usize>,
}

/// Steps that run as one.
struct Operator {
    text: Arc<str>,
    /// The service's name.
    name: &'static str,
    time: Duration,
    traversers: u64,
    elements: u64,
    usage: Usage,
}

impl Figures {
    /// Of operators that stand for these steps; of each stage its operator.
    pub fn new(steps: &[Step], spans: &[Range<usize>], of_stage: Vec<usize>) -> Self {
        let operator = |span: &Range<usize>| {
            let steps = steps.get(span.clone()).unwrap_or_default();
            Operator {
                text: text_of(steps),
                name: steps.first().map_or("NullOperator", |step| service_name(&step.kind)),
                time: Duration::ZERO,
                traversers: 0,
                elements: 0,
                usage: Usage::default(),
            }
        };
        let operators = RefCell::new(spans.iter().map(operator).collect());
        Figures(Rc::new(Shared { started: Instant::now(), operators, of_stage }))
    }

    /// A stage has worked.
    pub fn add(&self, stage: usize, time: Duration, traversers: u64, elements: u64, before: Usage, after: Usage) {
        let Some(at) = self.0.of_stage.get(stage) else { return };
        let mut operators = self.0.operators.borrow_mut();
        let Some(operator) = operators.get_mut(*at) else { return };
        operator.time += time;
        // Of an operator of several stages the last one tells what comes out.
        if self.0.of_stage.get(stage + 1) != Some(at) {
            operator.traversers += traversers;
            operator.elements += elements;
        }
        operator.usage.charge_ru += after.charge_ru - before.charge_ru;
        operator.usage.elements_read += after.elements_read.saturating_sub(before.elements_read);
        operator.usage.elements_written += after.elements_written.saturating_sub(before.elements_written);
        operator.usage.bytes_read += after.bytes_read.saturating_sub(before.bytes_read);
        operator.usage.lookups += after.lookups.saturating_sub(before.lookups);
        operator.usage.partitions += after.partitions.saturating_sub(before.partitions);
        operator.usage.index_lookups += after.index_lookups.saturating_sub(before.index_lookups);
    }

    /// As `profile()` shows them.
    pub fn to_metrics(&self) -> GValue {
        let operators = self.0.operators.borrow();
        let total: Duration = operators.iter().map(|operator| operator.time).sum();
        let metrics = operators.iter().enumerate().filter(|(_, operator)| operator.name != PROFILE);
        let metrics = metrics.map(|(at, operator)| operator.to_metrics(at, total)).collect();
        GValue::TraversalMetrics(Arc::new(TraversalMetrics { duration_ns: nanoseconds(total), metrics }))
    }

    /// As `executionProfile()` shows them: one object, whose last operator is a projection.
    pub fn to_execution_profile(&self, steps: &[Step]) -> GValue {
        let operators = self.0.operators.borrow();
        let total = self.0.started.elapsed();
        let mut metrics: Vec<GValue> = Vec::new();
        let shown = operators.iter().filter(|operator| operator.name != PROFILE);
        let mut spent = Duration::ZERO;
        let mut last = ("", 0);
        for operator in shown {
            spent += operator.time;
            last = (operator.name, operator.elements);
            metrics.push(operator.to_object(total));
        }
        if !last.0.starts_with("Project") {
            let time = total.saturating_sub(spent);
            metrics.push(object(PROJECT, time, total, last.1, None));
        }
        GValue::map([
            (GValue::from("gremlin"), GValue::String(text_of(steps))),
            ("totalTime".into(), milliseconds(total).into()),
            ("metrics".into(), GValue::list(metrics)),
        ])
    }
}

/// The service's name of an operator that hands on what is left.
const PROJECT: &str = "ProjectOperator";

/// What shows figures is not shown.
const PROFILE: &str = "ProfileOperator";

impl Operator {
    fn to_metrics(&self, at: usize, total: Duration) -> Metrics {
        let usage = &self.usage;
        let mut annotations: Vec<(Arc<str>, GValue)> = vec![("percentDur".into(), percent(self.time, total).into())];
        for (name, count) in [
            ("storeReads", usage.elements_read),
            ("storeWrites", usage.elements_written),
            ("storeBytes", usage.bytes_read),
            ("partitions", usage.partitions),
            ("indexLookups", usage.index_lookups),
        ] {
            if count > 0 {
                annotations.push((name.into(), GValue::Long(i64::try_from(count).unwrap_or(i64::MAX))));
            }
        }
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        Metrics {
            id: format!("{at}.0.0()").into(),
            name: Arc::clone(&self.text),
            duration_ns: nanoseconds(self.time),
            counts: vec![
                ("traverserCount".into(), count(self.traversers)),
                ("elementCount".into(), count(self.elements)),
            ],
            annotations,
            nested: Vec::new(),
        }
    }

    fn to_object(&self, total: Duration) -> GValue {
        let usage = &self.usage;
        let count = |count: u64| GValue::Long(i64::try_from(count).unwrap_or(i64::MAX));
        let store = (usage.lookups > 0).then(|| {
            GValue::map([
                (GValue::from("fanoutFactor"), count(usage.partitions.max(1))),
                ("count".into(), count(usage.elements_read)),
                ("size".into(), count(usage.bytes_read)),
                ("time".into(), milliseconds(self.time).into()),
            ])
        });
        object(self.name, self.time, total, self.elements, store)
    }
}

fn object(name: &str, time: Duration, total: Duration, results: u64, store: Option<GValue>) -> GValue {
    let percent = GValue::map([(GValue::from("percentTime"), percent(time, total).into())]);
    let results = GValue::Long(i64::try_from(results).unwrap_or(i64::MAX));
    let mut entries = GMap::from_iter([
        (GValue::from("name"), GValue::from(name)),
        ("time".into(), milliseconds(time).into()),
        ("annotations".into(), percent),
        ("counts".into(), GValue::map([(GValue::from("resultCount"), results)])),
    ]);
    if let Some(store) = store {
        entries.insert("storeOps".into(), GValue::list([store]));
    }
    GValue::Map(Arc::new(entries))
}

fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn percent(time: Duration, total: Duration) -> f64 {
    if total.is_zero() { 0.0 } else { time.as_secs_f64() * 100.0 / total.as_secs_f64() }
}

/// Steps as text, without what a text begins with.
pub(super) fn text_of(steps: &[Step]) -> Arc<str> {
    let text = print(&Traversal { steps: steps.to_vec() }.to_bytecode());
    Arc::from(text.strip_prefix("g.").or_else(|| text.strip_prefix("__.")).unwrap_or(&text))
}

/// What the service calls an operator.
fn service_name(kind: &StepKind) -> &'static str {
    match kind {
        StepKind::V(_) => "GetVertices",
        StepKind::E(_) => "GetEdges",
        StepKind::Edges { direction: Direction::Out | Direction::In | Direction::Both, .. } => "GetEdges",
        StepKind::Vertices { .. } | StepKind::EdgeVertices(_) => "GetNeighborVertices",
        StepKind::Coalesce(_) => "Coalesce",
        StepKind::Union(_) => "CartesianProductOperator",
        StepKind::Constant(_) | StepKind::Inject(_) => "ConstantSourceOperator",
        StepKind::Reduce(..)
        | StepKind::Fold
        | StepKind::FoldWith { .. }
        | StepKind::Group { side_effect: None, .. } => "ProjectAggregation",
        StepKind::Cap(_) => "GetSideEffectOperator",
        StepKind::Select { .. } => "SelectOneOperator",
        StepKind::AddV { .. } | StepKind::MergeV(_) => "UpsertVertexOperator",
        StepKind::AddE { .. } | StepKind::MergeE(_) => "UpsertEdgeOperator",
        StepKind::Property(_) => "UpdatePropertiesOperator",
        StepKind::Drop => "DropOperator",
        StepKind::Order { .. } => "OrderOperator",
        StepKind::Range { .. } | StepKind::Tail { .. } => "RangeOperator",
        StepKind::Repeat(_) => "RepeatOperator",
        StepKind::Profile(_) | StepKind::ExecutionProfile => PROFILE,
        StepKind::Has { .. }
        | StepKind::HasProperty(_)
        | StepKind::HasNot(_)
        | StepKind::Is(_)
        | StepKind::Where { .. }
        | StepKind::WhereTraversal(_)
        | StepKind::Filter(_)
        | StepKind::Not(_)
        | StepKind::And(_)
        | StepKind::Or(_)
        | StepKind::Dedup { .. } => "FilterInBatchOperator",
        _ => PROJECT,
    }
}
