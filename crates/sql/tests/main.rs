//! The language from outside: what is parsed, what is refused, what expressions mean, and queries over an engine.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod binding;
mod cache;
mod computed;
mod execution;
mod golden;
mod grammar;
mod hostile;
mod meaning;
mod pages;
mod plan_ranges;
mod plans;
mod print;
mod random_texts;
mod ranking;
mod refusals;
mod spans;
