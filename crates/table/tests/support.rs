//! Entities as they lie in the engine.

use orrery_table::{DateTime, Dialect, Entity, EntityBody, EntityKey, Property};
use orrery_value::{NewDocument, SystemProperties};

/// Ticks of 100 ns in a second.
pub const SECOND: i64 = 10_000_000;

/// A document with the time at which it was written.
pub struct Stored {
    document: NewDocument,
    pub timestamp: DateTime,
}

impl Stored {
    /// A document of any origin.
    pub fn new(json: &[u8], timestamp: DateTime) -> Self {
        let mut document = NewDocument::from_json(json).unwrap();
        let system = SystemProperties {
            rid: "36ZyAPW+uN8NAAAAAAAAAA==",
            container_self: "dbs/36ZyAA==/colls/36ZyAPW+uN8=",
            etag: "01234567-89ab-cdef-0123-456789abcdef",
            ts: u64::try_from(timestamp.unix_seconds()).unwrap(),
        };
        document.stamp(&system).unwrap();
        Stored { document, timestamp }
    }

    /// What an insert of the entity stores.
    pub fn of(entity: &Entity) -> Self {
        let body = EntityBody::of(&entity.properties);
        Stored::new(&body.to_document(&entity.key, Dialect::Cosmos).unwrap(), entity.timestamp)
    }

    pub fn document(&self) -> orrery_value::Document<'_> {
        self.document.document()
    }

    pub fn entity(&self) -> Entity {
        Entity::from_document(self.document(), self.timestamp)
    }
}

/// An entity of the body of an insert, written in the year 2020.
pub fn inserted(body: &str) -> Entity {
    let mut body = EntityBody::parse(body.as_bytes(), Dialect::Storage).unwrap();
    let key = body.take_key(Dialect::Storage).unwrap();
    let document = body.to_document(&key, Dialect::Storage).unwrap();
    Stored::new(&document, DateTime::parse("2020-06-15T12:00:00.5000000Z").unwrap()).entity()
}

pub fn entity(key: EntityKey, properties: Vec<Property>) -> Entity {
    Entity { key, timestamp: DateTime::parse("2020-06-15T12:00:00.5000000Z").unwrap(), properties }
}

pub fn key(partition_key: &str, row_key: &str) -> EntityKey {
    EntityKey { partition_key: partition_key.into(), row_key: row_key.into() }
}
