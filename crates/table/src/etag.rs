//! Entity tags: the time of the last write.

use crate::{DateTime, Error};

/// The tag of an entity written at that time: `W/"datetime'2020-01-31T23%3A59%3A59.1234567Z'"`.
pub fn etag(timestamp: DateTime) -> String {
    let mut tag = Vec::with_capacity(48);
    write_etag(timestamp, &mut tag);
    // All of it is ASCII.
    String::from_utf8(tag).unwrap_or_default()
}

/// Appends the tag with its quotes as they are.
pub(crate) fn write_etag(timestamp: DateTime, out: &mut Vec<u8>) {
    out.extend_from_slice(b"W/\"");
    write_opaque(&timestamp.to_text(), out);
    out.push(b'"');
}

/// Appends the text within the tag's quotes, in which nothing needs an escape. It is made of a time's text.
pub(crate) fn write_opaque(timestamp: &[u8; DateTime::TEXT_LEN], out: &mut Vec<u8>) {
    let [hour, minute] = [13, 16];
    for part in
        [b"datetime'", &timestamp[..hour], b"%3A", &timestamp[hour + 1..minute], b"%3A", &timestamp[minute + 1..]]
    {
        out.extend_from_slice(part);
    }
    out.push(b'\'');
}

/// What an If-Match header asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// `*`: any version.
    Any,
    /// The version of this tag, given as the text between its quotes.
    Tag(String),
}

impl IfMatch {
    /// Reads the header. An empty one names no version.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for anything but `*` and a weak tag.
    pub fn parse(header: &str) -> Result<Self, Error> {
        let header = header.trim();
        if header == "*" {
            return Ok(IfMatch::Any);
        }
        if header.is_empty() {
            return Ok(IfMatch::Tag(String::new()));
        }
        let weak = header.strip_prefix("W/").or_else(|| header.strip_prefix("w/"));
        let opaque = weak.and_then(|tag| tag.strip_prefix('"')).and_then(|tag| tag.strip_suffix('"'));
        match opaque {
            Some(opaque) if !opaque.contains('"') => Ok(IfMatch::Tag(opaque.to_owned())),
            _ => Err(Error::invalid_input("The etag value specified in one of the request headers is not valid.")),
        }
    }

    /// Whether it names the version written at that time.
    pub fn names(&self, timestamp: DateTime) -> bool {
        match self {
            IfMatch::Any => true,
            IfMatch::Tag(opaque) => {
                let mut own = Vec::with_capacity(opaque.len());
                write_opaque(&timestamp.to_text(), &mut own);
                opaque.as_bytes() == own
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_its_own_version_only() {
        let time = DateTime::parse("2026-11-20T14:39:42.8712123Z").unwrap();
        assert_eq!(etag(time), "W/\"datetime'2026-11-20T14%3A39%3A42.8712123Z'\"");
        assert!(IfMatch::parse(&etag(time)).unwrap().names(time));
        assert!(IfMatch::parse(&etag(time).replace("W/", "w/")).unwrap().names(time));
        assert!(IfMatch::parse(" * ").unwrap().names(time));
        let next = DateTime::from_unix_ticks(time.unix_ticks() + 1);
        assert!(!IfMatch::parse(&etag(time)).unwrap().names(next));
        assert!(!IfMatch::parse("").unwrap().names(time));
        assert!(!IfMatch::parse("W/\"\"").unwrap().names(time));
    }

    #[test]
    fn anything_but_a_weak_tag_is_refused() {
        for bad in ["\"strong\"", "text", "W/", "W/\"", "W/text", "W/\"a\"b\"", "**"] {
            assert!(IfMatch::parse(bad).is_err(), "{bad}");
        }
    }
}
