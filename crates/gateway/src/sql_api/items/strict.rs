//! Queries that the service refuses and this server could answer.

use orrery_engine::Container;
use orrery_engine::query::{Direction, From, Plan, SortKey};
use orrery_value::PropertyPath;
use serde_json::Value as Json;

use crate::sql_api::error::ApiError;

/// Whether each row comes from its item alone, whatever the others are.
pub(super) fn is_plain(plan: &Plan) -> bool {
    let Plan { from, body, order, ranking, offset, limit } = plan;
    let takes_all = *offset == 0 && limit.is_none();
    let has_order = !order.is_empty() || ranking.is_some();
    matches!(from, From::Items | From::SingleRow)
        && body.grouping.is_none()
        && !body.distinct
        && !has_order
        && takes_all
}

/// Checks ORDER BY several properties, for which the service needs an index that has them together.
///
/// # Errors
/// 400 if the container has none in these directions, or in all the opposite ones.
pub(super) fn check_composite_index(container: &Container, plan: &Plan) -> Result<(), ApiError> {
    let paths: Option<Vec<_>> = plan.order.iter().map(|key| key.expr.as_item_path()).collect();
    let Some(paths) = paths.filter(|paths| paths.len() > 1) else { return Ok(()) };
    let settings = container.settings();
    let indexes = settings.body.get("indexingPolicy").and_then(|policy| policy.get("compositeIndexes"));
    let indexes = indexes.and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    if indexes.iter().filter_map(Json::as_array).any(|index| serves(index, &paths, &plan.order)) {
        return Ok(());
    }
    Err(ApiError::bad_request(
        "The order by query does not have a corresponding composite index that it can be served from.",
    ))
}

fn serves(index: &[Json], paths: &[&PropertyPath], order: &[SortKey]) -> bool {
    let path_of = |part: &Json| PropertyPath::parse(part.get("path")?.as_str()?).ok();
    let direction_of = |part: &Json| match part.get("order").and_then(Json::as_str) {
        Some("descending") => Direction::Descending,
        _ => Direction::Ascending,
    };
    let same_paths =
        index.len() == paths.len() && index.iter().zip(paths).all(|(part, path)| path_of(part).as_ref() == Some(*path));
    let mut agreements = index.iter().zip(order).map(|(part, key)| direction_of(part) == key.direction);
    let first = agreements.next();
    same_paths && agreements.all(|agrees| Some(agrees) == first)
}
