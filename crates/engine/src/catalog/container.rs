//! A container: settings, placement and the newest number, shared by every request on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::partition_map::PartitionMapRecord;
use super::{ContainerSettings, Database, JsonMap, PartitionMap, rid};
use crate::Error;
use crate::index::{ContainerIndex, IndexRecords};
use crate::item::{Births, Counters, Deaths, Item, etag};

/// A container. Its settings and partitions may change; its number, name and rid never do.
#[derive(Debug)]
pub struct Container {
    number: u32,
    id: String,
    rid_bytes: [u8; rid::CONTAINER_RID_LEN],
    rid: String,
    self_link: String,
    name_link: Bytes,
    database: Arc<Database>,
    state: RwLock<State>,
    head: AtomicU64,
    /// The counters of the newest transaction that is known to be durable.
    counters: Mutex<Counters>,
    index: ContainerIndex,
    deaths: Deaths,
    births: Arc<Births>,
}

#[derive(Clone, Debug)]
struct State {
    settings: Arc<ContainerSettings>,
    partitions: Arc<PartitionMap>,
    indexes: IndexRecords,
    version: u64,
    ts: u64,
}

/// What a container holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Items, expired ones that are not purged yet included.
    pub items: u64,
    /// Bytes of their JSON texts.
    pub bytes: u64,
}

/// A container as the catalog stores it, under `c` and its number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ContainerRecord {
    pub number: u32,
    pub database: u32,
    pub rid: [u8; rid::CONTAINER_RID_LEN],
    pub body: JsonMap,
    pub partitions: PartitionMapRecord,
    #[serde(default)]
    pub indexes: IndexRecords,
    /// Counts the changes of this record; part of its etag.
    pub version: u64,
    pub ts: u64,
}

impl ContainerRecord {
    pub fn key(&self) -> Vec<u8> {
        [b"c".as_slice(), &self.number.to_be_bytes()].concat()
    }
}

impl Container {
    /// # Errors
    /// [`Error::Unavailable`] if the record does not describe a container: the store is damaged.
    pub(crate) fn from_record(
        record: ContainerRecord,
        database: Arc<Database>,
        counters: Counters,
    ) -> Result<Self, Error> {
        let damaged = |what: &str| Error::Unavailable {
            reason: format!("the catalog's record of container {} is damaged: {what}", record.number),
        };
        let settings = ContainerSettings::parse(&record.body).map_err(|error| damaged(&error.to_string()))?;
        let partitions =
            PartitionMap::from_record(&record.partitions).ok_or_else(|| damaged("its partition map has gaps"))?;
        let id = settings.body.get("id").and_then(|id| id.as_str()).unwrap_or_default().to_owned();
        let rid = rid::encode(&record.rid);
        Ok(Container {
            number: record.number,
            name_link: format!("dbs/{}/colls/{id}", database.id()).into(),
            id,
            rid_bytes: record.rid,
            self_link: format!("dbs/{}/colls/{rid}/", database.rid()),
            rid,
            database,
            state: RwLock::new(State {
                settings: Arc::new(settings),
                partitions: Arc::new(partitions),
                indexes: record.indexes,
                version: record.version,
                ts: record.ts,
            }),
            head: AtomicU64::new(counters.last_number),
            counters: Mutex::new(counters),
            index: ContainerIndex::default(),
            deaths: Deaths::default(),
            births: Arc::default(),
        })
    }

    /// The name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The resource id; a recreated container has another.
    pub fn rid(&self) -> &str {
        &self.rid
    }

    pub(crate) fn rid_bytes(&self) -> &[u8; rid::CONTAINER_RID_LEN] {
        &self.rid_bytes
    }

    /// The number in front of its keys; orders containers by creation.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The database it is in.
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// `dbs/<rid>/colls/<rid>/`.
    pub fn self_link(&self) -> &str {
        &self.self_link
    }

    /// `dbs/<id>/colls/<id>`, ready to be handed out.
    pub fn name_link(&self) -> &Bytes {
        &self.name_link
    }

    /// The settings as they are now.
    pub fn settings(&self) -> Arc<ContainerSettings> {
        self.read_state().settings.clone()
    }

    /// The physical partitions as they are now.
    pub fn partitions(&self) -> Arc<PartitionMap> {
        self.read_state().partitions.clone()
    }

    /// The newest durable number: what session tokens promise.
    pub fn head(&self) -> u64 {
        self.head.load(Ordering::Acquire)
    }

    /// What it holds, as of the newest durable write.
    pub fn usage(&self) -> Usage {
        let counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        Usage { items: counters.items, bytes: counters.bytes }
    }

    /// The entity tag, without quotes.
    pub fn etag(&self) -> String {
        let state = self.read_state();
        etag::format(state.version << 32 | u64::from(self.number), state.ts)
    }

    /// Takes over what a transaction counted, once it is durable. Transactions may finish out of order here; the highest wins.
    pub(crate) fn publish(&self, counters: &Counters) {
        let mut newest = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.last_number < counters.last_number {
            *newest = *counters;
            self.head.store(counters.last_number, Ordering::Release);
        }
    }

    /// The record of this container with other settings or partitions.
    pub(crate) fn record_with(
        &self,
        body: Option<JsonMap>,
        partitions: Option<&PartitionMap>,
        ts: u64,
    ) -> ContainerRecord {
        let state = self.read_state();
        ContainerRecord {
            number: self.number,
            database: self.database.number(),
            rid: self.rid_bytes,
            body: body.unwrap_or_else(|| state.settings.body.clone()),
            partitions: partitions.unwrap_or(&state.partitions).to_record(),
            indexes: state.indexes.clone(),
            version: state.version + 1,
            ts,
        }
    }

    /// The record of this container with other indexes, which clients see nothing of.
    pub(crate) fn record_with_indexes(&self, indexes: &IndexRecords) -> ContainerRecord {
        let (version, ts) = {
            let state = self.read_state();
            (state.version, state.ts)
        };
        ContainerRecord { indexes: indexes.clone(), version, ..self.record_with(None, None, ts) }
    }

    /// Takes over what [`Container::record_with_indexes`] says, once it is durable.
    pub(crate) fn install_indexes(&self, indexes: IndexRecords) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).indexes = indexes;
    }

    /// Its indexes that have rows in the store.
    pub(crate) fn index_records(&self) -> IndexRecords {
        self.read_state().indexes.clone()
    }

    pub(crate) fn index(&self) -> &ContainerIndex {
        &self.index
    }

    pub(crate) fn deaths(&self) -> &Deaths {
        &self.deaths
    }

    pub(crate) fn births(&self) -> &Arc<Births> {
        &self.births
    }

    /// What has happened behind the version number `after`, up to [`head`](Self::head), if that was nothing but new items and
    /// these are still in memory: the items in the order of their numbers. Reads nothing. Needs [`Engine::versions`](crate::Engine::versions)
    /// to have been called some time before.
    pub fn new_items_behind(&self, after: u64) -> Option<Vec<Item>> {
        let births = self.births.between(after, self.head())?;
        Some(births.into_iter().map(|birth| birth.item).collect())
    }

    /// Percent of the index that is made: 100 unless it is being made anew.
    pub fn index_progress(&self) -> u8 {
        self.index.progress(self)
    }

    /// Shows new settings and partitions to requests, once their record is durable.
    pub(crate) fn install(
        &self,
        settings: Option<ContainerSettings>,
        partitions: Option<PartitionMap>,
        record: &ContainerRecord,
    ) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = settings {
            state.settings = Arc::new(settings);
        }
        if let Some(partitions) = partitions {
            state.partitions = Arc::new(partitions);
        }
        state.version = record.version;
        state.ts = record.ts;
    }

    /// The resource as clients see it.
    pub fn to_json(&self) -> JsonMap {
        let state = self.read_state().clone();
        let mut body = state.settings.body.clone();
        body.insert("_rid".into(), json!(self.rid));
        body.insert("_ts".into(), json!(state.ts));
        body.insert("_self".into(), json!(self.self_link));
        body.insert("_etag".into(), json!(format!("\"{}\"", self.etag())));
        for child in ["docs", "sprocs", "triggers", "udfs", "conflicts"] {
            body.insert(format!("_{child}"), json!(format!("{child}/")));
        }
        body
    }

    fn read_state(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}
