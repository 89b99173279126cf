//! Texts: what they are turned into, and what is refused.

mod golden;
mod hostile;
mod scenarios;
mod session;
