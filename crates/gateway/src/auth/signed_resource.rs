//! Which resource a request's signature names, from its path.

use std::borrow::Cow;

use base64::Engine;
use percent_encoding::percent_decode_str;

use super::key::LENIENT_BASE64;

/// Path of the operation that deletes a logical partition; it signs as a type of its own.
const PARTITION_DELETE: [&str; 2] = ["operations", "partitionkeydelete"];
/// How many characters of base64 a database's rid has, padding included.
const DATABASE_RID_CHARS: usize = 8;
const DATABASE_RID_BYTES: usize = 4;

/// Resource type and link as they stand in the text to sign.
///
/// A path of pairs (`dbs/x/colls/y`) addresses a resource: its link is the path. A path with a type at
/// the end (`dbs/x/colls`) addresses a feed: its link is the parent's. Where the path uses rids, the link is the last rid, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedResource<'a> {
    /// `dbs`, `colls`, `docs`, ...; empty for the account.
    pub resource_type: &'a str,
    /// Without slashes at either end.
    pub link: Cow<'a, str>,
}

impl<'a> SignedResource<'a> {
    /// From a request's path, without its query string and still percent-encoded.
    pub fn from_path(path: &'a str) -> SignedResource<'a> {
        let path = path.trim_matches('/');
        if path.is_empty() {
            return SignedResource { resource_type: "", link: Cow::Borrowed("") };
        }
        let seen = Slashes::of(path);
        let (parent, last) = split_at(path, seen.last);
        let (owner, second_last) = split_at(parent, seen.second_last);
        if [second_last, last] == PARTITION_DELETE {
            return SignedResource { resource_type: "partitionkey", link: link(owner, seen.has_percent) };
        }
        let is_feed = seen.count.is_multiple_of(2);
        let (resource_type, addressed) = if is_feed { (last, parent) } else { (second_last, path) };
        SignedResource { resource_type, link: link(addressed, seen.has_percent) }
    }
}

/// What a path is taken apart by, found in one walk over its bytes: this runs for every request.
#[derive(Default)]
struct Slashes {
    count: usize,
    second_last: Option<usize>,
    last: Option<usize>,
    has_percent: bool,
}

impl Slashes {
    fn of(path: &str) -> Slashes {
        let mut seen = Slashes::default();
        for (at, byte) in path.bytes().enumerate() {
            if byte == b'/' {
                seen.count += 1;
                (seen.second_last, seen.last) = (seen.last, Some(at));
            }
            seen.has_percent |= byte == b'%';
        }
        seen
    }
}

/// What is in front of a slash and behind it; all is behind the one that is not there.
fn split_at(path: &str, slash: Option<usize>) -> (&str, &str) {
    slash.map_or(("", path), |at| (&path[..at], &path[at + 1..]))
}

fn link(path: &str, is_encoded: bool) -> Cow<'_, str> {
    if !uses_rids(path) {
        return match is_encoded {
            true => percent_decode_str(path).decode_utf8_lossy(),
            false => Cow::Borrowed(path),
        };
    }
    let last = path.rsplit_once('/').map_or(path, |(_, last)| last);
    let rid = percent_decode_str(last).decode_utf8_lossy();
    Cow::Owned(rid.to_ascii_lowercase())
}

/// Offers have no names; elsewhere the database's id decides, see `uses_rids` in the clients: base64 of exactly four bytes.
fn uses_rids(path: &str) -> bool {
    let mut segments = path.split('/');
    match (segments.next(), segments.next()) {
        (Some("offers"), Some(_)) => true,
        (Some("dbs"), Some(id)) => is_database_rid(id),
        _ => false,
    }
}

fn is_database_rid(id: &str) -> bool {
    // The padding may be percent-encoded.
    if id.len() != DATABASE_RID_CHARS && !id.contains('%') {
        return false;
    }
    let id = percent_decode_str(id).decode_utf8_lossy();
    if id.len() != DATABASE_RID_CHARS || !id.ends_with("==") {
        return false;
    }
    let mut bytes = [0; 8];
    let base64 = id.replace('-', "/");
    LENIENT_BASE64.decode_slice(base64, &mut bytes) == Ok(DATABASE_RID_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_sign_as_the_clients_sign_them() {
        let cases = [
            ("/", "", ""),
            ("//", "", ""),
            ("/dbs", "dbs", ""),
            ("/dbs/Db", "dbs", "dbs/Db"),
            ("/dbs/Db/", "dbs", "dbs/Db"),
            ("//dbs/Db/colls", "colls", "dbs/Db"),
            ("/dbs/Db/colls/C", "colls", "dbs/Db/colls/C"),
            ("/dbs/Db/colls/C/docs", "docs", "dbs/Db/colls/C"),
            ("/dbs/Db/colls/C/docs/a%20b", "docs", "dbs/Db/colls/C/docs/a b"),
            ("/dbs/%C3%A9/colls/C/docs/x", "docs", "dbs/é/colls/C/docs/x"),
            ("/dbs/Db/colls/C/sprocs/S", "sprocs", "dbs/Db/colls/C/sprocs/S"),
            ("/dbs/Db/colls/C/pkranges", "pkranges", "dbs/Db/colls/C"),
            ("/dbs/Db/colls/C/operations/partitionkeydelete", "partitionkey", "dbs/Db/colls/C"),
            ("/offers", "offers", ""),
            ("/offers/AbCd", "offers", "abcd"),
            ("/dbs/36ZyAA==", "dbs", "36zyaa=="),
            ("/dbs/36ZyAA%3D%3D/colls", "colls", "36zyaa=="),
            ("/dbs/36ZyAA==/colls/36ZyAPW+uN8=/docs", "docs", "36zyapw+un8="),
            ("/dbs/36ZyAA==/colls/36ZyAPW+uN8=/docs/36ZyAPW+uN8NAAAAAAAAAA==", "docs", "36zyapw+un8naaaaaaaaaa=="),
            ("/dbs/database/colls", "colls", "dbs/database"),
        ];
        for (path, resource_type, link) in cases {
            let signed = SignedResource::from_path(path);
            assert_eq!((signed.resource_type, signed.link.as_ref()), (resource_type, link), "{path}");
        }
    }
}
