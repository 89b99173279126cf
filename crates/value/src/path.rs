//! Property paths such as `/address/"zip code"`: how partition keys, policies and patches name a place in a document.

use std::fmt;

use crate::json::string::unescape;
use crate::names::hash_name;

/// Longest path text in bytes.
pub const MAX_PATH_BYTES: usize = 4096;

/// Names of properties from a document's root downwards. The empty path is the document itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PropertyPath {
    segments: Vec<PropertyName>,
}

impl PropertyPath {
    /// Reads `/a/b`, `/"a/b"/c` or `/'a/b'`.
    ///
    /// As in the service's clients, white space around a bare segment is dropped and one slash may end the path. A quoted
    /// segment may hold any character; its own quote and the backslash are written with a backslash before them, and the
    /// other escapes of JSON are understood.
    ///
    /// # Errors
    /// Where the text leaves this form; also a segment without any character, unless quoted.
    pub fn parse(text: &str) -> Result<PropertyPath, PathError> {
        if text.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong { size_bytes: text.len() });
        }
        let mut segments = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if text.as_bytes()[at] != b'/' {
                return Err(PathError::MissingSlash { path: text.to_owned(), at });
            }
            at += 1;
            if at == text.len() && !segments.is_empty() {
                break;
            }
            let (name, end) = parse_segment(text, at)?;
            segments.push(PropertyName::new(name));
            at = end;
        }
        Ok(PropertyPath { segments })
    }

    /// The names, outermost first.
    pub fn segments(&self) -> &[PropertyName] {
        &self.segments
    }

    /// Whether this is the path of the document itself.
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether this path is `other` or leads through it.
    pub fn starts_with(&self, other: &PropertyPath) -> bool {
        self.segments.starts_with(&other.segments)
    }
}

impl<S: Into<String>> FromIterator<S> for PropertyPath {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        PropertyPath { segments: names.into_iter().map(PropertyName::new).collect() }
    }
}

impl fmt::Display for PropertyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            write_segment(segment.as_str(), f)?;
        }
        if self.is_root() { f.write_str("/") } else { Ok(()) }
    }
}

impl std::str::FromStr for PropertyPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        PropertyPath::parse(text)
    }
}

/// A property's name with its hash, for looking it up in many documents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PropertyName {
    text: String,
    hash: u32,
}

impl PropertyName {
    /// Hashes the name.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let hash = hash_name(text.as_bytes());
        PropertyName { text, hash }
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn hash(&self) -> u32 {
        self.hash
    }
}

/// Why a text is no property path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A segment does not begin with a slash.
    #[error("the path {path:?} should have a '/' at offset {at}")]
    MissingSlash {
        /// The whole path.
        path: String,
        /// Byte offset into it.
        at: usize,
    },
    /// Nothing stands between two slashes.
    #[error("the path {path:?} has an empty segment at offset {at}")]
    EmptySegment {
        /// The whole path.
        path: String,
        /// Byte offset into it.
        at: usize,
    },
    /// A quoted segment has no end, or a bad escape.
    #[error("the path {path:?} has an unterminated or malformed quoted segment at offset {at}")]
    BadQuotedSegment {
        /// The whole path.
        path: String,
        /// Byte offset of the opening quote.
        at: usize,
    },
    /// The path is longer than [`MAX_PATH_BYTES`].
    #[error("the path is {size_bytes} bytes long; the limit is {MAX_PATH_BYTES}")]
    TooLong {
        /// Length of the text.
        size_bytes: usize,
    },
}

/// The segment that begins at `at`, and the offset after it.
fn parse_segment(text: &str, at: usize) -> Result<(String, usize), PathError> {
    if let Some(quote @ (b'"' | b'\'')) = text.as_bytes().get(at) {
        return parse_quoted(text, at, *quote);
    }
    let end = text[at..].find('/').map_or(text.len(), |length| at + length);
    let name = text[at..end].trim();
    if name.is_empty() {
        return Err(PathError::EmptySegment { path: text.to_owned(), at });
    }
    Ok((name.to_owned(), end))
}

fn parse_quoted(text: &str, at: usize, quote: u8) -> Result<(String, usize), PathError> {
    let bad = || PathError::BadQuotedSegment { path: text.to_owned(), at };
    let bytes = text.as_bytes();
    let mut end = at + 1;
    loop {
        match bytes.get(end) {
            None => return Err(bad()),
            Some(b'\\') => end += 2,
            Some(byte) if *byte == quote => break,
            Some(_) => end += 1,
        }
    }
    // JSON has no escape for the single quote.
    let raw = text.get(at + 1..end).ok_or_else(bad)?;
    let name = if quote == b'\'' { unescape(&raw.replace("\\'", "\\u0027")) } else { unescape(raw) };
    Ok((name.ok_or_else(bad)?, end + 1))
}

fn write_segment(name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let needs_quotes = name.is_empty()
        || name.trim() != name
        || name.contains(|c: char| matches!(c, '/' | '\\' | '"' | '\'') || c.is_control());
    if !needs_quotes {
        return write!(f, "/{name}");
    }
    f.write_str("/\"")?;
    for c in name.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let path = PropertyPath::parse(text).unwrap();
        path.segments().iter().map(|name| name.as_str().to_owned()).collect()
    }

    #[test]
    fn bare_and_quoted_segments_mix() {
        assert_eq!(names("/a/b"), ["a", "b"]);
        assert_eq!(names("/a/"), ["a"]);
        assert_eq!(names(r#"/"a/b"/c"#), ["a/b", "c"]);
        assert_eq!(names("/'it\\'s'/ x y "), ["it's", "x y"]);
        assert_eq!(names(r#"/"say \"hi\"\\"/"""#), ["say \"hi\"\\", ""]);
        assert_eq!(names(r#"/'say "hi"'"#), ["say \"hi\""]);
        assert_eq!(names(""), [""; 0]);
    }

    #[test]
    fn malformed_paths_are_named() {
        let error = |text| PropertyPath::parse(text).unwrap_err();
        assert!(matches!(error("a"), PathError::MissingSlash { at: 0, .. }));
        assert!(matches!(error(r#"/"a"b"#), PathError::MissingSlash { at: 4, .. }));
        assert!(matches!(error("/"), PathError::EmptySegment { at: 1, .. }));
        assert!(matches!(error("/a//b"), PathError::EmptySegment { at: 3, .. }));
        assert!(matches!(error(r#"/"a"#), PathError::BadQuotedSegment { at: 1, .. }));
        assert!(matches!(error(r#"/"a\"#), PathError::BadQuotedSegment { at: 1, .. }));
        assert!(matches!(error(r#"/"\é"#), PathError::BadQuotedSegment { .. }));
        assert!(matches!(error(&"/a".repeat(MAX_PATH_BYTES)), PathError::TooLong { .. }));
    }
}
