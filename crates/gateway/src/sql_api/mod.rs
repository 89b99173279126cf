//! The SQL (Core) API over REST: what official SDKs send in gateway mode, and what they read back.
//!
//! A request's way: `app.rs` builds a [`request::RequestContext`], `path.rs` and `route.rs` find the [`route::Route`],
//! `authorize.rs` checks who asks, and a handler answers with a [`reply::Reply`] or an [`error::ApiError`]. Handlers for items are in
//! `items/`; each control-plane resource has a file of its own, and those that are only stored share `small_resources.rs`.

mod account;
mod app;
mod authorize;
mod conflicts;
mod containers;
mod control_query;
mod databases;
mod encryption_keys;
mod error;
mod feed;
mod header_names;
mod items;
mod json_body;
mod offers;
mod partition_key_ranges;
mod path;
mod permissions;
mod query_body;
mod reply;
mod request;
mod route;
mod scripts;
mod small_resources;
mod throughput;

#[cfg(test)]
mod tests;

pub use app::{SqlApi, SqlApiConfig};
pub use route::ROUTE_NAMES;
