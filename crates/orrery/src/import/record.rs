//! A record on its way to being an item: with an id, checked, and with its partition key found.

use std::borrow::Cow;

use orrery_table::{Dialect, EntityBody};
use orrery_value::{KeyComponent, NewDocument, PartitionKey, PartitionKeyDefinition};
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use super::entry::Position;
use super::graph::GraphBuilder;
use crate::transfer::{Member, members, write_object};

/// A record that can be written.
pub(super) struct Record {
    /// Where it stood.
    pub position: Position,
    /// Its JSON text.
    pub text: Vec<u8>,
    /// Its partition key.
    pub key: PartitionKey,
    /// Its share of the memory that records on their way may take.
    pub _memory: OwnedSemaphorePermit,
}

/// What records are.
pub(super) enum RecordKind {
    /// Items of a container, which may take their id from a property.
    Item {
        /// The property.
        id_field: Option<String>,
    },
    /// Entities of a table, in the Table API's JSON.
    Entity,
    /// Vertices and edges, of which this makes documents.
    Element(GraphBuilder),
}

/// What was found out about a record.
pub(super) struct Prepared {
    /// The text that is stored, unless it is the record's own.
    pub rewritten: Option<Vec<u8>>,
    /// The item's partition key.
    pub key: PartitionKey,
    /// Whether it had no id, so that one was made up.
    pub id_generated: bool,
}

/// Gives a record its id and checks it as the server will.
///
/// # Errors
/// Why it can be no item.
pub(super) fn prepare(text: &[u8], definition: &PartitionKeyDefinition, kind: &RecordKind) -> Result<Prepared, String> {
    match kind {
        RecordKind::Item { id_field } => prepare_item(text, definition, id_field.as_deref()),
        RecordKind::Entity => prepare_entity(text),
        // A document as it is to be stored.
        RecordKind::Element(_) => prepare_item(text, definition, None),
    }
}

/// Keys are checked by the wider rules of Azure Storage, which let them be empty, and sizes by the wider ones of Azure Cosmos DB.
fn prepare_entity(text: &[u8]) -> Result<Prepared, String> {
    let mut body = EntityBody::parse(text, Dialect::Cosmos).map_err(|error| error.to_string())?;
    let key = body.take_key(Dialect::Storage).map_err(|error| error.to_string())?;
    let document = body.to_document(&key, Dialect::Cosmos).map_err(|error| error.to_string())?;
    let key = PartitionKey(vec![KeyComponent::String(key.partition_key)]);
    Ok(Prepared { rewritten: Some(document), key, id_generated: false })
}

fn prepare_item(text: &[u8], definition: &PartitionKeyDefinition, id_field: Option<&str>) -> Result<Prepared, String> {
    let (rewritten, id_generated) = with_id(text, id_field)?;
    let document = NewDocument::from_json(rewritten.as_deref().unwrap_or(text)).map_err(|error| error.to_string())?;
    let key = definition.extract(&document.document()).map_err(|error| error.to_string())?;
    Ok(Prepared { rewritten, key, id_generated })
}

/// The text with a property `id`, unless it has one, and whether that was made up. With an `id_field`, that property's value is the id.
fn with_id(text: &[u8], id_field: Option<&str>) -> Result<(Option<Vec<u8>>, bool), String> {
    let utf8 = std::str::from_utf8(text).map_err(|_| "the record is not valid UTF-8".to_owned())?;
    let found = members(utf8).map_err(|error| match NewDocument::from_json(text) {
        Err(error) => error.to_string(),
        Ok(_) => error.to_string(),
    })?;
    let (id, generated) = match id_field {
        Some(name) => (id_from(name, &found)?, false),
        None if found.iter().any(|member| member.name == "id") => return Ok((None, false)),
        None => (format!("\"{}\"", Uuid::new_v4()), true),
    };
    let id = Member { name: Cow::Borrowed("id"), value: Cow::Owned(id) };
    let others = found.iter().filter(|member| member.name != "id");
    let mut out = Vec::with_capacity(text.len() + id.value.len() + 6);
    write_object(std::iter::once(&id).chain(others), &mut out);
    Ok((Some(out), generated))
}

/// The value of the property `name` as a JSON string.
fn id_from(name: &str, members: &[Member<'_>]) -> Result<String, String> {
    let Some(member) = members.iter().find(|member| member.name == name) else {
        return Err(format!("it has no property '{name}' to take the id from"));
    };
    match member.value.as_bytes().first() {
        Some(b'"') => Ok(member.value.clone().into_owned()),
        Some(b'-' | b'0'..=b'9') => Ok(format!("\"{}\"", member.value)),
        _ => Err(format!("its property '{name}' is neither a string nor a number, so it cannot be the id")),
    }
}

#[cfg(test)]
mod tests {
    use orrery_value::PropertyPath;

    use super::*;

    fn id_of(text: &str, field: Option<&str>) -> Result<(String, bool), String> {
        let (rewritten, generated) = with_id(text.as_bytes(), field)?;
        Ok((rewritten.map_or(text.to_owned(), |rewritten| String::from_utf8(rewritten).unwrap()), generated))
    }

    #[test]
    fn an_item_with_an_id_stays_as_it_is() {
        assert_eq!(id_of(r#" {"a":1.50,"id":"x"}"#, None), Ok((r#" {"a":1.50,"id":"x"}"#.into(), false)));
    }

    #[test]
    fn an_item_without_an_id_gets_a_new_one_each_time() {
        let (first, generated) = id_of(r#"{"a":1.50}"#, None).unwrap();
        assert!(generated && first.starts_with(r#"{"id":""#) && first.ends_with(r#"","a":1.50}"#), "{first}");
        assert_ne!(first, id_of(r#"{"a":1.50}"#, None).unwrap().0);
        assert!(id_of("{}", None).unwrap().0.ends_with("\"}"));
    }

    #[test]
    fn another_property_can_be_the_id() {
        assert_eq!(id_of(r#"{"n":7,"id":1}"#, Some("n")), Ok((r#"{"id":"7","n":7}"#.into(), false)));
        assert_eq!(id_of(r#"{"n":"é\n"}"#, Some("n")), Ok((r#"{"id":"é\n","n":"é\n"}"#.into(), false)));
        assert_eq!(id_of(r#"{"id":12}"#, Some("id")), Ok((r#"{"id":"12"}"#.into(), false)));
        assert!(id_of("{}", Some("n")).unwrap_err().contains("no property 'n'"));
        assert!(id_of(r#"{"n":null}"#, Some("n")).unwrap_err().contains("neither"));
    }

    #[test]
    fn what_can_be_no_item_says_why() {
        let definition =
            PartitionKeyDefinition::try_new("Hash", Some(2), vec![PropertyPath::parse("/pk").unwrap()]).unwrap();
        let prepared = |text: &str| prepare_item(text.as_bytes(), &definition, None);
        assert_eq!(prepared(r#"{"pk":5}"#).map(|done| done.key.to_json()), Ok("[5]".to_owned()));
        let error = |text: &str| prepared(text).err().unwrap();
        assert!(error(r#"{"pk":1,}"#).contains("offset 8"));
        assert!(error("[1]").contains("must be a JSON object"));
        let long = format!(r#"{{"id":"a","pk":"{}"}}"#, "x".repeat(3000));
        assert!(error(&long).contains("2048"), "{}", error(&long));
        assert!(error(r#"{"id":"a","a":1,"a":2}"#).contains("twice"));
        assert!(prepare_item(b"{\"a\":\"\xFF\"}", &definition, None).err().unwrap().contains("UTF-8"));
    }
}
