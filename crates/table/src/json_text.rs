//! Members of JSON objects.

use orrery_value::json::write_string;

/// Appends the comma before a member, unless that is the first of its object or the comma is there.
pub(crate) fn begin_member(out: &mut Vec<u8>) {
    if !matches!(out.last(), None | Some(b'{' | b',')) {
        out.push(b',');
    }
}

/// Begins a member and appends its name with its colon.
pub(crate) fn write_name(name: &str, out: &mut Vec<u8>) {
    begin_member(out);
    write_string(name, out);
    out.push(b':');
}

/// The same for a name in which nothing needs an escape.
pub(crate) fn write_known_name(name: &[u8], out: &mut Vec<u8>) {
    begin_member(out);
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
        assert_eq!(out, br#"{"a":"{","b":"x""#);
        begin_member(&mut out);
        write_member("c", ",", &mut out);
        write_known_name(b"d", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":"{","b":"x","c":",","d":"#);
    }
}
