//! The gateway's protocol-neutral half, over real sockets.

// Helpers outside of test functions may unwrap as well; the lint cannot tell that they are tests.
#![allow(clippy::unwrap_used)]

mod auth;
mod certificate;
mod health;
mod http2;
mod lab;
mod limits;
mod replies;
mod request_bodies;
mod schemes;
mod stopping;
