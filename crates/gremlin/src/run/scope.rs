//! What a label stands for: an entry of the map a traverser is at, a side effect, or an object of its way.

use std::sync::Arc;

use super::group::read_groups;
use super::side_effect::Kept;
use super::trail::Trail;
use super::{Context, RunError, Traverser, evaluation};
use crate::value::{BulkSet, GValue, Pop};

impl<'r> Context<'r> {
    /// What a label stands for where a traverser is; `None` where it stands for nothing.
    pub fn scoped(&'r self, traverser: &Traverser, label: &Arc<str>, pop: Pop) -> Result<Option<GValue>, RunError> {
        if let GValue::Map(map) = &traverser.value
            && let Some(value) = map.get(&GValue::String(Arc::clone(label)))
        {
            return Ok(Some(value.clone()));
        }
        if let Some(value) = self.side_effect(label)? {
            return Ok(Some(value));
        }
        Ok(Trail::select(traverser.trail.as_deref(), label, pop))
    }

    /// The same of a label that must stand for something.
    pub fn must_be_scoped(&'r self, traverser: &Traverser, label: &Arc<str>, pop: Pop) -> Result<GValue, RunError> {
        self.scoped(traverser, label, pop)?
            .ok_or_else(|| evaluation(format!("Neither the map, sideEffects, nor path has a {label}-key")))
    }

    /// A side effect as it is now.
    pub fn side_effect(&'r self, key: &str) -> Result<Option<GValue>, RunError> {
        let read = self.side_effects.with(key, |kept| match kept {
            Kept::Value(value) => Ok(value.clone()),
            Kept::Bulk(bulk) => {
                let items = bulk.iter().map(|(value, count)| (value.clone(), *count)).collect();
                Ok(GValue::BulkSet(Arc::new(BulkSet { items })))
            }
            Kept::Counts(counts) => {
                Ok(GValue::map(counts.iter().map(|(value, count)| (value.clone(), GValue::Long(*count)))))
            }
            Kept::Tree(branches) => Ok(GValue::Tree(Arc::new(branches.to_tree()))),
            Kept::Graph(part) => Ok(GValue::Graph(Arc::new(part.to_graph()))),
            Kept::Groups(groups) => Err(groups.iter().map(|(key, all)| (key.clone(), all.clone())).collect::<Vec<_>>()),
        });
        match read {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(value)),
            // The values are made by traversals, which may look at side effects themselves.
            Some(Err(groups)) => read_groups(self, key, groups).map(Some),
        }
    }
}
