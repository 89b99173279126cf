//! Filters on the list of tables.

use super::{Condition, parse};
use crate::Error;

/// A filter on tables, which have a `TableName` and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFilter {
    condition: Condition,
}

impl TableFilter {
    /// Reads the text; none if it is empty.
    ///
    /// # Errors
    /// As [`Filter::parse`](super::Filter::parse), and for properties other than `TableName`.
    pub fn parse(text: &str) -> Result<Option<Self>, Error> {
        let Some(condition) = parse::parse(text)? else { return Ok(None) };
        let mut other = None;
        condition.each_comparison(&mut |comparison| {
            if comparison.property != "TableName" {
                other = Some(&comparison.property);
            }
        });
        if let Some(property) = other {
            return Err(Error::invalid_input(format_args!(
                "Tables have no property '{property}' that a filter could name."
            )));
        }
        Ok(Some(TableFilter { condition }))
    }

    /// Whether a table of this name passes.
    pub fn keeps(&self, name: &str) -> bool {
        self.condition.holds(&|comparison| comparison.holds_of_text(name))
    }
}
