//! `union()`, `choose()` and `branch()`: traversers go into traversals that all of them share.

use super::super::by::By;
use super::super::nested::Nested;
use super::super::pipeline::{Pipeline, Queue, Reset, Stage};
use super::super::{Context, RunError, Traverser, build, needs};
use super::repeat::Test;
use crate::function::{Condition, order::equals};
use crate::step::{BranchOption, Branching, Choice, OptionKey, Traversal};
use crate::value::GValue;

/// Traversals side by side, and what decides where a traverser goes. Where one of them has a barrier all of them wait for all.
pub(in crate::run) struct Branches<'r> {
    cx: &'r Context<'r>,
    route: Route<'r>,
    arms: Vec<Arm<'r>>,
    has_barrier: bool,
    has_ended: bool,
}

struct Arm<'r> {
    pipeline: Pipeline<'r>,
    /// Whether it has got anything: a traversal that counts gives nothing where nothing came.
    has_input: bool,
    /// Whether it brings its values itself.
    is_source: bool,
    is_active: bool,
}

enum Route<'r> {
    /// Into all.
    All,
    /// Into the first arm if it holds, else into the second or past all.
    If(Test<'r>),
    /// By a value: the first that fits, or all that do.
    Value { by: By<'r>, keys: Vec<Key<'r>>, takes_one: bool },
}

enum Key<'r> {
    Any,
    None,
    Unproductive,
    Value(&'r GValue),
    Predicate(Condition),
    Traversal(Box<Nested<'r>>),
}

impl<'r> Branches<'r> {
    /// `union()`
    pub fn union(cx: &'r Context<'r>, all: &'r [Traversal], is_start: bool) -> Result<Self, RunError> {
        let arms = all.iter().map(|one| Arm::new(cx, one, is_start)).collect::<Result<_, _>>()?;
        Ok(Branches::new(cx, Route::All, arms, all.iter()))
    }

    /// `choose()`
    pub fn choose(cx: &'r Context<'r>, choice: &'r Choice) -> Result<Self, RunError> {
        match choice {
            Choice::If { condition, then, otherwise } => {
                let all = || std::iter::once(then).chain(otherwise);
                let arms = all().map(|one| Arm::new(cx, one, false)).collect::<Result<_, _>>()?;
                Ok(Branches::new(cx, Route::If(Test::new(cx, condition)?), arms, all()))
            }
            Choice::Case(branching) => Branches::by_value(cx, branching, true),
        }
    }

    /// `branch()`
    pub fn branch(cx: &'r Context<'r>, branching: &'r Branching) -> Result<Self, RunError> {
        Branches::by_value(cx, branching, false)
    }

    fn by_value(cx: &'r Context<'r>, branching: &'r Branching, takes_one: bool) -> Result<Self, RunError> {
        let options = &branching.options;
        let arms = options.iter().map(|one| Arm::new(cx, &one.then, false)).collect::<Result<_, _>>()?;
        let keys = options.iter().map(|one| Key::new(cx, one)).collect::<Result<_, _>>()?;
        let route = Route::Value { by: By::new(cx, &branching.on)?, keys, takes_one };
        Ok(Branches::new(cx, route, arms, options.iter().map(|one| &one.then)))
    }

    fn new(
        cx: &'r Context<'r>,
        route: Route<'r>,
        arms: Vec<Arm<'r>>,
        mut all: impl Iterator<Item = &'r Traversal>,
    ) -> Self {
        Branches { cx, route, arms, has_barrier: all.any(needs::has_barrier), has_ended: false }
    }
}

impl<'r> Arm<'r> {
    fn new(cx: &'r Context<'r>, traversal: &'r Traversal, is_start: bool) -> Result<Self, RunError> {
        let is_source = is_start && traversal.steps.first().is_some_and(build::brings_values);
        let pipeline =
            if is_start { build::start(cx, &traversal.steps)? } else { build::pipeline(cx, &traversal.steps)? };
        Ok(Arm { pipeline, has_input: false, is_source, is_active: false })
    }

    fn feed(&mut self, traverser: Traverser) {
        if !self.is_source {
            self.pipeline.feed([traverser]);
        }
        self.has_input = true;
        self.is_active = true;
    }
}

impl<'r> Key<'r> {
    fn new(cx: &'r Context<'r>, option: &'r BranchOption) -> Result<Self, RunError> {
        Ok(match &option.key {
            OptionKey::Any => Key::Any,
            OptionKey::None => Key::None,
            OptionKey::Unproductive => Key::Unproductive,
            OptionKey::Value(value) => Key::Value(value),
            OptionKey::Predicate(predicate) => Key::Predicate(Condition::new(predicate)?),
            OptionKey::Traversal(traversal) => Key::Traversal(Box::new(Nested::new(cx, traversal)?)),
        })
    }

    /// Whether the value is meant.
    fn fits(&mut self, cx: &Context<'_>, value: &GValue) -> Result<bool, RunError> {
        Ok(match self {
            Key::Any | Key::None | Key::Unproductive => false,
            Key::Value(wanted) => equals(wanted, value),
            Key::Predicate(condition) => condition.holds(value),
            Key::Traversal(nested) => nested.holds(&cx.begin(value.clone()))?,
        })
    }
}

impl Route<'_> {
    /// The arms that a traverser goes into; none if it goes past all.
    fn arms(&mut self, cx: &Context<'_>, traverser: &Traverser, count: usize) -> Result<Option<Vec<usize>>, RunError> {
        match self {
            Route::All => Ok(Some((0..count).collect())),
            Route::If(test) => {
                let at = usize::from(!test.holds(traverser)?);
                Ok((at < count).then(|| vec![at]))
            }
            Route::Value { by, keys, takes_one } => {
                let value = by.of(traverser)?;
                let mut chosen = Vec::new();
                for (at, key) in keys.iter_mut().enumerate() {
                    let fits = match &value {
                        Some(value) => key.fits(cx, value)?,
                        None => matches!(key, Key::Unproductive),
                    };
                    if fits {
                        chosen.push(at);
                    }
                }
                let of_kind = |keys: &[Key<'_>], test: fn(&Key<'_>) -> bool| -> Vec<usize> {
                    keys.iter().enumerate().filter(|(_, key)| test(key)).map(|(at, _)| at).collect()
                };
                if chosen.is_empty() && (value.is_some() || !*takes_one) {
                    chosen = of_kind(keys, |key| matches!(key, Key::None));
                }
                if *takes_one {
                    chosen.truncate(1);
                    return Ok((!chosen.is_empty()).then_some(chosen));
                }
                chosen.extend(of_kind(keys, |key| matches!(key, Key::Any)));
                Ok(Some(chosen))
            }
        }
    }
}

impl Stage for Branches<'_> {
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        for traverser in batch {
            let Some(chosen) = self.route.arms(self.cx, &traverser, self.arms.len())? else {
                out.push_back(traverser);
                continue;
            };
            for at in chosen {
                if let Some(arm) = self.arms.get_mut(at) {
                    arm.feed(traverser.clone());
                }
            }
        }
        Ok(())
    }

    fn is_pending(&self) -> bool {
        (!self.has_barrier || self.has_ended) && self.arms.iter().any(|arm| arm.is_active)
    }

    fn resume(&mut self, most: usize, out: &mut Queue) -> Result<(), RunError> {
        let Some(arm) = self.arms.iter_mut().find(|arm| arm.is_active) else { return Ok(()) };
        let results = arm.pipeline.next(most)?;
        arm.is_active = !results.is_empty();
        out.extend(results);
        Ok(())
    }

    fn finish(&mut self, _out: &mut Queue) -> Result<(), RunError> {
        self.has_ended = true;
        for arm in self.arms.iter_mut().filter(|arm| arm.has_input) {
            arm.pipeline.end();
            arm.is_active = true;
        }
        Ok(())
    }

    fn reset(&mut self, kind: Reset) {
        for arm in &mut self.arms {
            arm.pipeline.reset(kind);
            arm.has_input = false;
            arm.is_active = false;
        }
        self.has_ended = false;
    }
}
