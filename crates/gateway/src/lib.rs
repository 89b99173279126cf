//! The network side of Orrery: ports, TLS, authentication and one adapter per API.
//!
//! [`listen`] turns sockets into requests for an [`App`](listen::App), with every bound a public port needs. [`auth`] says who sent
//! a request, [`reply`] builds answers, [`metrics`] counts them and [`health`] shows the counts. The adapters
//! (one folder per API) put a protocol's shapes on top. No module here knows how data is stored.

mod activity_id;
pub mod auth;
pub mod gremlin_api;
pub mod health;
pub mod hybrid_row;
pub mod listen;
pub mod metrics;
pub mod reply;
pub mod sql_api;
pub mod table_api;
