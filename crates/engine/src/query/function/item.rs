//! Functions of whole objects.

use orrery_value::{Object, Value};

use super::{Function, between, exactly, text};
use crate::catalog::rid;
use crate::query::{Datum, Effort, Kind};

/// Bits of the last 8 bytes of an item's rid that hold its number; those above say what kind of resource it is.
const DOCUMENT_NUMBER_BITS: u32 = 60;

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("DOCUMENTID", 1, |a, _| document_id(&a[0]).into()),
    between("OBJECTTOARRAY", 1, 3, |a, effort| object_to_array(a, effort).into()),
];

/// The number in an item's `_rid`.
fn document_id(item: &Datum<'_>) -> Option<i64> {
    let bytes = match item {
        Datum::Stored(node) => rid::decode(&node.get("_rid")?.as_str()?),
        Datum::Borrowed(value) => rid::decode(value.get("_rid")?.as_str()?),
        Datum::Owned(value) => rid::decode(value.get("_rid")?.as_str()?),
    }?;
    let number = u64::from_le_bytes(bytes.get(rid::CONTAINER_RID_LEN..)?.try_into().ok()?);
    if number >> DOCUMENT_NUMBER_BITS != rid::RidKind::Document as u64 {
        return None;
    }
    i64::try_from(number).ok()
}

/// An object for each member, its name as `k` and its value as `v`, or as the further arguments have it.
fn object_to_array(arguments: &[Datum<'_>], effort: &Effort) -> Option<Value> {
    let name = |at: usize, default: &str| match arguments.get(at) {
        Some(argument) => text(argument, effort).map(|name| name.into_owned()),
        None => Some(default.to_owned()),
    };
    let (key, value) = (name(1, "k")?, name(2, "v")?);
    let object = &arguments[0];
    if object.kind() != Kind::Object || !effort.spend(object.weight()) {
        return None;
    }
    let object = object.as_value();
    let members = object.as_object()?;
    let label_len = key.len() + value.len();
    let pair = |(member, content): (&str, &Value)| {
        let mut pair = Object::new();
        pair.insert(key.as_str(), member);
        pair.insert(value.as_str(), content.clone());
        Value::Object(pair)
    };
    effort.spend(members.len() * label_len).then(|| Value::Array(members.iter().map(pair).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn objects_become_lists_of_their_members() {
        check(&[
            ("OBJECTTOARRAY", r#"[{"a": 1, "b": [2]}]"#, r#"[{"k":"a","v":1},{"k":"b","v":[2]}]"#),
            ("OBJECTTOARRAY", r#"[{"a": 1}, "name"]"#, r#"[{"name":"a","v":1}]"#),
            ("OBJECTTOARRAY", r#"[{"a": 1}, "name", "is"]"#, r#"[{"name":"a","is":1}]"#),
            ("OBJECTTOARRAY", "[{}]", "[]"),
            ("OBJECTTOARRAY", "[[1]]", ""),
            ("OBJECTTOARRAY", r#"[{"a": 1}, 7]"#, ""),
        ]);
    }

    #[test]
    fn an_items_number_is_read_off_its_rid() {
        check(&[
            ("DOCUMENTID", r#"[{"id": "x", "_rid": "36ZyAPW+uN8NAAAAAAAAAA=="}]"#, "13"),
            // A container's, and a stored procedure's.
            ("DOCUMENTID", r#"[{"_rid": "36ZyAPW+uN8="}]"#, ""),
            ("DOCUMENTID", r#"[{"_rid": "36ZyAPW+uN8NAAAAAAAAgA=="}]"#, ""),
            ("DOCUMENTID", r#"[{"_rid": "garbage"}]"#, ""),
            ("DOCUMENTID", r#"[{"id": "x"}]"#, ""),
            ("DOCUMENTID", r#"["36ZyAPW+uN8NAAAAAAAAAA=="]"#, ""),
        ]);
    }
}
