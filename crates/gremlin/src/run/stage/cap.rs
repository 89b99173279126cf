//! `cap()`.

use std::sync::Arc;

use super::super::pipeline::{Queue, Stage};
use super::super::{Context, RunError, Traverser, evaluation};
use crate::value::GValue;

/// Waits for all, and gives side effects then.
pub(in crate::run) struct Cap<'r> {
    cx: &'r Context<'r>,
    keys: &'r [Arc<str>],
}

impl<'r> Cap<'r> {
    pub fn new(cx: &'r Context<'r>, keys: &'r [Arc<str>]) -> Self {
        Cap { cx, keys }
    }

    fn read(&self, key: &str) -> Result<GValue, RunError> {
        self.cx
            .side_effect(key)?
            .ok_or_else(|| evaluation(format!("The side-effect key does not exist in the side-effects: {key}")))
    }
}

impl Stage for Cap<'_> {
    fn take(&mut self, _batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let value = match self.keys {
            [key] => self.read(key)?,
            keys => {
                let entry = |key: &Arc<str>| Ok((GValue::String(Arc::clone(key)), self.read(key)?));
                GValue::map(keys.iter().map(entry).collect::<Result<Vec<_>, RunError>>()?)
            }
        };
        out.push_back(self.cx.begin(value));
        Ok(())
    }
}
