//! The physical partitions of a container: which request an item goes with.

use orrery_value::{Epk, EpkRange, PartitionKey, PartitionKeyDefinition};
use serde::Deserialize;

use super::link::ContainerLink;
use super::request::Request;
use super::{Connection, RemoteError};

/// The partition key ranges of a container, without gaps, in the order of their keys.
#[derive(Clone, Debug)]
pub struct Ranges {
    ranges: Vec<(String, EpkRange)>,
}

#[derive(Deserialize)]
struct Feed {
    #[serde(rename = "PartitionKeyRanges")]
    ranges: Vec<RawRange>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawRange {
    id: String,
    min_inclusive: String,
    max_exclusive: String,
}

impl Ranges {
    /// The id of the range that a key is in.
    pub fn id_of(&self, definition: &PartitionKeyDefinition, key: &PartitionKey) -> &str {
        let epk = definition.epk(key);
        let index = self.ranges.partition_point(|(_, range)| range.max <= epk);
        &self.ranges[index.min(self.ranges.len() - 1)].0
    }

    fn parse(body: &[u8]) -> Result<Ranges, String> {
        let feed: Feed = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        let mut ranges = Vec::with_capacity(feed.ranges.len());
        for raw in feed.ranges {
            let bound = |hex: &str| Epk::parse(hex).map_err(|error| format!("range {}: {error}", raw.id));
            let range = EpkRange { min: bound(&raw.min_inclusive)?, max: bound(&raw.max_exclusive)? };
            ranges.push((raw.id, range));
        }
        if ranges.is_empty() {
            return Err("the container has no partition key range".into());
        }
        ranges.sort_by(|(_, a), (_, b)| a.min.cmp(&b.min));
        Ok(Ranges { ranges })
    }
}

impl Connection {
    /// Reads the partition key ranges of a container.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn ranges(&mut self, container: &ContainerLink) -> Result<Ranges, RemoteError> {
        let request = Request::get(format!("{}/pkranges", container.path()), "pkranges", container.link());
        let reply = self.call(&request).await?;
        Ranges::parse(&reply.body).map_err(|reason| self.unreadable(reason))
    }
}

#[cfg(test)]
mod tests {
    use orrery_value::PropertyPath;

    use super::*;

    #[test]
    fn every_key_is_in_the_range_that_holds_it() {
        let feed = br#"{"PartitionKeyRanges":[
            {"id":"2","minInclusive":"20","maxExclusive":"FF"},
            {"id":"1","minInclusive":"","maxExclusive":"20"}]}"#;
        let ranges = Ranges::parse(feed).unwrap();
        let definition =
            PartitionKeyDefinition::try_new("Hash", Some(2), vec![PropertyPath::parse("/pk").unwrap()]).unwrap();
        let mut seen = [0, 0];
        for number in 0..200 {
            let key = PartitionKey::from_iter([format!("key {number}")]);
            let id = ranges.id_of(&definition, &key);
            let low = definition.epk(&key) < Epk::parse("20").unwrap();
            assert_eq!(id, if low { "1" } else { "2" });
            seen[usize::from(low)] += 1;
        }
        assert!(seen[0] > 50 && seen[1] > 50, "{seen:?}");
    }

    #[test]
    fn feeds_without_ranges_are_refused() {
        assert!(Ranges::parse(br#"{"PartitionKeyRanges":[]}"#).is_err());
        assert!(Ranges::parse(b"<html>").is_err());
        assert!(
            Ranges::parse(br#"{"PartitionKeyRanges":[{"id":"0","minInclusive":"x","maxExclusive":"FF"}]}"#).is_err()
        );
    }
}
