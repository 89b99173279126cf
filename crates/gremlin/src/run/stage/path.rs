//! Steps on the way of a traverser.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::by::Ring;
use super::super::pipeline::{Queue, Reset, Stage};
use super::super::side_effect::Kept;
use super::super::trail::Trail;
use super::super::tree::Branches;
use super::super::{Context, Held, RunError, Traverser, evaluation, nesting};
use super::{Boxed, each, gather};
use crate::step::{PathRange, Projection};
use crate::value::{GValue, Path};

/// `path()`: the objects as `by()` has them. A way with an object of which that makes nothing is dropped.
pub(in crate::run) fn path<'r>(cx: &'r Context<'r>, range: &'r PathRange) -> Result<Boxed<'r>, RunError> {
    let mut ring = Ring::new(cx, &range.by)?;
    Ok(each(move |batch, out| {
        prepare(cx, &ring, &batch)?;
        for traverser in batch {
            let Some(objects) = project(&mut ring, part(&traverser, range)?)? else { continue };
            let (labels, objects) = objects.into_iter().unzip();
            let path = GValue::Path(Arc::new(Path { labels, objects }));
            out.push_back(cx.advance(&traverser, path));
        }
        Ok(())
    }))
}

/// `simplePath()` and `cyclicPath()`
pub(in crate::run) fn repetition<'r>(
    cx: &'r Context<'r>,
    range: &'r PathRange,
    is_simple: bool,
) -> Result<Boxed<'r>, RunError> {
    let mut ring = Ring::new(cx, &range.by)?;
    Ok(each(move |batch, out| {
        prepare(cx, &ring, &batch)?;
        for traverser in batch {
            let Some(objects) = project(&mut ring, part(&traverser, range)?)? else { continue };
            let mut seen = HashSet::with_capacity(objects.len());
            if objects.into_iter().all(|(_, object)| seen.insert(object)) == is_simple {
                out.push_back(traverser);
            }
        }
        Ok(())
    }))
}

/// `tree()` as a result.
pub(in crate::run) struct TreeStage<'r> {
    cx: &'r Context<'r>,
    ring: Ring<'r>,
    branches: Branches,
    held: Held<'r>,
}

impl<'r> TreeStage<'r> {
    pub fn new(cx: &'r Context<'r>, by: &'r [Projection]) -> Result<Self, RunError> {
        Ok(TreeStage { cx, ring: Ring::new(cx, by)?, branches: Branches::default(), held: cx.held() })
    }
}

impl Stage for TreeStage<'_> {
    fn take(&mut self, batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        prepare(self.cx, &self.ring, &batch)?;
        for traverser in batch {
            let branch = branch(&mut self.ring, &traverser)?;
            for object in &branch {
                self.held.grow_by_value(object)?;
            }
            self.branches.add(branch);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let tree = std::mem::take(&mut self.branches).to_tree();
        out.push_back(self.cx.begin(GValue::Tree(Arc::new(tree))));
        self.held.clear();
        Ok(())
    }

    fn reset(&mut self, _kind: Reset) {
        self.branches = Branches::default();
        self.held.clear();
    }
}

/// `tree(key)`, which waits for all.
pub(in crate::run) fn tree_aside<'r>(
    cx: &'r Context<'r>,
    name: &'r Arc<str>,
    by: &'r [Projection],
) -> Result<Boxed<'r>, RunError> {
    let mut ring = Ring::new(cx, by)?;
    let mut held = cx.held();
    cx.side_effects.register(name, || Kept::Tree(Branches::default()));
    Ok(gather(cx, move |batch, out| {
        prepare(cx, &ring, &batch)?;
        for traverser in batch {
            let branch = branch(&mut ring, &traverser)?;
            for object in &branch {
                held.grow_by_value(object)?;
            }
            cx.side_effects.with(name, |kept| {
                if let Kept::Value(GValue::Tree(tree)) = kept {
                    let mut branches = Branches::default();
                    branches.add_tree(tree);
                    *kept = Kept::Tree(branches);
                }
                if let Kept::Tree(branches) = kept {
                    branches.add(branch);
                }
            });
            out.push_back(traverser);
        }
        Ok(())
    }))
}

/// The objects of a way, up to the first that `by()` makes nothing of.
fn branch(ring: &mut Ring<'_>, traverser: &Traverser) -> Result<Vec<GValue>, RunError> {
    ring.rewind();
    let mut objects = Vec::new();
    for at in Trail::forwards(traverser.trail.as_deref()) {
        match ring.of_value(at.value.clone())? {
            Some(object) => objects.push(object),
            None => break,
        }
    }
    nesting::check_branch(&objects)?;
    Ok(objects)
}

type Labelled = (Vec<Arc<str>>, GValue);

fn project(ring: &mut Ring<'_>, part: Vec<&Trail>) -> Result<Option<Vec<Labelled>>, RunError> {
    ring.rewind();
    let mut objects = Vec::with_capacity(part.len());
    for at in part {
        match ring.of_value(at.value.clone())? {
            Some(object) => objects.push((at.labels.clone(), object)),
            None => return Ok(None),
        }
    }
    Ok(Some(objects))
}

/// Reads what `by()` will read of all ways at once.
fn prepare(cx: &Context<'_>, ring: &Ring<'_>, batch: &[Traverser]) -> Result<(), RunError> {
    if !ring.reads_properties() {
        return Ok(());
    }
    let ways = batch.iter().map(|traverser| Trail::backwards(traverser.trail.as_deref()));
    let mut objects: Vec<GValue> = ways.flatten().map(|at| at.value.clone()).collect();
    cx.elements.load(&mut objects)
}

/// The part of a way between two labels.
fn part<'t>(traverser: &'t Traverser, range: &PathRange) -> Result<Vec<&'t Trail>, RunError> {
    let mut all = Trail::forwards(traverser.trail.as_deref());
    let place = |label: &Option<Arc<str>>| match label {
        None => Ok(None),
        Some(label) => match all.iter().rposition(|at| at.labels.contains(label)) {
            Some(place) => Ok(Some(place)),
            None => Err(evaluation(format!("Could not locate path label: {label}"))),
        },
    };
    let (from, to) = (place(&range.from)?, place(&range.to)?);
    if let (Some(first), Some(last)) = (from, to)
        && first > last
    {
        return Err(evaluation("Could not isolate the path between the labels of from() and to()"));
    }
    all.truncate(to.map_or(usize::MAX, |to| to + 1));
    Ok(all.split_off(from.unwrap_or(0)))
}
