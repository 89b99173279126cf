//! The traversals within a step, to look at and to change.

use crate::step::{
    Branching, Choice, Endpoint, MatchPattern, MergeArgument, Operand, OptionKey, PathRange, Projection, PropertyKey,
    PropertyWrite, RepeatCondition, SelectSource, StepKind, Traversal, Until,
};

/// The same walk twice, over what is shared and over what is changed.
macro_rules! walk {
    ($module:ident $($change:tt)?) => {
        #[allow(for_loops_over_fallibles, reason = "an optional part is walked as a list of parts is, shared or not")]
        mod $module {
            use super::*;

            type Visit<'t, 'v> = dyn FnMut(&'t $($change)? Traversal) + 'v;

            /// Calls `visit` with each traversal directly within a step.
            pub(in crate::run) fn children<'t>(kind: &'t $($change)? StepKind, visit: &mut Visit<'t, '_>) {
                match kind {
                    StepKind::WhereTraversal(one)
                    | StepKind::Filter(one)
                    | StepKind::Not(one)
                    | StepKind::Map(one)
                    | StepKind::FlatMap(one)
                    | StepKind::Local(one)
                    | StepKind::SideEffect(one)
                    | StepKind::Optional(one) => visit(one),
                    StepKind::And(all) | StepKind::Or(all) | StepKind::Union(all) | StepKind::Coalesce(all) => {
                        for one in all {
                            visit(one);
                        }
                    }
                    StepKind::AddV { label, properties } => {
                        for label in label {
                            operand(label, visit);
                        }
                        writes(properties, visit);
                    }
                    StepKind::AddE { label, from, to, properties } => {
                        operand(label, visit);
                        for end in from.into_iter().chain(to) {
                            if let Endpoint::Traversal(one) = end {
                                visit(one);
                            }
                        }
                        writes(properties, visit);
                    }
                    StepKind::Property(one) => write(one, visit),
                    StepKind::MergeV(merging) | StepKind::MergeE(merging) => {
                        argument(&$($change)? merging.criterion, visit);
                        for (one, _) in &$($change)? merging.on_create {
                            argument(one, visit);
                        }
                        for (one, _) in &$($change)? merging.on_match {
                            argument(one, visit);
                        }
                        for one in &$($change)? merging.out_vertex {
                            argument(one, visit);
                        }
                        for one in &$($change)? merging.in_vertex {
                            argument(one, visit);
                        }
                    }
                    StepKind::Call { traversal, options, .. } => {
                        for one in traversal {
                            visit(one);
                        }
                        for (_, value) in options {
                            operand(value, visit);
                        }
                    }
                    StepKind::Select { from, by, .. } => {
                        if let SelectSource::Traversal(one) = from {
                            visit(one);
                        }
                        projections(by, visit);
                    }
                    StepKind::Where { by, .. }
                    | StepKind::Tree { by, .. }
                    | StepKind::Project { by, .. }
                    | StepKind::Math { by, .. }
                    | StepKind::Format { by, .. }
                    | StepKind::Path(PathRange { by, .. })
                    | StepKind::SimplePath(PathRange { by, .. })
                    | StepKind::CyclicPath(PathRange { by, .. }) => projections(by, visit),
                    StepKind::Sample { by, .. }
                    | StepKind::Dedup { by, .. }
                    | StepKind::ValueMap { by, .. }
                    | StepKind::PropertyMap { by, .. }
                    | StepKind::Aggregate { by, .. }
                    | StepKind::SackUpdate { by, .. } => {
                        for by in by {
                            projection(by, visit);
                        }
                    }
                    StepKind::Group { key, value, .. } => {
                        projection(key, visit);
                        for value in value {
                            projection(value, visit);
                        }
                    }
                    StepKind::GroupCount { key, .. } => projection(key, visit),
                    StepKind::Order { by, .. } => {
                        for (by, _) in by {
                            projection(by, visit);
                        }
                    }
                    StepKind::Concat(parts) => {
                        for part in parts {
                            operand(part, visit);
                        }
                    }
                    StepKind::DateDiff(value) | StepKind::List(_, value) => operand(value, visit),
                    StepKind::Repeat(repeat) => {
                        visit(&$($change)? repeat.body);
                        if let Some(Until::Condition(until)) = &$($change)? repeat.until {
                            condition(until, visit);
                        }
                        for emit in &$($change)? repeat.emit {
                            condition(emit, visit);
                        }
                    }
                    StepKind::Choose(choice) => match &$($change)? **choice {
                        Choice::If { condition: test, then, otherwise } => {
                            condition(test, visit);
                            visit(then);
                            for otherwise in otherwise {
                                visit(otherwise);
                            }
                        }
                        Choice::Case(branches) => branching(branches, visit),
                    },
                    StepKind::Branch(branches) => branching(branches, visit),
                    StepKind::Match(patterns) => {
                        for one in patterns {
                            pattern(one, visit);
                        }
                    }
                    StepKind::Start
                    | StepKind::WhereStart(_)
                    | StepKind::WhereEnd(_)
                    | StepKind::V(_)
                    | StepKind::E(_)
                    | StepKind::Inject(_)
                    | StepKind::Drop
                    | StepKind::Vertices { .. }
                    | StepKind::Edges { .. }
                    | StepKind::EdgeVertices(_)
                    | StepKind::Has { .. }
                    | StepKind::HasProperty(_)
                    | StepKind::HasNot(_)
                    | StepKind::Is(_)
                    | StepKind::Items(..)
                    | StepKind::Coin(_)
                    | StepKind::Range { .. }
                    | StepKind::Tail { .. }
                    | StepKind::TimeLimit(_)
                    | StepKind::Discard
                    | StepKind::Fail(_)
                    | StepKind::Identity
                    | StepKind::Constant(_)
                    | StepKind::Id
                    | StepKind::Label
                    | StepKind::Key
                    | StepKind::Value
                    | StepKind::Element
                    | StepKind::Loops(_)
                    | StepKind::Values(_)
                    | StepKind::Properties(_)
                    | StepKind::ElementMap(_)
                    | StepKind::Reduce(..)
                    | StepKind::Fold
                    | StepKind::FoldWith { .. }
                    | StepKind::Unfold
                    | StepKind::SelectColumn(_)
                    | StepKind::Text(..)
                    | StepKind::Reverse
                    | StepKind::Replace { .. }
                    | StepKind::Split { .. }
                    | StepKind::Substring { .. }
                    | StepKind::AsNumber(_)
                    | StepKind::AsBool
                    | StepKind::AsDate
                    | StepKind::DateAdd { .. }
                    | StepKind::Conjoin(_)
                    | StepKind::Index(_)
                    | StepKind::Cap(_)
                    | StepKind::Subgraph(_)
                    | StepKind::Sack
                    | StepKind::Barrier(_)
                    | StepKind::NormSackBarrier
                    | StepKind::Profile(_)
                    | StepKind::ExecutionProfile => {}
                }
            }

            fn operand<'t>(operand: &'t $($change)? Operand, visit: &mut Visit<'t, '_>) {
                if let Operand::Traversal(one) = operand {
                    visit(one);
                }
            }

            fn argument<'t>(argument: &'t $($change)? MergeArgument, visit: &mut Visit<'t, '_>) {
                if let MergeArgument::Traversal(one) = argument {
                    visit(one);
                }
            }

            fn projection<'t>(projection: &'t $($change)? Projection, visit: &mut Visit<'t, '_>) {
                if let Projection::Traversal(one) = projection {
                    visit(one);
                }
            }

            fn projections<'t>(by: &'t $($change)? [Projection], visit: &mut Visit<'t, '_>) {
                for by in by {
                    projection(by, visit);
                }
            }

            fn condition<'t>(condition: &'t $($change)? RepeatCondition, visit: &mut Visit<'t, '_>) {
                if let RepeatCondition::Traversal(one) = condition {
                    visit(one);
                }
            }

            fn key<'t>(key: &'t $($change)? PropertyKey, visit: &mut Visit<'t, '_>) {
                if let PropertyKey::Traversal(one) = key {
                    visit(one);
                }
            }

            fn write<'t>(write: &'t $($change)? PropertyWrite, visit: &mut Visit<'t, '_>) {
                key(&$($change)? write.key, visit);
                operand(&$($change)? write.value, visit);
                for (name, value) in &$($change)? write.meta {
                    key(name, visit);
                    operand(value, visit);
                }
            }

            fn writes<'t>(all: &'t $($change)? [PropertyWrite], visit: &mut Visit<'t, '_>) {
                for one in all {
                    write(one, visit);
                }
            }

            fn branching<'t>(branching: &'t $($change)? Branching, visit: &mut Visit<'t, '_>) {
                projection(&$($change)? branching.on, visit);
                for option in &$($change)? branching.options {
                    if let OptionKey::Traversal(one) = &$($change)? option.key {
                        visit(one);
                    }
                    visit(&$($change)? option.then);
                }
            }

            fn pattern<'t>(pattern: &'t $($change)? MatchPattern, visit: &mut Visit<'t, '_>) {
                match pattern {
                    MatchPattern::Path { steps, .. } => visit(steps),
                    MatchPattern::Where(one) => visit(one),
                    MatchPattern::And(all) | MatchPattern::Or(all) => {
                        for one in all {
                            self::pattern(one, visit);
                        }
                    }
                    MatchPattern::Not(inner) => self::pattern(inner, visit),
                }
            }
        }
    };
}

walk!(read);
walk!(change mut);

pub(super) use change::children as children_mut;
pub(super) use read::children;

/// Whether a step of the traversal, or one within it, is like this.
pub(super) fn any(traversal: &Traversal, test: &dyn Fn(&StepKind) -> bool) -> bool {
    traversal.steps.iter().any(|step| any_of(&step.kind, test))
}

/// Whether the step, or one within it, is like this.
pub(super) fn any_of(kind: &StepKind, test: &dyn Fn(&StepKind) -> bool) -> bool {
    let mut found = test(kind);
    if !found {
        children(kind, &mut |child| found = found || any(child, test));
    }
    found
}
