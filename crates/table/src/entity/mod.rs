//! Entities: typed properties under a key.
//!
//! `body.rs` reads what a request brings, `document.rs` says how an entity lies in the engine and reads it from there, `merge.rs` lays
//! one over the other, `write.rs` writes replies straight from stored documents.

mod base64;
mod body;
mod document;
mod limits;
mod members;
mod merge;
mod select;
mod stored;
mod tables;
mod token;
mod value;
mod write;

pub use body::EntityBody;
pub(crate) use document::{ANNOTATION, binary_text, member_name, not_finite};
pub use limits::{MAX_ENTITY_BYTES, MAX_PROPERTIES, MAX_PROPERTY_NAME_CHARACTERS, MAX_PROPERTY_VALUE_BYTES};
pub use merge::merge;
pub use select::Select;
pub use tables::TableWriter;
pub(crate) use token::double;
pub use value::{EdmType, EdmValue};
pub use write::{EntityWriter, Location, MetadataLevel};

use crate::{DateTime, EntityKey};

/// An entity in memory. Replies do not go through it; see [`EntityWriter`].
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Its name.
    pub key: EntityKey,
    /// When it was last written; its tag follows from this.
    pub timestamp: DateTime,
    /// Its other properties, in the order in which they were first written.
    pub properties: Vec<Property>,
}

/// A property of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name, which is case-sensitive.
    pub name: String,
    /// Its value.
    pub value: EdmValue,
}

impl Entity {
    /// The value of a property other than the three of the system.
    pub fn property(&self, name: &str) -> Option<&EdmValue> {
        self.properties.iter().find(|property| property.name == name).map(|property| &property.value)
    }
}
