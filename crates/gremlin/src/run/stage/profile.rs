//! `profile()` and `executionProfile()`.

use std::sync::Arc;

use super::super::figures::Figures;
use super::super::pipeline::{Queue, Stage};
use super::super::side_effect::Kept;
use super::super::{Context, RunError, Traverser};
use crate::step::Step;
use crate::value::GValue;

/// Shows the figures of what is before it when all has run.
pub(in crate::run) struct Profile<'r> {
    cx: &'r Context<'r>,
    figures: Option<Figures>,
    form: Form<'r>,
}

enum Form<'r> {
    Result,
    Aside(&'r Arc<str>),
    Service(&'r [Step]),
}

impl<'r> Profile<'r> {
    /// `profile()`
    pub fn new(cx: &'r Context<'r>, figures: Option<Figures>, key: Option<&'r Arc<str>>) -> Self {
        Profile { cx, figures, form: key.map_or(Form::Result, Form::Aside) }
    }

    /// `executionProfile()` of a whole traversal.
    pub fn of_service(cx: &'r Context<'r>, figures: Option<Figures>, steps: &'r [Step]) -> Self {
        Profile { cx, figures, form: Form::Service(steps) }
    }
}

impl Stage for Profile<'_> {
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        if let Form::Aside(_) = self.form {
            out.extend(batch);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let Some(figures) = &self.figures else { return Ok(()) };
        match self.form {
            Form::Result => out.push_back(self.cx.begin(figures.to_metrics())),
            Form::Service(steps) => out.push_back(self.cx.begin(figures.to_execution_profile(steps))),
            Form::Aside(key) => {
                let metrics: GValue = figures.to_metrics();
                self.cx.side_effects.register(key, || Kept::Value(GValue::Null));
                self.cx.side_effects.with(key, |kept| *kept = Kept::Value(metrics));
            }
        }
        Ok(())
    }
}
