//! Failures in the service's shape: status, code and the body that clients print.

use http::StatusCode;
use orrery_engine::Error as EngineError;
use orrery_table::batch::failure_message;
use orrery_table::{DateTime, Error, ErrorCode};
use serde_json::json;

use crate::auth::{AuthError, SasError};
use crate::listen::BodyError;

/// How long a client should wait when the store cannot be written or too much is in flight.
pub(crate) const RETRY_AFTER_SECONDS: u64 = 1;

/// A failure on its way to the client.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    /// What is refused, and why.
    pub error: Error,
    /// Request units spent until it failed.
    pub charge_ru: f64,
    /// Where to get a token, for clients that should sign in.
    pub challenge: Option<String>,
}

impl ApiError {
    /// A failure of this code, with its usual sentence.
    pub fn new(code: ErrorCode) -> Self {
        Error::new(code).into()
    }

    /// A failure of this code, with what is wrong in particular.
    pub fn with_detail(code: ErrorCode, detail: impl std::fmt::Display) -> Self {
        Error::with_detail(code, detail).into()
    }

    /// The same failure with what it cost.
    pub fn with_charge(self, charge_ru: f64) -> Self {
        ApiError { charge_ru, ..self }
    }

    /// The status that goes with the code.
    pub fn status(&self) -> StatusCode {
        if self.challenge.is_some() { StatusCode::UNAUTHORIZED } else { status_of(self.error.code) }
    }

    /// The body as JSON. `place` is that of the operation in its batch, if it is in one.
    pub fn to_json(&self, request_id: &str, place: Option<usize>) -> Vec<u8> {
        let message = json!({"lang": "en-US", "value": self.message(request_id, place)});
        json!({"odata.error": {"code": self.error.code.as_str(), "message": message}}).to_string().into_bytes()
    }

    /// The body as XML.
    pub fn to_xml(&self, request_id: &str) -> Vec<u8> {
        let mut message = String::new();
        for character in self.message(request_id, None).chars() {
            match character {
                '<' => message.push_str("&lt;"),
                '>' => message.push_str("&gt;"),
                '&' => message.push_str("&amp;"),
                // XML has no way to write other control characters.
                control if control.is_control() && control != '\n' => message.push('?'),
                plain => message.push(plain),
            }
        }
        let code = self.error.code;
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><error xmlns=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\"><code>{code}</code><message xml:lang=\"en-US\">{message}</message></error>"
        )
        .into_bytes()
    }

    fn message(&self, request_id: &str, place: Option<usize>) -> String {
        let message = match place {
            Some(place) => failure_message(place, &self.error.message),
            None => self.error.message.to_string(),
        };
        format!("{message}\nRequestId:{request_id}\nTime:{}", now())
    }
}

/// The time now.
pub(crate) fn now() -> DateTime {
    let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    DateTime::from_unix_ticks(i64::try_from(elapsed.as_nanos() / 100).unwrap_or(i64::MAX))
}

/// The status of a code.
fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::CommandsInBatchActOnDifferentPartitions
        | ErrorCode::ContentLengthExceeded
        | ErrorCode::DuplicatePropertiesSpecified
        | ErrorCode::EntityTooLarge
        | ErrorCode::HostInformationNotPresent
        | ErrorCode::InvalidAuthenticationInfo
        | ErrorCode::InvalidDuplicateRow
        | ErrorCode::InvalidHeaderValue
        | ErrorCode::InvalidHttpVerb
        | ErrorCode::InvalidInput
        | ErrorCode::InvalidMd5
        | ErrorCode::InvalidQueryParameterValue
        | ErrorCode::InvalidRange
        | ErrorCode::InvalidResourceName
        | ErrorCode::InvalidUri
        | ErrorCode::InvalidValueType
        | ErrorCode::InvalidXmlDocument
        | ErrorCode::KeyValueTooLarge
        | ErrorCode::MissingRequiredHeader
        | ErrorCode::MissingRequiredQueryParameter
        | ErrorCode::OutOfRangeInput
        | ErrorCode::OutOfRangeQueryParameterValue
        | ErrorCode::PropertiesNeedValue
        | ErrorCode::PropertyNameInvalid
        | ErrorCode::PropertyNameTooLong
        | ErrorCode::PropertyValueTooLarge
        | ErrorCode::TooManyProperties
        | ErrorCode::UnsupportedHeader
        | ErrorCode::UnsupportedQueryParameter
        | ErrorCode::XMethodIncorrectCount
        | ErrorCode::XMethodIncorrectValue
        | ErrorCode::XMethodNotUsingPost => StatusCode::BAD_REQUEST,
        ErrorCode::NoAuthenticationInformation => StatusCode::UNAUTHORIZED,
        ErrorCode::AccountIsDisabled
        | ErrorCode::AuthenticationFailed
        | ErrorCode::AuthorizationFailure
        | ErrorCode::AuthorizationPermissionMismatch
        | ErrorCode::AuthorizationProtocolMismatch
        | ErrorCode::AuthorizationResourceTypeMismatch
        | ErrorCode::AuthorizationServiceMismatch
        | ErrorCode::AuthorizationSourceIPMismatch
        | ErrorCode::CorsPreflightFailure => StatusCode::FORBIDDEN,
        ErrorCode::EntityNotFound | ErrorCode::ResourceNotFound | ErrorCode::TableNotFound => StatusCode::NOT_FOUND,
        ErrorCode::MethodNotAllowed | ErrorCode::UnsupportedHttpVerb => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::EntityAlreadyExists | ErrorCode::TableAlreadyExists | ErrorCode::TableBeingDeleted => {
            StatusCode::CONFLICT
        }
        ErrorCode::UpdateConditionNotSatisfied => StatusCode::PRECONDITION_FAILED,
        ErrorCode::RequestBodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::AtomFormatNotSupported
        | ErrorCode::JsonFormatNotSupported
        | ErrorCode::JsonVerboseFormatNotSupported
        | ErrorCode::MediaTypeNotSupported => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::NotImplemented => StatusCode::NOT_IMPLEMENTED,
        ErrorCode::OperationTimedOut => StatusCode::REQUEST_TIMEOUT,
        ErrorCode::ServerBusy => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        ApiError { error, charge_ru: orrery_engine::request_charge::METADATA_RU, challenge: None }
    }
}

/// Failures of operations on entities; those on tables have names of their own for some, see `catalog.rs`.
impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let text = error.to_string();
        match error {
            EngineError::NotFound { .. } => ApiError::new(ErrorCode::ResourceNotFound),
            EngineError::OwnerNotFound { .. } => ApiError::new(ErrorCode::TableNotFound),
            EngineError::Conflict { .. } => ApiError::new(ErrorCode::EntityAlreadyExists),
            EngineError::UniqueKeyViolation { .. } => ApiError::with_detail(ErrorCode::EntityAlreadyExists, text),
            EngineError::PreconditionFailed { .. } => ApiError::new(ErrorCode::UpdateConditionNotSatisfied),
            EngineError::TooLarge { .. } => ApiError::with_detail(ErrorCode::EntityTooLarge, text),
            EngineError::Invalid { .. }
            | EngineError::PartitionKeyMismatch { .. }
            | EngineError::OverBudget { .. }
            | EngineError::NotModified
            | EngineError::RangeGone { .. }
            | EngineError::SessionNotAvailable { .. }
            | EngineError::DependencyFailed
            | EngineError::ThroughputNotFound { .. } => ApiError::with_detail(ErrorCode::InvalidInput, text),
            EngineError::Unavailable { .. } => ApiError::with_detail(ErrorCode::ServerBusy, text),
        }
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        let code = match error {
            BodyError::TooLarge { .. } => ErrorCode::RequestBodyTooLarge,
            BodyError::TooSlow { .. } => ErrorCode::OperationTimedOut,
            BodyError::UnsupportedEncoding { .. } => ErrorCode::MediaTypeNotSupported,
            BodyError::CorruptGzip | BodyError::Broken(_) => ErrorCode::InvalidInput,
        };
        ApiError::with_detail(code, error)
    }
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let code = match error {
            AuthError::Malformed { .. } | AuthError::UnknownScheme { .. } => ErrorCode::InvalidAuthenticationInfo,
            AuthError::Missing
            | AuthError::DateMissing
            | AuthError::DateMalformed { .. }
            | AuthError::DateOutsideWindow { .. }
            | AuthError::SignatureMismatch { .. }
            | AuthError::TokenInvalid
            | AuthError::TokenExpired { .. }
            | AuthError::AadDisabled
            | AuthError::AadMalformed { .. }
            | AuthError::AadOutsideValidity { .. } => ErrorCode::AuthenticationFailed,
        };
        ApiError::with_detail(code, error)
    }
}

impl From<SasError> for ApiError {
    fn from(error: SasError) -> Self {
        let code = match error {
            SasError::Malformed { .. }
            | SasError::SignatureMismatch { .. }
            | SasError::UnknownPolicy
            | SasError::OutsideValidity { .. } => ErrorCode::AuthenticationFailed,
            SasError::AddressMismatch { .. } => ErrorCode::AuthorizationSourceIPMismatch,
            SasError::ProtocolMismatch => ErrorCode::AuthorizationProtocolMismatch,
        };
        ApiError::with_detail(code, error)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn no_refusal_looks_like_a_failure_of_the_server() {
        let of_server =
            [ErrorCode::InternalError, ErrorCode::NotImplemented, ErrorCode::OperationTimedOut, ErrorCode::ServerBusy];
        for code in ErrorCode::ALL {
            let status = status_of(*code).as_u16();
            assert!((400..500).contains(&status) || of_server.contains(code), "{code}: {status}");
        }
    }

    #[test]
    fn bodies_name_code_reason_and_request() {
        let error = ApiError::with_detail(ErrorCode::InvalidInput, "a < \"b\" & \u{7}");
        let body: Json = serde_json::from_slice(&error.to_json("id-1", Some(3))).unwrap();
        assert_eq!(body["odata.error"]["code"], "InvalidInput");
        let message = body["odata.error"]["message"]["value"].as_str().unwrap();
        let begin = "3:One of the request inputs is not valid. a < \"b\" & \u{7}\nRequestId:id-1\nTime:2";
        assert!(message.starts_with(begin), "{message}");
        let xml = String::from_utf8(error.to_xml("id-1")).unwrap();
        assert!(
            xml.contains("<code>InvalidInput</code>") && xml.contains("a &lt; \"b\" &amp; ?\nRequestId:id-1"),
            "{xml}"
        );
    }
}
