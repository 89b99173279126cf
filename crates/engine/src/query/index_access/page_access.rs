//! The way to the items of a page, or to its rows.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::super::Plan;
use super::super::execute::{Output, Run, Shape};
use super::choose::{Choice, Weighing};
use super::condition::{Known, Reader};
use super::place::Sources;
use super::{IndexUse, cost};
use crate::Error;
use crate::index::IndexView;
use crate::query::collect::feed::Feed;
use crate::query::explain::report::Trace;
use crate::query::page::cursor::Cursor;
use crate::query::scope::access::Access;
use crate::query::scope::narrow::{Narrowed, narrow};

/// What is known of the items that a page looks at before the first one is read.
pub(in super::super) struct Survey {
    pub plan: Arc<Plan>,
    pub narrowed: Narrowed,
    pub(super) known: Known,
    /// The index, if it is worth asking.
    pub view: Option<IndexView>,
    /// The choice for reading all items that may pass, once it was asked for.
    choice_for_all: OnceCell<Option<Choice>>,
}

impl Run<'_> {
    /// Narrows the scope to what the plan can have rows of, and opens the index if that may pay.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the scope's key does not fit the container; [`Error::Unavailable`] if the store cannot be read.
    pub(in super::super) async fn survey(&self, plan: &Arc<Plan>, trace: &mut Trace) -> Result<Survey, Error> {
        let narrowed = narrow(self.container, &self.settings, self.scope, plan)?;
        trace.narrowed(self.container, &narrowed);
        let known = known_of(plan);
        let is_asked = known.condition.is_some() || !plan.order.is_empty() || plan.body.grouping.is_some();
        trace.order = plan.order.iter().filter_map(|key| Some(key.expr.as_item_path()?.to_string())).collect();
        let view = match self.reason_against_index(&narrowed) {
            Some(reason) => {
                trace.index.not_asked(reason);
                None
            }
            None if is_asked => {
                let view = self.container.index().view(self.container, self.snapshot.clone()).await?;
                trace.index.conditions(&known, &view);
                Some(view)
            }
            None => None,
        };
        Ok(Survey { plan: plan.clone(), narrowed, known, view, choice_for_all: OnceCell::new() })
    }

    /// Why it is not worth asking what the index has, if it is not.
    fn reason_against_index(&self, narrowed: &Narrowed) -> Option<&'static str> {
        match self.runtime.index_use {
            IndexUse::Never => Some("queries are told not to use the index"),
            _ if !narrowed.access.has_ranges() => Some("the filter names the items by their keys"),
            IndexUse::Auto if self.container.usage().items < cost::MIN_ITEMS => {
                Some("a container this small is read sooner than an index")
            }
            IndexUse::Auto | IndexUse::Always => None,
        }
    }

    /// How the items are read that may pass the plan's filter. `wanted_rows` are those after which the page ends, if it does.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub(in super::super) async fn access(
        &self,
        survey: Survey,
        wanted_rows: Option<usize>,
        trace: &mut Trace,
    ) -> Result<Access, Error> {
        let Some(choice) = self.choice(&survey, wanted_rows).await? else { return Ok(survey.narrowed.access) };
        trace.index.chosen(&choice);
        Ok(choice.access)
    }

    /// The choice between the index and a scan, if there is one.
    pub(super) async fn choice(&self, survey: &Survey, wanted_rows: Option<usize>) -> Result<Option<Choice>, Error> {
        let Some(view) = &survey.view else { return Ok(None) };
        let choose = async || self.weighing(view, survey, wanted_rows, cost::HIT).choose(&survey.known).await.map(Some);
        match wanted_rows {
            Some(_) => choose().await,
            None => survey.choice_for_all.get_or_try_init(choose).await.cloned(),
        }
    }

    /// The choice between the index and a scan for counting alone, if there is one.
    pub(super) async fn count_choice(&self, known: &Known, survey: &Survey) -> Result<Option<Choice>, Error> {
        let Some(view) = &survey.view else { return Ok(None) };
        self.weighing(view, survey, None, cost::LIVE_HIT).choose(known).await.map(Some)
    }

    fn weighing<'w>(
        &'w self,
        view: &'w IndexView,
        survey: &'w Survey,
        wanted_rows: Option<usize>,
        hit_ns: f64,
    ) -> Weighing<'w> {
        Weighing {
            index_use: self.runtime.index_use,
            view,
            settings: &self.settings,
            narrowed: &survey.narrowed,
            wanted_rows,
            hit_ns,
            memory: &self.runtime.memory,
        }
    }

    /// The page, if the index gives it without a look at all items that count.
    ///
    /// # Errors
    /// As for [`execute`](super::super::execute).
    pub(in super::super) async fn answered_by_index(
        &self,
        shape: Shape,
        survey: &Survey,
        feed: &Arc<Feed>,
        cursor: &Cursor,
        trace: &mut Trace,
    ) -> Result<Option<Output>, Error> {
        if !feed.is_over_items() || self.runtime.index_use == IndexUse::Never {
            return Ok(None);
        }
        if shape == Shape::Sort
            && let Some(output) = self.walked_by_key(survey, feed, cursor, trace).await?
        {
            return Ok(Some(output));
        }
        match (shape, &survey.view) {
            (Shape::Sort, Some(view)) => self.walked_in_order(survey, view, feed, cursor, trace).await,
            (Shape::Fold, Some(view)) => self.aggregated_by_index(survey, view, cursor, trace).await,
            _ => Ok(None),
        }
    }
}

/// What is known of the items that a plan has rows of.
pub(super) fn known_of(plan: &Plan) -> Known {
    let mut reader = Reader { sources: Sources::of_item() };
    let known = reader.rows(&plan.body);
    // An item may have several rows, or none, with more sources.
    Known { is_exact: known.is_exact && plan.body.sources.is_empty(), ..known }
}
