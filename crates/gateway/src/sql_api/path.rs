//! A request's path, decoded.

use std::borrow::Cow;

use orrery_engine::rid;
use percent_encoding::percent_decode_str;

use super::error::ApiError;

/// Segments of the longest path: a permission's is `dbs/x/users/y/permissions/z`.
const MAX_SEGMENTS: usize = 8;

/// The segments of a path, percent-decoded, without empty ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path<'p> {
    segments: Vec<Cow<'p, str>>,
}

impl<'p> Path<'p> {
    /// Empty segments come from trailing and doubled slashes and mean nothing.
    ///
    /// # Errors
    /// 400 for a segment that is not UTF-8, 404 for a path deeper than any this API has.
    pub fn parse(path: &'p str) -> Result<Path<'p>, ApiError> {
        let mut segments = Vec::with_capacity(MAX_SEGMENTS);
        let is_encoded = path.contains('%');
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            if segments.len() == MAX_SEGMENTS {
                return Err(ApiError::not_found("The path is deeper than any this API has"));
            }
            if !is_encoded {
                segments.push(Cow::Borrowed(segment));
                continue;
            }
            let decoded = percent_decode_str(segment).decode_utf8();
            segments.push(decoded.map_err(|_| ApiError::bad_request("The path is not UTF-8 after percent-decoding"))?);
        }
        Ok(Path { segments })
    }

    /// The segments in order.
    pub fn segments(&self) -> &[Cow<'p, str>] {
        &self.segments
    }

    /// Whether the path addresses by rids: clients decide by the database's segment alone.
    pub fn is_by_rid(&self) -> bool {
        match self.segments.as_slice() {
            [dbs, database, ..] => dbs == "dbs" && is_database_rid(database),
            _ => false,
        }
    }
}

fn is_database_rid(segment: &str) -> bool {
    segment.ends_with("==") && rid::decode(segment).is_some_and(|bytes| bytes.len() == rid::DATABASE_RID_LEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_decoded_and_slashes_do_not_count() {
        let path = Path::parse("//dbs/My%20Db/colls/f%C3%B8%2F/").unwrap();
        assert_eq!(path.segments(), ["dbs", "My Db", "colls", "fø/"]);
        assert!(Path::parse("/").unwrap().segments().is_empty());
    }

    #[test]
    fn the_databases_segment_tells_rids_from_names() {
        for (path, expected) in [
            ("/dbs/36ZyAA==", true),
            ("/dbs/36ZyAA%3D%3D/colls/36ZyAPW+uN8=/docs", true),
            ("/dbs/orders/colls/36ZyAPW+uN8=", false),
            ("/dbs/36ZyAA=A", false),
            ("/dbs", false),
            ("/offers/36ZyAA==", false),
        ] {
            assert_eq!(Path::parse(path).unwrap().is_by_rid(), expected, "{path}");
        }
    }

    #[test]
    fn hostile_paths_are_refused() {
        assert_eq!(Path::parse("/dbs/%ff").unwrap_err().status.as_u16(), 400);
        assert_eq!(Path::parse(&"/a".repeat(100)).unwrap_err().status.as_u16(), 404);
    }
}
