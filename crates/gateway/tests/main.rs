//! The gateway's protocol-neutral half, over real sockets.

// Set-up functions may unwrap as tests do; the lint excuses only what stands under #[test].
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
