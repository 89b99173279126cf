//! Which items a request is about: partition key, partition key range, a part of the key space, or all.

use std::sync::Arc;

use http::StatusCode;
use orrery_engine::{Container, Error, PartitionMap, PartitionRange, Scope};
use orrery_value::{Epk, EpkRange, PartitionKey, PartitionKeyDefinition, PartitionKeyError};

use crate::sql_api::error::{ApiError, PARTITION_KEY_MISMATCH};
use crate::sql_api::header_names as names;
use crate::sql_api::request::RequestContext;

/// The physical partitions that a request reaches, by the ids of their ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// A single one, as any request with a whole partition key.
    One(u32),
    /// Several, in key order.
    Many(Vec<u32>),
}

impl Reach {
    /// The ids.
    pub fn ranges(&self) -> &[u32] {
        match self {
            Reach::One(id) => std::slice::from_ref(id),
            Reach::Many(ids) => ids,
        }
    }

    /// The ranges that hold these keys.
    pub fn of_keys<'k>(container: &Container, keys: impl Iterator<Item = &'k PartitionKey>) -> Reach {
        let (settings, partitions) = (container.settings(), container.partitions());
        let mut ids: Vec<u32> = keys.map(|key| owner(&settings.partition_key, &partitions, key)).collect();
        ids.sort_unstable();
        ids.dedup();
        Reach::Many(ids)
    }
}

/// The logical partition of an operation on one item.
#[derive(Debug)]
pub(super) struct ItemPlace {
    pub key: PartitionKey,
    pub reach: Reach,
}

/// The items of a list, feed or query.
#[derive(Debug)]
pub(super) struct FeedPlace {
    pub scope: Scope,
    pub reach: Reach,
    /// Whether the client named a key or range; without it the request is about the whole container.
    pub is_named: bool,
}

/// Where the item of a single operation, or those of a batch, lie.
///
/// # Errors
/// 400/1001 without a partition key or with one that does not fit the container; 410/1002 if the request names a range that
/// does not exist or does not hold the key.
pub(super) fn item_place(cx: &RequestContext<'_>, container: &Container) -> Result<ItemPlace, ApiError> {
    let settings = container.settings();
    let header = match cx.text(&names::PARTITION_KEY)? {
        Some(header) => header,
        None if settings.partition_key.paths.is_empty() => "[]",
        None => return Err(missing_key()),
    };
    let key = whole_key(&settings.partition_key, header)?;
    let partitions = container.partitions();
    let range = owner(&settings.partition_key, &partitions, &key);
    if let Some(id) = named_range(cx, container, &partitions)?
        && id.id != range
    {
        return Err(Error::RangeGone { id: id.id.to_string() }.into());
    }
    Ok(ItemPlace { key, reach: Reach::One(range) })
}

/// The items that a list, feed or query is about.
///
/// # Errors
/// 400 for bounds or keys that are malformed or do not fit the container, 410/1002 for a range that does not exist or does not
/// hold the key.
pub(super) fn feed_place(cx: &RequestContext<'_>, container: &Container) -> Result<FeedPlace, ApiError> {
    let partitions = container.partitions();
    let named = Named {
        key: cx.text(&names::PARTITION_KEY)?,
        range: named_range(cx, container, &partitions)?,
        start: cx.text(&names::START_EPK)?,
        end: cx.text(&names::END_EPK)?,
    };
    named.resolve(&container.settings().partition_key, &partitions)
}

/// The range that the request is limited to, if any.
///
/// # Errors
/// 410/1002 if there is none of that name.
pub(super) fn named_range<'p>(
    cx: &RequestContext<'_>,
    container: &Container,
    partitions: &'p Arc<PartitionMap>,
) -> Result<Option<&'p PartitionRange>, ApiError> {
    let Some(text) = cx.text(&names::PARTITION_KEY_RANGE_ID)? else { return Ok(None) };
    // Some clients put the container's rid in front.
    let id = match text.rsplit_once(',') {
        Some((rid, _)) if !rid.is_empty() && rid != container.rid() => {
            return Err(Error::RangeGone { id: text.chars().take(80).collect() }.into());
        }
        Some((_, id)) => id,
        None => text,
    };
    Ok(Some(partitions.range(id)?))
}

/// Reads a key that must have a value for every path.
///
/// # Errors
/// 400 for what is no key, 400/1001 for one that does not fit.
pub(super) fn whole_key(definition: &PartitionKeyDefinition, header: &str) -> Result<PartitionKey, ApiError> {
    let key = PartitionKey::parse_header(header).map_err(key_error)?;
    definition.check(&key).map_err(key_error)?;
    Ok(key)
}

/// 400/1001: an operation on one item came without its partition key.
pub(super) fn missing_key() -> ApiError {
    ApiError::bad_request(format!(
        "PartitionKey value must be supplied for this operation: send the header '{}'",
        names::PARTITION_KEY
    ))
    .with_sub_status(PARTITION_KEY_MISMATCH)
}

/// The id of the range that holds `key`, which has a value for every path.
fn owner(definition: &PartitionKeyDefinition, partitions: &PartitionMap, key: &PartitionKey) -> u32 {
    match partitions.ranges() {
        [only] => only.id,
        _ => partitions.owner(&definition.epk(key)).id,
    }
}

fn key_error(error: PartitionKeyError) -> ApiError {
    if let PartitionKeyError::ComponentCount { .. } = error {
        // The service's words, which its clients' tests look for.
        let reason = format!(
            "Partition key provided either doesn't correspond to definition in the collection or doesn't match partition key field values specified in the document. ({error})"
        );
        return ApiError::bad_request(reason).with_sub_status(PARTITION_KEY_MISMATCH);
    }
    ApiError::new(StatusCode::BAD_REQUEST, error.to_string())
}

/// What a request says about its items.
#[derive(Debug, Default)]
struct Named<'a> {
    key: Option<&'a str>,
    range: Option<&'a PartitionRange>,
    start: Option<&'a str>,
    end: Option<&'a str>,
}

impl Named<'_> {
    fn resolve(&self, definition: &PartitionKeyDefinition, partitions: &PartitionMap) -> Result<FeedPlace, ApiError> {
        let bounds = bounds(self.start, self.end)?;
        let key = self.key()?.filter(|key| !key.components().is_empty());
        if let Some(key) = &key {
            definition.check_prefix(key).map_err(key_error)?;
        }
        match key {
            Some(key) if key.components().len() == definition.paths.len() => {
                // The key says all: clients derive the bounds that come with it from the key.
                let owner = owner(definition, partitions, &key);
                match self.range {
                    Some(range) if range.id != owner => Err(Error::RangeGone { id: range.id.to_string() }.into()),
                    _ => Ok(FeedPlace { scope: Scope::Partition(key), reach: Reach::One(owner), is_named: true }),
                }
            }
            key => {
                let prefix = key.map(|key| definition.epk_range(&key));
                let parts = [prefix, self.range.map(|range| range.epk.clone()), bounds];
                Ok(intersection(parts, partitions))
            }
        }
    }

    /// The partition key; `None` also for a list in place of its values (`[[]]`), which is how a client that was given an empty
    /// key writes it.
    fn key(&self) -> Result<Option<PartitionKey>, ApiError> {
        let is_empty_list = |text: &&str| text.bytes().filter(|byte| !byte.is_ascii_whitespace()).eq(*b"[[]]");
        match self.key.filter(|text| !is_empty_list(text)) {
            Some(text) => PartitionKey::parse_header(text).map(Some).map_err(key_error),
            None => Ok(None),
        }
    }
}

/// The keys that are in all of `parts`, those that are absent holding every key.
fn intersection(parts: [Option<EpkRange>; 3], partitions: &PartitionMap) -> FeedPlace {
    let mut parts = parts.into_iter().flatten();
    let Some(first) = parts.next() else {
        let reach = Reach::Many(partitions.ranges().iter().map(|range| range.id).collect());
        return FeedPlace { scope: Scope::Container, reach, is_named: false };
    };
    let nothing = EpkRange { min: first.min.clone(), max: first.min.clone() };
    let epk = parts.try_fold(first, |all, part| all.intersect(&part)).unwrap_or(nothing);
    let reached = partitions.ranges().iter().filter(|range| range.epk.overlaps(&epk));
    let reach = Reach::Many(reached.map(|range| range.id).collect());
    FeedPlace { scope: Scope::Range(epk), reach, is_named: true }
}

/// The part of the key space between two bounds. Equal bounds mean that one key.
fn bounds(start: Option<&str>, end: Option<&str>) -> Result<Option<EpkRange>, ApiError> {
    if start.is_none() && end.is_none() {
        return Ok(None);
    }
    let parse = |text: &str| Epk::parse(text).map_err(|error| ApiError::bad_request(error.to_string()));
    let min = start.map_or(Ok(Epk::min()), parse)?;
    let max = end.map_or(Ok(Epk::max()), parse)?;
    if min > max {
        return Err(ApiError::bad_request(format!(
            "The value '{min}' of the header '{}' lies above the value '{max}' of '{}'",
            names::START_EPK,
            names::END_EPK
        )));
    }
    let max = if min == max { max.prefix_end() } else { max };
    Ok(Some(EpkRange { min, max }))
}

#[cfg(test)]
mod tests {
    use orrery_value::PropertyPath;

    use super::*;

    fn definition(kind: &str, paths: &[&str]) -> PartitionKeyDefinition {
        let paths = paths.iter().map(|path| PropertyPath::parse(path).unwrap()).collect();
        PartitionKeyDefinition::try_new(kind, Some(2), paths).unwrap()
    }

    /// Range 1 below 20, range 2 from there on.
    fn two_ranges() -> PartitionMap {
        PartitionMap::even(&definition("Hash", &["/pk"]), 1).split(0, Epk::parse("20").unwrap()).unwrap()
    }

    fn epk(min: &str, max: &str) -> EpkRange {
        EpkRange { min: Epk::parse(min).unwrap(), max: Epk::parse(max).unwrap() }
    }

    #[test]
    fn nothing_named_is_the_whole_container() {
        let place = Named::default().resolve(&definition("Hash", &["/pk"]), &two_ranges()).unwrap();
        assert_eq!((place.scope, place.reach, place.is_named), (Scope::Container, Reach::Many(vec![1, 2]), false));
        for empty in ["[]", " [ [ ] ] "] {
            let named = Named { key: Some(empty), ..Named::default() };
            assert!(!named.resolve(&definition("Hash", &["/pk"]), &two_ranges()).unwrap().is_named, "{empty}");
        }
    }

    #[test]
    fn a_whole_key_is_one_logical_partition_whatever_bounds_come_with_it() {
        let map = two_ranges();
        // "redmond" hashes to 22E342…, which range 2 holds.
        let mut named = Named {
            key: Some(r#"["redmond"]"#),
            range: Some(map.range("2").unwrap()),
            start: Some("22"),
            end: Some("23"),
        };
        let place = named.resolve(&definition("Hash", &["/pk"]), &map).unwrap();
        assert_eq!(place.scope, Scope::Partition(PartitionKey::parse_header(r#"["redmond"]"#).unwrap()));
        assert_eq!(place.reach, Reach::One(2));
        named.range = Some(map.range("1").unwrap());
        let error = named.resolve(&definition("Hash", &["/pk"]), &map).unwrap_err();
        assert_eq!((error.status.as_u16(), error.sub_status), (410, 1002));
    }

    #[test]
    fn a_prefix_is_cut_with_range_and_bounds() {
        let map = two_ranges();
        let hierarchical = definition("MultiHash", &["/tenant", "/user"]);
        // "contoso" hashes to 0A4BA226…, which range 1 holds.
        let named = Named { key: Some(r#"["contoso"]"#), ..Named::default() };
        let place = named.resolve(&hierarchical, &map).unwrap();
        let prefix = epk("0A4BA22644167DA7161C260336FB5423", "0A4BA22644167DA7161C260336FB5423FF");
        assert_eq!((place.scope, place.reach), (Scope::Range(prefix), Reach::Many(vec![1])));
        let elsewhere = Named { key: Some(r#"["contoso"]"#), range: Some(map.range("2").unwrap()), ..Named::default() };
        let place = elsewhere.resolve(&hierarchical, &map).unwrap();
        assert!(matches!(place.scope, Scope::Range(range) if range.is_empty()));
        assert_eq!(place.reach, Reach::Many(Vec::new()));
    }

    #[test]
    fn bounds_narrow_a_range() {
        let map = two_ranges();
        let named =
            Named { range: Some(map.range("1").unwrap()), start: Some("10"), end: Some("30"), ..Named::default() };
        let place = named.resolve(&definition("Hash", &["/pk"]), &map).unwrap();
        assert_eq!((place.scope, place.reach), (Scope::Range(epk("10", "20")), Reach::Many(vec![1])));
        let alone = Named { start: Some("10"), end: Some("30"), ..Named::default() };
        let place = alone.resolve(&definition("Hash", &["/pk"]), &map).unwrap();
        assert_eq!((place.scope, place.reach), (Scope::Range(epk("10", "30")), Reach::Many(vec![1, 2])));
        let point = Named { start: Some("10AB"), end: Some("10ab"), ..Named::default() };
        let place = point.resolve(&definition("Hash", &["/pk"]), &map).unwrap();
        assert_eq!(place.scope, Scope::Range(epk("10AB", "10ABFF")));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let map = two_ranges();
        let refused = |named: Named<'_>| {
            let error = named.resolve(&definition("Hash", &["/pk"]), &map).unwrap_err();
            (error.status.as_u16(), error.sub_status)
        };
        assert_eq!(refused(Named { start: Some("30"), end: Some("10"), ..Named::default() }), (400, 0));
        assert_eq!(refused(Named { start: Some("3"), ..Named::default() }), (400, 0));
        assert_eq!(refused(Named { key: Some("x"), ..Named::default() }), (400, 0));
        assert_eq!(refused(Named { key: Some(r#"["a","b"]"#), ..Named::default() }), (400, 1001));
        let prefix = whole_key(&definition("MultiHash", &["/a", "/b"]), r#"["x"]"#).unwrap_err();
        assert_eq!((prefix.status.as_u16(), prefix.sub_status), (400, 1001));
        assert!(
            prefix
                .reason()
                .starts_with("Partition key provided either doesn't correspond to definition in the collection")
        );
    }
}
