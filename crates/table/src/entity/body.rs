//! The JSON of a request.

use std::ops::Range;

use super::document::{ANNOTATION, member_name, open_document, property_name, write_property};
use super::limits::{MAX_PROPERTIES, check_name, check_size, check_value};
use super::members::{Member, read_members};
use super::token::{self, read_value};
use super::{EdmType, EdmValue, Property};
use crate::json_text::begin_member;
use crate::{Dialect, EntityKey, Error, ErrorCode};

/// An entity as a request gives it: keys perhaps, and properties that have a value.
#[derive(Clone, Debug, Default)]
pub struct EntityBody {
    /// PartitionKey, if the body has it.
    pub partition_key: Option<String>,
    /// RowKey, if the body has it.
    pub row_key: Option<String>,
    /// The other properties in the body's order, without those that are null, as members of a document.
    text: Vec<u8>,
    properties: Vec<Written>,
}

/// Where a property lies in the text.
#[derive(Clone, Debug)]
struct Written {
    /// The member's name, between its quotes.
    name: Range<usize>,
    /// The members: an annotation perhaps, then the property's own.
    members: Range<usize>,
}

impl EntityBody {
    /// Reads the body of an insert and checks each property by itself. `Timestamp` and members of OData are ignored.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what is not JSON or has values of the wrong type, and the codes for names and values that are too
    /// long or given twice.
    pub fn parse(body: &[u8], dialect: Dialect) -> Result<Self, Error> {
        EntityBody::read(body, dialect, BodyKeys::Count)
    }

    /// Reads the body of a replace or merge, whose keys stand in the address. In the Storage dialect those in the body do not matter,
    /// whatever they are: clients send them with the types that they had before they became keys.
    ///
    /// # Errors
    /// As [`EntityBody::parse`].
    pub fn parse_change(body: &[u8], dialect: Dialect) -> Result<Self, Error> {
        let keys = match dialect {
            Dialect::Storage => BodyKeys::DoNotMatter,
            Dialect::Cosmos => BodyKeys::Count,
        };
        EntityBody::read(body, dialect, keys)
    }

    /// A body without keys that gives these properties.
    pub fn of(properties: &[Property]) -> Self {
        let mut body = EntityBody::default();
        properties.iter().for_each(|property| body.write(&property.name, &property.value));
        body
    }

    fn read(body: &[u8], dialect: Dialect, keys: BodyKeys) -> Result<Self, Error> {
        let members = read_members(body)?;
        let annotations = annotations(&members)?;
        let mut read = EntityBody {
            // What is written is what was read, but for annotations in another order.
            text: Vec::with_capacity(body.len()),
            properties: Vec::with_capacity(members.len()),
            ..EntityBody::default()
        };
        for ((name, value), annotation) in members.iter().zip(annotations) {
            if keys == BodyKeys::DoNotMatter && matches!(&**name, "PartitionKey" | "RowKey") {
                continue;
            }
            read.add(name, value, annotation)?;
        }
        if dialect == Dialect::Storage && read.properties.len() > MAX_PROPERTIES {
            return Err(Error::new(ErrorCode::TooManyProperties));
        }
        Ok(read)
    }

    /// Takes the keys of an entity to insert out, which the body must have. They are checked.
    ///
    /// # Errors
    /// [`ErrorCode::PropertiesNeedValue`] if one is missing, and those of [`EntityKey::check`].
    pub fn take_key(&mut self, dialect: Dialect) -> Result<EntityKey, Error> {
        let missing = || Error::new(ErrorCode::PropertiesNeedValue);
        let partition_key = self.partition_key.take().ok_or_else(missing)?;
        let row_key = self.row_key.take().ok_or_else(missing)?;
        let key = EntityKey { partition_key, row_key };
        key.check(dialect)?;
        Ok(key)
    }

    /// The document of an entity that has these properties and no others: what is stored by an insert or replace. The keys count, not
    /// those in the body.
    ///
    /// # Errors
    /// [`ErrorCode::EntityTooLarge`]
    pub fn to_document(&self, key: &EntityKey, dialect: Dialect) -> Result<Vec<u8>, Error> {
        let mut out = Vec::with_capacity(64 + key.partition_key.len() + key.row_key.len() + self.text.len());
        open_document(key, &mut out);
        if !self.text.is_empty() {
            begin_member(&mut out);
            out.extend_from_slice(&self.text);
        }
        out.push(b'}');
        check_size(dialect, key, &out)?;
        Ok(out)
    }

    /// The names of its properties, in order.
    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        let name = |property: &Written| std::str::from_utf8(&self.text[property.name.clone()]).unwrap_or_default();
        self.properties.iter().map(move |property| property_name(name(property)))
    }

    /// The members of the property at a place among the names.
    pub(super) fn members(&self, place: usize) -> &[u8] {
        &self.text[self.properties[place].members.clone()]
    }

    /// Bytes of its properties in a document.
    pub(super) fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Takes a member in.
    fn add(&mut self, name: &str, value: &str, annotation: Option<&str>) -> Result<(), Error> {
        match name {
            "PartitionKey" => self.partition_key = key_value(name, value, annotation)?,
            "RowKey" => self.row_key = key_value(name, value, annotation)?,
            "Timestamp" => {}
            text if text.starts_with("odata.") || text.contains("@odata.") => {}
            _ => {
                check_name(name)?;
                if let Some(value) = read_value(name, value, edm_type(name, annotation)?)? {
                    check_value(name, &value)?;
                    self.write(name, &value);
                }
            }
        }
        Ok(())
    }

    fn write<S: AsRef<str>>(&mut self, name: &str, value: &EdmValue<S>) {
        begin_member(&mut self.text);
        let start = self.text.len();
        let member = member_name(name);
        write_property(&member, value, &mut self.text);
        let name = start + 1..start + 1 + member.len();
        self.properties.push(Written { name, members: start..self.text.len() });
    }
}

/// Whether the keys in a body count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyKeys {
    Count,
    DoNotMatter,
}

/// Of each member the value of the one that says its type.
///
/// # Errors
/// [`ErrorCode::DuplicatePropertiesSpecified`]
fn annotations<'t>(members: &[Member<'t>]) -> Result<Vec<Option<&'t str>>, Error> {
    let order = |a: &str, b: &str| a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    let mut sorted: Vec<usize> = (0..members.len()).collect();
    sorted.sort_unstable_by(|a, b| order(&members[*a].0, &members[*b].0));
    if let Some(pair) = sorted.windows(2).find(|pair| members[pair[0]].0 == members[pair[1]].0) {
        let detail = format_args!("It is '{}'.", members[pair[0]].0);
        return Err(Error::with_detail(ErrorCode::DuplicatePropertiesSpecified, detail));
    }
    let mut found = vec![None; members.len()];
    for (name, value) in members {
        if let Some(property) = name.strip_suffix(ANNOTATION)
            && let Ok(place) = sorted.binary_search_by(|member| order(&members[*member].0, property))
        {
            found[sorted[place]] = Some(*value);
        }
    }
    Ok(found)
}

fn edm_type(name: &str, annotation: Option<&str>) -> Result<Option<EdmType>, Error> {
    let Some(annotation) = annotation else { return Ok(None) };
    let text = token::string(annotation);
    match text.as_deref().and_then(EdmType::from_name) {
        Some(edm_type) => Ok(Some(edm_type)),
        None => Err(Error::invalid_input(format_args!("The type of the property '{name}' is unknown."))),
    }
}

fn key_value(name: &str, value: &str, annotation: Option<&str>) -> Result<Option<String>, Error> {
    if !matches!(edm_type(name, annotation)?, None | Some(EdmType::String)) {
        return Err(Error::invalid_input(format_args!("The '{name}' must be of the type Edm.String.")));
    }
    if token::is_null(value) {
        return Ok(None);
    }
    let text = token::string(value);
    text.map(|text| Some(text.into_owned()))
        .ok_or_else(|| Error::invalid_input(format_args!("The '{name}' must be a string.")))
}
