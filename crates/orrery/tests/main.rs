//! The program as its users meet it: started, told, and read from.

// Helpers outside of test functions may unwrap as well; the lint cannot tell that they are tests.
#![allow(clippy::unwrap_used)]

mod health;
mod running;
mod shell;
mod transfer;
