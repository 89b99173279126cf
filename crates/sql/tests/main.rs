//! The language from outside: what is parsed, what is refused, what expressions mean, and queries over an engine.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod golden;
mod hostile;
mod meaning;
mod pages;
mod refusals;
mod round_trip;
