//! A request's parameters.

use std::cell::Cell;
use std::collections::HashMap;

use orrery_value::Value;

use crate::error::{ErrorCode, SqlError};
use crate::limits::MAX_BOUND_BYTES;
use crate::token::Span;

/// The values by name, and how many bytes of values may still be copied into the plan.
pub(super) struct Parameters<'q> {
    values: HashMap<&'q str, &'q Value>,
    bytes_left: Cell<usize>,
}

impl<'q> Parameters<'q> {
    /// Names have their `@`. The first of several with one name counts.
    pub fn new(parameters: &'q [(String, Value)]) -> Self {
        let named = parameters.iter().rev().map(|(name, value)| (name.strip_prefix('@').unwrap_or(name), value));
        Parameters { values: named.collect(), bytes_left: Cell::new(MAX_BOUND_BYTES) }
    }

    /// The value of `@name`.
    pub fn find(&self, name: &str, span: Span) -> Result<&'q Value, SqlError> {
        self.values.get(name).copied().ok_or_else(|| {
            let message = format!("The parameter '@{name}' is not among the parameters of the request.");
            SqlError::new(ErrorCode::MissingParameter, span.range(), message)
        })
    }

    /// A copy of the value of `@name`.
    pub fn copy(&self, name: &str, span: Span) -> Result<Value, SqlError> {
        let value = self.find(name, span)?;
        self.pay(value.to_json().len(), span)?;
        Ok(value.clone())
    }

    /// Bytes that were paid for.
    pub fn paid_bytes(&self) -> usize {
        MAX_BOUND_BYTES - self.bytes_left.get()
    }

    /// Pays for bytes that go into the plan.
    pub fn pay(&self, bytes: usize, span: Span) -> Result<(), SqlError> {
        match self.bytes_left.get().checked_sub(bytes) {
            Some(left) => {
                self.bytes_left.set(left);
                Ok(())
            }
            None => {
                let message = format!(
                    "The query and its parameters come to more than {MAX_BOUND_BYTES} bytes, each use of a parameter counted."
                );
                Err(SqlError::new(ErrorCode::TooLarge, span.range(), message))
            }
        }
    }
}
