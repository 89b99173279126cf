//! The Gremlin API: TinkerPop's protocol over WebSockets, for clients of Azure Cosmos DB for Gremlin and for those of TinkerPop.
//!
//! A request's way: `upgrade.rs` makes a WebSocket of an HTTP request; `connection.rs` reads its frames (`frame.rs`), lets the client log in
//! (`credentials.rs`) and starts requests (`command.rs`) side by side, those of a session one after the other (`session.rs`). `server.rs`
//! runs each on a thread of a bounded pool, where `evaluate.rs` goes through its statements on the graphs that its sources stand for
//! (`graphs.rs`). Results leave through `answer.rs` in batches, as fast as the client takes them, each in an envelope (`envelope.rs`) with
//! the service's figures. `fault.rs` alone says how failures are told. `http_eval.rs` takes a text without a WebSocket.

mod answer;
mod app;
mod at_once;
mod command;
mod connection;
mod credentials;
mod envelope;
mod evaluate;
mod fault;
mod frame;
mod graph_name;
mod graphs;
mod http_eval;
mod instructions;
mod limits;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod upgrade;

pub use app::{GremlinApi, GremlinApiConfig};
pub use server::ROUTE_NAMES;
