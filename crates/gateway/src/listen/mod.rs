//! Sockets, TLS and HTTP, the same for every API: from an accepted connection to a finished reply.
//!
//! [`serve`] runs one port. Each connection's first byte tells HTTP from HTTPS; each request becomes a
//! [`Request`] for the port's [`App`], whose [`Response`] goes back with whatever the connection
//! negotiated. Everything a client can make grow or last is bounded by [`Limits`].
//!
//! Begin reading in `server.rs` (accept loop and stop), then `connection.rs` and `dispatch.rs`.

mod app;
mod body;
pub mod certificate;
mod compress;
mod connection;
mod dispatch;
mod give_way;
mod limits;
mod reply_body;
mod server;
mod shutdown;
mod socket;
mod tls;
mod unwind;
mod workers;

pub use app::{App, Refusal, Request, Response};
pub use body::{BodyError, RequestBody};
pub use connection::{Connection, Scheme, Unanswered};
pub use limits::Limits;
pub use reply_body::{ClientGone, ReplyAborted, ReplyBody, ReplyFacts, ReplySender};
pub use server::{Listener, Options, Outcome, serve};
pub use shutdown::{Shutdown, ShutdownTrigger};
pub use tls::{Tls, TlsError};
pub use workers::Workers;
