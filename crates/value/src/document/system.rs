//! The system properties at the end of every item's text, each at a place that follows from the text's length.

use super::DocumentError;
use crate::json::string::RawString;

/// What the server adds to an item when it is written.
#[derive(Clone, Copy, Debug)]
pub struct SystemProperties<'a> {
    /// The item's system id: 24 characters of base64.
    pub rid: &'a str,
    /// `_self` of the container, without slashes at its ends: `dbs/<8 characters>/colls/<12 characters>`.
    pub container_self: &'a str,
    /// The version tag: 36 characters, without quotes.
    pub etag: &'a str,
    /// Seconds since 1970, a number of 10 digits (from 2001 to 2286).
    pub ts: u64,
}

/// The text that ends an item before it is stamped; the zeros are placeholders.
pub(super) const SUFFIX: &[u8] = concat!(
    r#""_rid":"000000000000000000000000","#,
    r#""_self":"dbs/00000000/colls/000000000000/docs/000000000000000000000000/","#,
    r#""_etag":"\"00000000-0000-0000-0000-000000000000\"","#,
    r#""_attachments":"attachments/","#,
    r#""_ts":0000000000}"#,
)
.as_bytes();

pub(super) const SUFFIX_LEN: usize = SUFFIX.len();

/// How many properties the suffix has.
pub(super) const SUFFIX_PROPERTIES: usize = 5;

const RID_LEN: usize = 24;
const CONTAINER_SELF_LEN: usize = "dbs/00000000/colls/000000000000".len();
const ETAG_LEN: usize = 36;
const TS_LEN: usize = 10;

// Where each value begins, counted from the start of the suffix. A test compares these with the suffix.
const RID_AT: usize = 8;
const SELF_AT: usize = RID_AT + RID_LEN + 11;
const SELF_RID_AT: usize = SELF_AT + CONTAINER_SELF_LEN + 6;
const SELF_LEN: usize = CONTAINER_SELF_LEN + 6 + RID_LEN + 1;
const ETAG_AT: usize = SELF_AT + SELF_LEN + 13;
const ATTACHMENTS_AT: usize = ETAG_AT + ETAG_LEN + 20;
const TS_AT: usize = SUFFIX_LEN - 1 - TS_LEN;

/// A property that clients cannot set: whatever a body says under such a name is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemProperty {
    Rid,
    Self_,
    Etag,
    Attachments,
    Ts,
    /// Appears in change feeds only, and is not stored.
    Lsn,
}

impl SystemProperty {
    /// The system property called `name`, if there is one.
    #[inline]
    pub fn from_name(name: &[u8]) -> Option<SystemProperty> {
        if name.first() != Some(&b'_') {
            return None;
        }
        match name {
            b"_rid" => Some(SystemProperty::Rid),
            b"_self" => Some(SystemProperty::Self_),
            b"_etag" => Some(SystemProperty::Etag),
            b"_attachments" => Some(SystemProperty::Attachments),
            b"_ts" => Some(SystemProperty::Ts),
            b"_lsn" => Some(SystemProperty::Lsn),
            _ => None,
        }
    }

    /// A bit of its own, for sets of them.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Where the property's value begins in an item's text (at the quote of a string).
    pub fn value_at(self, text_len: usize) -> Option<usize> {
        let in_suffix = match self {
            SystemProperty::Rid => RID_AT - 1,
            SystemProperty::Self_ => SELF_AT - 1,
            SystemProperty::Etag => ETAG_AT - 3,
            SystemProperty::Attachments => ATTACHMENTS_AT - 1,
            SystemProperty::Ts => TS_AT,
            SystemProperty::Lsn => return None,
        };
        Some(text_len.checked_sub(SUFFIX_LEN)? + in_suffix)
    }

    /// The property's characters in an item's text, without any quotes.
    pub fn text_in(self, text: &[u8]) -> Option<&str> {
        let (at, len) = match self {
            SystemProperty::Rid => (RID_AT, RID_LEN),
            SystemProperty::Self_ => (SELF_AT, SELF_LEN),
            SystemProperty::Etag => (ETAG_AT, ETAG_LEN),
            SystemProperty::Attachments => (ATTACHMENTS_AT, "attachments/".len()),
            SystemProperty::Ts => (TS_AT, TS_LEN),
            SystemProperty::Lsn => return None,
        };
        let start = text.len().checked_sub(SUFFIX_LEN)? + at;
        std::str::from_utf8(text.get(start..start + len)?).ok()
    }
}

/// The bytes that a name must have between its quotes for [`SystemProperty::from_name`] to be worth asking: an underscore, or
/// an escape that may hide one.
#[inline]
pub(super) fn may_be_system(text: &[u8], name: RawString) -> bool {
    matches!(text.get(name.start), Some(b'_')) || name.escaped
}

impl SystemProperties<'_> {
    /// Writes the values over the placeholders of a suffix.
    pub(super) fn write(&self, suffix: &mut [u8; SUFFIX_LEN]) -> Result<(), DocumentError> {
        check_width("_rid", self.rid, RID_LEN)?;
        check_width("_self", self.container_self, CONTAINER_SELF_LEN)?;
        check_width("_etag", self.etag, ETAG_LEN)?;
        let mut ts = [0u8; TS_LEN];
        write_digits("_ts", self.ts, &mut ts)?;
        suffix[RID_AT..RID_AT + RID_LEN].copy_from_slice(self.rid.as_bytes());
        suffix[SELF_AT..SELF_AT + CONTAINER_SELF_LEN].copy_from_slice(self.container_self.as_bytes());
        suffix[SELF_RID_AT..SELF_RID_AT + RID_LEN].copy_from_slice(self.rid.as_bytes());
        suffix[ETAG_AT..ETAG_AT + ETAG_LEN].copy_from_slice(self.etag.as_bytes());
        suffix[TS_AT..TS_AT + TS_LEN].copy_from_slice(&ts);
        Ok(())
    }
}

/// The width matters, and so does that nothing in the value ends the JSON string around it.
fn check_width(name: &'static str, value: &str, width: usize) -> Result<(), DocumentError> {
    let plain = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'/' | b'+' | b'=' | b'_');
    if value.len() == width && value.as_bytes().iter().all(plain) {
        return Ok(());
    }
    Err(DocumentError::SystemPropertyWidth { name, value: value.to_owned(), width })
}

fn write_digits(name: &'static str, value: u64, digits: &mut [u8; TS_LEN]) -> Result<(), DocumentError> {
    let mut rest = value;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    // A leading zero is no JSON number.
    if rest > 0 || digits[0] == b'0' {
        return Err(DocumentError::SystemPropertyWidth { name, value: value.to_string(), width: TS_LEN });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: SystemProperties<'_> = SystemProperties {
        rid: "36ZyAPW+uN8NAAAAAAAAAA==",
        container_self: "dbs/36ZyAA==/colls/36ZyAPW+uN8=",
        etag: "01234567-89ab-cdef-0123-456789abcdef",
        ts: 1_700_000_000,
    };

    #[test]
    fn a_stamped_suffix_is_valid_json() {
        let mut suffix: [u8; SUFFIX_LEN] = SUFFIX.try_into().unwrap();
        SAMPLE.write(&mut suffix).unwrap();
        let text = format!("{{{}", std::str::from_utf8(&suffix).unwrap());
        assert_eq!(
            text,
            r#"{"_rid":"36ZyAPW+uN8NAAAAAAAAAA==","_self":"dbs/36ZyAA==/colls/36ZyAPW+uN8=/docs/36ZyAPW+uN8NAAAAAAAAAA==/","_etag":"\"01234567-89ab-cdef-0123-456789abcdef\"","_attachments":"attachments/","_ts":1700000000}"#
        );
        for name in ["_rid", "_self", "_etag", "_attachments", "_ts"] {
            let property = SystemProperty::from_name(name.as_bytes()).unwrap();
            let at = property.value_at(text.len()).unwrap();
            assert!(text[..at].ends_with(&format!("\"{name}\":")), "{name}");
            assert!(text[at..].trim_start_matches(['"', '\\']).starts_with(property.text_in(text.as_bytes()).unwrap()));
        }
    }

    #[test]
    fn values_of_another_width_are_refused() {
        let mut suffix: [u8; SUFFIX_LEN] = SUFFIX.try_into().unwrap();
        for wrong in [
            SystemProperties { rid: "short", ..SAMPLE },
            SystemProperties { etag: "01234567-89ab-cdef-0123-456789abcde\"", ..SAMPLE },
            SystemProperties { container_self: "dbs/36ZyAA==/colls/36ZyAPW+uN8=/", ..SAMPLE },
            SystemProperties { ts: 999_999_999, ..SAMPLE },
            SystemProperties { ts: 10_000_000_000, ..SAMPLE },
        ] {
            assert!(matches!(wrong.write(&mut suffix), Err(DocumentError::SystemPropertyWidth { .. })), "{wrong:?}");
        }
        assert_eq!(suffix, SUFFIX, "a refused stamp changes nothing");
    }
}
