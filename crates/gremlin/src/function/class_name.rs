//! Names of classes, as messages have them: clients compare messages with those of Java.

use crate::value::GValue;

/// The name without its package.
pub(crate) fn simple(value: &GValue) -> &'static str {
    match value {
        GValue::Null => "null",
        GValue::Bool(_) => "Boolean",
        GValue::Byte(_) => "Byte",
        GValue::Short(_) => "Short",
        GValue::Int(_) => "Integer",
        GValue::Long(_) => "Long",
        GValue::BigInteger(_) => "BigInteger",
        GValue::Float(_) => "Float",
        GValue::Double(_) => "Double",
        GValue::BigDecimal(_) => "BigDecimal",
        GValue::String(_) => "String",
        GValue::Char(_) => "Character",
        GValue::Uuid(_) => "UUID",
        GValue::Date(_) => "Date",
        GValue::DateTime(_) => "OffsetDateTime",
        GValue::Duration(_) => "Duration",
        GValue::Binary(_) => "ByteBuffer",
        GValue::List(_) => "ArrayList",
        GValue::Set(_) => "LinkedHashSet",
        GValue::Map(_) => "LinkedHashMap",
        GValue::Entry(_) => "Entry",
        GValue::BulkSet(_) => "BulkSet",
        GValue::Vertex(_) => "Vertex",
        GValue::Edge(_) => "Edge",
        GValue::VertexProperty(_) => "VertexProperty",
        GValue::Property(_) => "Property",
        GValue::Path(_) => "Path",
        GValue::Tree(_) => "Tree",
        GValue::Graph(_) => "Graph",
        GValue::Constant(constant) => constant.enumeration(),
        GValue::Class(_) => "Class",
        other => other.kind(),
    }
}
