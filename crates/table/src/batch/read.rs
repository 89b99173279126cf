//! Taking a batch apart.

use super::part::{Lines, malformed, read_headers};
use super::{Batch, Part, PartMethod};
use crate::{Error, ErrorCode};

/// Largest body.
pub const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Most operations.
pub const MAX_OPERATIONS: usize = 100;
/// Longest boundary. RFC 2046 allows 70 characters.
const MAX_BOUNDARY_BYTES: usize = 200;

impl<'a> Batch<'a> {
    /// Reads a body of that Content-Type. Line ends may be LF or CRLF; what stands before the first boundary and behind the last, empty
    /// lines before a request, `HTTP/1.1`, Content-Length and the last line end do not matter. Of a change set that is too large, as many
    /// parts are read as show that.
    ///
    /// # Errors
    /// [`ErrorCode::RequestBodyTooLarge`], else [`ErrorCode::InvalidInput`] and what is wrong with the method of a part.
    pub fn parse(content_type: &str, body: &'a [u8]) -> Result<Self, Error> {
        if body.len() > MAX_BATCH_BYTES {
            return Err(Error::new(ErrorCode::RequestBodyTooLarge));
        }
        let boundary = multipart_boundary(content_type)
            .ok_or_else(|| malformed("Its Content-Type must be multipart/mixed with a boundary."))?;
        let outer = match &*split(body, boundary, 2)? {
            [] => return Ok(Batch::ChangeSet(Vec::new())),
            [outer] => *outer,
            _ => return Err(malformed("There may be one change set or one query.")),
        };
        let mut lines = Lines { rest: outer };
        let headers = read_headers(&mut lines)?;
        let content_type = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("Content-Type"));
        let inner = content_type.and_then(|(_, value)| multipart_boundary(value));
        let Some(inner) = inner else {
            let part = Part::parse(headers, lines.rest)?;
            return match part.method {
                PartMethod::Get => Ok(Batch::Query(part)),
                _ => Err(malformed("Writes must be in a change set.")),
            };
        };
        let parts = split(lines.rest, inner, MAX_OPERATIONS + 1)?;
        let parts: Vec<_> = parts.into_iter().map(read_part).collect::<Result<_, _>>()?;
        if parts.iter().any(|part| part.method == PartMethod::Get) {
            return Err(malformed("A change set may not have queries."));
        }
        Ok(Batch::ChangeSet(parts))
    }
}

fn read_part(part: &[u8]) -> Result<Part<'_>, Error> {
    let mut lines = Lines { rest: part };
    let headers = read_headers(&mut lines)?;
    Part::parse(headers, lines.rest)
}

/// The boundary of a Content-Type `multipart/mixed`.
fn multipart_boundary(content_type: &str) -> Option<&str> {
    let (media_type, parameters) = content_type.split_once(';')?;
    if !media_type.trim().eq_ignore_ascii_case("multipart/mixed") {
        return None;
    }
    let parameter = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim())
    })?;
    let boundary = parameter.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(parameter);
    (1..=MAX_BOUNDARY_BYTES).contains(&boundary.len()).then_some(boundary)
}

/// The texts between the lines of a boundary, `max_parts` at the most; the last one may lack the closing line.
fn split<'a>(body: &'a [u8], boundary: &str, max_parts: usize) -> Result<Vec<&'a [u8]>, Error> {
    let mut parts = Vec::new();
    let mut lines = Lines { rest: body };
    let mut begun: Option<usize> = None;
    let mut found = false;
    loop {
        let at = body.len() - lines.rest.len();
        let delimiter = match lines.next() {
            Some(line) => delimiter(line, boundary),
            None => Some(Delimiter::Close),
        };
        let Some(delimiter) = delimiter else { continue };
        found |= at < body.len();
        if let Some(from) = begun.take() {
            parts.push(&body[from..at]);
            if parts.len() == max_parts {
                return Ok(parts);
            }
        }
        match delimiter {
            Delimiter::Next => begun = Some(body.len() - lines.rest.len()),
            Delimiter::Close if found => return Ok(parts),
            Delimiter::Close => return Err(malformed("Its boundary does not occur.")),
        }
    }
}

enum Delimiter {
    /// A part follows.
    Next,
    /// No part follows.
    Close,
}

fn delimiter(line: &[u8], boundary: &str) -> Option<Delimiter> {
    let rest = line.strip_prefix(b"--")?.strip_prefix(boundary.as_bytes())?;
    match rest.trim_ascii_end() {
        b"" => Some(Delimiter::Next),
        b"--" => Some(Delimiter::Close),
        _ => None,
    }
}
