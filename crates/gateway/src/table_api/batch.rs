//! Entity group transactions: up to a hundred writes of one logical partition, all or none; or one read.

use std::sync::Arc;

use http::StatusCode;
use orrery_engine::{Container, Error as EngineError, OperationOutcome, WriteMode};
use orrery_table::batch::MAX_OPERATIONS;
use orrery_table::{
    Address, Batch, BatchReply, EntityKey, ErrorCode, Location, MetadataLevel, Part, PartMethod, PartReply,
};

use super::authorize::{Access, EntityUse};
use super::entity_write::{EntityWrite, Planned, WriteHeaders};
use super::error::ApiError;
use super::format::content_type;
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;
use super::route::{Route, change};
use super::{entity_query, entity_read};

const DATA_SERVICE_VERSION: (&str, &str) = ("DataServiceVersion", "3.0;");

/// Does a batch.
///
/// # Errors
/// 400 for a body that is none. What goes wrong with an operation stands in the reply, whose status is 202.
pub(crate) async fn run(cx: &RequestContext<'_>, access: &Access, body: &[u8]) -> Result<Reply, ApiError> {
    let media_type = cx.header(&names::CONTENT_TYPE).unwrap_or_default();
    match Batch::parse(media_type, body)? {
        Batch::ChangeSet(parts) => change_set(cx, access, &parts).await,
        Batch::Query(part) => query(cx, access, &part).await,
    }
}

/// Why a batch failed, and at which operation.
struct Failure {
    place: usize,
    error: ApiError,
}

async fn change_set(cx: &RequestContext<'_>, access: &Access, parts: &[Part<'_>]) -> Result<Reply, ApiError> {
    let batch_id = crate::activity_id::new().to_string();
    let mut out = BatchReply::to_changeset(&batch_id, &crate::activity_id::new().to_string());
    let charge_ru = match done(cx, access, parts).await {
        Ok(Done { writes, outcomes, table }) => {
            let base = cx.base();
            let name = table.as_ref().map_or("", |table| table.id());
            let location = Location { base: &base, account: cx.account(), table: name };
            for ((write, outcome), part) in writes.iter().zip(&outcomes).zip(parts) {
                push_success(&mut out, write, outcome, location, part);
            }
            outcomes.iter().map(|outcome| outcome.charge_ru).sum()
        }
        Err(Failure { place, error }) => {
            push_failure(&mut out, &error, cx.request_id, Some(place), parts.get(place).and_then(Part::content_id));
            error.charge_ru
        }
    };
    Ok(multipart(out, &batch_id, charge_ru))
}

/// What a batch did.
struct Done {
    writes: Vec<EntityWrite>,
    outcomes: Vec<OperationOutcome>,
    /// None if there was nothing to do.
    table: Option<Arc<Container>>,
}

async fn done(cx: &RequestContext<'_>, access: &Access, parts: &[Part<'_>]) -> Result<Done, Failure> {
    if parts.len() > MAX_OPERATIONS {
        let detail =
            format_args!("The batch request operation exceeds the maximum {MAX_OPERATIONS} changes per change set.");
        return Err(Failure { place: MAX_OPERATIONS, error: ApiError::with_detail(ErrorCode::InvalidInput, detail) });
    }
    let mut writes: Vec<EntityWrite> = Vec::with_capacity(parts.len());
    let mut operations = Vec::with_capacity(parts.len());
    let mut refusals = Vec::with_capacity(parts.len());
    let mut table: Option<Arc<Container>> = None;
    for (part, place) in parts.iter().zip(0..) {
        let failed = |error| Failure { place, error };
        let (own, write) = understood(cx, access, part).map_err(failed)?;
        let first = table.get_or_insert_with(|| own.clone());
        if first.number() != own.number() {
            let detail = "All operations of a batch must be on one table.";
            return Err(failed(ApiError::with_detail(ErrorCode::InvalidInput, detail)));
        }
        check_siblings(&writes, &write.key).map_err(failed)?;
        let (operation, refusal) = write.plan(&own, cx.dialect()).map_err(failed)?.into_parts();
        operations.push(operation);
        refusals.push(refusal);
        writes.push(write);
    }
    let Some(table) = table else { return Ok(Done { writes, outcomes: Vec::new(), table: None }) };
    let outcomes = cx.catalog().engine().write(&table, operations, WriteMode::Atomic).await;
    let outcomes = outcomes.map_err(|error| Failure { place: 0, error: error.into() })?;
    let culprit = outcomes.iter().zip(&refusals).zip(0..).find_map(|((outcome, refusal), place)| {
        let error = outcome.result.as_ref().err().filter(|error| !matches!(error, EngineError::DependencyFailed))?;
        let error = Planned::failure(refusal, error.clone()).with_charge(outcome.charge_ru);
        Some(Failure { place, error })
    });
    match culprit {
        Some(failure) => Err(failure),
        None => Ok(Done { writes, outcomes, table: Some(table) }),
    }
}

/// The table and the write of one part, which the sender may do.
fn understood(
    cx: &RequestContext<'_>,
    access: &Access,
    part: &Part<'_>,
) -> Result<(Arc<Container>, EntityWrite), ApiError> {
    let dialect = cx.dialect();
    let target = part.path_and_query();
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    let headers = WriteHeaders {
        if_match: part.header("If-Match"),
        if_none_match: part.header("If-None-Match"),
        prefer: part.header("Prefer"),
        accept: part.header("Accept"),
        format: None,
    };
    match (part.method, Address::parse(cx.api.account.below(path).1)?) {
        (PartMethod::Post, Address::Entities(name)) => {
            access.check_entities(&name, EntityUse::Insert, None)?;
            let table = cx.catalog().table(&name, dialect)?;
            let write = EntityWrite::insert(&headers, part.body, dialect)?;
            access.check_key(&write.key)?;
            Ok((table, write))
        }
        (method, Address::Entity { table: name, key }) => {
            let change = change(method, headers.if_match.is_some());
            let change = change.ok_or_else(|| ApiError::new(ErrorCode::InvalidInput))?;
            access.check_entities(&name, EntityUse::Change(change), Some(&key))?;
            let table = cx.catalog().table(&name, dialect)?;
            Ok((table, EntityWrite::change(change, key, &headers, part.body, dialect)?))
        }
        _ => Err(ApiError::with_detail(ErrorCode::InvalidInput, "A batch has operations on entities only.")),
    }
}

/// Whether an entity may be written in one batch with those before it. There are a hundred at the most.
fn check_siblings(writes: &[EntityWrite], key: &EntityKey) -> Result<(), ApiError> {
    if writes.first().is_some_and(|first| first.key.partition_key != key.partition_key) {
        return Err(ApiError::new(ErrorCode::CommandsInBatchActOnDifferentPartitions));
    }
    if writes.iter().any(|write| write.key.row_key == key.row_key) {
        return Err(ApiError::new(ErrorCode::InvalidDuplicateRow));
    }
    Ok(())
}

fn push_success(
    out: &mut BatchReply,
    write: &EntityWrite,
    outcome: &OperationOutcome,
    location: Location<'_>,
    part: &Part<'_>,
) {
    let Ok(written) = &outcome.result else { return };
    let reply = write.reply(written, location);
    let mut headers = first_headers(part.content_id());
    headers.extend(reply.headers.iter().map(|(name, value)| (shown(name), value.as_str())));
    out.push(&PartReply { status: words(reply.status), headers: &headers, body: &reply.body });
}

fn push_failure(
    out: &mut BatchReply,
    error: &ApiError,
    request_id: &str,
    place: Option<usize>,
    content_id: Option<&str>,
) {
    let mut headers = first_headers(content_id);
    headers.push(("Content-Type", content_type(MetadataLevel::Minimal)));
    headers.push(("x-ms-error-code", error.error.code.as_str()));
    let body = error.to_json(request_id, place);
    out.push(&PartReply { status: words(error.status()), headers: &headers, body: &body });
}

fn first_headers(content_id: Option<&str>) -> Vec<(&'static str, &str)> {
    let content_id = content_id.map(|id| ("Content-ID", id));
    content_id.into_iter().chain([DATA_SERVICE_VERSION]).collect()
}

/// Header names as the service spells them: some clients look for them in the text.
fn shown(name: &http::HeaderName) -> &'static str {
    match name.as_str() {
        "etag" => "ETag",
        "location" => "Location",
        "dataserviceid" => "DataServiceId",
        "preference-applied" => "Preference-Applied",
        "x-ms-continuation-nextpartitionkey" => "x-ms-continuation-NextPartitionKey",
        "x-ms-continuation-nextrowkey" => "x-ms-continuation-NextRowKey",
        _ => "Content-Type",
    }
}

fn words(status: StatusCode) -> (u16, &'static str) {
    (status.as_u16(), status.canonical_reason().unwrap_or("Unknown"))
}

fn multipart(out: BatchReply, batch_id: &str, charge_ru: f64) -> Reply {
    let mut reply = Reply::empty(StatusCode::ACCEPTED).charge(charge_ru);
    reply.body = out.finish().into();
    reply.text(names::CONTENT_TYPE, &BatchReply::content_type(batch_id))
}

/// A batch of one read.
async fn query(cx: &RequestContext<'_>, access: &Access, part: &Part<'_>) -> Result<Reply, ApiError> {
    let batch_id = crate::activity_id::new().to_string();
    let mut out = BatchReply::to_query(&batch_id);
    let charge_ru = match read(cx, access, part).await {
        Ok(reply) => {
            let mut headers = first_headers(part.content_id());
            headers.extend(reply.headers.iter().filter_map(|(name, value)| Some((shown(name), value.to_str().ok()?))));
            out.push(&PartReply { status: words(reply.status), headers: &headers, body: &reply.body });
            reply.charge_ru
        }
        Err(error) => {
            push_failure(&mut out, &error, cx.request_id, None, part.content_id());
            error.charge_ru
        }
    };
    Ok(multipart(out, &batch_id, charge_ru))
}

/// The read of a part, as if it had come as a request of its own.
async fn read(cx: &RequestContext<'_>, access: &Access, part: &Part<'_>) -> Result<Reply, ApiError> {
    let malformed = || ApiError::with_detail(ErrorCode::InvalidInput, "The request in the batch is malformed.");
    let mut request = http::Request::get(part.path_and_query().replace(' ', "%20"));
    for name in [names::ACCEPT, names::PREFER] {
        if let Some(value) = part.header(name.as_str()) {
            request = request.header(name, value);
        }
    }
    if let Some(host) = cx.head.headers.get(names::HOST) {
        request = request.header(names::HOST, host);
    }
    let (head, ()) = request.body(()).map_err(|_| malformed())?.into_parts();
    let inner = RequestContext::new(cx.api, &head, cx.connection, cx.request_id)?;
    let route = Route::find(&head, inner.place.path, &inner.query)?;
    access.check(&route)?;
    match &route {
        Route::EntityRead(table, key) => entity_read::read(&inner, table, key).await,
        Route::EntityQuery(table) => entity_query::query(&inner, access, table).await,
        _ => Err(malformed()),
    }
}
