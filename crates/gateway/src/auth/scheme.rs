//! The `authorization` header of the SQL API.

use std::borrow::Cow;

use base64::Engine;
use percent_encoding::percent_decode;

use super::AuthError;
use super::error::echo;
use super::key::LENIENT_BASE64;

/// Longer values are refused unread. Identity tokens with many claims reach a few KiB, three times that when URL-encoded.
pub const MAX_AUTHORIZATION_BYTES: usize = 32 * 1024;
/// A master header fits, so that decoding it needs no allocation: 24 characters and 44 of base64, each up to three when URL-encoded.
const INLINE_BYTES: usize = 256;

/// HMAC-SHA256.
pub type Signature = [u8; 32];

/// What an `authorization` header holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthScheme {
    /// A signature made with an account key.
    Master {
        /// The signature.
        signature: Signature,
    },
    /// A resource token: the text after `sig=`.
    Resource(String),
    /// An identity token (JWT).
    Aad(String),
}

impl AuthScheme {
    /// Parses `type=..&ver=..&sig=..`, plain or URL-encoded. `+` stands for itself in both forms.
    pub fn parse(header: &str) -> Result<AuthScheme, AuthError> {
        if header.len() > MAX_AUTHORIZATION_BYTES {
            return Err(malformed("it is too long"));
        }
        let header = header.trim();
        let encoded = header.contains('%') && !header.contains('&');
        if !encoded {
            return parse_plain(header);
        }
        let mut inline = [0; INLINE_BYTES];
        let plain = decode(header, &mut inline)?;
        parse_plain(&plain)
    }
}

fn decode<'a>(header: &str, inline: &'a mut [u8; INLINE_BYTES]) -> Result<Cow<'a, str>, AuthError> {
    let not_text = |_| malformed("it is not UTF-8");
    if header.len() > INLINE_BYTES {
        let plain: Vec<u8> = percent_decode(header.as_bytes()).collect();
        return String::from_utf8(plain).map(Cow::Owned).map_err(|_| malformed("it is not UTF-8"));
    }
    let mut length = 0;
    for byte in percent_decode(header.as_bytes()) {
        inline[length] = byte;
        length += 1;
    }
    std::str::from_utf8(&inline[..length]).map(Cow::Borrowed).map_err(not_text)
}

fn parse_plain(text: &str) -> Result<AuthScheme, AuthError> {
    let (scheme, rest) = field(text, "type").ok_or(malformed("it does not begin with 'type='"))?;
    let (version, rest) = field(rest, "ver").ok_or(malformed("'ver=' does not follow 'type'"))?;
    if !matches!(version, "1" | "1.0") {
        return Err(malformed("the version is not 1.0"));
    }
    // The rest is one value, whatever it contains: resource tokens hold separators of their own.
    let token = value_of(rest, "sig").ok_or(malformed("'sig=' does not follow 'ver'"))?;
    if token.is_empty() {
        return Err(malformed("the signature is empty"));
    }
    if scheme.eq_ignore_ascii_case("master") {
        let signature = signature(token).ok_or(malformed("the signature is not base64 of 32 bytes"))?;
        Ok(AuthScheme::Master { signature })
    } else if scheme.eq_ignore_ascii_case("resource") {
        Ok(AuthScheme::Resource(token.to_owned()))
    } else if scheme.eq_ignore_ascii_case("aad") {
        Ok(AuthScheme::Aad(token.to_owned()))
    } else {
        Err(AuthError::UnknownScheme { scheme: echo(scheme) })
    }
}

/// The value of `name=value&rest`, and the rest.
fn field<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let (first, rest) = text.split_once('&')?;
    Some((value_of(first, name)?, rest))
}

fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = text.split_once('=')?;
    key.eq_ignore_ascii_case(name).then_some(value)
}

/// Decodes a signature in base64; `None` if it is not one.
pub(super) fn signature(text: &str) -> Option<Signature> {
    // 32 bytes are 44 characters; the decoder wants room for its estimate.
    let mut bytes = [0; 48];
    if text.len() > 44 {
        return None;
    }
    let length = LENIENT_BASE64.decode_slice(text, &mut bytes).ok()?;
    bytes[..length].try_into().ok()
}

fn malformed(why: &'static str) -> AuthError {
    AuthError::Malformed { why }
}
