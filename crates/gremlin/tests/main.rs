//! Integration tests of the crate.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod grammar;
mod graph;
mod run;
mod text;
mod wire;
