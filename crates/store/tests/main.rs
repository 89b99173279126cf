//! What both backends promise, checked from outside.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod conformance;
mod crash;
mod disk_full;
mod folder;
mod ingest;
mod isolation;
mod model;
mod reclaim;
mod support;
