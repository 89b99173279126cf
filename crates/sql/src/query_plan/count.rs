//! TOP, OFFSET and LIMIT of a query to plan.

use orrery_engine::query::Plan;

use crate::ast::Query;
use crate::error::{ErrorCode, SqlError};
use crate::limits::MAX_PLANNED_ROW_COUNT;

/// The numbers of rows that a query asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    pub top: Option<u64>,
    pub offset: Option<u64>,
    pub limit: Option<u64>,
}

impl Counts {
    /// The counts of a query, of which `plan` is the bound form.
    ///
    /// # Errors
    /// Which is too large. The binder takes larger ones.
    pub fn of(query: &Query, plan: &Plan) -> Result<Counts, SqlError> {
        let is_range = query.offset_limit.is_some();
        let top = plan.limit.filter(|_| !is_range);
        let limit = plan.limit.filter(|_| is_range);
        let offset = is_range.then_some(plan.offset);
        let too_large = |count: Option<u64>| count.is_some_and(|count| count > MAX_PLANNED_ROW_COUNT);
        let error = |code, span: crate::ast::Span, message: &str| Err(SqlError::new(code, span.range(), message));
        match (&query.select.top, &query.offset_limit) {
            (Some(count), _) if too_large(top) => {
                error(ErrorCode::TopCount, count.span, "The count value provided for a TOP clause must be an integer.")
            }
            (_, Some(range)) if too_large(offset) => {
                let message = "The OFFSET count value exceeds the maximum allowed value.";
                error(ErrorCode::OffsetCount, range.offset.span, message)
            }
            (_, Some(range)) if too_large(limit) => {
                let message = "The LIMIT count value exceeds the maximum allowed value.";
                error(ErrorCode::LimitCount, range.limit.span, message)
            }
            _ => Ok(Counts { top, offset, limit }),
        }
    }

    /// The rows of OFFSET and LIMIT together.
    pub fn range(self) -> Option<u64> {
        Some(self.offset?.saturating_add(self.limit?))
    }
}
