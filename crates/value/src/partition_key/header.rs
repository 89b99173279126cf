//! The wire form of a partition key: a JSON array, as in the header `x-ms-documentdb-partitionkey`.

use super::{KeyComponent, PartitionKey, PartitionKeyError};
use crate::json::string::write_string;
use crate::number::Number;
use crate::value::Value;

impl PartitionKey {
    /// Reads `["x"]`, `[5,null]`, `[{}]` (an undefined value) or `[]`.
    ///
    /// How many values a container expects is for its definition to say; see
    /// [`PartitionKeyDefinition::check`](super::PartitionKeyDefinition::check).
    ///
    /// # Errors
    /// [`PartitionKeyError::HeaderJson`], [`HeaderNotArray`](PartitionKeyError::HeaderNotArray) or
    /// [`HeaderComponent`](PartitionKeyError::HeaderComponent).
    pub fn parse_header(header: &str) -> Result<PartitionKey, PartitionKeyError> {
        if let Some(text) = one_plain_string(header) {
            return Ok(PartitionKey(vec![KeyComponent::String(text.to_owned())]));
        }
        match Value::parse(header.as_bytes()).map_err(PartitionKeyError::HeaderJson)? {
            Value::Array(values) => {
                values.into_iter().enumerate().map(header_component).collect::<Result<_, _>>().map(PartitionKey)
            }
            _ => Err(PartitionKeyError::HeaderNotArray),
        }
    }

    /// The key as the header has it: `["x",{}]`.
    pub fn to_json(&self) -> String {
        let mut out = vec![b'['];
        for (i, component) in self.0.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            write_component(component, &mut out);
        }
        out.push(b']');
        String::from_utf8(out).expect("it is put together from strings, digits and punctuation")
    }
}

/// What most keys are, each request having one: `["x"]` with nothing escaped.
fn one_plain_string(header: &str) -> Option<&str> {
    let text = header.strip_prefix("[\"")?.strip_suffix("\"]")?;
    text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\').then_some(text)
}

fn header_component((position, value): (usize, Value)) -> Result<KeyComponent, PartitionKeyError> {
    match value {
        Value::Object(object) if object.is_empty() => Ok(KeyComponent::Undefined),
        Value::String(string) => Ok(KeyComponent::String(string)),
        value => KeyComponent::from_value(&value).ok_or(PartitionKeyError::HeaderComponent { position }),
    }
}

fn write_component(component: &KeyComponent, out: &mut Vec<u8>) {
    match component {
        KeyComponent::Undefined => out.extend_from_slice(b"{}"),
        KeyComponent::Null => out.extend_from_slice(b"null"),
        KeyComponent::Bool(true) => out.extend_from_slice(b"true"),
        KeyComponent::Bool(false) => out.extend_from_slice(b"false"),
        KeyComponent::Number(number) => Number::Float(*number).write_signed_json(out),
        KeyComponent::String(string) => write_string(string, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip() {
        for (header, expected) in [
            (r#"["x"]"#, r#"["x"]"#),
            (r#" [ "\u00e9\"" , 1.0, -0.0, 1e300 ] "#, r#"["é\"",1,-0.0,1e+300]"#),
            ("[null,true,false,{}]", "[null,true,false,{}]"),
            ("[]", "[]"),
        ] {
            let key = PartitionKey::parse_header(header).unwrap();
            assert_eq!(key.to_json(), expected);
            assert_eq!(PartitionKey::parse_header(expected).unwrap(), key);
        }
    }

    #[test]
    fn the_short_way_reads_what_the_long_one_reads() {
        for header in [r#"[""]"#, r#"["é]["]"#, r#"["a","b"]"#, r#"["a\"]"#, "[\"a\tb\"]", r#"["]"#, r#"["a"]]"#] {
            // A space in front is no part of the key, and too much for the short way.
            let long = PartitionKey::parse_header(&format!(" {header}"));
            assert_eq!(PartitionKey::parse_header(header).ok(), long.ok(), "{header}");
        }
    }

    #[test]
    fn bad_headers_say_what_is_wrong() {
        let error = |header| PartitionKey::parse_header(header).unwrap_err();
        assert!(matches!(error("[NaN]"), PartitionKeyError::HeaderJson(_)));
        assert!(matches!(error(r#""x""#), PartitionKeyError::HeaderNotArray));
        assert_eq!(error(r#"["x",["y"]]"#), PartitionKeyError::HeaderComponent { position: 1 });
        assert_eq!(error(r#"[{"a":1}]"#), PartitionKeyError::HeaderComponent { position: 0 });
        assert_eq!(
            error("[1,]").to_string(),
            "the partition key header is not valid JSON: found ']' where a value should be at offset 3"
        );
    }
}
