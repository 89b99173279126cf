//! gzip for large replies to clients that offer it.

use std::io::Write;

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, header};

use super::{ReplyBody, Response};

/// Whether the client offers gzip: named, or covered by `*`, with a weight above zero.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut wildcard = false;
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        let Ok(text) = value.to_str() else { continue };
        for offer in text.split(',') {
            let (name, weight) = offer.split_once(';').unwrap_or((offer, ""));
            let name = name.trim();
            if name.eq_ignore_ascii_case("gzip") {
                return !is_zero_weight(weight);
            }
            wildcard |= name == "*" && !is_zero_weight(weight);
        }
    }
    wildcard
}

fn is_zero_weight(parameter: &str) -> bool {
    let Some((name, weight)) = parameter.split_once('=') else {
        return false;
    };
    name.trim().eq_ignore_ascii_case("q") && weight.trim().parse::<f32>() == Ok(0.0)
}

/// Compresses `response` if its body is at hand, at least `min_bytes` long and not encoded already.
/// Runs on the blocking pool, since a megabyte takes several milliseconds.
pub(super) async fn compress(mut response: Response, min_bytes: usize) -> Response {
    let long = response.body().bytes().is_some_and(|b| b.len() >= min_bytes);
    if !long || response.headers().contains_key(header::CONTENT_ENCODING) {
        return response;
    }
    let Some(plain) = response.body_mut().take_bytes() else {
        return response;
    };
    let facts = response.body().facts();
    let source = plain.clone();
    let packed = tokio::task::spawn_blocking(move || deflate(&source)).await;
    let body = match packed {
        Ok(Ok(packed)) if packed.len() < plain.len() => {
            let headers = response.headers_mut();
            headers.remove(header::CONTENT_LENGTH);
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
            packed
        }
        _ => plain,
    };
    *response.body_mut() = ReplyBody::full(body).with_facts(facts);
    response
}

fn deflate(plain: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
    encoder.write_all(plain)?;
    Ok(encoder.finish()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_counts_unless_its_weight_is_zero() {
        let cases = [
            ("gzip", true),
            ("deflate, GZip;q=0.5", true),
            ("identity", false),
            ("gzip;q=0", false),
            ("gzip; q=0.000, *", false),
            ("*", true),
            ("*;q=0", false),
            ("", false),
        ];
        for (value, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(accepts_gzip(&headers), expected, "{value}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
