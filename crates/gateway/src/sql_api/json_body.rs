//! Bodies of control-plane requests.

use orrery_engine::JsonMap;
use serde_json::Value as Json;

use super::error::ApiError;

/// Most characters in the name of a control-plane resource.
const MAX_ID_CHARS: usize = 255;

/// The JSON object a client sent. Nesting is bounded by the parser, size by the listener.
///
/// # Errors
/// 400 for anything else.
pub(crate) fn object(body: &[u8]) -> Result<JsonMap, ApiError> {
    match serde_json::from_slice(body) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err(invalid("the request body must be a JSON object")),
        Err(error) => Err(invalid(&format!("the request body is not valid JSON: {error}"))),
    }
}

/// The name in the definition of a new resource.
///
/// # Errors
/// 400 in the service's words, which its clients' tests look for.
pub(crate) fn id(definition: &JsonMap) -> Result<&str, ApiError> {
    let id = definition.get("id").and_then(Json::as_str).unwrap_or_default();
    if id.is_empty() || id.chars().count() > MAX_ID_CHARS {
        return Err(ApiError::bad_request(
            "The input name is invalid. Ensure to provide a unique non-empty string less than '255' characters.",
        ));
    }
    Ok(id)
}

/// 400 in the service's general words, with what is wrong behind them.
pub(crate) fn invalid(what: &str) -> ApiError {
    ApiError::bad_request(format!("One of the specified inputs is invalid: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_with_names_pass() {
        for body in [&b""[..], b"[]", b"{", b"null", b"{\"a\":1}x"] {
            assert_eq!(object(body).unwrap_err().status.as_u16(), 400);
        }
        let deep = "[".repeat(1_000_000);
        assert_eq!(object(deep.as_bytes()).unwrap_err().status.as_u16(), 400);
        assert_eq!(id(&object(b"{\"id\":\"x\"}").unwrap()).unwrap(), "x");
        for body in ["{}", "{\"id\":1}", "{\"id\":\"\"}", &format!("{{\"id\":\"{}\"}}", "x".repeat(256))] {
            let error = id(&object(body.as_bytes()).unwrap()).unwrap_err();
            assert!(error.reason().contains("less than '255' characters."), "{body}");
        }
    }
}
