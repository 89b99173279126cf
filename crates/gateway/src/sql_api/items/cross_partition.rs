//! Whether a query may run over several logical partitions without saying so.

use orrery_engine::query::{BinaryOperator, Expr, From, Plan};
use orrery_value::{PartitionKeyDefinition, PropertyPath, Value};

use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::request::RequestContext;

/// Checks a query that names neither partition key nor range.
///
/// # Errors
/// 400 if its filter does not fix the partition key and the client did not allow it to cross partitions; official clients leave
/// that header out to be told.
pub(super) fn check(cx: &RequestContext<'_>, plan: &Plan, definition: &PartitionKeyDefinition) -> Result<(), ApiError> {
    if cx.flag(&names::ENABLE_CROSS_PARTITION) || fixes_partition_key(plan, definition) {
        return Ok(());
    }
    Err(refusal())
}

/// Why a query that names no partition is refused, in the service's words, which its clients' tests look for.
pub(in crate::sql_api) fn refusal() -> ApiError {
    ApiError::bad_request(format!(
        "Cross partition query is required but disabled. Please set {} to true, specify {}, or revise your query to avoid this exception.",
        names::ENABLE_CROSS_PARTITION,
        names::PARTITION_KEY
    ))
}

/// Whether the filter demands one value for each path of the partition key, or no item is looked at.
fn fixes_partition_key(plan: &Plan, definition: &PartitionKeyDefinition) -> bool {
    if plan.from == From::SingleRow {
        return true;
    }
    let Some(filter) = &plan.filter else { return false };
    definition.paths.iter().all(|path| fixes(&filter.expr, path))
}

/// Whether `expr` is true only where the property at `path` has one certain value.
fn fixes(expr: &Expr, path: &PropertyPath) -> bool {
    let is_value = |expr: &Expr| {
        expr.as_constant().is_some_and(|value| !matches!(value, Value::Undefined | Value::Array(_) | Value::Object(_)))
    };
    match expr {
        Expr::And(parts) => parts.iter().any(|part| fixes(part, path)),
        Expr::Binary(BinaryOperator::Equal, left, right) => {
            (left.as_item_path() == Some(path) && is_value(right))
                || (right.as_item_path() == Some(path) && is_value(left))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use orrery_engine::Predicate;

    use super::*;

    fn equal(path: &str, value: Value) -> Expr {
        let property = path.trim_start_matches('/').split('/').fold(Expr::Source(0), Expr::property);
        Expr::Binary(BinaryOperator::Equal, Box::new(property), Box::new(Expr::Constant(value)))
    }

    fn fixed(filter: Option<Expr>) -> bool {
        let paths = ["/a/b", "/c"].map(|path| PropertyPath::parse(path).unwrap());
        let definition = PartitionKeyDefinition::try_new("MultiHash", Some(2), paths.into()).unwrap();
        let plan = Plan {
            from: From::Items,
            filter: filter.map(Predicate::new),
            aggregates: Vec::new(),
            projection: Expr::Source(0),
            order: Vec::new(),
            offset: 0,
            limit: None,
        };
        fixes_partition_key(&plan, &definition)
    }

    #[test]
    fn only_a_value_for_every_path_fixes_the_key() {
        let text = |text: &str| Value::String(text.into());
        let both = || vec![equal("/a/b", text("x")), equal("/d", Value::Null), equal("/c", Value::Null)];
        assert!(fixed(Some(Expr::And(both()))));
        assert!(fixed(Some(Expr::And(vec![equal("/c", Value::Bool(true)), Expr::And(both())]))));
        assert!(!fixed(None));
        assert!(!fixed(Some(equal("/c", text("x")))));
        assert!(!fixed(Some(Expr::Or(both()))));
        assert!(!fixed(Some(Expr::And(vec![equal("/a/b", text("x")), equal("/c", Value::Undefined)]))));
    }
}
