//! Whether a query may run over several logical partitions, and who merges.

use orrery_engine::Container;
use orrery_engine::query::{BinaryOperator, Expr, From, Plan, SortKey};
use orrery_sql::Features;
use orrery_value::{PartitionKeyDefinition, PropertyPath, Value};

use super::{query_plan, strict};
use crate::sql_api::error::{ApiError, CROSS_PARTITION_NOT_SERVABLE};
use crate::sql_api::header_names as names;
use crate::sql_api::query_body::QueryBody;
use crate::sql_api::request::RequestContext;

/// Checks a query that names neither partition key nor range.
///
/// # Errors
/// 400 if its filter does not fix the partition key and the client did not allow it to cross partitions; official clients leave
/// that header out to be told. 400/1004 with the plan for what the client is to run range by range: on a strict server as on the
/// service, that is every query that does more than filter and project; otherwise see [`is_search`] and [`is_distinct`].
pub(super) fn check(
    cx: &RequestContext<'_>,
    container: &Container,
    body: &QueryBody,
    plan: &Plan,
) -> Result<(), ApiError> {
    if fixes_partition_key(plan, &container.settings().partition_key) {
        return Ok(());
    }
    if !cx.flag(&names::ENABLE_CROSS_PARTITION) {
        return Err(refusal());
    }
    if cx.is_strict() {
        return if strict::is_plain(plan) { Ok(()) } else { Err(to_be_planned(container, body)?) };
    }
    if runs_plans(cx) && (is_search(plan) || is_distinct(plan)) {
        // What has no plan is merged here, as all else is.
        return to_be_planned(container, body).map_or(Ok(()), Err);
    }
    Ok(())
}

/// Whether the client says what only those say that have a part of their own in queries over several ranges.
fn runs_plans(cx: &RequestContext<'_>) -> bool {
    cx.optional_flag(&names::IS_CONTINUATION_EXPECTED).is_some() || cx.flag(&names::PARALLELIZE_CROSS_PARTITION)
}

/// Whether rows are ranked by texts or vectors.
///
/// Clients that run plans have options for such searches which they never send: whose texts are counted, how many rows they are ready
/// to hold, that there must be a limit. Merged rows would pass these over.
fn is_search(plan: &Plan) -> bool {
    let is_distance = |key: &SortKey| matches!(&key.expr, Expr::Call(function, _) if function.is_vector_distance());
    plan.ranking.is_some() || plan.order.iter().any(is_distance)
}

/// Whether equal rows are given once, and nothing else is made of them.
///
/// Each page of such rows reads the whole scope again. A client that runs plans makes each page read one range only, and
/// drops what other ranges gave already. Clients that run plans cannot all merge groups.
fn is_distinct(plan: &Plan) -> bool {
    plan.body.distinct && plan.body.grouping.is_none() && matches!(plan.from, From::Items)
}

/// What sends a client to the plan of its query.
///
/// # Errors
/// As [`query_plan::of`].
fn to_be_planned(container: &Container, body: &QueryBody) -> Result<ApiError, ApiError> {
    let plan = query_plan::of(container, body, false, &Features::all())?;
    let info = String::from_utf8_lossy(&plan.to_json().to_json()).into_owned();
    // Some clients know what to do by the sub-status, some by the plan, and some by the first words.
    let reason = "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates. The provided cross partition query can not be directly served by the gateway: request its query plan and run it range by range.";
    Ok(ApiError::bad_request(reason).with_sub_status(CROSS_PARTITION_NOT_SERVABLE).with_additional_info(info))
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
    match &plan.from {
        From::SingleRow => return true,
        // The filter outside is over the rows of the plan inside.
        From::Query(inner) => return fixes_partition_key(inner, definition),
        From::Items => {}
    }
    let Some(filter) = &plan.body.filter else { return false };
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
    use orrery_engine::query::Body;

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
            body: Body { filter: filter.map(Predicate::new), ..Body::of(Expr::Source(0)) },
            order: Vec::new(),
            ranking: None,
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
