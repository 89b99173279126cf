//! Steps to stages.
//!
//! Some steps become one stage together: a head ([`Head`]), hops over edges that nobody looks at, and properties that are written one
//! after the other.

use super::by::By;
use super::figures::Figures;
use super::group::{GroupCountStage, GroupStage, group_aside, group_count_aside};
use super::head::Head;
use super::lazy::LazyBarrier;
use super::needs::{Trails, has_effects, is_barrier};
use super::pipeline::Pipeline;
use super::stage::{
    Boxed, add, aggregate, branch, call, cap, coalesce, dedup, drop, each, filter, function, has, hop, inject, local,
    maps, merge, order, path, pattern, profile, property, range, read, reduce, repeat, sack, sample, select, source,
    subgraph, where_condition,
};
use super::write::Writer;
use super::{Context, RunError, result, walk};
use crate::step::{EdgeEnd, Reducer, Step, StepKind};
use crate::value::{Direction, Pop, Scope};

/// Most traversers that wait before a hop so that equal ones become one.
const LAZY_BARRIER: usize = 16 * 1024;

/// The stages of a nested traversal.
pub(super) fn pipeline<'r>(cx: &'r Context<'r>, steps: &'r [Step]) -> Result<Pipeline<'r>, RunError> {
    Builder { cx, is_start: false, figures: None }.build(steps)
}

/// The stages of a whole traversal, or of one that begins a whole one.
pub(super) fn start<'r>(cx: &'r Context<'r>, steps: &'r [Step]) -> Result<Pipeline<'r>, RunError> {
    Builder { cx, is_start: true, figures: None }.build(steps)
}

/// The stages of a whole traversal, which may show what they cost.
pub(super) fn root<'r>(cx: &'r Context<'r>, steps: &'r [Step]) -> Result<Pipeline<'r>, RunError> {
    if !steps.iter().any(|step| matches!(step.kind, StepKind::Profile(_) | StepKind::ExecutionProfile)) {
        return start(cx, steps);
    }
    // The stages are not known before they are built, and what shows figures is one of them: so they are built twice.
    let of_stage =
        Builder { cx, is_start: true, figures: None }.stages(steps)?.into_iter().map(|(_, span)| span).collect();
    let figures = Figures::new(steps, &spans(cx, steps), of_stage);
    let mut pipeline = Builder { cx, is_start: true, figures: Some(figures.clone()) }.build(steps)?;
    pipeline.measure(figures);
    Ok(pipeline)
}

/// The steps that each stage stands for, in order.
pub(super) fn spans(cx: &Context<'_>, steps: &[Step]) -> Vec<std::ops::Range<usize>> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(rest) = steps.get(at..).filter(|rest| !rest.is_empty()) {
        let count = fused(cx, rest);
        spans.push(at..at + count);
        at += count;
    }
    spans
}

/// How many steps become one stage.
fn fused(cx: &Context<'_>, steps: &[Step]) -> usize {
    match steps {
        [first, ..] if matches!(first.kind, StepKind::V(_) | StepKind::E(_)) => {
            Head::fold(cx, steps).and_then(|head| head.count).map_or(1, |count| count + 1)
        }
        [edges, ends, ..] if joined(cx, edges, ends).is_some() => 2,
        [first, ..] if matches!(first.kind, StepKind::Property(_)) => {
            let fits = |step: &&Step| step.labels.is_empty() && is_fixed_property(&step.kind);
            let unlabelled = steps.iter().take_while(fits).count();
            unlabelled.max(1)
        }
        _ => 1,
    }
}

/// Whether it is a `property()` that asks nothing of the element, so that it may be written together with others.
fn is_fixed_property(kind: &StepKind) -> bool {
    let mut is_fixed = matches!(kind, StepKind::Property(_));
    walk::children(kind, &mut |_| is_fixed = false);
    is_fixed
}

/// The way to the other side, where the edge between is nobody's business.
fn joined(cx: &Context<'_>, edges: &Step, ends: &Step) -> Option<Direction> {
    let StepKind::Edges { direction, .. } = &edges.kind else { return None };
    if !edges.labels.is_empty() || cx.needs.trails == Trails::Full {
        return None;
    }
    match (direction, &ends.kind) {
        (Direction::Out, StepKind::EdgeVertices(EdgeEnd::In | EdgeEnd::Other))
        | (Direction::In, StepKind::EdgeVertices(EdgeEnd::Out | EdgeEnd::Other))
        | (Direction::Both, StepKind::EdgeVertices(EdgeEnd::Other)) => Some(*direction),
        _ => None,
    }
}

/// Whether a step leads to other vertices.
fn is_hop(step: &Step) -> bool {
    matches!(step.kind, StepKind::Vertices { .. } | StepKind::EdgeVertices(_))
}

/// The first step that waits for all, or stops before all have come.
fn decisive(steps: &[Step]) -> Option<&Step> {
    steps.iter().find(|step| {
        is_barrier(&step.kind)
            || matches!(step.kind, StepKind::Range { scope: Scope::Global, .. } | StepKind::TimeLimit(_))
    })
}

struct Builder<'r> {
    cx: &'r Context<'r>,
    is_start: bool,
    /// Where the traversal shows them.
    figures: Option<Figures>,
}

impl<'r> Builder<'r> {
    fn build(&self, steps: &'r [Step]) -> Result<Pipeline<'r>, RunError> {
        let stages = self.stages(steps)?.into_iter().map(|(stage, _)| stage).collect();
        Ok(Pipeline::new(self.cx, stages, self.is_strict(steps)))
    }

    /// The stages, and of each the place of what it runs among the [`spans`].
    fn stages(&self, steps: &'r [Step]) -> Result<Vec<(Boxed<'r>, usize)>, RunError> {
        let mut stages = Vec::with_capacity(steps.len());
        let mut sorted = None;
        let (mut at, mut span) = (0, 0);
        while let Some(rest) = steps.get(at..).filter(|rest| !rest.is_empty()) {
            let count = fused(self.cx, rest);
            if let Some(head) = Head::fold(self.cx, rest)
                && head.count.is_none()
            {
                sorted = head.sorted_by.map(|order| at + order);
            }
            let is_sorted = sorted == Some(at);
            if self.merges_before(steps, at) {
                stages.push((Box::new(LazyBarrier::new(self.cx, LAZY_BARRIER)) as Boxed<'r>, span));
            }
            if !is_sorted {
                stages.push((self.stage(steps, at, count)?, span));
            }
            at += count;
            if let Some(Step { kind, labels }) = steps.get(at - 1)
                && !labels.is_empty()
                && self.cx.needs.trails != Trails::None
            {
                stages.push((self.label(kind, labels), span));
            }
            span += 1;
        }
        Ok(stages)
    }

    /// Whether equal traversers may become one at all.
    fn may_merge(&self, steps: &[Step]) -> bool {
        self.cx.needs.trails == Trails::None && !steps.iter().any(|step| has_effects(&step.kind))
    }

    /// Whether to wait before a hop that is not the first, for equal traversers to become one: where they may, and all are wanted anyway.
    fn merges_before(&self, steps: &[Step], at: usize) -> bool {
        let (before, behind) = steps.split_at(at.min(steps.len()));
        behind.first().is_some_and(|step| matches!(step.kind, StepKind::Vertices { .. } | StepKind::Edges { .. }))
            && before.iter().any(is_hop)
            && self.may_merge(steps)
            && decisive(behind).is_some_and(|step| is_barrier(&step.kind))
    }

    /// Whether a hop makes one traverser of those that it leads to the same vertex: where all are wanted anyway, and their order is not.
    /// Behind a hop that waited they have lost it.
    fn merges_in(&self, steps: &[Step], at: usize) -> bool {
        let (before, behind) = steps.split_at(at.min(steps.len()));
        let is_orderless = |kind: &StepKind| {
            matches!(kind, StepKind::Reduce(..) | StepKind::Dedup { .. } | StepKind::GroupCount { .. })
        };
        self.cx.source.bulk
            && self.may_merge(steps)
            && decisive(behind)
                .is_some_and(|step| is_barrier(&step.kind) && (is_orderless(&step.kind) || before.iter().any(is_hop)))
    }

    /// Whether steps that leave something behind must see no more than what is wanted in the end.
    fn is_strict(&self, steps: &[Step]) -> bool {
        let first = steps.iter().position(|step| walk::any_of(&step.kind, &has_effects));
        let limits = |step: &Step| {
            matches!(step.kind, StepKind::Range { scope: Scope::Global, high: Some(_), .. } | StepKind::Fail(_))
        };
        first.is_some_and(|first| steps.iter().skip(first).any(limits))
    }

    /// Whether properties of vertices are wanted, as far as the step behind tells.
    fn reads_vertices(&self, next: Option<&Step>) -> bool {
        use crate::step::HasKey;
        match next.map(|step| &step.kind) {
            None => self.is_start && result::has_properties(self.cx),
            Some(kind) => matches!(
                kind,
                StepKind::Values(_)
                    | StepKind::Properties(_)
                    | StepKind::ValueMap { .. }
                    | StepKind::PropertyMap { .. }
                    | StepKind::ElementMap(_)
                    | StepKind::Has { key: HasKey::Name(_), .. }
                    | StepKind::HasProperty(_)
                    | StepKind::HasNot(_)
            ),
        }
    }

    fn label(&self, kind: &'r StepKind, labels: &'r [std::sync::Arc<str>]) -> Boxed<'r> {
        let cx = self.cx;
        let is_new = moves(kind);
        each(move |batch, out| {
            for mut traverser in batch {
                cx.label(&mut traverser, labels, is_new);
                out.push_back(traverser);
            }
            Ok(())
        })
    }

    /// What `count` steps of a traversal become, from this place on.
    fn stage(&self, all_steps: &'r [Step], at: usize, count: usize) -> Result<Boxed<'r>, RunError> {
        let cx = self.cx;
        let steps = all_steps.get(at..).unwrap_or_default();
        let Some(step) = steps.first() else { return Ok(filter::discard()) };
        let merges = || self.merges_in(all_steps, at);
        Ok(match &step.kind {
            StepKind::V(_) | StepKind::E(_) => self.head(steps, count)?,
            StepKind::Vertices { direction, labels } => {
                hop::vertices(cx, *direction, labels, merges(), self.reads_vertices(steps.get(count)))
            }
            StepKind::Edges { direction, labels } => match steps.get(1).and_then(|ends| joined(cx, step, ends)) {
                Some(direction) if count > 1 => {
                    hop::vertices(cx, direction, labels, merges(), self.reads_vertices(steps.get(count)))
                }
                _ => hop::edges(cx, *direction, labels, reads_edges(steps.get(1))),
            },
            StepKind::Property(_) => {
                let mut writers = Vec::with_capacity(count);
                for step in steps.iter().take(count) {
                    if let StepKind::Property(write) = &step.kind {
                        writers.push(Writer::new(cx, write)?);
                    }
                }
                property::write(cx, writers)
            }
            StepKind::Profile(key) => Box::new(profile::Profile::new(cx, self.figures.clone(), key.as_ref())),
            StepKind::ExecutionProfile => Box::new(profile::Profile::of_service(cx, self.figures.clone(), all_steps)),
            StepKind::Union(all) => Box::new(branch::Branches::union(cx, all, self.is_start && at == 0)?),
            StepKind::Inject(values) if !self.is_start && at == 0 => Box::new(inject::Inject::within(cx, values)),
            kind => self.single(kind)?,
        })
    }

    fn head(&self, steps: &'r [Step], count: usize) -> Result<Boxed<'r>, RunError> {
        let cx = self.cx;
        let Some(mut head) = Head::fold(cx, steps) else { return Ok(filter::discard()) };
        if head.count.is_none() {
            if head.keys.is_some() {
                head.lookup.order.clear();
            }
            return Ok(Box::new(source::Source::new(cx, head)));
        }
        let mut stages: Vec<Boxed<'r>> = Vec::with_capacity(count);
        let lookup = head.lookup.clone();
        stages.push(Box::new(source::Source::new(cx, head)));
        for step in steps.iter().take(count).skip(1) {
            stages.push(self.single(&step.kind)?);
        }
        Ok(Box::new(source::CountHead::new(cx, lookup, Pipeline::new(cx, stages, false))))
    }

    /// A step by itself.
    fn single(&self, kind: &'r StepKind) -> Result<Boxed<'r>, RunError> {
        let cx = self.cx;
        Ok(match kind {
            StepKind::Start | StepKind::Identity => each(|batch, out| {
                out.extend(batch);
                Ok(())
            }),
            StepKind::WhereStart(label) => where_condition::start(cx, label),
            StepKind::WhereEnd(label) => where_condition::end(cx, label),
            StepKind::Inject(values) => Box::new(inject::Inject::new(cx, values)),
            StepKind::AddV { label, properties } => add::vertex(cx, label.as_ref(), properties)?,
            StepKind::AddE { label, from, to, properties } => {
                add::edge(cx, label, from.as_ref(), to.as_ref(), properties)?
            }
            StepKind::MergeV(merging) => merge::vertex(cx, merging)?,
            StepKind::MergeE(merging) => merge::edge(cx, merging)?,
            StepKind::Drop => drop::drop(cx),
            StepKind::Call { service, .. } => call::call(service)?,
            StepKind::Edges { direction, labels } => hop::edges(cx, *direction, labels, true),
            StepKind::EdgeVertices(end) => hop::ends(cx, *end),
            StepKind::Has { key, condition } => has::has(cx, key, condition)?,
            StepKind::HasProperty(name) => has::property(cx, name.as_ref(), true),
            StepKind::HasNot(name) => has::property(cx, name.as_ref(), false),
            StepKind::Is(condition) => filter::is(condition)?,
            StepKind::Where { start, condition, by } => where_condition::predicate(cx, start.as_ref(), condition, by)?,
            StepKind::WhereTraversal(one) | StepKind::Filter(one) => filter::traversal(cx, one, true)?,
            StepKind::Not(one) => filter::traversal(cx, one, false)?,
            StepKind::And(all) => filter::connective(cx, all, true)?,
            StepKind::Or(all) => filter::connective(cx, all, false)?,
            StepKind::Items(quantifier, condition) => filter::items(*quantifier, condition)?,
            StepKind::Coin(probability) => filter::coin(cx, *probability),
            StepKind::Discard => filter::discard(),
            StepKind::Fail(message) => filter::fail(message.as_deref()),
            StepKind::Sample { scope: Scope::Global, count, by } => {
                sample::sample(cx, *count, By::optional(cx, by.as_ref())?, by.is_some())
            }
            StepKind::Dedup { scope: Scope::Global, labels, by } => {
                Box::new(dedup::Dedup::new(cx, labels, By::optional(cx, by.as_ref())?))
            }
            StepKind::Range { scope: Scope::Global, low, high } => Box::new(range::Range::new(*low, *high)),
            StepKind::Tail { scope: Scope::Global, count } => Box::new(range::Tail::new(cx, *count)),
            StepKind::TimeLimit(limit_ms) => Box::new(range::TimeLimit::new(*limit_ms)),
            StepKind::SimplePath(range) => path::repetition(cx, range, true)?,
            StepKind::CyclicPath(range) => path::repetition(cx, range, false)?,
            StepKind::Map(one) => local::map(cx, one)?,
            StepKind::FlatMap(one) => local::flat_map(cx, one)?,
            StepKind::Local(one) => local::local(cx, one)?,
            StepKind::SideEffect(one) => local::side_effect(cx, one)?,
            StepKind::Constant(value) => read::constant(cx, value),
            StepKind::Id | StepKind::Label | StepKind::Key | StepKind::Value | StepKind::Element => {
                read::token(cx, kind)
            }
            StepKind::Loops(name) => read::loops(cx, name.as_ref()),
            StepKind::Values(names) => read::properties(cx, names, true),
            StepKind::Properties(names) => read::properties(cx, names, false),
            StepKind::ValueMap { keys, tokens, by } => maps::value_map(cx, keys, *tokens, by.as_ref())?,
            StepKind::PropertyMap { keys, by, .. } => maps::property_map(cx, keys, by.as_ref())?,
            StepKind::ElementMap(keys) => maps::element_map(cx, keys),
            StepKind::Reduce(reducer, Scope::Global) => Box::new(reduce::Reduce::numbers(cx, *reducer)),
            StepKind::Fold => Box::new(reduce::Reduce::fold(cx)),
            StepKind::FoldWith { seed, operator } => Box::new(reduce::Reduce::fold_with(cx, seed, *operator)),
            StepKind::Group { side_effect: None, key, value } => Box::new(GroupStage::new(cx, key, value.as_ref())?),
            StepKind::Group { side_effect: Some(name), key, .. } => group_aside(cx, name, key)?,
            StepKind::GroupCount { side_effect: None, key } => Box::new(GroupCountStage::new(cx, key)?),
            StepKind::GroupCount { side_effect: Some(name), key } => group_count_aside(cx, name, key)?,
            StepKind::Tree { side_effect: None, by } => Box::new(path::TreeStage::new(cx, by)?),
            StepKind::Tree { side_effect: Some(name), by } => path::tree_aside(cx, name, by)?,
            StepKind::Order { scope: Scope::Global, by } => order::order(cx, by)?,
            StepKind::Select { pop, from, by } => select::select(cx, pop.unwrap_or(Pop::Last), from, by)?,
            StepKind::SelectColumn(column) => select::select_column(cx, *column),
            StepKind::Project { keys, by } => select::project(cx, keys, by)?,
            StepKind::Path(range) => path::path(cx, range)?,
            StepKind::Aggregate { scope, key, by } => aggregate::aggregate(cx, *scope, key, by.as_ref())?,
            StepKind::Cap(keys) => Box::new(cap::Cap::new(cx, keys)),
            StepKind::Subgraph(key) => subgraph::subgraph(cx, key),
            StepKind::Sack => sack::read(cx),
            StepKind::SackUpdate { operator, by } => sack::update(cx, *operator, by.as_ref())?,
            StepKind::Barrier(size) => sack::barrier(cx, *size),
            StepKind::NormSackBarrier => sack::normalize(cx),
            StepKind::Repeat(repeat) => Box::new(repeat::RepeatStage::new(cx, repeat)?),
            StepKind::Union(all) => Box::new(branch::Branches::union(cx, all, false)?),
            StepKind::Coalesce(all) => coalesce::coalesce(cx, all)?,
            StepKind::Optional(one) => coalesce::optional(cx, one)?,
            StepKind::Choose(choice) => Box::new(branch::Branches::choose(cx, choice)?),
            StepKind::Branch(branching) => Box::new(branch::Branches::branch(cx, branching)?),
            StepKind::Match(patterns) => pattern::match_all(cx, patterns)?,
            kind => function::function(cx, kind)?,
        })
    }
}

/// Whether properties of edges are wanted, as far as the step behind tells.
fn reads_edges(next: Option<&Step>) -> bool {
    use crate::step::HasKey;
    !matches!(
        next.map(|step| &step.kind),
        Some(
            StepKind::EdgeVertices(_)
                | StepKind::Id
                | StepKind::Label
                | StepKind::Has { key: HasKey::Token(_), .. }
                | StepKind::Reduce(Reducer::Count, Scope::Global)
        )
    )
}

/// Whether a step brings a traverser to a new object, so that its labels are those of that object.
fn moves(kind: &StepKind) -> bool {
    !matches!(
        kind,
        StepKind::Start
            | StepKind::Identity
            | StepKind::WhereEnd(_)
            | StepKind::Inject(_)
            | StepKind::Property(_)
            | StepKind::Has { .. }
            | StepKind::HasProperty(_)
            | StepKind::HasNot(_)
            | StepKind::Is(_)
            | StepKind::Where { .. }
            | StepKind::WhereTraversal(_)
            | StepKind::Filter(_)
            | StepKind::Not(_)
            | StepKind::And(_)
            | StepKind::Or(_)
            | StepKind::Items(..)
            | StepKind::Coin(_)
            | StepKind::Sample { scope: Scope::Global, .. }
            | StepKind::Dedup { scope: Scope::Global, .. }
            | StepKind::Range { scope: Scope::Global, .. }
            | StepKind::Tail { scope: Scope::Global, .. }
            | StepKind::TimeLimit(_)
            | StepKind::SimplePath(_)
            | StepKind::CyclicPath(_)
            | StepKind::Local(_)
            | StepKind::SideEffect(_)
            | StepKind::Order { scope: Scope::Global, .. }
            | StepKind::Group { side_effect: Some(_), .. }
            | StepKind::GroupCount { side_effect: Some(_), .. }
            | StepKind::Tree { side_effect: Some(_), .. }
            | StepKind::Aggregate { .. }
            | StepKind::Subgraph(_)
            | StepKind::SackUpdate { .. }
            | StepKind::Barrier(_)
            | StepKind::NormSackBarrier
            | StepKind::Repeat(_)
            | StepKind::Union(_)
            | StepKind::Optional(_)
            | StepKind::Choose(_)
            | StepKind::Branch(_)
    )
}

/// Whether a step brings values by itself, so that nothing has to come to it for it to begin.
pub(super) fn brings_values(step: &Step) -> bool {
    matches!(step.kind, StepKind::Inject(_))
}
