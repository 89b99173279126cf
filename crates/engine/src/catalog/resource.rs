//! The small resources below databases, users and containers: kept in the store, read when asked for.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::rid::RidKind;
use super::{Container, Database, JsonMap};
use crate::item::etag;

/// Kinds of small resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResourceKind {
    /// A user of a database.
    User,
    /// A permission of a user.
    Permission,
    /// Metadata of client-side encryption.
    ClientEncryptionKey,
    /// A stored procedure.
    StoredProcedure,
    /// A trigger.
    Trigger,
    /// A user-defined function.
    UserDefinedFunction,
    /// What another API keeps about a database or container; the SQL API shows none of them.
    Setting,
}

impl ResourceKind {
    /// Its word in messages.
    pub fn noun(self) -> &'static str {
        match self {
            ResourceKind::User => "user",
            ResourceKind::Permission => "permission",
            ResourceKind::ClientEncryptionKey => "client encryption key",
            ResourceKind::StoredProcedure => "stored procedure",
            ResourceKind::Trigger => "trigger",
            ResourceKind::UserDefinedFunction => "user-defined function",
            ResourceKind::Setting => "setting",
        }
    }

    /// Its segment in links.
    pub fn segment(self) -> &'static str {
        match self {
            ResourceKind::User => "users",
            ResourceKind::Permission => "permissions",
            ResourceKind::ClientEncryptionKey => "clientencryptionkeys",
            ResourceKind::StoredProcedure => "sprocs",
            ResourceKind::Trigger => "triggers",
            ResourceKind::UserDefinedFunction => "udfs",
            ResourceKind::Setting => "settings",
        }
    }

    fn tag(self) -> u8 {
        match self {
            ResourceKind::User => b'u',
            ResourceKind::Permission => b'p',
            ResourceKind::ClientEncryptionKey => b'k',
            ResourceKind::StoredProcedure => b's',
            ResourceKind::Trigger => b't',
            ResourceKind::UserDefinedFunction => b'f',
            ResourceKind::Setting => b'a',
        }
    }

    pub(crate) fn rid_kind(self) -> RidKind {
        match self {
            ResourceKind::StoredProcedure => RidKind::StoredProcedure,
            ResourceKind::Trigger => RidKind::Trigger,
            ResourceKind::UserDefinedFunction => RidKind::UserDefinedFunction,
            ResourceKind::User
            | ResourceKind::Permission
            | ResourceKind::ClientEncryptionKey
            | ResourceKind::Setting => RidKind::Document,
        }
    }
}

/// What a small resource belongs to.
#[derive(Clone, Debug)]
pub struct Parent {
    pub(crate) rid: Vec<u8>,
    pub(crate) self_link: String,
}

impl Parent {
    /// A database's users and keys.
    pub fn database(database: &Database) -> Self {
        Parent { rid: database.record().rid.to_vec(), self_link: format!("dbs/{}/", database.rid()) }
    }

    /// A container's scripts.
    pub fn container(container: &Container) -> Self {
        Parent { rid: container.rid_bytes().to_vec(), self_link: container.self_link().to_owned() }
    }

    /// A user's permissions.
    pub fn user(user: &Resource) -> Self {
        Parent { rid: user.record.rid.clone(), self_link: user.self_link.clone() }
    }
}

/// A small resource.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(crate) record: ResourceRecord,
    self_link: String,
}

/// A small resource as the catalog stores it; see [`key`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ResourceRecord {
    pub id: String,
    pub rid: Vec<u8>,
    pub kind: ResourceKind,
    pub body: JsonMap,
    pub version: u64,
    pub ts: u64,
}

impl Resource {
    pub(crate) fn new(record: ResourceRecord, parent: &Parent) -> Self {
        let self_link = format!("{}{}/{}/", parent.self_link, record.kind.segment(), super::rid::encode(&record.rid));
        Resource { record, self_link }
    }

    /// The name.
    pub fn id(&self) -> &str {
        &self.record.id
    }

    /// The resource id.
    pub fn rid(&self) -> String {
        super::rid::encode(&self.record.rid)
    }

    /// The link by rids.
    pub fn self_link(&self) -> &str {
        &self.self_link
    }

    /// What the client stored, without system properties.
    pub fn body(&self) -> &JsonMap {
        &self.record.body
    }

    /// The entity tag, without quotes.
    pub fn etag(&self) -> String {
        // The rid's last bytes are random: a resource made anew within a second has another tag.
        let seed = self.record.rid.iter().rev().take(4).fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        etag::format(self.record.version << 32 | seed, self.record.ts)
    }

    /// The resource as clients see it.
    pub fn to_json(&self) -> JsonMap {
        let mut body = self.record.body.clone();
        body.insert("_rid".into(), json!(self.rid()));
        body.insert("_self".into(), json!(self.self_link));
        body.insert("_etag".into(), json!(format!("\"{}\"", self.etag())));
        if self.record.kind == ResourceKind::User {
            body.insert("_permissions".into(), json!("permissions/"));
        }
        body.insert("_ts".into(), json!(self.record.ts));
        body
    }
}

/// Store key: `r`, the parent's rid with its length, the kind, the name.
pub(crate) fn key(parent: &Parent, kind: ResourceKind, id: &str) -> Vec<u8> {
    let mut key = prefix(&parent.rid);
    key.push(kind.tag());
    key.extend_from_slice(id.as_bytes());
    key
}

/// What the keys of all small resources of one parent begin with.
pub(crate) fn prefix(parent_rid: &[u8]) -> Vec<u8> {
    let mut key = vec![b'r', parent_rid.len() as u8];
    key.extend_from_slice(parent_rid);
    key
}
