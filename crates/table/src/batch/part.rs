//! One request of a batch.

use crate::{Error, ErrorCode};

/// Lines in front of a body, for a part and for the request in it.
const MAX_HEADERS: usize = 64;

/// A request within a batch. What it says is not checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'a> {
    /// What is done.
    pub method: PartMethod,
    /// The address as it stands in the request line: with or without scheme and host.
    pub target: &'a str,
    /// Names and values, in the order of the text; those of the part's own header (`Content-ID`) first.
    pub headers: Vec<(&'a str, &'a str)>,
    /// The body without white space around it, perhaps empty.
    pub body: &'a [u8],
}

/// What a request within a batch does; `X-HTTP-Method` is taken into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartMethod {
    /// Reads.
    Get,
    /// Inserts.
    Post,
    /// Replaces.
    Put,
    /// Merges; `PATCH` is another word for it.
    Merge,
    /// Deletes.
    Delete,
}

impl<'a> Part<'a> {
    /// The first header of that name, which has no case.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.all(name).next()
    }

    /// The client's number for it, which the reply repeats.
    pub fn content_id(&self) -> Option<&'a str> {
        self.header("Content-ID")
    }

    /// The address without scheme and host: a path, and perhaps a query.
    pub fn path_and_query(&self) -> &'a str {
        match self.target.split_once("://") {
            Some((scheme, rest)) if !scheme.contains(['/', '?']) => rest.find(['/', '?']).map_or("/", |at| &rest[at..]),
            _ => self.target,
        }
    }

    /// Reads a request behind the header of its part.
    pub(super) fn parse(mut headers: Vec<(&'a str, &'a str)>, request: &'a [u8]) -> Result<Self, Error> {
        let mut lines = Lines { rest: request };
        let line =
            lines.find(|line| !line.trim_ascii().is_empty()).ok_or_else(|| malformed("A part has no request line."))?;
        let line = std::str::from_utf8(line).map_err(|_| malformed("A request line is not UTF-8."))?.trim();
        let (method, target) =
            line.split_once([' ', '\t']).ok_or_else(|| malformed("A request line has no address."))?;
        let target = match target.rsplit_once([' ', '\t']) {
            Some((target, version)) if version.starts_with("HTTP/") => target.trim(),
            _ => target.trim(),
        };
        headers.extend(read_headers(&mut lines)?);
        let mut part = Part { method: PartMethod::Get, target, headers, body: lines.rest.trim_ascii() };
        part.method = part.tunnelled(method)?;
        Ok(part)
    }

    /// The method of the request line, or the one that POST stands for.
    fn tunnelled(&self, method: &str) -> Result<PartMethod, Error> {
        let method = PartMethod::from_name(method).ok_or_else(|| Error::new(ErrorCode::InvalidHttpVerb))?;
        let mut meant = self.all("X-HTTP-Method");
        match (meant.next(), meant.next()) {
            (None, _) => Ok(method),
            (Some(_), Some(_)) => Err(Error::new(ErrorCode::XMethodIncorrectCount)),
            (Some(_), None) if method != PartMethod::Post => Err(Error::new(ErrorCode::XMethodNotUsingPost)),
            (Some(name), None) => match PartMethod::from_name(name) {
                Some(meant @ (PartMethod::Put | PartMethod::Merge | PartMethod::Delete)) => Ok(meant),
                _ => Err(Error::new(ErrorCode::XMethodIncorrectValue)),
            },
        }
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

impl PartMethod {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "GET" => PartMethod::Get,
            "POST" => PartMethod::Post,
            "PUT" => PartMethod::Put,
            "MERGE" | "PATCH" => PartMethod::Merge,
            "DELETE" => PartMethod::Delete,
            _ => return None,
        })
    }
}

/// Lines that end in LF, with or without CR, and the text that follows them.
pub(super) struct Lines<'a> {
    pub rest: &'a [u8],
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    /// The next line without its end.
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = match memchr::memchr(b'\n', self.rest) {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &self.rest[self.rest.len()..]),
        };
        self.rest = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Headers up to an empty line or the end.
pub(super) fn read_headers<'a>(lines: &mut Lines<'a>) -> Result<Vec<(&'a str, &'a str)>, Error> {
    let mut headers = Vec::new();
    for line in lines.take_while(|line| !line.trim_ascii().is_empty()) {
        let line = std::str::from_utf8(line).map_err(|_| malformed("A header is not UTF-8."))?;
        let (name, value) = line.split_once(':').ok_or_else(|| malformed("A header has no colon."))?;
        if headers.len() == MAX_HEADERS {
            return Err(malformed("A part has too many headers."));
        }
        headers.push((name.trim(), value.trim()));
    }
    Ok(headers)
}

pub(super) fn malformed(what: &str) -> Error {
    Error::invalid_input(format_args!("The batch is malformed. {what}"))
}
