//! Who may do what: account keys by their role, resource tokens by their grant, identity tokens by configuration.

use std::time::SystemTime;

use http::StatusCode;
use orrery_engine::{Container, rid};
use orrery_value::PartitionKey;

use super::error::ApiError;
use super::header_names as names;
use super::path::Path;
use super::request::{PostKind, RequestContext};
use super::route::{ContainerPath, FeedVerb, ResourceVerb, Route};
use crate::auth::{AuthError, Grant, Identity, PermissionMode, SignedRequest, SignedResource};

/// Identity tokens do not reach databases, containers and other metadata on the service.
const AAD_NOT_FOR_METADATA: u32 = 5300;

/// Checks that the request is signed and may take its route.
///
/// # Errors
/// 401 if it is not known who asks, 403 if they may not do this.
pub(crate) fn check(
    cx: &RequestContext<'_>,
    path: &Path<'_>,
    route: &Route<'_>,
    now: SystemTime,
) -> Result<(), ApiError> {
    match authenticate(cx, now)? {
        Identity::Key(role) if role.can_write() || access(cx, route) == Access::Read => Ok(()),
        Identity::Key(_) => Err(ApiError::forbidden(format!(
            "The request {} {} writes, and the key that signed it is read-only",
            cx.method(),
            cx.head.uri.path()
        ))),
        Identity::Resource(grant) => check_grant(cx, path, route, &grant),
        Identity::Aad(_) => check_aad(cx, route),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

fn authenticate(cx: &RequestContext<'_>, now: SystemTime) -> Result<Identity, ApiError> {
    let header = cx.text(&names::AUTHORIZATION)?;
    let signed = SignedResource::from_path(cx.head.uri.path());
    let request = SignedRequest {
        verb: cx.method().as_str(),
        resource_type: signed.resource_type,
        resource_link: &signed.link,
        x_ms_date: cx.text(&names::DATE)?,
        date: cx.text(&names::HTTP_DATE)?,
    };
    let authenticator = &cx.api.authenticator;
    match authenticator.authenticate(&request, header, now) {
        Err(AuthError::SignatureMismatch { .. }) if request.resource_type == "partitionkey" => {
            // The Python SDK signs the deletion of a logical partition as a request on its container.
            let request = SignedRequest { resource_type: "colls", ..request };
            Ok(authenticator.authenticate(&request, header, now)?)
        }
        result => Ok(result?),
    }
}

/// Whether the route changes anything. What a POST does is decided by the same words here and in its handler.
fn access(cx: &RequestContext<'_>, route: &Route<'_>) -> Access {
    let on_feed = |verb: FeedVerb| match verb {
        FeedVerb::List => Access::Read,
        FeedVerb::Post if cx.is_query() => Access::Read,
        FeedVerb::Post => Access::Write,
    };
    match route {
        Route::Account
        | Route::Certificate
        | Route::DatabaseRead(_)
        | Route::ContainerRead(_)
        | Route::ItemFeed(_)
        | Route::ItemRead(..)
        | Route::PartitionKeyRangeFeed(_)
        | Route::OfferRead(_) => Access::Read,
        Route::DatabaseFeed(verb)
        | Route::ContainerFeed(_, verb)
        | Route::ConflictFeed(_, verb)
        | Route::OfferFeed(verb)
        | Route::ResourceFeed { verb, .. } => on_feed(*verb),
        Route::ItemPost(_) => match cx.post_kind() {
            PostKind::Query | PostKind::QueryPlan => Access::Read,
            PostKind::Batch | PostKind::Upsert | PostKind::Create => Access::Write,
        },
        Route::Conflict(..) if cx.method() != http::Method::DELETE => Access::Read,
        Route::Resource { verb: ResourceVerb::Read, .. } => Access::Read,
        Route::DatabaseDelete(_)
        | Route::ContainerReplace(_)
        | Route::ContainerDelete(_)
        | Route::ItemReplace(..)
        | Route::ItemPatch(..)
        | Route::ItemDelete(..)
        | Route::PartitionDelete(_)
        | Route::Conflict(..)
        | Route::Resource { verb: ResourceVerb::Replace | ResourceVerb::Delete | ResourceVerb::Execute, .. }
        | Route::OfferReplace(_) => Access::Write,
    }
}

/// An accepted identity token stands for the whole account, except that a strict server keeps it from changing metadata,
/// as the service does.
fn check_aad(cx: &RequestContext<'_>, route: &Route<'_>) -> Result<(), ApiError> {
    if cx.is_strict() && access(cx, route) == Access::Write && item_place(route).is_none() {
        return Err(ApiError::forbidden(
            "Identity tokens do not allow changes to databases, containers and other metadata",
        )
        .with_sub_status(AAD_NOT_FOR_METADATA));
    }
    Ok(())
}

/// The container and, for single items, the id that an item route addresses.
fn item_place<'r>(route: &'r Route<'_>) -> Option<(&'r ContainerPath<'r>, Option<&'r str>)> {
    match route {
        Route::ItemFeed(place) | Route::ItemPost(place) | Route::PartitionDelete(place) => Some((place, None)),
        Route::ItemRead(place, id)
        | Route::ItemReplace(place, id)
        | Route::ItemPatch(place, id)
        | Route::ItemDelete(place, id) => Some((place, Some(id))),
        Route::Account
        | Route::Certificate
        | Route::DatabaseFeed(_)
        | Route::DatabaseRead(_)
        | Route::DatabaseDelete(_)
        | Route::ContainerFeed(..)
        | Route::ContainerRead(_)
        | Route::ContainerReplace(_)
        | Route::ContainerDelete(_)
        | Route::PartitionKeyRangeFeed(_)
        | Route::ConflictFeed(..)
        | Route::Conflict(..)
        | Route::ResourceFeed { .. }
        | Route::Resource { .. }
        | Route::OfferFeed(_)
        | Route::OfferRead(_)
        | Route::OfferReplace(_) => None,
    }
}

/// A token reaches the items of its container, or its one item, and what clients must read to address them: the account, the
/// container and its partition key ranges.
fn check_grant(cx: &RequestContext<'_>, path: &Path<'_>, route: &Route<'_>, grant: &Grant) -> Result<(), ApiError> {
    match route {
        Route::Account => return Ok(()),
        Route::ContainerRead(place) | Route::PartitionKeyRangeFeed(place) => {
            return granted_container(cx, place, grant).map(drop);
        }
        _ => {}
    }
    let Some((place, item)) = item_place(route) else {
        return Err(refused(grant, "resource tokens reach items only"));
    };
    granted_container(cx, place, grant)?;
    if grant.mode == PermissionMode::Read && access(cx, route) == Access::Write {
        return Err(refused(grant, "its permission is read-only"));
    }
    check_item(path, item, grant)?;
    match &grant.partition_key {
        Some(granted) if cx.post_kind() != PostKind::QueryPlan => check_partition_key(cx, granted, grant),
        Some(_) | None => Ok(()),
    }
}

/// The addressed container, if the grant is on it or on something in it.
fn granted_container(
    cx: &RequestContext<'_>,
    place: &ContainerPath<'_>,
    grant: &Grant,
) -> Result<std::sync::Arc<Container>, ApiError> {
    let elsewhere = || refused(grant, "the request addresses another resource");
    let container = cx.engine().container(&place.database, &place.container).map_err(|_| elsewhere())?;
    let granted = GrantedLink::parse(&grant.resource_link).ok_or_else(elsewhere)?;
    let by_name = granted.database == container.database().id() && granted.container == container.id();
    // The rid of an item begins with its container's.
    let granted_rid = rid::decode(&grant.resource_rid).unwrap_or_default();
    let by_rid = rid::decode(container.rid()).is_some_and(|rid| granted_rid.starts_with(&rid));
    if by_name && by_rid { Ok(container) } else { Err(elsewhere()) }
}

fn check_item(path: &Path<'_>, item: Option<&str>, grant: &Grant) -> Result<(), ApiError> {
    let granted = GrantedLink::parse(&grant.resource_link).and_then(|link| link.item);
    let Some(granted) = granted else { return Ok(()) };
    let granted_by_rid = rid::decode(&grant.resource_rid).is_some_and(|rid| rid.len() == rid::ITEM_RID_LEN);
    match item {
        Some(item) if item == granted && path.is_by_rid() == granted_by_rid => Ok(()),
        _ => Err(refused(grant, "the request addresses another item")),
    }
}

/// The request must name the granted logical partition, or one below it, and no other way to choose partitions.
fn check_partition_key(cx: &RequestContext<'_>, granted: &str, grant: &Grant) -> Result<(), ApiError> {
    let ranged = [&names::PARTITION_KEY_RANGE_ID, &names::START_EPK, &names::END_EPK];
    if ranged.iter().any(|name| cx.head.headers.contains_key(*name)) {
        return Err(refused(grant, "its permission is on one partition key, and the request names a range"));
    }
    if cx.post_kind() == PostKind::Batch && !cx.flag(&names::BATCH_ATOMIC) {
        return Err(refused(grant, "its permission is on one partition key, and bulk operations name their own"));
    }
    let given = cx.text(&names::PARTITION_KEY)?.and_then(|header| PartitionKey::parse_header(header).ok());
    let granted = PartitionKey::parse_header(granted).ok();
    let covered = match (given, granted) {
        (Some(given), Some(granted)) => {
            !granted.components().is_empty() && given.components().starts_with(granted.components())
        }
        _ => false,
    };
    if covered { Ok(()) } else { Err(refused(grant, "the request does not name the partition key of its permission")) }
}

fn refused(grant: &Grant, why: &str) -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        format!("The resource token for '{}' does not allow this request: {why}", grant.resource_link),
    )
}

/// `dbs/x/colls/y` or `dbs/x/colls/y/docs/z`, all by name except that `z` may be a rid.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GrantedLink<'a> {
    pub database: &'a str,
    pub container: &'a str,
    pub item: Option<&'a str>,
}

impl<'a> GrantedLink<'a> {
    /// `None` for a link to anything else, on which tokens grant nothing.
    pub fn parse(link: &'a str) -> Option<GrantedLink<'a>> {
        let segments: Vec<&str> = link.trim_matches('/').split('/').collect();
        match segments.as_slice() {
            ["dbs", database, "colls", container] => Some(GrantedLink { database, container, item: None }),
            ["dbs", database, "colls", container, "docs", item] => {
                Some(GrantedLink { database, container, item: Some(item) })
            }
            _ => None,
        }
    }
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> ApiError {
        let text = error.to_string();
        let status = match error {
            AuthError::Missing
            | AuthError::Malformed { .. }
            | AuthError::UnknownScheme { .. }
            | AuthError::DateMissing
            | AuthError::DateMalformed { .. }
            | AuthError::SignatureMismatch { .. }
            | AuthError::TokenInvalid
            | AuthError::AadDisabled
            | AuthError::AadMalformed { .. }
            | AuthError::AadOutsideValidity { .. } => StatusCode::UNAUTHORIZED,
            AuthError::DateOutsideWindow { .. } | AuthError::TokenExpired { .. } => StatusCode::FORBIDDEN,
        };
        ApiError::new(status, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_containers_and_items_can_be_granted() {
        let container = GrantedLink { database: "a", container: "b", item: None };
        assert_eq!(GrantedLink::parse("dbs/a/colls/b"), Some(container));
        let item = GrantedLink { database: "a", container: "b", item: Some("c") };
        assert_eq!(GrantedLink::parse("/dbs/a/colls/b/docs/c/"), Some(item));
        for other in ["", "dbs", "dbs/a", "dbs/a/colls/b/sprocs/c", "dbs/a/users/u", "dbs/a/colls/b/docs/c/x"] {
            assert_eq!(GrantedLink::parse(other), None, "{other}");
        }
    }
}
