//! Partition keys keep their values through the header's form and the store's, which orders as keys do; every key has a place.
//!
//! The input is two headers with a line feed between them; it is also read as a stored key.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_value::{Epk, PartitionKey, PartitionKeyDefinition, PropertyPath};

fuzz_target!(|input: &[u8]| {
    stored_keys_are_canonical(input);
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (a, b) = text.split_once('\n').unwrap_or((text, "[]"));
    let (Some(a), Some(b)) = (key(a), key(b)) else { return };
    assert_eq!(encoded(&a).cmp(&encoded(&b)), a.cmp(&b), "{a:?} {b:?}");
});

/// Reads a header and checks all that holds for one key.
fn key(header: &str) -> Option<PartitionKey> {
    let key = PartitionKey::parse_header(header).ok()?;
    let printed = key.to_json();
    assert_eq!(PartitionKey::parse_header(&printed).as_ref(), Ok(&key), "{printed}");
    let stored = [&encoded(&key)[..], b"rest"].concat();
    assert_eq!(PartitionKey::decode(&stored), Ok((key.clone(), &b"rest"[..])));
    for definition in definitions(key.components().len()) {
        if definition.check(&key).is_ok() {
            has_a_place(&definition, &key);
        }
    }
    Some(key)
}

fn has_a_place(definition: &PartitionKeyDefinition, key: &PartitionKey) {
    let epk = definition.epk(key);
    assert!(epk > Epk::min() && epk < Epk::max(), "{epk}");
    assert_eq!(Epk::parse(&epk.to_string()).as_ref(), Ok(&epk));
    for count in 0..=key.components().len() {
        let prefix: PartitionKey = key.components()[..count].iter().cloned().collect();
        if count == key.components().len() || definition.paths.len() > 1 {
            assert!(definition.epk_range(&prefix).contains(&epk), "{key:?} is not below its prefix {prefix:?}");
        }
    }
}

/// The definitions whose keys have this many values.
fn definitions(count: usize) -> Vec<PartitionKeyDefinition> {
    let paths = || (0..count).map(|i| PropertyPath::from_iter([format!("p{i}")])).collect::<Vec<_>>();
    let kinds = [("Hash", Some(1)), ("Hash", Some(2)), ("MultiHash", Some(2))];
    kinds
        .into_iter()
        .filter_map(|(kind, version)| PartitionKeyDefinition::try_new(kind, version, paths()).ok())
        .collect()
}

fn stored_keys_are_canonical(bytes: &[u8]) {
    if let Ok((key, rest)) = PartitionKey::decode(bytes) {
        assert_eq!(encoded(&key), bytes[..bytes.len() - rest.len()]);
    }
}

fn encoded(key: &PartitionKey) -> Vec<u8> {
    let mut bytes = Vec::new();
    key.encode(&mut bytes);
    bytes
}
