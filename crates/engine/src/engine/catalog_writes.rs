//! Databases and containers: created, looked up, changed, split and dropped.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use orrery_value::Epk;

use super::Engine;
use super::put::CatalogChange;
use crate::Error;
use crate::catalog::{
    Container, ContainerRecord, ContainerSettings, Database, DatabaseRecord, JsonMap, Offer, OfferRecord, Parent,
    PartitionMap, ResourceKind, Throughput, check_resource_id, resource_prefix, rid,
};
use crate::index::IndexRecords;
use crate::item::{Condition, Counters, etag, key};

impl Engine {
    /// Creates a database, with throughput that its containers share if any is given.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the name is taken, [`Error::Invalid`] for a bad name.
    pub async fn create_database(&self, id: &str, throughput: Option<Throughput>) -> Result<Arc<Database>, Error> {
        check_resource_id("database", id)?;
        let mut next = self.inner.catalog_writer.lock().await;
        if self.inner.catalog.has_database(id) {
            return Err(Error::Conflict { kind: "database", id: id.to_owned() });
        }
        let record = DatabaseRecord { number: *next, id: id.to_owned(), rid: self.free_database_rid(), ts: self.now() };
        let database = Database::new(record);
        let offer = throughput.map(|throughput| {
            offer_record(*next, database.rid(), format!("dbs/{}/", database.rid()), throughput, self.now())
        });
        let mut change =
            CatalogChange::default().put(database.record().key(), database.record())?.next_number(*next + 1);
        if let Some(offer) = &offer {
            change = change.put(offer.key(), offer)?;
        }
        change.commit(self).await?;
        *next += 1;
        if let Some(offer) = offer {
            self.inner.catalog.insert_offer(Offer::new(offer));
        }
        Ok(self.inner.catalog.insert_database(database))
    }

    /// The database with that name or rid.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn database(&self, segment: &str) -> Result<Arc<Database>, Error> {
        self.inner.catalog.database(segment).ok_or_else(|| Error::not_found("database", segment))
    }

    /// All databases in the order of creation.
    pub fn databases(&self) -> Vec<Arc<Database>> {
        self.inner.catalog.databases()
    }

    /// Drops a database with all that is in it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it is gone already, [`Error::PreconditionFailed`].
    pub async fn delete_database(&self, database: &Database, condition: &Condition) -> Result<(), Error> {
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        self.inner
            .catalog
            .database_numbered(database.number())
            .ok_or_else(|| Error::not_found("database", database.id()))?;
        check(condition, &database.etag())?;
        let containers = self.inner.catalog.containers(database.number());
        let mut change = CatalogChange::default()
            .remove(database.record().key())
            .remove(offer_key(database.number()))
            .remove_prefix(resource_prefix(&database.record().rid));
        for user in self.resources(&Parent::database(database), ResourceKind::User).await? {
            change = change.remove_prefix(resource_prefix(&user.record.rid));
        }
        for container in &containers {
            change = remove_records(change, container);
        }
        let floor = self.floor_after(containers.iter().map(|container| container.head()));
        change.number_floor(floor).commit(self).await?;
        self.inner.number_floor.fetch_max(floor, Ordering::Relaxed);
        self.inner.catalog.remove_database(database);
        containers.iter().for_each(|container| self.reclaim(container));
        Ok(())
    }

    /// Creates a container. Its throughput decides how many physical partitions it begins with.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the name is taken, [`Error::Invalid`] for a wrong definition.
    pub async fn create_container(
        &self,
        database: &Arc<Database>,
        definition: &JsonMap,
        throughput: Option<Throughput>,
    ) -> Result<Arc<Container>, Error> {
        let settings = ContainerSettings::parse(definition)?;
        settings.check_search_policies()?;
        let mut next = self.inner.catalog_writer.lock().await;
        let id = settings.body.get("id").and_then(|id| id.as_str()).unwrap_or_default();
        let Some(database) = self.inner.catalog.database_numbered(database.number()) else {
            return Err(Error::OwnerNotFound { kind: "database", id: database.id().to_owned() });
        };
        if self.inner.catalog.has_container(database.number(), id) {
            return Err(Error::Conflict { kind: "container", id: id.to_owned() });
        }
        let shared = self.inner.catalog.offer_of(database.number());
        let own = throughput.or(if shared.is_some() { None } else { Some(Throughput::Manual(crate::MANUAL_MIN_RU)) });
        let partitions = own.map_or(1, Throughput::partitions);
        let record = ContainerRecord {
            number: *next,
            database: database.number(),
            rid: self.free_container_rid(&database),
            partitions: PartitionMap::even(&settings.partition_key, partitions).to_record(),
            body: settings.body,
            indexes: IndexRecords::default(),
            version: 1,
            ts: self.now(),
        };
        let rid = rid::encode(&record.rid);
        let link = format!("dbs/{}/colls/{rid}/", database.rid());
        let offer = own.map(|throughput| offer_record(*next, &rid, link, throughput, self.now()));
        let floor = self.inner.number_floor.load(Ordering::Relaxed);
        let counters = Counters { last_number: floor, ..Counters::default() };
        let mut change =
            CatalogChange::default().put(record.key(), &record)?.put_counters(*next, counters).next_number(*next + 1);
        if let Some(offer) = &offer {
            change = change.put(offer.key(), offer)?;
        }
        let container = Container::from_record(record, database, counters)?;
        change.commit(self).await?;
        *next += 1;
        container.index().attach(&self.inner.indexes);
        if let Some(offer) = offer {
            self.inner.catalog.insert_offer(Offer::new(offer));
        }
        Ok(self.inner.catalog.insert_container(container))
    }

    /// The container with that name or rid in the database with that name or rid.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`] for the database, [`Error::NotFound`] for the container.
    pub fn container(&self, database: &str, container: &str) -> Result<Arc<Container>, Error> {
        self.inner.catalog.container(database, container)
    }

    /// The containers of a database in the order of creation.
    pub fn containers(&self, database: &Database) -> Vec<Arc<Container>> {
        self.inner.catalog.containers(database.number())
    }

    /// Changes what may change of a container's settings.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a wrong definition or a change of what is fixed, [`Error::PreconditionFailed`].
    pub async fn replace_container(
        &self,
        container: &Arc<Container>,
        definition: &JsonMap,
        condition: &Condition,
    ) -> Result<(), Error> {
        let settings = ContainerSettings::parse(definition)?;
        settings.check_search_policies()?;
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        self.still_there(container)?;
        check(condition, &container.etag())?;
        container.settings().check_replacement(&settings)?;
        let record = container.record_with(Some(settings.body.clone()), None, self.now());
        CatalogChange::default().put(record.key(), &record)?.commit(self).await?;
        let indexes_otherwise = settings.index_policy != container.settings().index_policy;
        container.install(Some(settings), None, &record);
        if indexes_otherwise {
            container.index().follow_soon(container);
        }
        Ok(())
    }

    /// Drops a container. Its items are out of sight at once; their space is reclaimed in the background.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it is gone already, [`Error::PreconditionFailed`].
    pub async fn delete_container(&self, container: &Container, condition: &Condition) -> Result<(), Error> {
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        self.still_there(container)?;
        check(condition, &container.etag())?;
        let floor = self.floor_after([container.head()].into_iter());
        remove_records(CatalogChange::default(), container).number_floor(floor).commit(self).await?;
        self.inner.number_floor.fetch_max(floor, Ordering::Relaxed);
        self.inner.catalog.remove_container(container);
        self.reclaim(container);
        Ok(())
    }

    /// Frees the space of a container that is no longer in the catalog, and that of its indexes.
    fn reclaim(&self, container: &Container) {
        let numbers = [container.number()].into_iter().chain(container.index_records().owners());
        numbers.for_each(|number| self.inner.store.reclaim(number));
    }

    /// Divides a physical partition at `at`: one catalog write; no item moves.
    ///
    /// # Errors
    /// [`Error::RangeGone`] for an unknown range, [`Error::Invalid`] if `at` is outside of it.
    pub async fn split_partition(&self, container: &Arc<Container>, range: u32, at: Epk) -> Result<(), Error> {
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        self.still_there(container)?;
        let partitions = container.partitions().split(range, at)?;
        let record = container.record_with(None, Some(&partitions), self.now());
        CatalogChange::default().put(record.key(), &record)?.commit(self).await?;
        container.install(None, Some(partitions), &record);
        Ok(())
    }

    /// The floor of numbers once containers that came as far as `heads` are gone.
    fn floor_after(&self, heads: impl Iterator<Item = u64>) -> u64 {
        heads.fold(self.inner.number_floor.load(Ordering::Relaxed), u64::max)
    }

    pub(super) fn still_there(&self, container: &Container) -> Result<(), Error> {
        if self.inner.catalog.is_live(container.number()) {
            Ok(())
        } else {
            Err(Error::not_found("container", container.id()))
        }
    }

    fn free_database_rid(&self) -> [u8; rid::DATABASE_RID_LEN] {
        loop {
            let [a, b, c, d, ..] = *uuid::Uuid::new_v4().as_bytes();
            if !self.inner.catalog.rid_is_taken(&[a, b, c, d]) {
                return [a, b, c, d];
            }
        }
    }

    fn free_container_rid(&self, database: &Database) -> [u8; rid::CONTAINER_RID_LEN] {
        let [a, b, c, d] = database.record().rid;
        loop {
            let [e, f, g, h, ..] = *uuid::Uuid::new_v4().as_bytes();
            let rid = [a, b, c, d, e | 0x80, f, g, h];
            if !self.inner.catalog.rid_is_taken(&rid) {
                return rid;
            }
        }
    }
}

fn remove_records(change: CatalogChange, container: &Container) -> CatalogChange {
    change
        .remove([b"c".as_slice(), &container.number().to_be_bytes()].concat())
        .remove(key::counters(container.number()))
        .remove(offer_key(container.number()))
        .remove_prefix(resource_prefix(container.rid_bytes()))
}

fn offer_key(owner: u32) -> Vec<u8> {
    [b"o".as_slice(), &owner.to_be_bytes()].concat()
}

fn offer_record(owner: u32, owner_rid: &str, owner_link: String, throughput: Throughput, ts: u64) -> OfferRecord {
    OfferRecord { owner, owner_rid: owner_rid.to_owned(), owner_link, throughput, version: 1, ts }
}

/// Checks the precondition of a change to a control-plane resource.
pub(super) fn check(condition: &Condition, current: &str) -> Result<(), Error> {
    match condition {
        Condition::IfMatch(header) if !etag::matches(header, current) => {
            Err(Error::PreconditionFailed { reason: format!("the _etag is now \"{current}\"") })
        }
        Condition::If(_) => Err(Error::invalid("a test of an item is no condition on a resource")),
        Condition::None | Condition::IfMatch(_) | Condition::IfNoneMatch(_) => Ok(()),
    }
}
