//! `group()` and `groupCount()`.
//!
//! The value of a group is one traversal over all of its objects: what stands before the first barrier works on each by itself, the
//! barrier on all of them. A group whose value comes to nothing is left out.

use indexmap::IndexMap;

use super::build::pipeline;
use super::by::By;
use super::needs::is_barrier;
use super::nested::Nested;
use super::pipeline::{Pipeline, Queue, Reset, Stage};
use super::side_effect::Kept;
use super::{Context, Held, RunError, Traverser};
use crate::step::{Projection, Traversal};
use crate::value::GValue;
use std::sync::Arc;

/// How the value of a group is made of its objects.
enum Values<'r> {
    /// A list of what `by()` makes of each.
    List(By<'r>),
    /// One traversal over all.
    Reduced(&'r Traversal),
    /// The first result of the last object that has one.
    First(Box<Nested<'r>>),
}

/// The value of one group.
enum Group<'r> {
    List(Vec<GValue>),
    Reduced(Box<Pipeline<'r>>),
    First(Option<GValue>),
}

impl<'r> Values<'r> {
    fn new(cx: &'r Context<'r>, projection: Option<&'r Projection>) -> Result<Self, RunError> {
        Ok(match projection {
            Some(Projection::Traversal(traversal)) if traversal.steps.iter().any(|step| is_barrier(&step.kind)) => {
                Values::Reduced(traversal)
            }
            Some(Projection::Traversal(traversal)) => Values::First(Box::new(Nested::new(cx, traversal)?)),
            other => Values::List(By::optional(cx, other)?),
        })
    }

    /// Puts an object to its group; the bytes that this takes.
    fn add(
        &mut self,
        cx: &'r Context<'r>,
        groups: &mut IndexMap<GValue, Group<'r>>,
        key: GValue,
        traverser: Traverser,
        held: &mut Held<'r>,
    ) -> Result<(), RunError> {
        if !groups.contains_key(&key) {
            held.grow_by_value(&key)?;
        }
        match self {
            Values::List(by) => {
                let value = by.of(&traverser)?;
                let Group::List(items) = groups.entry(key).or_insert_with(|| Group::List(Vec::new())) else {
                    return Ok(());
                };
                for value in value.iter().flat_map(|value| (0..traverser.bulk).map(move |_| value)) {
                    held.grow_by_value(value)?;
                    items.push(value.clone());
                }
            }
            Values::First(nested) => {
                let value = nested.first(&traverser)?;
                if let Group::First(kept) = groups.entry(key).or_insert(Group::First(None))
                    && value.is_some()
                {
                    *kept = value;
                }
            }
            Values::Reduced(traversal) => {
                if !groups.contains_key(&key) {
                    held.grow(GROUP_BYTES)?;
                    groups.insert(key.clone(), Group::Reduced(Box::new(pipeline(cx, &traversal.steps)?)));
                }
                if let Some(Group::Reduced(pipeline)) = groups.get_mut(&key) {
                    pipeline.feed([traverser]);
                    // What stands before the barrier runs now; only the barrier keeps anything.
                    pipeline.settle()?;
                }
            }
        }
        Ok(())
    }
}

/// About what a traversal takes that stands ready.
const GROUP_BYTES: usize = 1024;

fn finish(groups: IndexMap<GValue, Group<'_>>) -> Result<GValue, RunError> {
    let mut entries = Vec::with_capacity(groups.len());
    for (key, group) in groups {
        let value = match group {
            Group::List(items) => Some(GValue::list(items)),
            Group::First(value) => value,
            Group::Reduced(mut pipeline) => {
                pipeline.end();
                pipeline.next(1)?.into_iter().next().map(|first| first.value)
            }
        };
        entries.extend(value.map(|value| (key, value)));
    }
    Ok(GValue::map(entries))
}

/// `group()` as a result.
pub(super) struct GroupStage<'r> {
    cx: &'r Context<'r>,
    key: By<'r>,
    values: Values<'r>,
    groups: IndexMap<GValue, Group<'r>>,
    held: Held<'r>,
}

impl<'r> GroupStage<'r> {
    pub fn new(cx: &'r Context<'r>, key: &'r Projection, value: Option<&'r Projection>) -> Result<Self, RunError> {
        let values = Values::new(cx, value)?;
        Ok(GroupStage { cx, key: By::new(cx, key)?, values, groups: IndexMap::new(), held: cx.held() })
    }
}

impl Stage for GroupStage<'_> {
    fn take(&mut self, mut batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        if self.key.reads_properties() {
            self.cx.elements.load_traversers(&mut batch)?;
        }
        for traverser in batch {
            if let Some(key) = self.key.of(&traverser)? {
                self.values.add(self.cx, &mut self.groups, key, traverser, &mut self.held)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let map = finish(std::mem::take(&mut self.groups))?;
        out.push_back(self.cx.begin(map));
        self.held.clear();
        Ok(())
    }

    fn reset(&mut self, _kind: Reset) {
        self.groups.clear();
        self.held.clear();
    }
}

/// `group(key)`: waits for all and keeps them by key; their values are made when they are read.
pub(super) fn group_aside<'r>(
    cx: &'r Context<'r>,
    name: &'r Arc<str>,
    key: &'r Projection,
) -> Result<super::stage::Boxed<'r>, RunError> {
    let mut by = By::new(cx, key)?;
    let mut held = cx.held();
    cx.side_effects.register(name, || Kept::Groups(IndexMap::new()));
    Ok(super::stage::gather(cx, move |batch, out| {
        held.grow_by_traversers(&batch)?;
        for traverser in batch {
            if let Some(key) = by.of(&traverser)? {
                let added = cx.side_effects.with(name, |kept| match kept {
                    Kept::Groups(groups) => {
                        groups.entry(key).or_default().push(traverser.clone());
                        true
                    }
                    _ => false,
                });
                if added == Some(false) {
                    return Err(super::evaluation(format!("the side effect '{name}' is no group()")));
                }
            }
            out.push_back(traverser);
        }
        Ok(())
    }))
}

/// The map of a `group(key)`.
pub(super) fn read_groups<'r>(
    cx: &'r Context<'r>,
    name: &str,
    collected: Vec<(GValue, Vec<Traverser>)>,
) -> Result<GValue, RunError> {
    let mut held = cx.held();
    let mut values = Values::new(cx, cx.group_value(name))?;
    let mut groups = IndexMap::new();
    for (key, all) in collected {
        for traverser in all {
            values.add(cx, &mut groups, key.clone(), traverser, &mut held)?;
        }
    }
    finish(groups)
}

/// `groupCount()` as a result.
pub(super) struct GroupCountStage<'r> {
    cx: &'r Context<'r>,
    key: By<'r>,
    counts: IndexMap<GValue, i64>,
    held: Held<'r>,
}

impl<'r> GroupCountStage<'r> {
    pub fn new(cx: &'r Context<'r>, key: &'r Projection) -> Result<Self, RunError> {
        Ok(GroupCountStage { cx, key: By::new(cx, key)?, counts: IndexMap::new(), held: cx.held() })
    }
}

impl Stage for GroupCountStage<'_> {
    fn take(&mut self, mut batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        if self.key.reads_properties() {
            self.cx.elements.load_traversers(&mut batch)?;
        }
        for traverser in batch {
            let Some(key) = self.key.of(&traverser)? else { continue };
            if !self.counts.contains_key(&key) {
                self.held.grow_by_value(&key)?;
            }
            let count = self.counts.entry(key).or_insert(0);
            *count = count.saturating_add(i64::try_from(traverser.bulk).unwrap_or(i64::MAX));
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let counts = std::mem::take(&mut self.counts);
        let map = GValue::map(counts.into_iter().map(|(value, count)| (value, GValue::Long(count))));
        out.push_back(self.cx.begin(map));
        self.held.clear();
        Ok(())
    }

    fn reset(&mut self, _kind: Reset) {
        self.counts.clear();
        self.held.clear();
    }
}

/// `groupCount(key)`, which waits for all.
pub(super) fn group_count_aside<'r>(
    cx: &'r Context<'r>,
    name: &'r Arc<str>,
    key: &'r Projection,
) -> Result<super::stage::Boxed<'r>, RunError> {
    let mut by = By::new(cx, key)?;
    let mut held = cx.held();
    cx.side_effects.register(name, || Kept::Counts(IndexMap::new()));
    Ok(super::stage::gather(cx, move |batch, out| {
        let mut counts = Vec::new();
        for traverser in &batch {
            if let Some(key) = by.of(traverser)? {
                held.grow_by_value(&key)?;
                counts.push((key, i64::try_from(traverser.bulk).unwrap_or(i64::MAX)));
            }
        }
        cx.side_effects.count(name, counts)?;
        out.extend(batch);
        Ok(())
    }))
}
