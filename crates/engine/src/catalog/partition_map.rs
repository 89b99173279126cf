//! The physical partitions of a container: contiguous ranges of effective partition keys.

use orrery_value::{Epk, EpkRange, PartitionKeyDefinition, even_ranges};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Throughput that one physical partition can serve; a container of more gets several.
pub const RU_PER_PARTITION: u32 = 10_000;
/// Ranges a container can have: enough for ten million RU/s, and small enough to send whole to every client.
pub const MAX_PARTITIONS: usize = 1_000;

/// A sorted list of ranges from the minimum to the maximum key, without gap or overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionMap {
    ranges: Vec<PartitionRange>,
    next_id: u32,
    version: u64,
}

/// One physical partition.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionRange {
    /// The number clients address it by.
    pub id: u32,
    /// The keys in it.
    pub epk: EpkRange,
    /// The ranges it came from by splits, oldest first.
    pub parents: Vec<u32>,
}

impl PartitionMap {
    /// `count` ranges that divide the key space evenly.
    pub fn even(definition: &PartitionKeyDefinition, count: usize) -> Self {
        let ranges: Vec<_> = even_ranges(definition.kind, count.clamp(1, MAX_PARTITIONS) as u32)
            .into_iter()
            .zip(0..)
            .map(|(epk, id)| PartitionRange { id, epk, parents: Vec::new() })
            .collect();
        PartitionMap { next_id: ranges.len() as u32, ranges, version: 1 }
    }

    /// The ranges in key order.
    pub fn ranges(&self) -> &[PartitionRange] {
        &self.ranges
    }

    /// Changes with every split; clients cache the map under it.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The range with that id.
    ///
    /// # Errors
    /// [`Error::RangeGone`] if there never was one, or if it was split.
    pub fn range(&self, id: &str) -> Result<&PartitionRange, Error> {
        let gone = || Error::RangeGone { id: id.chars().take(40).collect() };
        let number: u32 = id.trim().parse().map_err(|_| gone())?;
        self.ranges.iter().find(|range| range.id == number).ok_or_else(gone)
    }

    /// The range that holds `epk`.
    pub fn owner(&self, epk: &Epk) -> &PartitionRange {
        let after = self.ranges.partition_point(|range| range.epk.min <= *epk);
        &self.ranges[after.saturating_sub(1)]
    }

    /// The map after the range `id` was divided at `at`: two new ranges whose parents name the old one.
    ///
    /// # Errors
    /// [`Error::RangeGone`] for an unknown range, [`Error::Invalid`] if `at` is not strictly inside it or the map is full.
    pub fn split(&self, id: u32, at: Epk) -> Result<Self, Error> {
        let index =
            self.ranges.iter().position(|range| range.id == id).ok_or(Error::RangeGone { id: id.to_string() })?;
        let old = &self.ranges[index];
        if at <= old.epk.min || at >= old.epk.max {
            return Err(Error::invalid(format!("the split point {at} lies outside of range {id}")));
        }
        if self.ranges.len() >= MAX_PARTITIONS {
            return Err(Error::invalid(format!(
                "the container has {MAX_PARTITIONS} partition key ranges, which is the most it can have"
            )));
        }
        let parents: Vec<u32> = old.parents.iter().copied().chain([id]).collect();
        let part = |id, min: Epk, max: Epk| PartitionRange { id, epk: EpkRange { min, max }, parents: parents.clone() };
        let mut ranges = self.ranges.clone();
        ranges.splice(
            index..=index,
            [part(self.next_id, old.epk.min.clone(), at.clone()), part(self.next_id + 1, at, old.epk.max.clone())],
        );
        Ok(PartitionMap { ranges, next_id: self.next_id + 2, version: self.version + 1 })
    }

    /// Form in which the catalog keeps it.
    pub(crate) fn to_record(&self) -> PartitionMapRecord {
        let ranges = self.ranges.iter().map(|range| RangeRecord {
            id: range.id,
            min: range.epk.min.to_string(),
            max: range.epk.max.to_string(),
            parents: range.parents.clone(),
        });
        PartitionMapRecord { ranges: ranges.collect(), next_id: self.next_id, version: self.version }
    }

    /// Reads the catalog's form; `None` if it does not describe a contiguous map.
    pub(crate) fn from_record(record: &PartitionMapRecord) -> Option<Self> {
        let mut ranges = Vec::with_capacity(record.ranges.len());
        for range in &record.ranges {
            let epk = EpkRange { min: Epk::parse(&range.min).ok()?, max: Epk::parse(&range.max).ok()? };
            ranges.push(PartitionRange { id: range.id, epk, parents: range.parents.clone() });
        }
        let whole = ranges.first()?.epk.min == Epk::min() && ranges.last()?.epk.max == Epk::max();
        let contiguous = ranges.windows(2).all(|pair| pair[0].epk.max == pair[1].epk.min);
        (whole && contiguous).then_some(PartitionMap { ranges, next_id: record.next_id, version: record.version })
    }
}

/// [`PartitionMap`] as the catalog stores it; bounds are upper-case hex.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PartitionMapRecord {
    ranges: Vec<RangeRecord>,
    next_id: u32,
    version: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RangeRecord {
    id: u32,
    min: String,
    max: String,
    parents: Vec<u32>,
}
