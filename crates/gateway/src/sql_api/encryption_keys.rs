//! Client encryption keys: wrapped by the client, opaque to this server, which never sees a key in the clear.

use orrery_engine::JsonMap;

use super::error::ApiError;
use super::json_body::invalid;

/// Checks a key's definition.
///
/// # Errors
/// 400 naming the part that is missing.
pub(crate) fn check(definition: &JsonMap) -> Result<(), ApiError> {
    for name in ["encryptionAlgorithm", "wrappedDataEncryptionKey"] {
        if !definition.get(name).is_some_and(|value| value.is_string()) {
            return Err(invalid(&format!("a client encryption key needs '{name}', a string")));
        }
    }
    if !definition.get("keyWrapMetadata").is_some_and(|value| value.is_object()) {
        return Err(invalid("a client encryption key needs 'keyWrapMetadata', an object"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::json_body::object;
    use super::*;

    #[test]
    fn a_key_needs_its_three_parts() {
        let whole =
            r#"{"id":"k","encryptionAlgorithm":"A","wrappedDataEncryptionKey":"eA==","keyWrapMetadata":{"name":"m"}}"#;
        let whole = object(whole.as_bytes()).unwrap();
        check(&whole).unwrap();
        for part in ["encryptionAlgorithm", "wrappedDataEncryptionKey", "keyWrapMetadata"] {
            let mut rest = whole.clone();
            rest.remove(part);
            assert!(check(&rest).unwrap_err().reason().contains(part));
        }
    }
}
