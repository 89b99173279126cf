//! Why a request is refused, in the service's words.

use std::borrow::Cow;

/// A refusal: the code that clients branch on, and a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Error {
    /// The service's code.
    pub code: ErrorCode,
    /// The message, without the lines for request id and time that a reply adds.
    pub message: Cow<'static, str>,
    /// Byte offset into the text that is wrong, where it is known.
    pub at: Option<usize>,
}

impl Error {
    /// The code with its usual sentence.
    pub fn new(code: ErrorCode) -> Self {
        Error { code, message: Cow::Borrowed(code.sentence()), at: None }
    }

    /// The code with its usual sentence and what is wrong in particular.
    pub fn with_detail(code: ErrorCode, detail: impl std::fmt::Display) -> Self {
        Error { code, message: Cow::Owned(format!("{} {detail}", code.sentence())), at: None }
    }

    /// [`ErrorCode::InvalidInput`], with what is wrong in particular.
    pub fn invalid_input(detail: impl std::fmt::Display) -> Self {
        Error::with_detail(ErrorCode::InvalidInput, detail)
    }

    pub(crate) fn at(self, at: usize) -> Self {
        Error { at: Some(at), ..self }
    }
}

macro_rules! error_codes {
    ($($name:ident: $sentence:literal,)*) => {
        /// The codes of the service, as they stand in replies.
        ///
        /// They are all here, those that only a gateway gives out as well, so that each has its sentence in one place.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = $sentence] $name,)*
        }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)*];

            /// The code as clients read it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => stringify!($name),)*
                }
            }

            /// The sentence that messages of this code begin with.
            pub fn sentence(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $sentence,)*
                }
            }
        }
    };
}

error_codes! {
    AccountIsDisabled: "The specified account is disabled.",
    AtomFormatNotSupported: "Atom format is not supported.",
    AuthenticationFailed: "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.",
    AuthorizationFailure: "This request is not authorized to perform this operation.",
    AuthorizationPermissionMismatch: "This request is not authorized to perform this operation using this permission.",
    AuthorizationProtocolMismatch: "This request is not authorized to perform this operation using this protocol.",
    AuthorizationResourceTypeMismatch: "This request is not authorized to perform this operation using this resource type.",
    AuthorizationServiceMismatch: "This request is not authorized to perform this operation using this service.",
    AuthorizationSourceIPMismatch: "This request is not authorized to perform this operation using this source IP.",
    CommandsInBatchActOnDifferentPartitions: "All commands in a batch must operate on same entity group.",
    ContentLengthExceeded: "The content length for the requested operation has exceeded the limit.",
    CorsPreflightFailure: "CORS not enabled or no matching rule found for this request.",
    DuplicatePropertiesSpecified: "A property is specified more than one time.",
    EntityAlreadyExists: "The specified entity already exists.",
    EntityNotFound: "The specified entity does not exist.",
    EntityTooLarge: "The entity is larger than the maximum allowed size (1MB).",
    HostInformationNotPresent: "The required host information is not present in the request. You must send a non-empty Host header or include the absolute URI in the request line.",
    InternalError: "Server encountered an internal error. Please try again after some time.",
    InvalidAuthenticationInfo: "Authentication information is not given in the correct format. Check the value of Authorization header.",
    InvalidDuplicateRow: "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.",
    InvalidHeaderValue: "The value for one of the HTTP headers is not in the correct format.",
    InvalidHttpVerb: "The HTTP verb specified is invalid - it is not recognized by the server.",
    InvalidInput: "One of the request inputs is not valid.",
    InvalidMd5: "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64-encoded.",
    InvalidQueryParameterValue: "Value for one of the query parameters specified in the request URI is invalid.",
    InvalidRange: "The range specified is invalid for the current size of the resource.",
    InvalidResourceName: "The specified resource name contains invalid characters.",
    InvalidUri: "The requested URI does not represent any resource on the server.",
    InvalidValueType: "The value type is not valid for the property.",
    InvalidXmlDocument: "XML specified is not syntactically valid.",
    JsonFormatNotSupported: "JSON format is not supported.",
    JsonVerboseFormatNotSupported: "JSON verbose format is not supported.",
    KeyValueTooLarge: "The partition key or the row key is larger than the maximum allowed size.",
    MediaTypeNotSupported: "None of the provided media types are supported.",
    MethodNotAllowed: "The requested method is not allowed on the specified resource.",
    MissingRequiredHeader: "An HTTP header that's mandatory for this request is not specified.",
    MissingRequiredQueryParameter: "A query parameter that's mandatory for this request is not specified.",
    NoAuthenticationInformation: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
    NotImplemented: "The requested operation is not implemented on the specified resource.",
    OperationTimedOut: "The operation could not be completed within the permitted time.",
    OutOfRangeInput: "One of the request inputs is out of range.",
    OutOfRangeQueryParameterValue: "One of the query parameters specified in the request URI is outside the permissible range.",
    PropertiesNeedValue: "The values are not specified for all properties in the entity.",
    PropertyNameInvalid: "The property name is invalid.",
    PropertyNameTooLong: "The property name exceeds the maximum allowed length (255).",
    PropertyValueTooLarge: "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.",
    RequestBodyTooLarge: "The request body is too large and exceeds the maximum permissible limit.",
    ResourceNotFound: "The specified resource does not exist.",
    ServerBusy: "The server is currently unable to receive requests. Please retry your request.",
    TableAlreadyExists: "The table specified already exists.",
    TableBeingDeleted: "The specified table is being deleted. Try operation later.",
    TableNotFound: "The table specified does not exist.",
    TooManyProperties: "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.",
    TooManyRequests: "The request rate is too large. Please retry after some time.",
    UnsupportedHeader: "One of the HTTP headers specified in the request is not supported.",
    UnsupportedHttpVerb: "The resource doesn't support the specified HTTP verb.",
    UnsupportedQueryParameter: "One of the query parameters specified in the request URI is not supported.",
    UpdateConditionNotSatisfied: "The update condition specified in the request was not satisfied.",
    XMethodIncorrectCount: "More than one X-HTTP-Method is specified.",
    XMethodIncorrectValue: "The specified X-HTTP-Method is invalid.",
    XMethodNotUsingPost: "The request uses X-HTTP-Method with an HTTP verb other than POST.",
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
