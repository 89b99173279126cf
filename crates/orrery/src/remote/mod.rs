//! A client of the server's own SQL REST API, of its Table API and of its Gremlin API: what import, export and the shell need of them.
//!
//! A [`Client`] knows the server and the key; a [`Connection`] is one HTTP/1.1 connection that is kept alive and, on top of it, the
//! calls. Requests that the server had no time for, and connections that broke, are tried again: all calls can be repeated.

mod client;
mod connection;
mod container;
mod endpoint;
mod error;
mod graphs;
mod items;
mod link;
mod listing;
mod query;
mod ranges;
mod request;
mod retry;
mod tables;
mod tls;
mod via;

pub use client::{Client, ClientOptions};
pub use connection::Connection;
pub use error::RemoteError;
pub use graphs::{GraphAnswer, Graphs};
pub use items::{BulkItem, BulkOutcome, MAX_BULK_ITEMS};
pub use link::ContainerLink;
pub use listing::Description;
pub use query::{Answer, QueryRequest};
pub use ranges::Ranges;
pub use retry::Retry;
pub use tables::{EntityQuery, EntityWrite, Metadata, Tables};
