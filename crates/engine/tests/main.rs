//! The engine from outside, on every store.
//!
//! `support` opens engines and shortens operations; `model` is a container that is so simple that it is clearly right. Most
//! tests run on each store, and every clock moves only when told to.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod catalog;
mod change_feed;
mod concurrency;
mod conditions;
mod continuation;
mod definitions;
mod dropped;
mod index;
mod index_access;
mod model;
mod offers;
mod patch;
mod query_items;
mod random_writes;
mod rename;
mod resources;
mod rids;
mod split;
mod store_failure;
mod support;
mod time_to_live;
mod time_to_live_model;
mod transform;
mod unique_keys;
mod unique_keys_model;
mod versions;
