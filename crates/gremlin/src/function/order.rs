//! How values compare: equality, comparability and orderability. (Equivalence is `==`.)
//!
//! - [`equals`] is what `P.eq()` asks: total, and values of different families differ. NaN equals nothing.
//! - [`compare`] is what `P.lt()` asks: within one family only, and containers compare only item by item.
//! - [`total_order`] is what `order()` asks: every value has its place.

use std::cmp::Ordering;

use super::number;
use crate::value::{BulkSet, Constant, DateTime, GMap, GSet, GValue};

/// Families of values, in their order. Only values of one family compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Null,
    Boolean,
    Number,
    Date,
    String,
    Uuid,
    Vertex,
    Edge,
    VertexProperty,
    Property,
    Path,
    Set,
    List,
    Map,
    Entry,
    /// Of other kinds each is one by itself.
    Other,
}

/// Whether two values are equal.
pub fn equals(one: &GValue, two: &GValue) -> bool {
    match (one, two) {
        (GValue::String(one), GValue::String(two)) => one == two,
        _ => compare(one, two) == Some(Ordering::Equal),
    }
}

/// Compares two values. `None` if they do not compare: they are of different families, or one is or holds NaN, or they are containers of
/// different size.
pub fn compare(one: &GValue, two: &GValue) -> Option<Ordering> {
    let family = family(one);
    if family != self::family(two) {
        return None;
    }
    match (one, two) {
        _ if family == Family::Number => number::compare(one, two),
        (GValue::Vertex(one), GValue::Vertex(two)) => compare(&one.id, &two.id),
        (GValue::Edge(one), GValue::Edge(two)) => compare(&one.id, &two.id),
        (GValue::VertexProperty(one), GValue::VertexProperty(two)) => compare(&one.id, &two.id),
        (GValue::Property(one), GValue::Property(two)) => {
            let values = compare(&one.value, &two.value)?;
            Some(strings(&one.key, &two.key).then(values))
        }
        (GValue::List(one), GValue::List(two)) => compare_all(one.iter(), two.iter()),
        (GValue::Path(one), GValue::Path(two)) => compare_all(one.objects.iter(), two.objects.iter()),
        (GValue::Entry(one), GValue::Entry(two)) => {
            compare_all([&one.0, &one.1].into_iter(), [&two.0, &two.1].into_iter())
        }
        (GValue::Map(one), GValue::Map(two)) => compare_all(flat(entries(one)), flat(entries(two))),
        _ if family == Family::Set => {
            let (one, two) = (members(one), members(two));
            let counts = one.iter().map(|(_, count)| count).cmp(two.iter().map(|(_, count)| count));
            compare_all(one.iter().map(|(value, _)| *value), two.iter().map(|(value, _)| *value))
                .map(|values| values.then(counts))
        }
        _ => natural(one, two).or_else(|| (one == two).then_some(Ordering::Equal)),
    }
}

/// The order of all values: null, booleans, numbers with NaN last, dates, strings, UUIDs, vertices, edges, vertex properties, properties,
/// paths, sets, lists, maps, entries of maps, others. Numbers of different classes and equal value are equal here.
pub fn total_order(one: &GValue, two: &GValue) -> Ordering {
    // Among keys of a map tokens stand where their names would.
    if let (GValue::Constant(Constant::T(token)), other) = (one, two) {
        return total_order(&token.name().into(), other);
    }
    if let (_, GValue::Constant(Constant::T(token))) = (one, two) {
        return total_order(one, &token.name().into());
    }
    let family = family(one);
    let families = family.cmp(&self::family(two));
    if families != Ordering::Equal {
        return families;
    }
    match (one, two) {
        _ if family == Family::Number => number::total_order(one, two),
        (GValue::Vertex(one), GValue::Vertex(two)) => total_order(&one.id, &two.id),
        (GValue::Edge(one), GValue::Edge(two)) => total_order(&one.id, &two.id),
        (GValue::VertexProperty(one), GValue::VertexProperty(two)) => total_order(&one.id, &two.id),
        (GValue::Property(one), GValue::Property(two)) => {
            strings(&one.key, &two.key).then_with(|| total_order(&one.value, &two.value))
        }
        (GValue::List(one), GValue::List(two)) => order_all(one.iter(), two.iter()),
        (GValue::Path(one), GValue::Path(two)) => order_all(one.objects.iter(), two.objects.iter()),
        (GValue::Entry(one), GValue::Entry(two)) => {
            order_all([&one.0, &one.1].into_iter(), [&two.0, &two.1].into_iter())
        }
        (GValue::Map(one), GValue::Map(two)) => order_all(flat(entries(one)), flat(entries(two))),
        _ if family == Family::Set => {
            let (one, two) = (members(one), members(two));
            let counts = one.iter().map(|(_, count)| count).cmp(two.iter().map(|(_, count)| count));
            order_all(one.iter().map(|(value, _)| *value), two.iter().map(|(value, _)| *value)).then(counts)
        }
        _ => one.kind().cmp(two.kind()).then_with(|| natural(one, two).unwrap_or(Ordering::Equal)),
    }
}

/// Texts by UTF-16 code units, which is not the order of their bytes beyond the first plane.
pub fn strings(one: &str, two: &str) -> Ordering {
    let at = one.bytes().zip(two.bytes()).position(|(one, two)| one != two);
    match at.and_then(|at| one.as_bytes().get(at).zip(two.as_bytes().get(at))) {
        // Lead bytes of the first plane's last block, and of what lies behind it: surrogates stand before the former.
        Some((&(0xEE..), &(0xEE..))) => one.encode_utf16().cmp(two.encode_utf16()),
        _ => one.cmp(two),
    }
}

fn family(value: &GValue) -> Family {
    match value {
        GValue::Null => Family::Null,
        GValue::Bool(_) => Family::Boolean,
        GValue::Date(_) | GValue::DateTime(_) => Family::Date,
        GValue::String(_) => Family::String,
        GValue::Uuid(_) => Family::Uuid,
        GValue::Vertex(_) => Family::Vertex,
        GValue::Edge(_) => Family::Edge,
        GValue::VertexProperty(_) => Family::VertexProperty,
        GValue::Property(_) => Family::Property,
        GValue::Path(_) => Family::Path,
        GValue::Set(_) | GValue::BulkSet(_) => Family::Set,
        GValue::List(_) => Family::List,
        GValue::Map(_) => Family::Map,
        GValue::Entry(_) => Family::Entry,
        number if number.is_number() => Family::Number,
        _ => Family::Other,
    }
}

/// The order of a scalar family. `None` where a kind has none.
fn natural(one: &GValue, two: &GValue) -> Option<Ordering> {
    Some(match (one, two) {
        (GValue::Null, GValue::Null) => Ordering::Equal,
        (GValue::Bool(one), GValue::Bool(two)) => one.cmp(two),
        (GValue::String(one), GValue::String(two)) => strings(one, two),
        // As Java has it: the halves with their signs.
        (GValue::Uuid(one), GValue::Uuid(two)) => {
            let signed = |(high, low): (u64, u64)| (high as i64, low as i64);
            signed(one.as_u64_pair()).cmp(&signed(two.as_u64_pair()))
        }
        (GValue::Char(one), GValue::Char(two)) => one.cmp(two),
        (GValue::Duration(one), GValue::Duration(two)) => one.cmp(two),
        (GValue::Binary(one), GValue::Binary(two)) => one.cmp(two),
        (GValue::Class(one), GValue::Class(two)) => one.cmp(two),
        (GValue::Constant(one), GValue::Constant(two)) if one.enumeration() == two.enumeration() => one.cmp(two),
        _ => instant(one)?.cmp(&instant(two)?),
    })
}

/// A point in time, wherever it is told.
fn instant(value: &GValue) -> Option<(i64, u32)> {
    let date = match value {
        GValue::Date(ms) => DateTime::from_ms(*ms),
        GValue::DateTime(date) => *date,
        _ => return None,
    };
    Some((date.seconds, date.nanos))
}

/// Pairwise, if all pairs compare and none is left over.
fn compare_all<'a>(
    mut one: impl Iterator<Item = &'a GValue>,
    mut two: impl Iterator<Item = &'a GValue>,
) -> Option<Ordering> {
    let mut result = Ordering::Equal;
    loop {
        match (one.next(), two.next()) {
            (Some(one), Some(two)) => result = result.then(compare(one, two)?),
            (None, None) => return Some(result),
            _ => return None,
        }
    }
}

/// Pairwise; a prefix is smaller.
fn order_all<'a>(mut one: impl Iterator<Item = &'a GValue>, mut two: impl Iterator<Item = &'a GValue>) -> Ordering {
    loop {
        match (one.next(), two.next()) {
            (Some(one), Some(two)) => match total_order(one, two) {
                Ordering::Equal => {}
                decided => return decided,
            },
            (one, two) => return one.is_some().cmp(&two.is_some()),
        }
    }
}

/// Keys and values in the order of keys.
fn entries(map: &GMap) -> Vec<(&GValue, &GValue)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by(|one, two| total_order(one.0, two.0).then_with(|| total_order(one.1, two.1)));
    entries
}

fn flat<'a>(entries: Vec<(&'a GValue, &'a GValue)>) -> impl Iterator<Item = &'a GValue> {
    entries.into_iter().flat_map(|(key, value)| [key, value])
}

/// Members of a set and how often they are in it, in order.
fn members(set: &GValue) -> Vec<(&GValue, i64)> {
    let mut members: Vec<(&GValue, i64)> = match set {
        GValue::Set(set) => once_each(set).collect(),
        GValue::BulkSet(set) => counted(set).collect(),
        _ => Vec::new(),
    };
    members.sort_by(|one, two| total_order(one.0, two.0).then(one.1.cmp(&two.1)));
    members
}

fn once_each(set: &GSet) -> impl Iterator<Item = (&GValue, i64)> {
    set.iter().map(|member| (member, 1))
}

fn counted(set: &BulkSet) -> impl Iterator<Item = (&GValue, i64)> {
    set.items.iter().map(|(member, count)| (member, *count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Direction, T, Uuid};

    fn list(numbers: &[i32]) -> GValue {
        GValue::list(numbers.iter().map(|number| GValue::Int(*number)))
    }

    #[test]
    fn values_of_different_families_neither_compare_nor_equal() {
        let values =
            [GValue::Null, true.into(), 1.into(), "a".into(), list(&[1]), GValue::set([1.into()]), GValue::map([])];
        for (i, one) in values.iter().enumerate() {
            for (j, two) in values.iter().enumerate() {
                assert_eq!(equals(one, two), i == j, "{one:?} {two:?}");
                assert_eq!(compare(one, two).is_some(), i == j, "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn containers_compare_by_items_of_any_class() {
        assert!(equals(&GValue::list([1.into(), 2_i64.into()]), &GValue::list([1.0.into(), GValue::Byte(2)])));
        assert!(equals(&GValue::set([1.into(), 2.into()]), &GValue::set([2.0.into(), 1.0.into()])));
        assert!(!equals(&GValue::list([f64::NAN.into()]), &GValue::list([f64::NAN.into()])));
        assert_eq!(compare(&list(&[1, 2]), &list(&[1, 3])), Some(Ordering::Less));
        assert_eq!(compare(&list(&[1, 2]), &list(&[1])), None);
        assert_eq!(compare(&list(&[1, 2]), &GValue::list([1.into(), "b".into()])), None);
        let map = |value: i32| GValue::map([("a".into(), value.into()), ("b".into(), 1.into())]);
        assert_eq!(compare(&map(1), &map(2)), Some(Ordering::Less));
    }

    #[test]
    fn everything_has_its_place_in_the_total_order() {
        let values = [
            GValue::Null,
            false.into(),
            true.into(),
            2.into(),
            f64::NAN.into(),
            GValue::Date(0),
            GValue::DateTime(DateTime::from_ms(1)),
            "a".into(),
            "b".into(),
            T::Label.into(),
            GValue::Uuid(Uuid::from_u128(u128::MAX)),
            GValue::Uuid(Uuid::from_u128(1)),
            GValue::set([]),
            list(&[1]),
            list(&[1, 2]),
            list(&[2]),
            GValue::map([]),
            GValue::map([("a".into(), 1.into())]),
            Direction::In.into(),
        ];
        for (i, one) in values.iter().enumerate() {
            for (j, two) in values.iter().enumerate() {
                assert_eq!(total_order(one, two), i.cmp(&j), "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn strings_compare_by_code_units() {
        assert_eq!(strings("\u{1F600}", "\u{FF5E}"), Ordering::Less);
        assert_eq!(strings("\u{1F600}", "\u{1F601}"), Ordering::Less);
        assert_eq!(strings("a\u{E000}", "a\u{10000}"), Ordering::Greater);
        assert_eq!(strings("abc", "abd"), Ordering::Less);
        assert_eq!(strings("ab", "abc"), Ordering::Less);
    }
}
