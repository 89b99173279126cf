//! The elements of an array argument, wherever the array is held.

use std::slice;

use orrery_value::{Value, document};

use crate::query::{Datum, Effort, Kind};

/// The elements of an array in order. Those of a stored array are read one by one.
pub(super) enum Elements<'d> {
    Stored(document::Elements<'d>),
    Held(slice::Iter<'d, Value>),
}

/// The elements of an array; none for other values.
pub(super) fn elements<'d>(array: &'d Datum<'_>) -> Option<Elements<'d>> {
    match array {
        Datum::Stored(node) if array.kind() == Kind::Array => Some(Elements::Stored(node.elements())),
        Datum::Stored(_) => None,
        Datum::Borrowed(value) => value.as_array().map(|elements| Elements::Held(elements.iter())),
        Datum::Owned(value) => value.as_array().map(|elements| Elements::Held(elements.iter())),
    }
}

/// Copies elements to the end of a list, each paid for; false if that is too much.
pub(super) fn copy<'d>(elements: impl Iterator<Item = Datum<'d>>, list: &mut Vec<Value>, effort: &Effort) -> bool {
    for element in elements {
        if !effort.spend(element.weight()) {
            return false;
        }
        list.push(element.into_value());
    }
    true
}

impl<'d> Iterator for Elements<'d> {
    type Item = Datum<'d>;

    fn next(&mut self) -> Option<Datum<'d>> {
        match self {
            Elements::Stored(elements) => elements.next().map(Datum::Stored),
            Elements::Held(elements) => elements.next().map(Datum::Borrowed),
        }
    }
}
