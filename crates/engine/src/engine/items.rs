//! Items: read, written, listed, followed and queried.

use std::sync::Arc;

use orrery_store::transact;
use orrery_value::PartitionKey;

use super::Engine;
use crate::catalog::{Container, ContainerSettings};
use crate::feed::{self, FeedPage, FeedStart};
use crate::item::{
    self, Item, ItemPage, MAX_BATCH_OPERATIONS, Operation, OperationOutcome, PageRequest, Scope, Target, WriteItems,
    WriteMode,
};
use crate::query::{self, Query, QueryPage};
use crate::{Error, Versions, Written};

impl Engine {
    /// The item, if it exists and has not expired.
    ///
    /// # Errors
    /// [`Error::PartitionKeyMismatch`] if the key does not have a component for each path of the container's definition.
    pub async fn read_item(
        &self,
        container: &Container,
        key: &PartitionKey,
        target: &Target,
    ) -> Result<Option<Item>, Error> {
        let settings = container.settings();
        check_whole(&settings, key)?;
        let item = item::read_item(self.store(), container, &settings, key, target).await?;
        // Where nothing expires, nobody asks for the time.
        Ok(item.filter(|item| settings.default_ttl.is_none() || !item.is_expired(&settings, self.now())))
    }

    /// Items by their partition keys and ids, as of one moment, in the order of the keys; `None` for what does not exist or has expired.
    ///
    /// # Errors
    /// [`Error::PartitionKeyMismatch`] if a key does not have a component for each path of the container's definition.
    pub async fn read_items(
        &self,
        container: &Container,
        keys: &[(PartitionKey, &str)],
    ) -> Result<Vec<Option<Item>>, Error> {
        let settings = container.settings();
        keys.iter().try_for_each(|(key, _)| check_whole(&settings, key))?;
        item::read_items(&*self.inner.store.snapshot(), container, keys, self.now()).await
    }

    /// The living versions of a container as they are now.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`] if the container was dropped, [`Error::Unavailable`] if the store cannot be read.
    pub async fn versions(&self, container: &Arc<Container>) -> Result<Versions, Error> {
        Versions::open(self.inner.store.snapshot(), container).await
    }

    /// Runs operations in order as one transaction, durable when this returns; one outcome for each, in order.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more than [`MAX_BATCH_OPERATIONS`], [`Error::PartitionKeyMismatch`] for an incomplete key,
    /// [`Error::OwnerNotFound`] if the container was dropped meanwhile,
    /// [`Error::Unavailable`] if the store cannot write. What goes wrong with one operation stands in its outcome.
    pub async fn write(
        &self,
        container: &Arc<Container>,
        operations: Vec<Operation>,
        mode: WriteMode,
    ) -> Result<Vec<OperationOutcome>, Error> {
        if operations.len() > MAX_BATCH_OPERATIONS {
            return Err(Error::invalid(format!(
                "a batch has at most {MAX_BATCH_OPERATIONS} operations, and this one has {}",
                operations.len()
            )));
        }
        let settings = container.settings();
        operations.iter().try_for_each(|operation| check_whole(&settings, &operation.key))?;
        container.index().admit(container).await;
        let transaction = WriteItems {
            container: container.clone(),
            clock: self.inner.clock.clone(),
            mode,
            outcomes: Vec::with_capacity(operations.len()),
            operations,
            counters: None,
            container_is_gone: false,
        };
        let done = transact(self.store(), transaction).await?;
        if done.container_is_gone {
            return Err(Error::OwnerNotFound { kind: "container", id: container.id().to_owned() });
        }
        if let Some(counters) = &done.counters {
            container.publish(counters);
            container.index().note_written(container);
        }
        Ok(done.outcomes)
    }

    /// [`Engine::write`] of one operation.
    ///
    /// # Errors
    /// What went wrong with it.
    pub async fn write_one(
        &self,
        container: &Arc<Container>,
        operation: Operation,
    ) -> Result<(Written, f64), (Error, f64)> {
        let failed = |error| (error, crate::request_charge::refused_write());
        let outcomes = self.write(container, vec![operation], WriteMode::Atomic).await.map_err(failed)?;
        match outcomes.into_iter().next() {
            Some(OperationOutcome { result: Ok(written), charge_ru }) => Ok((written, charge_ru)),
            Some(OperationOutcome { result: Err(error), charge_ru }) => Err((error, charge_ru)),
            None => Err(failed(Error::Unavailable { reason: "the store did not run the transaction".into() })),
        }
    }

    /// The items of a scope in key order, a page at a time.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a bad continuation or key.
    pub async fn list_items(
        &self,
        container: &Container,
        scope: &Scope,
        page: &PageRequest,
    ) -> Result<ItemPage, Error> {
        item::list_items(self.inner.store.snapshot(), container, scope, page, self.now()).await
    }

    /// The changes of a scope in the order of writing, each item once in its newest version.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a bad key.
    pub async fn change_feed(
        &self,
        container: &Container,
        scope: &Scope,
        start: FeedStart,
        max_items: usize,
    ) -> Result<FeedPage, Error> {
        feed::read(self.inner.store.snapshot(), container, scope, start, max_items, self.now()).await
    }

    /// One page of a query's rows.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a bad continuation or key, or an item that takes too many steps; [`Error::OverBudget`] if the query
    /// needs more memory than one may have, [`Error::Unavailable`] if all that run now do.
    pub async fn query(
        &self,
        container: &Arc<Container>,
        scope: &Scope,
        query: &Query,
        page: &PageRequest,
    ) -> Result<QueryPage, Error> {
        let snapshot = self.inner.store.snapshot();
        query::execute(snapshot, container, scope, query, page, self.now(), &self.inner.queries).await
    }

    /// One page of the items that a query keeps, with the facts of their headers; what the query projects does not count.
    ///
    /// # Errors
    /// As [`Engine::query`], and [`Error::Invalid`] if its rows are no items: it has sources of its own, folds or takes rows from
    /// another query.
    pub async fn query_items(
        &self,
        container: &Arc<Container>,
        scope: &Scope,
        query: &Query,
        page: &PageRequest,
    ) -> Result<ItemPage, Error> {
        let body = &query.plan().body;
        if !matches!(query.plan().from, query::From::Items) || !body.sources.is_empty() || body.grouping.is_some() {
            return Err(Error::invalid("the rows of this query are not items"));
        }
        let page = self.query(container, scope, &query.of_stored_items(), page).await?;
        let items = page.rows.into_iter().map(Item::from_stored).collect::<Result<_, _>>()?;
        Ok(ItemPage { items, continuation: page.continuation, charge_ru: page.charge_ru })
    }

    /// Removes every item of a logical partition that exists now; returns how many went.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a bad key.
    pub async fn delete_partition(&self, container: &Arc<Container>, key: &PartitionKey) -> Result<u64, Error> {
        item::delete_partition(self.store(), container, &self.inner.clock, key).await
    }
}

/// Operations on one item need the whole key; only queries and lists take a prefix.
fn check_whole(settings: &ContainerSettings, key: &PartitionKey) -> Result<(), Error> {
    let (given, wanted) = (key.components().len(), settings.partition_key.paths.len());
    if given == wanted {
        return settings.partition_key.check(key).map_err(|error| Error::invalid(error.to_string()));
    }
    let which = if given < wanted { "fewer" } else { "more" };
    Err(Error::PartitionKeyMismatch {
        message: format!(
            "PartitionKey supplied in x-ms-partitionkey header has {which} components than defined in the the collection: {given} for {wanted} paths"
        ),
    })
}
