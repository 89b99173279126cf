//! The Table API over REST: what official SDKs of Azure Storage Tables and of Azure Cosmos DB for Table send, and what they read back.
//!
//! A request's way: `app.rs` builds a [`request::RequestContext`] (`account.rs` finds out which account is addressed), `route.rs` says
//! what it asks for, `authorize.rs` checks who asks, and a handler answers with a [`reply::Reply`] or an [`error::ApiError`]. Entities are
//! read by `entity_read.rs` and `entity_query.rs` and written by `entity_write.rs`, alone or as parts of `batch.rs`. Tables are the
//! containers of one database, which `catalog.rs` knows; what entities look like in there is the business of the language crate.

mod account;
mod acl;
mod app;
mod authorize;
mod batch;
mod below_table;
mod body;
mod catalog;
mod cors;
mod entity_query;
mod entity_read;
mod entity_write;
mod error;
mod format;
mod header_names;
mod query_string;
mod reply;
mod request;
mod route;
mod service;
mod tables;
#[cfg(test)]
mod tests;

pub use account::TableAccount;
pub use app::{TableApi, TableApiConfig};
pub use catalog::{PARTITION_KEY_PATH, TABLES_DATABASE, TableCatalog};
pub use route::ROUTE_NAMES;
