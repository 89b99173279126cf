//! Failures in the service's shape: status, code, sub-status and the body clients print.

use http::StatusCode;
use orrery_engine::Error as EngineError;
use serde_json::json;

use crate::listen::BodyError;

/// The owner of the addressed resource is missing; SDKs refresh their caches of names.
pub(crate) const OWNER_NOT_FOUND: u32 = 1003;
/// The partition key of the request disagrees with the item.
pub(crate) const PARTITION_KEY_MISMATCH: u32 = 1001;
/// The name now stands for another container than the client believes.
pub(crate) const CONTAINER_RID_MISMATCH: u32 = 1024;
/// The session token is ahead of this server (with status 404).
pub(crate) const READ_SESSION_NOT_AVAILABLE: u32 = 1002;
/// The partition key range was split or never existed (with status 410).
pub(crate) const PARTITION_KEY_RANGE_GONE: u32 = 1002;
/// The query must be run range by range, by a plan.
pub(crate) const CROSS_PARTITION_NOT_SERVABLE: u32 = 1004;
/// No throughput is provisioned.
pub(crate) const THROUGHPUT_NOT_FOUND: u32 = 10004;
/// Too many requests at once.
pub(crate) const REQUEST_RATE_LARGE: u32 = 3200;

/// How long a client should wait when the store cannot be written or too much is in flight.
const RETRY_AFTER_MS: u64 = 1_000;
/// Of a request's target, so much is repeated in an error's text.
const MAX_ECHOED_TARGET_BYTES: usize = 512;

/// A failure on its way to the client.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    /// HTTP status.
    pub status: StatusCode,
    /// What it means beyond the status; 0 for nothing.
    pub sub_status: u32,
    /// Request units spent until it failed.
    pub charge_ru: f64,
    /// How long to wait before another attempt, where one makes sense.
    pub retry_after_ms: Option<u64>,
    /// More for programs than the status says: a text in a member of its own.
    additional_info: Option<String>,
    reason: Reason,
}

#[derive(Debug, Clone)]
enum Reason {
    /// A sentence, which goes into `{"Errors":["…"]}`.
    Text(String),
    /// The text of a JSON document, as errors in queries are reported.
    Document(String),
}

impl ApiError {
    /// A failure with `status` and a sentence that says why.
    pub fn new(status: StatusCode, reason: impl Into<String>) -> ApiError {
        ApiError {
            status,
            sub_status: 0,
            charge_ru: orrery_engine::request_charge::METADATA_RU,
            retry_after_ms: None,
            additional_info: None,
            reason: Reason::Text(reason.into()),
        }
    }

    /// 400: the request is wrong.
    pub fn bad_request(reason: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, reason)
    }

    /// 403: the request is understood and not allowed.
    pub fn forbidden(reason: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, reason)
    }

    /// 404: the addressed thing is not there.
    pub fn not_found(what: impl std::fmt::Display) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, format!("Resource Not Found. {what}"))
    }

    /// 400 whose text is `document`, as the service reports errors in queries.
    pub fn query_errors(document: String) -> ApiError {
        ApiError { reason: Reason::Document(document), ..ApiError::bad_request("") }
    }

    /// The same failure with a sub-status.
    pub fn with_sub_status(mut self, sub_status: u32) -> ApiError {
        self.sub_status = sub_status;
        self
    }

    /// The same failure with what it cost.
    pub fn with_charge(mut self, charge_ru: f64) -> ApiError {
        self.charge_ru = charge_ru;
        self
    }

    /// The same failure with a hint when to try again.
    pub fn with_retry_after_ms(mut self, retry_after_ms: u64) -> ApiError {
        self.retry_after_ms = Some(retry_after_ms);
        self
    }

    /// The same failure with more for programs.
    pub fn with_additional_info(mut self, info: String) -> ApiError {
        self.additional_info = Some(info);
        self
    }

    /// Why it failed, for the log and for parts of a batch.
    pub fn reason(&self) -> String {
        match &self.reason {
            Reason::Text(text) | Reason::Document(text) => text.clone(),
        }
    }

    /// The body. 304 has none.
    pub fn body(&self, activity_id: &str, target: &str) -> Option<Vec<u8>> {
        if self.status == StatusCode::NOT_MODIFIED {
            return None;
        }
        let reason = match &self.reason {
            Reason::Text(text) => json!({ "Errors": [text] }).to_string(),
            Reason::Document(document) => document.clone(),
        };
        let target = shorten(target);
        let message = format!(
            "Message: {reason}\r\nActivityId: {activity_id}, Request URI: {target}, RequestStats: , SDK: {}",
            super::reply::SERVER_VERSION
        );
        let mut body = json!({ "code": code(self.status), "message": message });
        if let Some(info) = &self.additional_info {
            body["additionalErrorInfo"] = json!(info);
        }
        Some(body.to_string().into_bytes())
    }
}

/// The service's word for a status.
pub(crate) fn code(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        408 => "RequestTimeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "PreconditionFailed",
        413 => "RequestEntityTooLarge",
        415 => "UnsupportedMediaType",
        424 => "FailedDependency",
        429 => "TooManyRequests",
        449 => "RetryWith",
        501 => "NotImplemented",
        503 => "ServiceUnavailable",
        _ => "InternalServerError",
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> ApiError {
        let text = error.to_string();
        match error {
            EngineError::NotFound { .. } => ApiError::not_found(text),
            EngineError::OwnerNotFound { .. } => ApiError::not_found(text).with_sub_status(OWNER_NOT_FOUND),
            EngineError::Conflict { .. } => {
                conflict(format!("Entity with the specified id already exists in the system: {text}"))
            }
            EngineError::UniqueKeyViolation { .. } => conflict(format!("Unique index constraint violation: {text}")),
            EngineError::PreconditionFailed { .. } => ApiError::new(
                StatusCode::PRECONDITION_FAILED,
                format!("One of the specified pre-condition is not met: {text}"),
            ),
            EngineError::NotModified => ApiError::new(StatusCode::NOT_MODIFIED, text),
            EngineError::Invalid { message } => ApiError::bad_request(message),
            EngineError::PartitionKeyMismatch { message } => {
                ApiError::bad_request(message).with_sub_status(PARTITION_KEY_MISMATCH)
            }
            EngineError::TooLarge { .. } => too_large(text),
            EngineError::RangeGone { .. } => {
                ApiError::new(StatusCode::GONE, text).with_sub_status(PARTITION_KEY_RANGE_GONE)
            }
            EngineError::SessionNotAvailable { .. } => ApiError::new(
                StatusCode::NOT_FOUND,
                format!("The read session is not available for the input session token: {text}"),
            )
            .with_sub_status(READ_SESSION_NOT_AVAILABLE),
            EngineError::DependencyFailed => ApiError::new(StatusCode::FAILED_DEPENDENCY, text),
            EngineError::OverBudget { .. } => ApiError::bad_request(text),
            EngineError::ThroughputNotFound { .. } => ApiError::not_found(text).with_sub_status(THROUGHPUT_NOT_FOUND),
            EngineError::Unavailable { .. } => {
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, text).with_retry_after_ms(RETRY_AFTER_MS)
            }
        }
    }
}

impl From<orrery_sql::SqlError> for ApiError {
    fn from(error: orrery_sql::SqlError) -> ApiError {
        ApiError::query_errors(error.to_service_json())
    }
}

impl From<orrery_sql::PlanError> for ApiError {
    fn from(error: orrery_sql::PlanError) -> ApiError {
        match error {
            orrery_sql::PlanError::Query(error) => error.into(),
            orrery_sql::PlanError::Undeclared(_) | orrery_sql::PlanError::NotMergeable(_) => {
                ApiError::bad_request(error.to_string())
            }
        }
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> ApiError {
        let text = error.to_string();
        match error {
            BodyError::TooLarge { .. } => too_large(text),
            BodyError::TooSlow { .. } => ApiError::new(StatusCode::REQUEST_TIMEOUT, text),
            BodyError::UnsupportedEncoding { .. } => ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, text),
            BodyError::CorruptGzip | BodyError::Broken(_) => ApiError::bad_request(text),
        }
    }
}

/// 429: too much is in flight; every SDK waits and repeats the request.
pub(crate) fn too_many_requests(reason: &str) -> ApiError {
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, reason)
        .with_sub_status(REQUEST_RATE_LARGE)
        .with_retry_after_ms(RETRY_AFTER_MS)
}

fn conflict(reason: String) -> ApiError {
    ApiError::new(StatusCode::CONFLICT, reason)
}

fn too_large(text: String) -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, format!("Request size is too large: {text}"))
}

fn shorten(target: &str) -> &str {
    &target[..target.floor_char_boundary(MAX_ECHOED_TARGET_BYTES)]
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    fn mapped(error: EngineError) -> (u16, u32, &'static str) {
        let error = ApiError::from(error);
        (error.status.as_u16(), error.sub_status, code(error.status))
    }

    #[test]
    fn each_engine_error_has_the_services_status_and_sub_status() {
        let id = || "x".to_owned();
        let kind = "container";
        let cases = [
            (EngineError::NotFound { kind, id: id() }, (404, 0, "NotFound")),
            (EngineError::OwnerNotFound { kind, id: id() }, (404, 1003, "NotFound")),
            (EngineError::Conflict { kind, id: id() }, (409, 0, "Conflict")),
            (EngineError::UniqueKeyViolation { paths: id() }, (409, 0, "Conflict")),
            (EngineError::PreconditionFailed { reason: id() }, (412, 0, "PreconditionFailed")),
            (EngineError::Invalid { message: id() }, (400, 0, "BadRequest")),
            (EngineError::PartitionKeyMismatch { message: id() }, (400, 1001, "BadRequest")),
            (EngineError::RangeGone { id: id() }, (410, 1002, "Gone")),
            (EngineError::SessionNotAvailable { wanted: 2, newest: 1 }, (404, 1002, "NotFound")),
            (EngineError::DependencyFailed, (424, 0, "FailedDependency")),
            (EngineError::OverBudget { limit_bytes: 1 }, (400, 0, "BadRequest")),
            (EngineError::ThroughputNotFound { resource: id() }, (404, 10004, "NotFound")),
            (EngineError::Unavailable { reason: id() }, (503, 0, "ServiceUnavailable")),
            (EngineError::TooLarge { what: "item", size_bytes: 2, limit_bytes: 1 }, (413, 0, "RequestEntityTooLarge")),
        ];
        for (error, expected) in cases {
            let text = error.to_string();
            assert_eq!(mapped(error), expected, "{text}");
        }
    }

    #[test]
    fn the_body_names_code_reason_activity_and_target() {
        let error = ApiError::bad_request("no \"id\"");
        let body = error.body("guid-1", "/dbs/x").unwrap();
        let body: Json = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["code"], "BadRequest");
        let message = body["message"].as_str().unwrap();
        assert!(message.starts_with("Message: {\"Errors\":[\"no \\\"id\\\"\"]}\r\nActivityId: guid-1, "), "{message}");
        assert!(message.contains("Request URI: /dbs/x,"), "{message}");
    }

    #[test]
    fn not_modified_has_no_body() {
        assert!(ApiError::from(EngineError::NotModified).body("a", "/").is_none());
    }

    #[test]
    fn a_long_target_is_cut_between_characters() {
        let target = "é".repeat(MAX_ECHOED_TARGET_BYTES);
        assert_eq!(shorten(&target).len(), MAX_ECHOED_TARGET_BYTES);
    }
}
