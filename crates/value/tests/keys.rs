//! Partition keys as bytes in the store.

use orrery_value::PartitionKey;
use proptest::prelude::*;

use crate::strategies;

fn encoded(key: &PartitionKey) -> Vec<u8> {
    let mut out = Vec::new();
    key.encode(&mut out);
    out
}

proptest! {
    #[test]
    fn bytes_compare_as_keys_do(a in strategies::partition_key(), b in strategies::partition_key()) {
        prop_assert_eq!(encoded(&a).cmp(&encoded(&b)), a.cmp(&b), "{:?} and {:?}", a, b);
    }

    #[test]
    fn what_follows_a_key_does_not_change_its_order(
        a in strategies::partition_key(),
        b in strategies::partition_key(),
        tail in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        prop_assume!(a != b);
        let order = [encoded(&a), tail.clone()].concat().cmp(&[encoded(&b), tail].concat());
        prop_assert_eq!(order, a.cmp(&b));
    }

    #[test]
    fn keys_round_trip(key in strategies::partition_key(), tail in prop::collection::vec(any::<u8>(), 0..4)) {
        let bytes = [encoded(&key), tail.clone()].concat();
        let (decoded, rest) = PartitionKey::decode(&bytes).unwrap();
        prop_assert_eq!(&decoded, &key);
        prop_assert_eq!(rest, &tail[..]);
        prop_assert_eq!(PartitionKey::parse_header(&key.to_json()).unwrap(), key);
    }

    #[test]
    fn prefixes_begin_the_bytes_of_their_keys(key in strategies::partition_key(), len in 0usize..4) {
        let prefix = PartitionKey(key.0.iter().take(len).cloned().collect());
        let mut bytes = Vec::new();
        prefix.encode_prefix(&mut bytes);
        prop_assert!(encoded(&key).starts_with(&bytes));
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(prop_oneof![0u8..8, any::<u8>()], 0..32)) {
        if let Ok((key, rest)) = PartitionKey::decode(&bytes) {
            // No key has two forms.
            prop_assert_eq!([&encoded(&key)[..], rest].concat(), bytes);
        }
    }
}
