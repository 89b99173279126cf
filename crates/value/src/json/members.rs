//! The members of one object, each as it is spelled.

use std::borrow::Cow;

use super::scan::{Visitor, scan};
use super::string::RawString;
use super::{JsonError, JsonErrorKind};

/// Walks the members of an object in order: the name of each, and the text of its value. Names that occur twice are no error here.
///
/// # Errors
/// If the text is no JSON, or no object.
pub fn for_each_member<'t>(text: &'t str, take: impl FnMut(Cow<'t, str>, &'t str)) -> Result<(), JsonError> {
    let at = text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len();
    if let Some(found) = text[at..].chars().next().filter(|first| *first != '{') {
        return Err(JsonError::new(at, JsonErrorKind::Unexpected { found, expected: "'{'" }));
    }
    scan(text, &mut Reader { text, take, depth: 0, name: Cow::Borrowed(""), start: 0 })
}

struct Reader<'t, F> {
    text: &'t str,
    take: F,
    /// Objects and arrays that are open.
    depth: usize,
    /// The name of the member whose value comes.
    name: Cow<'t, str>,
    /// Where that value begins, if it is an object or array.
    start: usize,
}

impl<'t, F: FnMut(Cow<'t, str>, &'t str)> Reader<'t, F> {
    #[inline]
    fn value(&mut self, from: usize, to: usize) {
        if self.depth == 1 {
            (self.take)(std::mem::take(&mut self.name), &self.text[from..to]);
        }
    }

    fn open(&mut self, at: usize) {
        if self.depth == 1 {
            self.start = at;
        }
        self.depth += 1;
    }

    fn close(&mut self, at: usize) {
        self.depth -= 1;
        self.value(self.start, at + 1);
    }
}

impl<'t, F: FnMut(Cow<'t, str>, &'t str)> Visitor for Reader<'t, F> {
    fn space(&mut self, _from: usize, _to: usize) {}

    fn element(&mut self, _at: usize) {}

    #[inline]
    fn name(&mut self, name: RawString) -> Result<(), JsonError> {
        if self.depth == 1 {
            self.name = name.decode(self.text);
        }
        Ok(())
    }

    #[inline]
    fn string(&mut self, string: RawString) {
        self.value(string.start - 1, string.end + 1);
    }

    #[inline]
    fn number(&mut self, from: usize, to: usize) {
        self.value(from, to);
    }

    #[inline]
    fn literal(&mut self, at: usize) {
        let len = if self.text.as_bytes()[at] == b'f' { "false".len() } else { "true".len() };
        self.value(at, at + len);
    }

    fn open_object(&mut self, at: usize) {
        self.open(at);
    }

    fn close_object(&mut self, at: usize) -> Result<(), JsonError> {
        self.close(at);
        Ok(())
    }

    fn open_array(&mut self, at: usize) {
        self.open(at);
    }

    fn close_array(&mut self, at: usize) {
        self.close(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Result<Vec<(String, &str)>, JsonError> {
        let mut members = Vec::new();
        for_each_member(text, |name, value| members.push((name.into_owned(), value)))?;
        Ok(members)
    }

    #[test]
    fn values_are_as_they_are_spelled() {
        let text = r#" { "a" : "x\"y" , "\u0062":[1, {"a":[ ]}],"c":{ "a":1 },"d":-1.50,"e":true,"f":false,"g":null,"a":"" } "#;
        let expected = [
            ("a", r#""x\"y""#),
            ("b", r#"[1, {"a":[ ]}]"#),
            ("c", r#"{ "a":1 }"#),
            ("d", "-1.50"),
            ("e", "true"),
            ("f", "false"),
            ("g", "null"),
            ("a", r#""""#),
        ];
        assert_eq!(members(text).unwrap(), expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(members("{}").unwrap(), []);
    }

    #[test]
    fn what_is_no_object_is_refused_where_it_begins() {
        for (text, at) in [("[]", 0), (" 5", 1), ("\"a\"", 0), ("", 0), ("{\"a\":}", 5), ("{} {}", 3)] {
            assert_eq!(members(text).unwrap_err().at, at, "{text}");
        }
    }
}
