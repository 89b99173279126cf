//! TOP and OFFSET LIMIT.

use orrery_value::Number;

use super::Binder;
use crate::ast::{Count, CountKind, Query};
use crate::error::{ErrorCode, SqlError};
use crate::limits::MAX_ROW_COUNT;

impl Binder<'_> {
    /// Rows to skip and rows to give. TOP and LIMIT together cannot be meant.
    pub(super) fn range(&self, query: &Query) -> Result<(u64, Option<u64>), SqlError> {
        let top = query.select.top.as_ref().map(|top| self.count(top, ErrorCode::TopCount)).transpose()?;
        let Some(range) = &query.offset_limit else { return Ok((0, top)) };
        let offset = self.count(&range.offset, ErrorCode::OffsetCount)?;
        let limit = self.count(&range.limit, ErrorCode::LimitCount)?;
        if let Some(top) = &query.select.top {
            let message = "'TOP' and 'OFFSET LIMIT' cannot be used together in one query.";
            return Err(SqlError::new(ErrorCode::Syntax, top.span.range(), message));
        }
        Ok((offset, Some(limit)))
    }

    fn count(&self, count: &Count, code: ErrorCode) -> Result<u64, SqlError> {
        let number = match &count.kind {
            CountKind::Number(number) => Some(*number),
            CountKind::Parameter(name) => self.parameters.find(name, count.span)?.as_number(),
        };
        let integer = number.and_then(Number::as_i64).and_then(|number| u64::try_from(number).ok());
        integer.filter(|number| *number <= MAX_ROW_COUNT).ok_or_else(|| {
            let what = match code {
                ErrorCode::OffsetCount if number.is_some() => {
                    "The OFFSET count value exceeds the maximum allowed value."
                }
                ErrorCode::OffsetCount => "The count value provided for an OFFSET clause must be an integer.",
                ErrorCode::LimitCount if number.is_some() => "The LIMIT count value exceeds the maximum allowed value.",
                ErrorCode::LimitCount => "The count value provided for a LIMIT clause must be an integer.",
                _ => "The count value provided for a TOP clause must be an integer.",
            };
            SqlError::new(code, count.span.range(), what)
        })
    }
}
