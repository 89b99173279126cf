//! Postings: which version of which item has a value, in the order of the items' keys.
//!
//! ```text
//! | place u32 | number u48 |     big-endian, 10 bytes
//! ```
//! The place is the beginning of the item's effective partition key, spread over 32 bits so that its order is that of the keys.

use orrery_value::PartitionKeyKind;

/// Bytes of a stored posting.
pub(super) const POSTING_LEN: usize = 10;

/// A posting as it is stored; its bytes order as postings do.
pub(super) type PackedPosting = [u8; POSTING_LEN];

/// A version of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Posting {
    /// Where the item lies: grows with the effective partition key. Items of different places are in the order of their keys.
    pub place: u32,
    /// The version's number, which its feed record has as key.
    pub number: u64,
}

impl Posting {
    pub(super) fn pack(self) -> PackedPosting {
        let [a, b, c, d] = self.place.to_be_bytes();
        let [_, _, e, f, g, h, i, j] = self.number.to_be_bytes();
        [a, b, c, d, e, f, g, h, i, j]
    }

    pub(super) fn unpack(packed: &PackedPosting) -> Posting {
        let [a, b, c, d, e, f, g, h, i, j] = *packed;
        let place = u32::from_be_bytes([a, b, c, d]);
        Posting { place, number: u64::from_be_bytes([0, 0, e, f, g, h, i, j]) }
    }
}

/// The place of an effective partition key, or of a bound between such keys.
///
/// The second hash clears its two top bits. The first one is a number of 32 bits behind a constant, printed with eight bits and then
/// seven to the byte; it is the place itself.
pub fn place_of(kind: PartitionKeyKind, epk: &[u8]) -> u32 {
    match kind {
        PartitionKeyKind::HashV2 | PartitionKeyKind::MultiHash => {
            let mut bytes = [0; 8];
            let length = epk.len().min(5);
            bytes[3..3 + length].copy_from_slice(&epk[..length]);
            let forty_bits = u64::from_be_bytes(bytes);
            u32::try_from(forty_bits >> 6).unwrap_or(u32::MAX)
        }
        PartitionKeyKind::HashV1 => match epk.split_first() {
            None => 0,
            Some((5, printed)) => printed_number(printed),
            Some((first, _)) if *first < 5 => 0,
            Some(_) => u32::MAX,
        },
    }
}

/// The number that the first hash printed, rounded down into 32 bits.
fn printed_number(printed: &[u8]) -> u32 {
    const SIGN: u64 = 1 << 63;
    let Some((first, rest)) = printed.split_first() else { return 0 };
    let mut ordered = u64::from(*first) << 56;
    for (seven, index) in rest.iter().zip(0..8) {
        ordered |= u64::from(seven >> 1) << (49 - 7 * index);
        if seven & 1 == 0 {
            break;
        }
    }
    if ordered & SIGN == 0 {
        return 0;
    }
    let number = f64::from_bits(ordered & !SIGN);
    // Casts saturate; what is no number is above all.
    if number.is_nan() { u32::MAX } else { number as u32 }
}

/// Places from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first place.
    pub first: u32,
    /// The last place.
    pub last: u32,
}

impl Window {
    /// All places.
    pub const ALL: Window = Window { first: 0, last: u32::MAX };

    /// The places of the keys from `min` on and below or at `max`, which may hold a few more keys at its ends.
    pub fn of_epks(kind: PartitionKeyKind, min: &[u8], max: &[u8]) -> Window {
        Window { first: place_of(kind, min), last: place_of(kind, max) }
    }

    /// Whether a place is in the window.
    pub fn contains(&self, place: u32) -> bool {
        (self.first..=self.last).contains(&place)
    }

    /// Cuts the window at the sixteenths of all places: in each of these, one value's postings can be read by themselves.
    pub fn sixteenths(self) -> impl Iterator<Item = Window> {
        (sixteenth(self.first)..=sixteenth(self.last)).map(move |index| Window {
            first: self.first.max(index << 28),
            last: self.last.min(end_of_sixteenth(index << 28)),
        })
    }
}

/// No block of postings crosses a border between sixteenths of the places.
pub(super) fn sixteenth(place: u32) -> u32 {
    place >> 28
}

/// The last place of the sixteenth that `place` is in.
pub(super) fn end_of_sixteenth(place: u32) -> u32 {
    place | 0x0FFF_FFFF
}

/// What is in both of two ascending lists.
pub fn intersect(a: &[Posting], b: &[Posting]) -> Vec<Posting> {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut found = Vec::new();
    let mut rest = large;
    for posting in small {
        // Doubling steps, then halving: a short list skips through a long one.
        let mut step = 1;
        while rest.get(step).is_some_and(|other| other < posting) {
            step *= 2;
        }
        let from = step / 2;
        let skipped = rest[from.min(rest.len())..(step + 1).min(rest.len())].partition_point(|other| other < posting);
        rest = &rest[(from + skipped).min(rest.len())..];
        if rest.first() == Some(posting) {
            found.push(*posting);
        }
    }
    found
}

/// What is in either of two ascending lists, once.
pub fn union(a: &[Posting], b: &[Posting]) -> Vec<Posting> {
    let mut both = [a, b].concat();
    // Two sorted runs are merged in one pass.
    both.sort();
    both.dedup();
    both
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use orrery_value::{PartitionKey, PartitionKeyDefinition, PropertyPath, even_ranges};
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;

    fn definition(kind: &str, version: u8, paths: usize) -> PartitionKeyDefinition {
        let paths = ["/a", "/b", "/c"][..paths].iter().map(|path| PropertyPath::parse(path).unwrap()).collect();
        PartitionKeyDefinition::try_new(kind, Some(version), paths).unwrap()
    }

    proptest! {
        #[test]
        fn places_are_in_the_order_of_keys(keys in vec(("[a-z]{0,6}", any::<i64>()), 2..30)) {
            for definition in [definition("Hash", 1, 1), definition("Hash", 2, 1), definition("MultiHash", 2, 2)] {
                let mut epks: Vec<Vec<u8>> = keys.iter().map(|(text, number)| {
                    let parts = if definition.paths.len() == 1 { format!("[{text:?}]") } else { format!("[{text:?},{number}]") };
                    definition.epk(&PartitionKey::parse_header(&parts).unwrap()).as_bytes().to_vec()
                }).collect();
                epks.extend(even_ranges(definition.kind, 7).into_iter().flat_map(|range| {
                    [range.min.as_bytes().to_vec(), range.max.as_bytes().to_vec()]
                }));
                epks.sort();
                let places: Vec<u32> = epks.iter().map(|epk| place_of(definition.kind, epk)).collect();
                prop_assert!(places.is_sorted(), "{:?}", places);
            }
        }

        #[test]
        fn any_bytes_have_a_place_and_keep_their_order(mut bounds in vec(vec(any::<u8>(), 0..8), 2..20)) {
            bounds.extend(bounds.clone().into_iter().map(|bound| [&[5, 0xC1][..], &bound].concat()));
            bounds.sort();
            for kind in [PartitionKeyKind::HashV1, PartitionKeyKind::HashV2] {
                let places: Vec<u32> = bounds.iter().map(|bound| place_of(kind, bound)).collect();
                prop_assert!(places.is_sorted(), "{:?}", places);
            }
        }

        #[test]
        fn lists_are_joined_as_sets_are(a in btree_set(0u64..60, 0..40), b in btree_set(0u64..60, 0..8)) {
            let list = |set: &BTreeSet<u64>| set.iter().map(|number| Posting { place: 1, number: *number }).collect::<Vec<_>>();
            prop_assert_eq!(intersect(&list(&a), &list(&b)), list(&(&a & &b)));
            prop_assert_eq!(union(&list(&a), &list(&b)), list(&(&a | &b)));
        }

        #[test]
        fn packed_postings_order_alike(a in any::<(u32, u32)>(), b in any::<(u32, u32)>()) {
            let posting = |(place, number): (u32, u32)| Posting { place, number: u64::from(number) << 15 };
            let (a, b) = (posting(a), posting(b));
            prop_assert_eq!(a.cmp(&b), a.pack().cmp(&b.pack()));
            prop_assert_eq!(Posting::unpack(&a.pack()), a);
        }
    }

    #[test]
    fn the_first_hash_spreads_over_all_places() {
        let places: Vec<u32> = even_ranges(PartitionKeyKind::HashV1, 16)
            .iter()
            .skip(1)
            .map(|range| sixteenth(place_of(PartitionKeyKind::HashV1, range.min.as_bytes())))
            .collect();
        // The bounds are rounded down, to the last hash before the next sixteenth.
        assert_eq!(places, (0..15).collect::<Vec<_>>());
    }

    #[test]
    fn windows_are_cut_at_sixteenths() {
        let window = Window { first: 0x1000_0005, last: 0x3000_0000 };
        let parts: Vec<Window> = window.sixteenths().collect();
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0], Window { first: 0x1000_0005, last: 0x1FFF_FFFF });
        assert_eq!(parts[2], Window { first: 0x3000_0000, last: 0x3000_0000 });
        assert_eq!(Window::ALL.sixteenths().count(), 16);
    }
}
