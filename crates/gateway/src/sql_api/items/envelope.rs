//! Feed bodies of items, joined from finished JSON texts.

use std::io::Write;

use bytes::Bytes;
use orrery_engine::{Container, Item};

use crate::sql_api::feed;

/// Name of the list in the envelope, also for rows of queries that are no items.
const PLURAL: &str = "Documents";
/// Bytes that `,"_lsn":18446744073709551615` adds to an item.
const LSN_BYTES: usize = 28;

/// A feed of finished JSON texts.
pub(super) fn rows(container: &Container, rows: &[impl AsRef<[u8]>]) -> Bytes {
    feed::envelope(container.rid(), PLURAL, rows)
}

/// A feed of finished JSON texts, with a report on how it was made.
pub(super) fn explained(container: &Container, texts: &[Bytes], report: &serde_json::Value) -> Bytes {
    let whole = rows(container, texts);
    let mut out = whole.strip_suffix(b"}").unwrap_or(&whole).to_vec();
    out.extend_from_slice(b",\"explain\":");
    out.extend_from_slice(report.to_string().as_bytes());
    out.push(b'}');
    out.into()
}

/// A feed of items.
pub(super) fn items(container: &Container, items: &[Item]) -> Bytes {
    let texts: Vec<Bytes> = items.iter().map(Item::text).collect();
    rows(container, &texts)
}

/// A feed of items, each with its version number as `_lsn`.
pub(super) fn items_with_lsn(container: &Container, items: &[Item]) -> Bytes {
    let texts: Vec<Vec<u8>> = items.iter().map(|item| with_lsn(&item.text(), item.lsn())).collect();
    rows(container, &texts)
}

/// The object `text` with one property more. A stored item has system properties, so it is never empty.
fn with_lsn(text: &[u8], lsn: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + LSN_BYTES);
    let text = text.trim_ascii_end();
    out.extend_from_slice(text.strip_suffix(b"}").unwrap_or(text));
    // Writing to a `Vec` cannot fail.
    let _ = write!(out, ",\"_lsn\":{lsn}}}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_number_is_the_last_property() {
        assert_eq!(with_lsn(b"{\"id\":\"a}\"} ", 7), br#"{"id":"a}","_lsn":7}"#);
    }
}
