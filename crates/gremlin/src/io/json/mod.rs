//! JSON text as a flat list of nodes over the text itself: strings and numbers stay as they are spelled.
//!
//! GraphSON needs both: a `gx:BigInteger` may be a number of a hundred digits, and the `@value` of a type may stand before its
//! `@type`, so that a reader in one pass cannot know what it reads. One [`Node`] of 16 bytes stands for each value and each name;
//! an object or array knows how many nodes it spans, which makes skipping it one addition.

mod node;
mod scan;
mod write;

pub(crate) use node::{Item, Kind};
pub(crate) use write::{write_f32, write_f64, write_string};

use super::DecodeError;
use node::Node;

/// Objects and arrays of a message may nest this deep. Values have a tighter bound of their own; a value of GraphSON 3 takes two
/// levels, an instruction of nested bytecode four.
pub(crate) const MAX_JSON_DEPTH: usize = 4 * crate::value::MAX_NESTING + 8;

/// A parsed text.
pub(crate) struct Json<'t> {
    text: &'t str,
    nodes: Vec<Node>,
}

impl<'t> Json<'t> {
    /// Parses the one value in `text`.
    ///
    /// # Errors
    /// If the text is not JSON in UTF-8, nests deeper than [`MAX_JSON_DEPTH`] or has more values than
    /// [`MAX_VALUES`](super::MAX_VALUES).
    pub fn parse(bytes: &'t [u8]) -> Result<Self, DecodeError> {
        if bytes.len() > super::MAX_MESSAGE_BYTES {
            return Err(DecodeError::TooLong { size_bytes: bytes.len() });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| DecodeError::Unexpected {
            at: error.valid_up_to(),
            expected: "UTF-8",
            found: "other bytes".into(),
        })?;
        let nodes = scan::scan(text)?;
        Ok(Self { text, nodes })
    }

    /// The text's one value.
    pub fn root(&self) -> Item<'_> {
        Item::new(self.text, &self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(item: Item<'_>) -> String {
        match item.kind() {
            Kind::Null => "null".into(),
            Kind::True => "true".into(),
            Kind::False => "false".into(),
            Kind::Number => item.number().unwrap().into(),
            Kind::String => format!("{:?}", item.string().unwrap()),
            Kind::Array => format!("[{}]", item.items().map(print).collect::<Vec<_>>().join(",")),
            Kind::Object => {
                let members =
                    item.members().map(|(name, value)| format!("{:?}:{}", name.string().unwrap(), print(value)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }
        }
    }

    fn check(text: &str, printed: &str) {
        assert_eq!(print(Json::parse(text.as_bytes()).unwrap().root()), printed, "{text}");
    }

    fn refuse(text: &[u8], message: &str) {
        let error = Json::parse(text).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(message), "{}", String::from_utf8_lossy(text));
    }

    #[test]
    fn a_text_is_walked_as_it_is_spelled() {
        check(r#" {"a" : [1.50, -0e+1,"\u00e4\n" ] ,"b":{},"c":[ ]} "#, r#"{"a":[1.50,-0e+1,"ä\n"],"b":{},"c":[]}"#);
        check("123456789012345678901234567890", "123456789012345678901234567890");
        check(r#"["\ud83d\ude00",true,false,null]"#, "[\"😀\",true,false,null]");
    }

    #[test]
    fn the_last_of_equal_names_counts() {
        let json = Json::parse(br#"{"a":1,"\u0061":2}"#).unwrap();
        assert_eq!(json.root().member("a").and_then(|item| item.number()), Some("2"));
        assert!(json.root().member("b").is_none());
    }

    #[test]
    fn what_is_no_json_is_refused_with_the_place() {
        refuse(b"", "expected a value at offset 0, found the end");
        refuse(b"[1,]", "expected a value at offset 3, found ']'");
        refuse(b"{\"a\" 1}", "expected ':' at offset 5, found '1'");
        refuse(b"{1:2}", "expected a name or '}' at offset 1, found '1'");
        refuse(b"[01]", "expected ',' or ']' at offset 2, found '1'");
        refuse(b"[1.]", "expected a digit at offset 3, found ']'");
        refuse(b"truth", "expected a value at offset 0, found 't'");
        refuse(b"\"\\ud800\"", "expected an escape of a character at offset 1, found '\\\\'");
        refuse(b"\"a\x01\"", "expected an escaped control character at offset 2, found '\\u{1}'");
        refuse(b"\"a", "expected '\"' at offset 2, found the end");
        refuse(b"1 2", "expected the end at offset 2, found '2'");
        refuse(b"\"\xff\"", "expected UTF-8 at offset 1, found other bytes");
        refuse(
            &vec![b'['; MAX_JSON_DEPTH + 1],
            &format!("value nests deeper than 100 levels at offset {MAX_JSON_DEPTH}"),
        );
    }
}
