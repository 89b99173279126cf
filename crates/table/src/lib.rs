//! The language of the Table service: entities, filters, batches, addresses and the XML documents of the service, without any
//! knowledge of HTTP or of how requests are carried out.
//!
//! - [`Entity`], [`EntityBody`]: typed properties; read from a request's JSON, kept as documents of the engine (see
//!   `entity/document.rs` for the mapping), written back by [`EntityWriter`] straight from the stored document.
//! - [`Filter`]: `$filter`, parsed, evaluated on entities, and compiled to the engine's expressions.
//! - [`Batch`], [`BatchReply`]: the parts of an entity group transaction.
//! - [`Address`], [`EntityKey`]: what a path names. [`check_table_name`]: how tables may be called.
//! - [`StoredPolicy`], [`ServiceProperties`]: what is set by XML documents.
//!
//! An [`Error`] carries the service's code and sentence; which status that is, the gateway knows. Where the two services that speak
//! this protocol differ, a [`Dialect`] says which one is meant.

mod address;
pub mod batch;
mod continuation;
mod date_time;
mod dialect;
pub mod entity;
mod error;
mod etag;
pub mod filter;
mod guid;
mod json_text;
pub mod service;
mod table_name;

pub use address::{Address, EntityKey};
pub use batch::{Batch, BatchReply, Part, PartMethod, PartReply};
pub use continuation::{decode_continuation, encode_continuation};
pub use date_time::DateTime;
pub use dialect::Dialect;
pub use entity::{
    EdmType, EdmValue, Entity, EntityBody, EntityWriter, Location, MetadataLevel, Property, Select, TableWriter, merge,
};
pub use error::{Error, ErrorCode};
pub use etag::{IfMatch, etag};
pub use filter::{CompiledFilter, Filter, KeyBounds, KeyRange, TableFilter, not_after, not_before};
pub use guid::Guid;
pub use service::{CorsRule, ServiceProperties, ServicePropertiesChange, StoredPolicy};
pub use table_name::{check_table_name, table_identity};
