//! Keys in headers and query parameters: `1!<length>!<base64>`, which any key survives.

use base64::Engine as _;
use base64::alphabet::Alphabet;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::NO_PAD;

use crate::Error;

/// Longest token: that of the longest key and more.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// As the service does, `-` fills up to whole groups; the signs of the alphabet therefore are others.
const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._";

/// The token of a key or table name: safe in a header, opaque to clients.
pub fn encode_continuation(key: &str) -> String {
    let mut text = base64().encode(key);
    while !text.len().is_multiple_of(4) {
        text.push('-');
    }
    format!("1!{}!{text}", text.len())
}

/// The key of a token.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if it is not one of [`encode_continuation`].
pub fn decode_continuation(token: &str) -> Result<String, Error> {
    let bytes = (token.len() <= MAX_TOKEN_BYTES).then(|| decode(token)).flatten();
    let key = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    key.ok_or_else(|| Error::invalid_input("The continuation token is not valid."))
}

fn decode(token: &str) -> Option<Vec<u8>> {
    let (length, text) = token.strip_prefix("1!")?.split_once('!')?;
    let whole = length.parse() == Ok(text.len()) && text.len().is_multiple_of(4);
    whole.then(|| base64().decode(text.trim_end_matches('-')).ok()).flatten()
}

fn base64() -> GeneralPurpose {
    let alphabet = Alphabet::new(ALPHABET).expect("64 different printable characters");
    GeneralPurpose::new(&alphabet, NO_PAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_survives_and_is_safe_in_a_header() {
        for key in ["", "a", "ab", "abc", "統一", "??>>~~", "a b+c/d", &"é".repeat(1024)] {
            let token = encode_continuation(key);
            assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!-._".contains(&byte)), "{token}");
            assert_eq!(decode_continuation(&token).as_deref(), Ok(key));
        }
        assert_eq!(encode_continuation("b"), "1!4!Yg--");
    }

    #[test]
    fn other_texts_are_refused() {
        for bad in ["", "b", "1!4!Yg-", "1!3!Yg-", "1!4!Y---", "2!4!Yg--", "1!4!Y g-", "1!4!____", "1!-4!Yg--"] {
            assert!(decode_continuation(bad).is_err(), "{bad}");
        }
        assert!(decode_continuation(&format!("1!{}!{}", 1 << 20, "A".repeat(1 << 20))).is_err());
    }
}
