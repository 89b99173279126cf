//! Members of JSON objects.

use orrery_value::json::write_string;

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
    fn commas_stand_between_members() {
        let mut out = b"{".to_vec();
        write_member("a", "{", &mut out);
        write_member("b", "x", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":"{","b":"x""#);
    }
}
