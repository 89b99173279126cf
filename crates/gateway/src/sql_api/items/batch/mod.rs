//! Many operations in one request: the transactional batch, all or nothing in one logical partition, and bulk, where each
//! operation names its own partition and stands alone.
//!
//! The body is JSON ([`json`]) or, from the .NET SDK, HybridRow ([`binary`]), told apart by its first byte. Both become
//! [`BatchOperation`]s; [`prepare`] makes engine operations of them; [`execute`] runs them and settles what each one's outcome is;
//! the reply has the request's form.

mod binary;
mod execute;
mod json;
mod prepare;

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use orrery_engine::{Container, Error, Item, MAX_BATCH_OPERATIONS, Written};

use self::execute::Outcome;
use self::prepare::Partitioning;
use super::scope::{Reach, item_place, named_range};
use super::{options, session};
use crate::hybrid_row::FORMAT_VERSION;
use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// Operations of one request.
const MAX_OPERATIONS: usize = MAX_BATCH_OPERATIONS;
/// Largest body, as on the service.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;

/// POST of a batch or of bulk operations.
pub(super) async fn run(cx: &RequestContext<'_>, container: &Arc<Container>, body: Bytes) -> Result<Reply, ApiError> {
    options::check(cx)?;
    let form = Form::of(&body);
    let operations = form.parse(&body)?;
    let mode = Mode::asked_for(cx);
    let partitioning = partitioning(cx, container, mode)?;
    let prepared = prepare::all(container, &partitioning, operations);
    let reach = match &partitioning {
        Partitioning::OneKey { reach, .. } => reach.clone(),
        Partitioning::KeyEach { range: Some(range) } => Reach::One(range.id),
        Partitioning::KeyEach { range: None } => Reach::of_keys(container, prepared.keys()),
    };
    session::await_token(cx, container, &reach).await?;
    let minimal = prepared.minimal(cx.prefers_minimal());
    let outcomes = execute::run(cx.engine(), container, prepared, mode).await?;
    let reply = form.reply(&outcomes, &minimal);
    Ok(session::stamp(reply, container, &reach, container.head()).lsn(reported_lsn(container, &outcomes)))
}

/// How the operations hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A transactional batch.
    Atomic,
    /// Bulk: each operation stands alone.
    Independent,
    /// Bulk, up to the first operation that fails.
    UntilFailure,
}

impl Mode {
    fn asked_for(cx: &RequestContext<'_>) -> Mode {
        match (cx.flag(&names::BATCH_ATOMIC), cx.flag(&names::BATCH_CONTINUE_ON_ERROR)) {
            (true, _) => Mode::Atomic,
            (false, true) => Mode::Independent,
            (false, false) => Mode::UntilFailure,
        }
    }
}

fn partitioning(cx: &RequestContext<'_>, container: &Container, mode: Mode) -> Result<Partitioning, ApiError> {
    if mode == Mode::Atomic {
        let place = item_place(cx, container)?;
        return Ok(Partitioning::OneKey { key: place.key, reach: place.reach });
    }
    let range = named_range(cx, container, &container.partitions())?.cloned();
    Ok(Partitioning::KeyEach { range })
}

/// The newest version that the reply's `lsn` shows. The service counts a batch as one version and clients' tests count so;
/// here each operation makes its own, and the first of them stands for all.
fn reported_lsn(container: &Container, outcomes: &[Outcome]) -> u64 {
    let written = outcomes.iter().filter_map(|outcome| match &outcome.result {
        Ok(Written::Created(item) | Written::Replaced(item)) => Some(item.lsn()),
        Ok(Written::Deleted | Written::Read(_)) | Err(_) => None,
    });
    written.min().unwrap_or_else(|| container.head())
}

/// The two forms of bodies.
#[derive(Debug, Clone, Copy)]
enum Form {
    Json,
    HybridRow,
}

impl Form {
    fn of(body: &[u8]) -> Form {
        if body.first() == Some(&FORMAT_VERSION) { Form::HybridRow } else { Form::Json }
    }

    fn parse(self, body: &Bytes) -> Result<Vec<BatchOperation>, BatchError> {
        if body.len() > MAX_BODY_BYTES {
            return Err(BatchError::TooLarge { size_bytes: body.len() });
        }
        let operations = match self {
            Form::Json => json::parse(body, MAX_OPERATIONS)?,
            Form::HybridRow => binary::parse(body, MAX_OPERATIONS)?,
        };
        if operations.is_empty() { Err(BatchError::Empty) } else { Ok(operations) }
    }

    /// 200 if everything was done, else 207: clients then look for the first status that is not 424.
    fn reply(self, outcomes: &[Outcome], minimal: &[bool]) -> Reply {
        let results: Vec<BatchResult> =
            outcomes.iter().zip(minimal).map(|(outcome, minimal)| BatchResult::new(outcome, *minimal)).collect();
        let all_done = outcomes.iter().all(|outcome| outcome.result.is_ok());
        let status = if all_done { StatusCode::OK } else { StatusCode::MULTI_STATUS };
        let charge_ru = outcomes.iter().map(|outcome| outcome.charge_ru).sum();
        let reply = match self {
            Form::Json => Reply::text(status, json::render(&results)),
            Form::HybridRow => Reply::text(status, binary::render(results)).content_type("application/octet-stream"),
        };
        reply.charge(charge_ru)
    }
}

/// One operation of a request, in either form.
#[derive(Debug, Clone, PartialEq)]
struct BatchOperation {
    kind: BatchKind,
    id: Option<String>,
    /// The partition key as a header would have it; only in bulk.
    partition_key: Option<String>,
    if_match: Option<String>,
    if_none_match: Option<String>,
    indexing_directive: Option<String>,
    time_to_live_in_seconds: Option<i64>,
    /// Whether it is addressed by columns that only the service's own components send.
    names_internal_columns: bool,
    /// Whether the client wants no item back.
    minimal: bool,
    /// The item or the patch, sharing the request's memory.
    body: Option<Bytes>,
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BatchKind {
    Create,
    Upsert,
    Read,
    Replace,
    Patch,
    Delete,
}

impl BatchKind {
    const NAMES: [(BatchKind, &'static str); 6] = [
        (BatchKind::Create, "Create"),
        (BatchKind::Upsert, "Upsert"),
        (BatchKind::Read, "Read"),
        (BatchKind::Replace, "Replace"),
        (BatchKind::Patch, "Patch"),
        (BatchKind::Delete, "Delete"),
    ];

    fn from_name(name: &str) -> Option<BatchKind> {
        Self::NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(kind, _)| *kind)
    }
}

/// What became of one operation, as the reply says it.
#[derive(Debug, Clone, Default, PartialEq)]
struct BatchResult {
    status: u16,
    /// 0 for none.
    sub_status: u32,
    charge_ru: f64,
    /// With its quotes.
    etag: Option<String>,
    /// The item's finished JSON text.
    body: Option<Bytes>,
    retry_after_ms: Option<u64>,
    /// Why it failed, where the failure is its own. Official clients skip this member.
    message: Option<String>,
}

impl BatchResult {
    fn new(outcome: &Outcome, minimal: bool) -> BatchResult {
        let with_item = |status, item: &Item, wants_body: bool| BatchResult {
            status,
            charge_ru: outcome.charge_ru,
            etag: Some(format!("\"{}\"", item.etag())),
            body: wants_body.then(|| item.text()),
            ..BatchResult::default()
        };
        match &outcome.result {
            Ok(Written::Created(item)) => with_item(201, item, !minimal),
            Ok(Written::Replaced(item)) => with_item(200, item, !minimal),
            Ok(Written::Read(item)) => with_item(200, item, true),
            Ok(Written::Deleted) => BatchResult { status: 204, charge_ru: outcome.charge_ru, ..BatchResult::default() },
            Err(error) => BatchResult {
                status: error.status.as_u16(),
                sub_status: error.sub_status,
                charge_ru: outcome.charge_ru,
                retry_after_ms: error.retry_after_ms,
                message: (error.status != StatusCode::FAILED_DEPENDENCY).then(|| error.reason()),
                ..BatchResult::default()
            },
        }
    }
}

/// Why a body is no batch.
#[derive(Debug, thiserror::Error)]
enum BatchError {
    /// Neither form's grammar.
    #[error("The batch request is malformed: {reason}")]
    Malformed { reason: String },
    /// The service's words, which clients' tests look for.
    #[error("Batch request has no operations.")]
    Empty,
    /// The service's words, which clients' tests look for.
    #[error("Batch request has more operations than what is supported. The limit is {limit}.")]
    TooManyOperations { limit: usize },
    #[error("operation {index} has the unknown operationType '{name}'")]
    UnknownOperation { index: usize, name: String },
    #[error("the batch is {size_bytes} bytes; the limit is {MAX_BODY_BYTES}")]
    TooLarge { size_bytes: usize },
}

impl From<BatchError> for ApiError {
    fn from(error: BatchError) -> ApiError {
        match error {
            BatchError::TooLarge { size_bytes } => {
                Error::TooLarge { what: "the batch", size_bytes, limit_bytes: MAX_BODY_BYTES }.into()
            }
            BatchError::Malformed { .. }
            | BatchError::Empty
            | BatchError::TooManyOperations { .. }
            | BatchError::UnknownOperation { .. } => ApiError::bad_request(error.to_string()),
        }
    }
}
