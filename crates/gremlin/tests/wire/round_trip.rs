//! What is written reads back as the same value, and what is read is written in the same bytes.

use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::io::{Format, read_value};
use proptest::prelude::*;

use super::strategies::value;
use super::{read, shown, written};

/// Elements lose an empty list of properties to GraphSON, which has no form for it.
fn without_empty_properties(text: &str) -> String {
    text.replace("properties: Some([])", "properties: None")
}

#[test]
fn an_entry_of_a_map_is_a_map_of_one() {
    let entry = GValue::Entry(Arc::new(("a".into(), 1.into())));
    for format in [Format::GraphBinary, Format::GraphSon1, Format::GraphSon2, Format::GraphSon3] {
        assert_eq!(written(&entry, format), written(&GValue::map([("a".into(), 1.into())]), format));
    }
}

proptest! {
    #[test]
    fn graph_binary_keeps_everything(value in value()) {
        let bytes = written(&value, Format::GraphBinary);
        let again = read(&bytes, Format::GraphBinary);
        prop_assert_eq!(shown(&again), shown(&value));
        prop_assert_eq!(written(&again, Format::GraphBinary), bytes);
    }

    #[test]
    fn graph_son_3_keeps_everything(value in value()) {
        let text = written(&value, Format::GraphSon3);
        let again = read(&text, Format::GraphSon3);
        prop_assert_eq!(without_empty_properties(&shown(&again)), without_empty_properties(&shown(&value)));
        prop_assert_eq!(written(&again, Format::GraphSon3), text);
    }

    /// GraphSON 2 makes lists of sets and strings of keys, but nothing else changes, and only once.
    #[test]
    fn graph_son_2_is_stable_once_read(value in value()) {
        let once = read(&written(&value, Format::GraphSon2), Format::GraphSon2);
        let text = written(&once, Format::GraphSon2);
        prop_assert_eq!(shown(&read(&text, Format::GraphSon2)), shown(&once));
    }

    #[test]
    fn without_types_it_is_json_still(value in value()) {
        let text = written(&value, Format::GraphSon1);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&text).is_ok());
        prop_assert!(read_value(&text, Format::GraphSon1).is_ok());
    }

    #[test]
    fn damaged_bytes_are_read_or_refused_within_themselves(
        value in value(), at in any::<prop::sample::Index>(), byte in any::<u8>(), length in any::<prop::sample::Index>(),
    ) {
        for format in [Format::GraphBinary, Format::GraphSon3] {
            let mut bytes = written(&value, format);
            let place = at.index(bytes.len());
            bytes[place] = byte;
            bytes.truncate(length.index(bytes.len()) + 1);
            if let Ok(again) = read_value(&bytes, format) {
                prop_assert_eq!(shown(&read(&written(&again, Format::GraphBinary), Format::GraphBinary)), shown(&again));
            }
        }
    }
}

#[test]
fn null_is_a_value_like_others() {
    for format in [Format::GraphBinary, Format::GraphSon1, Format::GraphSon3] {
        let value = GValue::list([GValue::Null, GValue::list([])]);
        assert_eq!(read(&written(&value, format), format), value);
    }
}
