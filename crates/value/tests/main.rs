//! Tests of the crate's public face, against simple models and the shared test data.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod damage;
mod documents;
mod epk_vectors;
mod json_text;
mod keys;
mod paths;
mod shared_data;
mod strategies;
