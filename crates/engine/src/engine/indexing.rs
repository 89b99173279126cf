//! Indexes: their numbers in the catalog, and views of them.

use std::sync::Arc;

use orrery_store::Snapshot;

use super::Engine;
use super::put::CatalogChange;
use crate::Error;
use crate::catalog::Container;
use crate::index::{IndexRecords, IndexView};

impl Engine {
    /// The container's property index as it is now.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn index_view(&self, container: &Arc<Container>) -> Result<IndexView, Error> {
        container.index().view(container, self.inner.store.snapshot()).await
    }

    /// The container's property index as of a snapshot, which may be older than the index.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn index_view_at(
        &self,
        container: &Arc<Container>,
        snapshot: Arc<dyn Snapshot>,
    ) -> Result<IndexView, Error> {
        container.index().view(container, snapshot).await
    }

    /// Bytes of memory that property indexes take now.
    pub fn index_memory_bytes(&self) -> usize {
        self.inner.indexes.memory_bytes()
    }

    pub(crate) fn is_live(&self, container: &Container) -> bool {
        self.inner.catalog.is_live(container.number())
    }

    /// Gives an index a number for its rows, which is live from then on, and remembers it in the record of its container.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the container was dropped.
    pub(crate) async fn new_index_owner(
        &self,
        container: &Container,
        records: impl FnOnce(u32) -> IndexRecords,
    ) -> Result<u32, Error> {
        let mut next = self.inner.catalog_writer.lock().await;
        self.still_there(container)?;
        let owner = *next;
        let records = records(owner);
        let record = container.record_with_indexes(&records);
        CatalogChange::default().put(record.key(), &record)?.next_number(owner + 1).commit(self).await?;
        *next += 1;
        self.inner.catalog.insert_index_owner(owner);
        container.install_indexes(records);
        Ok(owner)
    }

    /// Changes which indexes a container has. Those that it has no more are let go with [`Engine::release_index_owner`] once no
    /// query reads them.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the container was dropped.
    pub(crate) async fn change_indexes(&self, container: &Container, records: IndexRecords) -> Result<(), Error> {
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        self.still_there(container)?;
        let record = container.record_with_indexes(&records);
        CatalogChange::default().put(record.key(), &record)?.commit(self).await?;
        container.install_indexes(records);
        Ok(())
    }

    /// Gives up the rows of an index that nobody reads any more.
    pub(crate) fn release_index_owner(&self, owner: u32) {
        self.inner.catalog.remove_index_owner(owner);
        self.inner.store.reclaim(owner);
    }
}
