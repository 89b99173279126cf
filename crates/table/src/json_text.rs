//! Strings of JSON.

/// Appends `text` in quotes.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    // Looking at all of it, and not stopping early, lets the compiler use vector instructions.
    if text.bytes().fold(false, |found, byte| found | matches!(byte, b'"' | b'\\' | 0..0x20)) {
        // Writing to a Vec does not fail.
        let _ = serde_json::to_writer(out, text);
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Appends a member's name with its colon, and the comma before it unless it is the first of its object.
pub(crate) fn write_name(name: &str, out: &mut Vec<u8>) {
    if !matches!(out.last(), None | Some(b'{')) {
        out.push(b',');
    }
    write_string(name, out);
    out.push(b':');
}

/// The same for a name in which nothing needs an escape.
pub(crate) fn write_known_name(name: &[u8], out: &mut Vec<u8>) {
    if !matches!(out.last(), None | Some(b'{')) {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(name);
    out.extend_from_slice(b"\":");
}

/// Appends a member whose value is a string.
pub(crate) fn write_member(name: &str, value: &str, out: &mut Vec<u8>) {
    write_name(name, out);
    write_string(value, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_escape_only_what_they_must() {
        for (text, expected) in [("é/'😀", "\"é/'😀\""), ("a\"\\\n\u{1}", r#""a\"\\\n\u0001""#), ("", "\"\"")] {
            let mut out = Vec::new();
            write_string(text, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn commas_stand_between_members() {
        let mut out = b"{".to_vec();
        write_member("a", "{", &mut out);
        write_member("b", "x", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":"{","b":"x""#);
    }
}
