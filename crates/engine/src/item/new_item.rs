//! A version of an item that a client wants written: checked, measured and encoded by the request's own thread.

use std::borrow::Cow;

use bytes::Bytes;
use orrery_value::{
    Document, DocumentError, MAX_DOCUMENT_BYTES, NewDocument, Node, PartitionKey, PropertyPath, SystemProperties, Value,
};

use super::stored::{HEADER_LEN, Header, Item};
use super::{etag, key};
use crate::Error;
use crate::catalog::{Container, ContainerSettings, MAX_TTL_SECONDS, UniqueKey, rid};
use crate::clock::TICKS_PER_SECOND;

/// Longest id of an item, in bytes of UTF-8.
pub const MAX_ITEM_ID_BYTES: usize = 1_023;
/// Longest id under other rules than the service's for documents.
pub const MAX_ITEM_KEY_BYTES: usize = 4_096;
/// Unique values up to this length are kept as they are, longer ones by their hash.
const MAX_PLAIN_UNIQUE_BYTES: usize = 64;

/// A checked item that lacks only what the commit decides: number, `_rid`, `_etag`, `_ts`.
#[derive(Debug)]
pub struct NewItem {
    document: NewDocument,
    id: String,
    partition: Vec<u8>,
    own_ttl: Option<i32>,
    /// One per unique key of the container: the tail of its key in the store.
    unique: Vec<Vec<u8>>,
    terms: usize,
    id_is_random: bool,
}

impl NewItem {
    /// Checks the body of a write. `given` is the partition key that the request named.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what is not a proper item, [`Error::TooLarge`], [`Error::PartitionKeyMismatch`] if the
    /// body's partition key differs from `given`.
    pub fn parse(container: &Container, body: &[u8], given: Option<&PartitionKey>) -> Result<Self, Error> {
        Self::parse_with(container, body, given, check_id)
    }

    /// [`NewItem::parse`] with rules of an API's own for ids, which may be empty then. No id is longer than
    /// [`MAX_ITEM_KEY_BYTES`].
    ///
    /// # Errors
    /// As [`NewItem::parse`], and what `check_id` refuses.
    pub fn parse_with(
        container: &Container,
        body: &[u8],
        given: Option<&PartitionKey>,
        check_id: fn(&str) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let document = NewDocument::from_json_with_room(body, HEADER_LEN).map_err(document_error)?;
        Self::from_document(container, document, given, check_id)
    }

    /// Checks a value made by this server: the outcome of a patch.
    pub(crate) fn from_value(container: &Container, value: &Value, given: &PartitionKey) -> Result<Self, Error> {
        let document = NewDocument::from_value_with_room(value, HEADER_LEN).map_err(document_error)?;
        Self::from_document(container, document, Some(given), check_id)
    }

    fn from_document(
        container: &Container,
        document: NewDocument,
        given: Option<&PartitionKey>,
        check_id: fn(&str) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let settings = container.settings();
        let view = document.document();
        let id = item_id(view.get("id"))?;
        check_id(&id)?;
        if id.len() > MAX_ITEM_KEY_BYTES {
            return Err(Error::TooLarge { what: "the id", size_bytes: id.len(), limit_bytes: MAX_ITEM_KEY_BYTES });
        }
        let extracted = settings.partition_key.extract(&view).map_err(|error| Error::invalid(error.to_string()))?;
        if let Some(given) = given.filter(|given| **given != extracted) {
            return Err(Error::PartitionKeyMismatch {
                message: format!(
                    "PartitionKey extracted from document doesn't match the one specified in the header: the document has {} and the header {}",
                    extracted.to_json(),
                    given.to_json()
                ),
            });
        }
        let partition = key::partition(&settings.partition_key, &extracted);
        let own_ttl = own_ttl(view.get("ttl"), settings.default_ttl.is_some())?;
        let unique = unique_tails(&settings, view.root(), &partition);
        // About one for each value.
        let terms = if settings.indexed { document.values() } else { 0 };
        Ok(NewItem { id, partition, own_ttl, unique, terms, document, id_is_random: false })
    }

    /// The item's name in its logical partition.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The id was made by this server of 122 random bits or more, so that no other item can have it: nobody looks whether one does.
    #[must_use]
    pub fn with_random_id(self) -> Self {
        NewItem { id_is_random: true, ..self }
    }

    pub(crate) fn id_is_random(&self) -> bool {
        self.id_is_random
    }

    /// What it holds so far: its system properties come with the commit.
    pub fn document(&self) -> Document<'_> {
        self.document.document()
    }

    /// Effective and real partition key, as they stand in the item's key.
    pub(crate) fn partition(&self) -> &[u8] {
        &self.partition
    }

    /// Tails of the keys under which its unique values are bound.
    pub(crate) fn unique(&self) -> &[Vec<u8>] {
        &self.unique
    }

    /// Index entries it makes, for the request charge.
    pub(crate) fn terms(&self) -> usize {
        self.terms
    }

    /// The item with what the commit decided. May be called again with other numbers.
    pub(crate) fn finish(
        &mut self,
        container: &Container,
        number: u64,
        document_number: u64,
        ticks: u64,
    ) -> Result<Item, Error> {
        let ts = ticks / TICKS_PER_SECOND;
        let rid = rid::encode(&rid::child(container.rid_bytes(), rid::RidKind::Document, document_number));
        let etag = etag::format(number, ts);
        let container_self = container.self_link().trim_end_matches('/');
        let system = SystemProperties { rid: &rid, container_self, etag: &etag, ts };
        self.document.stamp(&system).map_err(document_error)?;
        Header { number, document_number, ticks, own_ttl: self.own_ttl }.write(self.document.room_mut());
        // A copy: memory that was written last by this thread stays with the item, and the requests' threads use theirs again while it is
        // in their caches.
        Item::from_stored(Bytes::copy_from_slice(self.document.as_bytes()))
    }
}

fn missing_id() -> Error {
    Error::invalid("The input content is invalid because the required properties - 'id; ' - are missing")
}

fn item_id(id: Option<Node<'_>>) -> Result<String, Error> {
    let id = id.ok_or_else(missing_id)?.as_str();
    id.map(Cow::into_owned)
        .ok_or_else(|| Error::invalid("The input content is invalid because the property 'id' is not a string"))
}

/// The service's rules for ids.
///
/// # Errors
/// [`Error::Invalid`] with the rule it breaks.
fn check_id(id: &str) -> Result<(), Error> {
    if id.is_empty() {
        return Err(missing_id());
    }
    if id.len() > MAX_ITEM_ID_BYTES {
        return Err(Error::invalid(format!(
            "The input content is invalid because its id is {} bytes long. Ensure to provide a unique non-empty string less than '{}' characters.",
            id.len(),
            MAX_ITEM_ID_BYTES + 1
        )));
    }
    match id.chars().find(|c| matches!(c, '/' | '\\' | '?' | '#')) {
        Some(bad) => {
            Err(Error::invalid(format!("The input content is invalid because its id contains the character {bad:?}")))
        }
        None => Ok(()),
    }
}

/// The item's own time to live. A wrong value is refused only where it would count.
fn own_ttl(ttl: Option<Node<'_>>, enabled: bool) -> Result<Option<i32>, Error> {
    let Some(ttl) = ttl else { return Ok(None) };
    let seconds = ttl.as_number().map(|number| number.as_f64()).filter(|seconds| seconds.fract() == 0.0);
    match seconds {
        Some(seconds) if seconds == -1.0 || (1.0..=MAX_TTL_SECONDS as f64).contains(&seconds) => {
            Ok(Some(seconds as i32))
        }
        _ if !enabled => Ok(None),
        _ => Err(Error::invalid(format!(
            "The input ttl '{}' is invalid. Ensure to provide a nonzero positive integer less than or equal to '{MAX_TTL_SECONDS}', or -1 which means never expire.",
            String::from_utf8_lossy(ttl.text())
        ))),
    }
}

/// One key tail per unique key: partition, index of the constraint, values. A missing value counts as null, as on the service.
pub(crate) fn unique_tails(settings: &ContainerSettings, root: Node<'_>, partition: &[u8]) -> Vec<Vec<u8>> {
    let tail = |(unique, index): (&UniqueKey, u8)| {
        let mut tail = partition.to_vec();
        tail.push(index);
        append_values(&mut tail, &unique.paths, root);
        tail
    };
    settings.unique_keys.iter().zip(0..).map(tail).collect()
}

fn append_values(tail: &mut Vec<u8>, paths: &[PropertyPath], root: Node<'_>) {
    let mut values = Vec::new();
    for path in paths {
        let value = root.at_path(path).and_then(|node| node.to_value()).unwrap_or(Value::Null);
        value.write_json(&mut values);
        values.push(0);
    }
    if values.len() <= MAX_PLAIN_UNIQUE_BYTES {
        tail.push(0);
        tail.extend_from_slice(&values);
    } else {
        tail.push(1);
        tail.extend_from_slice(&xxhash_rust::xxh3::xxh3_128(&values).to_be_bytes());
    }
}

fn document_error(error: DocumentError) -> Error {
    match error {
        DocumentError::TooLarge { size_bytes } => {
            Error::TooLarge { what: "the item", size_bytes, limit_bytes: MAX_DOCUMENT_BYTES }
        }
        other => Error::invalid(format!("The input content is invalid: {other}")),
    }
}
