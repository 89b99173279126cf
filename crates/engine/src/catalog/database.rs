//! A database: a name for containers and users.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{JsonMap, rid};
use crate::item::etag;

/// A database. It never changes; a recreated one is another.
#[derive(Debug)]
pub struct Database {
    record: DatabaseRecord,
    rid: String,
}

/// A database as the catalog stores it, under `d` and its number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DatabaseRecord {
    /// Counts up over databases and containers; gives their order.
    pub number: u32,
    pub id: String,
    pub rid: [u8; rid::DATABASE_RID_LEN],
    pub ts: u64,
}

impl DatabaseRecord {
    pub fn key(&self) -> Vec<u8> {
        [b"d".as_slice(), &self.number.to_be_bytes()].concat()
    }
}

impl Database {
    pub(crate) fn new(record: DatabaseRecord) -> Self {
        Database { rid: rid::encode(&record.rid), record }
    }

    /// The name.
    pub fn id(&self) -> &str {
        &self.record.id
    }

    /// The resource id.
    pub fn rid(&self) -> &str {
        &self.rid
    }

    /// The entity tag, without quotes.
    pub fn etag(&self) -> String {
        etag::format(u64::from(self.record.number), self.record.ts)
    }

    /// Orders databases by creation, and serves as position in a list of them.
    pub fn number(&self) -> u32 {
        self.record.number
    }

    pub(crate) fn record(&self) -> &DatabaseRecord {
        &self.record
    }

    /// The resource as clients see it.
    pub fn to_json(&self) -> JsonMap {
        let mut body = JsonMap::new();
        body.insert("id".into(), json!(self.id()));
        body.insert("_rid".into(), json!(self.rid));
        body.insert("_self".into(), json!(format!("dbs/{}/", self.rid)));
        body.insert("_etag".into(), json!(format!("\"{}\"", self.etag())));
        body.insert("_colls".into(), json!("colls/"));
        body.insert("_users".into(), json!("users/"));
        body.insert("_ts".into(), json!(self.record.ts));
        body
    }
}
