//! The API over real sockets: a port of its own, and a client that speaks the protocol frame by frame.

mod http_eval;
mod lab;
mod login;
mod protocol;
mod sessions;
