//! Throughput: looked up and changed.

use super::Engine;
use super::catalog_writes::check;
use super::put::CatalogChange;
use crate::Error;
use crate::catalog::{Offer, OfferRecord, Throughput};
use crate::item::Condition;

impl Engine {
    /// All offers in the order in which their owners were created.
    pub fn offers(&self) -> Vec<Offer> {
        self.inner.catalog.offers()
    }

    /// The offer with that id.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn offer(&self, rid: &str) -> Result<Offer, Error> {
        self.inner.catalog.offer(rid).ok_or_else(|| Error::not_found("offer", rid))
    }

    /// Changes the throughput of an offer. More than the partitions can serve does not split them: a split is a decision of its own.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::PreconditionFailed`].
    pub async fn replace_offer(
        &self,
        rid: &str,
        throughput: Throughput,
        condition: &Condition,
    ) -> Result<Offer, Error> {
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        let current = self.offer(rid)?;
        check(condition, &current.etag())?;
        let old = current.record();
        let record = OfferRecord { throughput, version: old.version + 1, ts: self.now(), ..old.clone() };
        CatalogChange::default().put(record.key(), &record)?.commit(self).await?;
        let offer = Offer::new(record);
        self.inner.catalog.insert_offer(offer.clone());
        Ok(offer)
    }
}
