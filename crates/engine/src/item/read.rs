//! Point reads: by id one key, no snapshot, no thread hop; by rid a few keys of one snapshot.

use orrery_store::{Snapshot, Space, Store};
use orrery_value::PartitionKey;

use super::key::{self, Side};
use super::{Item, Target};
use crate::Error;
use crate::catalog::{Container, ContainerSettings, rid};

/// The item, if it exists; whether it has expired is not looked at.
pub(crate) async fn read_item(
    store: &dyn Store,
    container: &Container,
    settings: &ContainerSettings,
    key: &PartitionKey,
    target: &Target,
) -> Result<Option<Item>, Error> {
    let partition = key::partition(&settings.partition_key, key);
    match target {
        Target::Id(id) => {
            let bytes = store.get(Space::Items, &key::item(container.number(), &partition, id)).await?;
            bytes.map(Item::from_stored).transpose()
        }
        Target::Rid(text) => by_rid(&*store.snapshot(), container, &partition, text).await,
    }
}

/// Items by partition keys and ids, those that exist and have not expired at `now`.
pub(crate) async fn read_items(
    snapshot: &dyn Snapshot,
    container: &Container,
    keys: &[(PartitionKey, &str)],
    now: u64,
) -> Result<Vec<Option<Item>>, Error> {
    let settings = container.settings();
    let place = |(key, id): &(PartitionKey, &str)| {
        key::item(container.number(), &key::partition(&settings.partition_key, key), id)
    };
    let found = snapshot.multi_get(Space::Items, keys.iter().map(place).collect()).await?;
    let item = |bytes: Option<bytes::Bytes>| {
        let item = bytes.map(Item::from_stored).transpose()?;
        Ok(item.filter(|item| !item.is_expired(&settings, now)))
    };
    found.into_iter().map(item).collect()
}

/// The item with that rid: a forwarding record leads to it if it was ever replaced, else the feed record of its first version.
async fn by_rid(
    snapshot: &dyn Snapshot,
    container: &Container,
    partition: &[u8],
    text: &str,
) -> Result<Option<Item>, Error> {
    let Some(number) = rid::document_number(container.rid_bytes(), text) else { return Ok(None) };
    let forward = key::side(container.number(), Side::Rid, &number.to_be_bytes());
    let rest = match snapshot.get(Space::Side, &forward).await? {
        Some(rest) => Some(rest),
        None => {
            let record = snapshot.get(Space::Feed, &key::feed(container.number(), number)).await?;
            record.filter(|record| record.len() >= 4).map(|record| record.slice(4..))
        }
    };
    let Some(rest) = rest.filter(|rest| rest.starts_with(partition)) else { return Ok(None) };
    let Some(bytes) = snapshot.get(Space::Items, &key::join(container.number(), &rest)).await? else { return Ok(None) };
    let item = Item::from_stored(bytes)?;
    // A feed record also exists for the number of each later version, which is no item's rid.
    Ok((item.document_number() == number).then_some(item))
}
