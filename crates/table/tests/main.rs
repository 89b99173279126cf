//! The language from outside: filters against their grammar and against a plain evaluation, entities from request to document to reply,
//! batches of real clients' shapes, and hostile input of every kind.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod batches;
mod entities;
mod filter_model;
mod filters;
mod grammar;
mod strategies;
mod support;
