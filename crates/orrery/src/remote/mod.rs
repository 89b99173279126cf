//! A client of the server's own SQL REST API: what import and export need of it.
//!
//! A [`Client`] knows the server and the key; a [`Connection`] is one HTTP/1.1 connection that is kept alive and, on top of it, the
//! calls. Requests that the server had no time for, and connections that broke, are tried again: all calls can be repeated.

mod client;
mod connection;
mod container;
mod endpoint;
mod error;
mod items;
mod link;
mod query;
mod ranges;
mod request;
mod retry;
mod tls;

pub use client::{Client, ClientOptions};
pub use connection::Connection;
pub use error::RemoteError;
pub use items::{BulkItem, BulkOutcome, MAX_BULK_ITEMS};
pub use link::ContainerLink;
pub use query::Answer;
pub use ranges::Ranges;
pub use retry::Retry;
