//! Laying the properties of a request over an entity.

use orrery_value::Document;
use orrery_value::document::is_system_property;

use super::EntityBody;
use super::document::{ANNOTATION, open_document, property_name};
use super::limits::{MAX_PROPERTIES, check_size};
use super::stored::{StoredProperties, is_hidden};
use crate::json_text::{begin_member, write_name};
use crate::{Dialect, EntityKey, Error, ErrorCode};

/// The document of `current` with the properties of `body` in place of those of the same name, type included, and the others behind.
/// Without a current version it is that of the body alone. Members that are no properties stay as they are.
///
/// # Errors
/// [`ErrorCode::TooManyProperties`], [`ErrorCode::EntityTooLarge`] if the outcome is.
pub fn merge(
    key: &EntityKey,
    body: &EntityBody,
    current: Option<Document<'_>>,
    dialect: Dialect,
) -> Result<Vec<u8>, Error> {
    let Some(current) = current else { return body.to_document(key, dialect) };
    let given = Given::new(body);
    let mut out = Vec::with_capacity(current.text().len() + body.text_len());
    let mut written = vec![false; given.names.len()];
    open_document(key, &mut out);
    let write = |place: usize, out: &mut Vec<u8>| {
        begin_member(out);
        out.extend_from_slice(body.members(place));
    };
    for (member, node) in current.root().entries() {
        let stays_hidden = matches!(&*member, "id" | "PartitionKey") || is_system_property(&member);
        if stays_hidden {
            continue;
        }
        if member.strip_suffix(ANNOTATION).is_some_and(|property| given.find(property_name(property)).is_some()) {
            continue;
        }
        match given.find(property_name(&member)).filter(|_| !is_hidden(&member)) {
            Some(place) => {
                write(place, &mut out);
                written[place] = true;
            }
            None => {
                write_name(&member, &mut out);
                out.extend_from_slice(node.text());
            }
        }
    }
    for (place, _) in written.iter().enumerate().filter(|(_, written)| !**written) {
        write(place, &mut out);
    }
    out.push(b'}');
    let stays = || StoredProperties::of(current).filter(|stored| given.find(&stored.name).is_none()).count();
    if dialect == Dialect::Storage && stays() + given.names.len() > MAX_PROPERTIES {
        return Err(Error::new(ErrorCode::TooManyProperties));
    }
    check_size(dialect, key, &out)?;
    Ok(out)
}

/// The properties of a request by name.
struct Given<'b> {
    /// With their places, sorted.
    names: Vec<(&'b str, usize)>,
}

impl<'b> Given<'b> {
    fn new(body: &'b EntityBody) -> Self {
        let mut names: Vec<_> = body.names().zip(0..).collect();
        names.sort_unstable();
        Given { names }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let found = self.names.binary_search_by(|(own, _)| (**own).cmp(name)).ok()?;
        Some(self.names[found].1)
    }
}

#[cfg(test)]
mod tests {
    use orrery_value::NewDocument;

    use super::*;

    fn merged(current: Option<&str>, body: &str) -> String {
        let key = EntityKey { partition_key: "p".into(), row_key: "r".into() };
        let current = current.map(|text| NewDocument::from_json(text.as_bytes()).unwrap());
        let body = EntityBody::parse(body.as_bytes(), Dialect::Storage).unwrap();
        let document = merge(&key, &body, current.as_ref().map(NewDocument::document), Dialect::Storage).unwrap();
        String::from_utf8(document).unwrap()
    }

    #[test]
    fn given_properties_take_the_place_of_those_of_their_name() {
        let current =
            r#"{"id":"r","PartitionKey":"p","A":1,"L@odata.type":"Edm.Int64","L":5,"B":"keep","o":{"x":[1.50]}}"#;
        assert_eq!(
            merged(
                Some(current),
                r#"{"L":"text","N@odata.type":"Edm.Guid","N":"00000000-0000-0000-0000-00000000000A","A":2.0,"B":null}"#
            ),
            r#"{"id":"r","PartitionKey":"p","A":2.0,"L":"text","B":"keep","o":{"x":[1.50]},"N@odata.type":"Edm.Guid","N":"00000000-0000-0000-0000-00000000000a"}"#
        );
    }

    #[test]
    fn without_a_current_version_the_body_is_all() {
        assert_eq!(merged(None, r#"{"A":1}"#), r#"{"id":"r","PartitionKey":"p","A":1}"#);
    }

    #[test]
    fn properties_called_like_members_of_the_engine_are_kept_apart() {
        let current = r#"{"id":"r","PartitionKey":"p","$id@odata.type":"Edm.Int64","$id":5,"$_ts":1,"Timestamp":"x"}"#;
        assert_eq!(
            merged(Some(current), r#"{"id":"mine","Timestamp":"2020-01-01"}"#),
            r#"{"id":"r","PartitionKey":"p","$id":"mine","$_ts":1,"Timestamp":"x"}"#
        );
    }

    #[test]
    fn the_outcome_has_limits() {
        let key = EntityKey { partition_key: "p".into(), row_key: "r".into() };
        let many = |from: usize, to: usize| (from..to).map(|n| format!("\"P{n}\":1")).collect::<Vec<_>>().join(",");
        let current = NewDocument::from_json(format!("{{\"id\":\"r\",{}}}", many(0, 252)).as_bytes()).unwrap();
        let code = |body: String, dialect| {
            let body = EntityBody::parse(body.as_bytes(), dialect).unwrap();
            merge(&key, &body, Some(current.document()), dialect).err().map(|error| error.code)
        };
        assert_eq!(code(format!("{{{}}}", many(10, 200)), Dialect::Storage), None);
        assert_eq!(code(format!("{{{}}}", many(252, 253)), Dialect::Storage), Some(ErrorCode::TooManyProperties));
        assert_eq!(code(format!("{{{}}}", many(252, 253)), Dialect::Cosmos), None);
        let text = "x".repeat(32_768);
        let large = (0..16).map(|n| format!("\"P{n}\":\"{text}\"")).collect::<Vec<_>>().join(",");
        assert_eq!(code(format!("{{{large}}}"), Dialect::Storage), Some(ErrorCode::EntityTooLarge));
        assert_eq!(code(format!("{{{large}}}"), Dialect::Cosmos), None);
    }
}
