//! All databases and containers in memory, findable by name and by rid.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{Container, Database, Offer, rid};
use crate::Error;

/// The catalog in memory. Changes are durable before they show here.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    maps: RwLock<Maps>,
}

#[derive(Debug, Default)]
struct Maps {
    /// By number, which is the order of creation.
    databases: BTreeMap<u32, Arc<Database>>,
    database_names: HashMap<String, u32>,
    containers: BTreeMap<u32, Arc<Container>>,
    /// Database number, then container name.
    container_names: HashMap<u32, HashMap<String, u32>>,
    /// Rid text of databases and containers to their numbers.
    rids: HashMap<String, u32>,
    offers: BTreeMap<u32, Offer>,
    /// Numbers in front of the rows of indexes.
    index_owners: BTreeSet<u32>,
}

impl Catalog {
    pub fn database(&self, segment: &str) -> Option<Arc<Database>> {
        self.read().find_database(segment).cloned()
    }

    /// The database with that number: unlike a rid, it cannot be another one's name.
    pub fn database_numbered(&self, number: u32) -> Option<Arc<Database>> {
        self.read().databases.get(&number).cloned()
    }

    pub fn databases(&self) -> Vec<Arc<Database>> {
        self.read().databases.values().cloned().collect()
    }

    /// Names win over rids; a rid counts only below a database that is addressed by rid too.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`] for the database, [`Error::NotFound`] for the container.
    pub fn container(&self, database: &str, container: &str) -> Result<Arc<Container>, Error> {
        let maps = self.read();
        let owner = maps
            .find_database(database)
            .ok_or_else(|| Error::OwnerNotFound { kind: "database", id: database.to_owned() })?;
        let by_name = maps.container_names.get(&owner.number()).and_then(|names| names.get(container));
        let by_rid = || maps.rids.get(container).filter(|_| database == owner.rid());
        let number = by_name.or_else(by_rid);
        number
            .and_then(|number| maps.containers.get(number))
            .filter(|found| found.database().number() == owner.number())
            .cloned()
            .ok_or_else(|| Error::not_found("container", container))
    }

    pub fn containers(&self, database: u32) -> Vec<Arc<Container>> {
        let maps = self.read();
        let mut numbers: Vec<u32> =
            maps.container_names.get(&database).map(|names| names.values().copied().collect()).unwrap_or_default();
        numbers.sort_unstable();
        numbers.iter().filter_map(|number| maps.containers.get(number).cloned()).collect()
    }

    pub fn has_database(&self, name: &str) -> bool {
        self.read().database_names.contains_key(name)
    }

    pub fn has_container(&self, database: u32, name: &str) -> bool {
        self.read().container_names.get(&database).is_some_and(|names| names.contains_key(name))
    }

    pub fn all_containers(&self) -> Vec<Arc<Container>> {
        self.read().containers.values().cloned().collect()
    }

    pub fn is_live(&self, container: u32) -> bool {
        self.read().containers.contains_key(&container)
    }

    /// Whether a number is that of a container, or in front of the rows of an index.
    pub fn owns_keys(&self, number: u32) -> bool {
        let maps = self.read();
        maps.containers.contains_key(&number) || maps.index_owners.contains(&number)
    }

    pub fn insert_index_owner(&self, owner: u32) {
        self.write().index_owners.insert(owner);
    }

    pub fn remove_index_owner(&self, owner: u32) {
        self.write().index_owners.remove(&owner);
    }

    pub fn rid_is_taken(&self, bytes: &[u8]) -> bool {
        self.read().rids.contains_key(&rid::encode(bytes))
    }

    pub fn offers(&self) -> Vec<Offer> {
        self.read().offers.values().cloned().collect()
    }

    pub fn offer(&self, rid: &str) -> Option<Offer> {
        self.read().offers.values().find(|offer| offer.rid() == rid).cloned()
    }

    pub fn offer_of(&self, owner: u32) -> Option<Offer> {
        self.read().offers.get(&owner).cloned()
    }

    pub fn insert_database(&self, database: Database) -> Arc<Database> {
        let database = Arc::new(database);
        let mut maps = self.write();
        maps.database_names.insert(database.id().to_owned(), database.number());
        maps.rids.insert(database.rid().to_owned(), database.number());
        maps.databases.insert(database.number(), database.clone());
        database
    }

    pub fn insert_container(&self, container: Container) -> Arc<Container> {
        let container = Arc::new(container);
        let mut maps = self.write();
        let names = maps.container_names.entry(container.database().number()).or_default();
        names.insert(container.id().to_owned(), container.number());
        maps.rids.insert(container.rid().to_owned(), container.number());
        maps.containers.insert(container.number(), container.clone());
        maps.index_owners.extend(container.index_records().owners());
        container
    }

    pub fn insert_offer(&self, offer: Offer) {
        self.write().offers.insert(offer.record().owner, offer);
    }

    pub fn remove_container(&self, container: &Container) {
        self.write().remove_container(container);
    }

    pub fn remove_database(&self, database: &Database) {
        let containers = self.containers(database.number());
        let mut maps = self.write();
        for container in containers {
            maps.remove_container(&container);
        }
        maps.container_names.remove(&database.number());
        maps.database_names.remove(database.id());
        maps.rids.remove(database.rid());
        maps.databases.remove(&database.number());
        maps.offers.remove(&database.number());
    }

    fn read(&self) -> RwLockReadGuard<'_, Maps> {
        self.maps.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Maps> {
        self.maps.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Maps {
    fn find_database(&self, segment: &str) -> Option<&Arc<Database>> {
        let number = self.database_names.get(segment).or_else(|| self.rids.get(segment))?;
        self.databases.get(number)
    }

    fn remove_container(&mut self, container: &Container) {
        if let Some(names) = self.container_names.get_mut(&container.database().number()) {
            names.remove(container.id());
        }
        self.rids.remove(container.rid());
        self.containers.remove(&container.number());
        for owner in container.index_records().owners() {
            self.index_owners.remove(&owner);
        }
        self.offers.remove(&container.number());
    }
}
