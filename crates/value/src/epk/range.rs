//! Ranges of effective partition keys, and the even division of the hash space into such ranges.

use std::cmp::{max, min};
use std::fmt;

use super::Epk;
use super::hash::number_v1;
use crate::partition_key::PartitionKeyKind;

/// The keys from `min` on and below `max`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EpkRange {
    /// The first key.
    pub min: Epk,
    /// The first key after the range.
    pub max: Epk,
}

impl EpkRange {
    /// Every key: from `""` to `"FF"`.
    pub fn full() -> EpkRange {
        EpkRange { min: Epk::min(), max: Epk::max() }
    }

    /// Whether the range holds this key.
    pub fn contains(&self, key: &Epk) -> bool {
        self.min <= *key && *key < self.max
    }

    /// Whether the range holds all keys of `other`.
    pub fn contains_range(&self, other: &EpkRange) -> bool {
        other.is_empty() || (self.min <= other.min && other.max <= self.max)
    }

    /// Whether the range holds no key.
    pub fn is_empty(&self) -> bool {
        self.min >= self.max
    }

    /// The keys in both ranges, if there are any.
    pub fn intersect(&self, other: &EpkRange) -> Option<EpkRange> {
        let both = EpkRange { min: max(&self.min, &other.min).clone(), max: min(&self.max, &other.max).clone() };
        (!both.is_empty()).then_some(both)
    }

    /// Whether some key is in both ranges.
    pub fn overlaps(&self, other: &EpkRange) -> bool {
        max(&self.min, &other.min) < min(&self.max, &other.max)
    }
}

impl fmt::Display for EpkRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{})", self.min, self.max)
    }
}

/// `count` ranges from `""` to `"FF"`, each with an equal share of the hashes that keys of this kind can have. Without any
/// range asked for, one.
pub fn even_ranges(kind: PartitionKeyKind, count: u32) -> Vec<EpkRange> {
    let count = count.max(1);
    let inner = (1..count).map(|i| match kind {
        PartitionKeyKind::HashV1 => {
            let hash = u64::from(i) * u64::from(u32::MAX) / u64::from(count);
            Epk::from_bytes(number_v1(hash as u32))
        }
        PartitionKeyKind::HashV2 | PartitionKeyKind::MultiHash => Epk::from_bytes(share_of_v2(i, count).to_be_bytes()),
    });
    let bounds: Vec<Epk> = [Epk::min()].into_iter().chain(inner).chain([Epk::max()]).collect();
    bounds.windows(2).map(|pair| EpkRange { min: pair[0].clone(), max: pair[1].clone() }).collect()
}

/// `i / count` of the largest 128-bit hash; of these the two top bits are always clear.
fn share_of_v2(i: u32, count: u32) -> u128 {
    const LARGEST: u128 = (1 << 126) - 1;
    let (i, count) = (u128::from(i), u128::from(count));
    LARGEST / count * i + LARGEST % count * i / count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::partition_key::{KeyComponent, PartitionKey, PartitionKeyDefinition};
    use crate::path::PropertyPath;

    const KINDS: [PartitionKeyKind; 3] =
        [PartitionKeyKind::HashV1, PartitionKeyKind::HashV2, PartitionKeyKind::MultiHash];

    fn range(min: &str, max: &str) -> EpkRange {
        EpkRange { min: Epk::parse(min).unwrap(), max: Epk::parse(max).unwrap() }
    }

    #[test]
    fn ranges_are_half_open() {
        let r = range("10", "20");
        assert!(r.contains(&Epk::parse("10").unwrap()) && r.contains(&Epk::parse("1FFF").unwrap()));
        assert!(!r.contains(&Epk::parse("20").unwrap()) && !r.contains(&Epk::parse("0F").unwrap()));
        assert_eq!(r.intersect(&range("18", "30")), Some(range("18", "20")));
        assert_eq!(r.intersect(&range("20", "30")), None);
        assert!(EpkRange::full().contains_range(&r) && !r.contains_range(&EpkRange::full()));
        assert!(r.overlaps(&range("1F", "FF")) && !r.overlaps(&range("", "10")));
    }

    #[test]
    fn even_ranges_are_contiguous_at_every_count() {
        for kind in KINDS {
            for count in [0, 1, 2, 3, 5, 7, 100, 1000, 4096, 10_000] {
                let ranges = even_ranges(kind, count);
                assert_eq!(ranges.len(), count.max(1) as usize);
                assert_eq!(ranges[0].min, Epk::min());
                assert_eq!(ranges[ranges.len() - 1].max, Epk::max());
                assert!(ranges.iter().all(|range| range.min < range.max), "{kind:?} {count}");
                assert!(ranges.windows(2).all(|pair| pair[0].max == pair[1].min), "{kind:?} {count}");
            }
        }
    }

    #[test]
    fn even_ranges_get_even_shares_of_keys() {
        for kind in KINDS {
            let definition = PartitionKeyDefinition { paths: vec![PropertyPath::parse("/a").unwrap()], kind };
            let ranges = even_ranges(kind, 8);
            let mut hits = [0; 8];
            for i in 0..8000 {
                let epk = definition.epk(&PartitionKey::from_iter([format!("key-{i}")]));
                let range = ranges.iter().position(|range| range.contains(&epk)).unwrap();
                hits[range] += 1;
            }
            assert!(hits.iter().all(|hits| (850..1150).contains(hits)), "{kind:?} {hits:?}");
        }
    }

    proptest! {
        #[test]
        fn a_prefix_range_holds_exactly_the_keys_that_begin_so(a in 0..3u8, b in 0..3u8, c in 0..3u8, d in 0..3u8) {
            let paths = ["/a", "/b"].iter().map(|path| PropertyPath::parse(path).unwrap()).collect();
            let definition = PartitionKeyDefinition { paths, kind: PartitionKeyKind::MultiHash };
            let key = |values: &[u8]| PartitionKey(values.iter().map(|v| KeyComponent::Number(f64::from(*v))).collect());
            let full = definition.epk(&key(&[a, b]));
            prop_assert_eq!(definition.epk_range(&key(&[c])).contains(&full), a == c);
            prop_assert_eq!(definition.epk_range(&key(&[c, d])).contains(&full), (a, b) == (c, d));
            prop_assert!(definition.epk_range(&key(&[])).contains(&full));
        }
    }
}
