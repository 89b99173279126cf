//! The JSON of a request.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::document::{ANNOTATION, open_document, write_property};
use super::limits::{MAX_PROPERTIES, check_name, check_size, check_value, size_bytes};
use super::members::{Member, Members};
use super::token::{self, read_value};
use super::{EdmType, Property};
use crate::{Dialect, EntityKey, Error, ErrorCode};

/// An entity as a request gives it: keys perhaps, and properties that have a value.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityBody {
    /// PartitionKey, if the body has it.
    pub partition_key: Option<String>,
    /// RowKey, if the body has it.
    pub row_key: Option<String>,
    /// The other properties in the body's order, without those that are null.
    pub properties: Vec<Property>,
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

    fn read(body: &[u8], dialect: Dialect, keys: BodyKeys) -> Result<Self, Error> {
        let Members(members) = Members::read(body)?;
        let annotations = annotations(&members)?;
        let mut read = EntityBody { partition_key: None, row_key: None, properties: Vec::with_capacity(members.len()) };
        for ((name, value), annotation) in members.into_iter().zip(annotations) {
            if keys == BodyKeys::DoNotMatter && matches!(&*name, "PartitionKey" | "RowKey") {
                continue;
            }
            read.add(name, value, annotation)?;
        }
        if dialect == Dialect::Storage && read.properties.len() > MAX_PROPERTIES {
            return Err(Error::new(ErrorCode::TooManyProperties));
        }
        Ok(read)
    }

    /// The keys of an entity to insert, which the body must have. They are checked.
    ///
    /// # Errors
    /// [`ErrorCode::PropertiesNeedValue`] if one is missing, and those of [`EntityKey::check`].
    pub fn key(&self, dialect: Dialect) -> Result<EntityKey, Error> {
        let missing = || Error::new(ErrorCode::PropertiesNeedValue);
        let partition_key = self.partition_key.clone().ok_or_else(missing)?;
        let row_key = self.row_key.clone().ok_or_else(missing)?;
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
        let mut out = Vec::with_capacity(64 + 48 * self.properties.len());
        open_document(key, &mut out);
        for property in &self.properties {
            write_property(property, &mut out);
        }
        out.push(b'}');
        check_size(dialect, out.len(), || size_bytes(key, &self.properties))?;
        Ok(out)
    }

    /// Takes a member in.
    fn add(&mut self, name: Cow<'_, str>, value: &RawValue, annotation: Option<&RawValue>) -> Result<(), Error> {
        match &*name {
            "PartitionKey" => self.partition_key = key_value(&name, value, annotation)?,
            "RowKey" => self.row_key = key_value(&name, value, annotation)?,
            "Timestamp" => {}
            text if text.starts_with("odata.") || text.contains("@odata.") => {}
            _ => {
                check_name(&name)?;
                if let Some(value) = read_value(&name, value.get(), edm_type(&name, annotation)?)? {
                    check_value(&name, &value)?;
                    self.properties.push(Property { name: name.into_owned(), value });
                }
            }
        }
        Ok(())
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
fn annotations<'t>(members: &[Member<'t>]) -> Result<Vec<Option<&'t RawValue>>, Error> {
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

fn edm_type(name: &str, annotation: Option<&RawValue>) -> Result<Option<EdmType>, Error> {
    let Some(annotation) = annotation else { return Ok(None) };
    let text = token::string(annotation.get());
    match text.as_deref().and_then(EdmType::from_name) {
        Some(edm_type) => Ok(Some(edm_type)),
        None => Err(Error::invalid_input(format_args!("The type of the property '{name}' is unknown."))),
    }
}

fn key_value(name: &str, value: &RawValue, annotation: Option<&RawValue>) -> Result<Option<String>, Error> {
    if !matches!(edm_type(name, annotation)?, None | Some(EdmType::String)) {
        return Err(Error::invalid_input(format_args!("The '{name}' must be of the type Edm.String.")));
    }
    if token::is_null(value.get()) {
        return Ok(None);
    }
    let text = token::string(value.get());
    text.map(|text| Some(text.into_owned()))
        .ok_or_else(|| Error::invalid_input(format_args!("The '{name}' must be a string.")))
}
