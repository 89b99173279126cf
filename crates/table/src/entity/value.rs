//! Values of properties and their types.

use crate::{DateTime, Guid};

/// The type of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdmType {
    /// Up to 64 KiB of bytes.
    Binary,
    /// `true` or `false`
    Boolean,
    /// A time of 100 ns resolution.
    DateTime,
    /// A double, NaN and the infinities among them.
    Double,
    /// An identifier of 128 bits.
    Guid,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// Text of up to 32,768 UTF-16 units.
    String,
}

impl EdmType {
    /// The name in annotations: `Edm.Binary`.
    pub fn name(self) -> &'static str {
        match self {
            EdmType::Binary => "Edm.Binary",
            EdmType::Boolean => "Edm.Boolean",
            EdmType::DateTime => "Edm.DateTime",
            EdmType::Double => "Edm.Double",
            EdmType::Guid => "Edm.Guid",
            EdmType::Int32 => "Edm.Int32",
            EdmType::Int64 => "Edm.Int64",
            EdmType::String => "Edm.String",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "Edm.Binary" => EdmType::Binary,
            "Edm.Boolean" => EdmType::Boolean,
            "Edm.DateTime" => EdmType::DateTime,
            "Edm.Double" => EdmType::Double,
            "Edm.Guid" => EdmType::Guid,
            "Edm.Int32" => EdmType::Int32,
            "Edm.Int64" => EdmType::Int64,
            "Edm.String" => EdmType::String,
            _ => return None,
        })
    }
}

/// The value of a property; `S` is what holds a text. Properties without a value are not kept, so that there is no null.
#[derive(Clone, Debug)]
pub enum EdmValue<S = String> {
    /// Bytes.
    Binary(Vec<u8>),
    /// `true` or `false`
    Boolean(bool),
    /// A time.
    DateTime(DateTime),
    /// A double of any kind.
    Double(f64),
    /// An identifier.
    Guid(Guid),
    /// A 32-bit integer.
    Int32(i32),
    /// A 64-bit integer.
    Int64(i64),
    /// Text.
    String(S),
}

impl<S> EdmValue<S> {
    /// Its type.
    pub fn edm_type(&self) -> EdmType {
        match self {
            EdmValue::Binary(_) => EdmType::Binary,
            EdmValue::Boolean(_) => EdmType::Boolean,
            EdmValue::DateTime(_) => EdmType::DateTime,
            EdmValue::Double(_) => EdmType::Double,
            EdmValue::Guid(_) => EdmType::Guid,
            EdmValue::Int32(_) => EdmType::Int32,
            EdmValue::Int64(_) => EdmType::Int64,
            EdmValue::String(_) => EdmType::String,
        }
    }
}

impl<S: PartialEq> PartialEq for EdmValue<S> {
    /// Of the same type and, doubles too, to the last bit: what was stored is what is read.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (EdmValue::Binary(a), EdmValue::Binary(b)) => a == b,
            (EdmValue::Boolean(a), EdmValue::Boolean(b)) => a == b,
            (EdmValue::DateTime(a), EdmValue::DateTime(b)) => a == b,
            (EdmValue::Double(a), EdmValue::Double(b)) => a.to_bits() == b.to_bits(),
            (EdmValue::Guid(a), EdmValue::Guid(b)) => a == b,
            (EdmValue::Int32(a), EdmValue::Int32(b)) => a == b,
            (EdmValue::Int64(a), EdmValue::Int64(b)) => a == b,
            (EdmValue::String(a), EdmValue::String(b)) => a == b,
            _ => false,
        }
    }
}
