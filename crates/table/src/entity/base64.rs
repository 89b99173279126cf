//! Binary values in text: standard base64 with padding.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

pub(super) fn write(bytes: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    out.resize(from + bytes.len().div_ceil(3) * 4, b'=');
    // There is room for all of it.
    let _ = STANDARD.encode_slice(bytes, &mut out[from..]);
}

/// Whether [`decode`] reads it, without doing so.
pub(super) fn is_valid(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((rest, last)) = bytes.split_last_chunk::<4>() else { return bytes.is_empty() };
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    // A vector search has no early end.
    let rest_is_valid = rest.iter().fold(true, |valid, byte| valid & is_digit(byte));
    bytes.len().is_multiple_of(4) && rest_is_valid && STANDARD.decode_slice(last, &mut [0; 3]).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_valid_is_what_decodes() {
        for text in [
            "", "AA==", "AAE=", "AAEC", "AAECAA==", "/+==", "A", "AA", "AA=", "A===", "====", "AA==AA==", "AAE!",
            "AAECAAE", "AB==", "****",
        ] {
            assert_eq!(is_valid(text), decode(text).is_some(), "{text}");
        }
    }

    #[test]
    fn bytes_survive() {
        for length in 0..70 {
            let bytes: Vec<u8> = (0..length).map(|n: u8| n.wrapping_mul(37)).collect();
            let mut text = b"x".to_vec();
            write(&bytes, &mut text);
            assert_eq!(decode(std::str::from_utf8(&text[1..]).unwrap()), Some(bytes));
        }
    }
}
