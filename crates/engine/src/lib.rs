//! The partition-aware engine under every API: a catalog of databases and containers, items placed by effective partition key,
//! serial durable writes, point reads, lists, the change feed and queries.
//!
//! [`Engine`] is the way in; it is split by what is worked on: `engine/catalog_writes.rs`, `engine/items.rs`, `engine/indexing.rs`,
//! `engine/offers.rs`, `engine/resources.rs`. It knows no query language and no protocol: queries arrive as a [`Query`], errors leave as an [`Error`].

mod catalog;
mod clock;
mod continuation;
mod engine;
mod error;
mod feed;
pub mod index;
mod item;
pub mod query;
pub mod request_charge;
mod versions;

pub use catalog::{
    AUTOSCALE_MIN_RU, Container, ContainerSettings, Database, JsonMap, MANUAL_MIN_RU, MAX_PARTITIONS, Offer, Parent,
    PartitionMap, PartitionRange, RU_PER_PARTITION, Resource, ResourceKind, Throughput, Usage, rid,
};
pub use clock::{Clock, FixedClock, SystemClock, TICKS_PER_SECOND};
pub use continuation::MAX_TOKEN_BYTES;
pub use engine::{Engine, EngineOptions, QueryOptions};
pub use error::Error;
pub use feed::{FeedPage, FeedStart};
pub use item::{
    Condition, Item, ItemPage, ItemTest, MAX_BATCH_OPERATIONS, MAX_ITEM_ID_BYTES, MAX_ITEM_KEY_BYTES, MAX_PAGE_BYTES,
    MAX_PATCH_OPERATIONS, MakeVersion, NewItem, Operation, OperationKind, OperationOutcome, PageRequest, Patch, Scope,
    Target, Transform, WriteMode, Written,
};
pub use query::{Predicate, Query, QueryMetrics, QueryPage};
pub use versions::Versions;
