//! The language from outside: what is parsed, what is refused, what expressions mean, and queries over an engine.

mod golden;
mod hostile;
mod meaning;
mod pages;
mod refusals;
mod round_trip;
