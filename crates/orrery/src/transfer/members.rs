//! The members of a JSON object, their values left as they are spelled.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// One member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    /// Its name, without escapes.
    pub name: Cow<'a, str>,
    /// The JSON text of its value.
    pub value: Cow<'a, str>,
}

/// The members of the object that `text` is, in order.
///
/// # Errors
/// If the text is no JSON object. Not everything that no item may be is found: duplicate names, for one, are not.
pub fn members(text: &str) -> serde_json::Result<Vec<Member<'_>>> {
    serde_json::from_str::<Members<'_>>(text).map(|members| members.0)
}

/// Writes an object of these members.
pub fn write_object<'a, 'm: 'a>(members: impl IntoIterator<Item = &'a Member<'m>>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (member, index) in members.into_iter().zip(0..) {
        if index > 0 {
            out.push(b',');
        }
        // A string is always serialisable, and writing to a `Vec` cannot fail.
        let _ = serde_json::to_writer(&mut *out, &member.name);
        out.push(b':');
        out.extend_from_slice(member.value.as_bytes());
    }
    out.push(b'}');
}

struct Members<'a>(Vec<Member<'a>>);

/// Borrows a name that has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
            members.push(Member { name, value: Cow::Borrowed(value.get()) });
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_spelling() {
        let text = r#" {"a":1.50,"b\n":{"c":[ 1 ]},"d":"x\u0041"} "#;
        let found = members(text).unwrap();
        assert_eq!(found.iter().map(|member| &*member.name).collect::<Vec<_>>(), ["a", "b\n", "d"]);
        let mut out = Vec::new();
        write_object(&found, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":1.50,"b\n":{"c":[ 1 ]},"d":"x\u0041"}"#);
    }

    #[test]
    fn only_objects_have_members() {
        assert!(members("[1]").is_err());
        assert!(members(r#"{"a":1"#).is_err());
        assert!(members("{}").unwrap().is_empty());
    }
}
