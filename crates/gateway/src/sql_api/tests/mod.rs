//! The API as a client sees it: signed requests in, status, headers and body out, over a store in memory.

mod authorization;
mod containers;
mod databases;
mod harness;
mod hostile;
mod offers;
mod queries;
mod query_plans;
mod small_resources;
