//! Everything under `/docs`: items one by one, in batches, in lists, as a change feed and as query results.
//!
//! `dispatch.rs` tells the requests on `/docs` apart; [`point`] and [`patch`] work on one item, [`batch`] on many, [`list`],
//! [`change_feed`] and [`query`] on a [`scope`]. [`session`] is what all of them say about versions. Items travel as the finished
//! JSON bytes of the store: no reply parses or prints one.

mod batch;
mod change_feed;
pub(super) mod cross_partition;
mod dispatch;
mod envelope;
mod index_metrics;
mod list;
mod options;
mod partition_delete;
mod patch;
mod point;
mod query;
mod query_plan;
mod scope;
mod session;
mod strict;
#[cfg(test)]
mod tests;

pub(super) use dispatch::{handle_feed, handle_post};
pub(super) use partition_delete::handle_partition_delete;
pub(super) use patch::handle_patch;
pub(super) use point::{handle_delete, handle_read, handle_replace};
