//! The living versions of a container at one moment, for what is kept in memory beside the store and has to be exact.
//!
//! A container's feed has one record for each living version, under the version's number. Numbers only grow, so who knows the numbers that
//! lived at an earlier moment knows those of a later one from two things: the feed behind the earlier moment, and which of the known
//! numbers are gone. Of the gone ones most are remembered ([`Versions::died_since`]); whether these are all is told by the container's count
//! of items ([`Versions::count`]), which is the number of records in its feed. If they are not, [`Versions::numbers`] tells. Where nothing
//! but new items came lately, [`Container::new_items_behind`] has them at hand.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{KeyRange, Scan, Snapshot, Space, Visit, Visitor, scan};

use crate::Error;
use crate::catalog::Container;
use crate::item::{Counters, Item, key};

/// Feed records looked up at a time.
const LOOKUP_BATCH: usize = 1_024;

/// A container at one moment.
pub struct Versions {
    snapshot: Arc<dyn Snapshot>,
    container: Arc<Container>,
    counters: Counters,
}

impl Versions {
    pub(crate) async fn open(snapshot: Arc<dyn Snapshot>, container: &Arc<Container>) -> Result<Self, Error> {
        container.deaths().keep();
        container.births().keep();
        let counters = snapshot.get(Space::Meta, &key::counters(container.number())).await?;
        let Some(counters) = counters.map(|counters| Counters::decode(&counters)) else {
            return Err(Error::OwnerNotFound { kind: "container", id: container.id().to_owned() });
        };
        Ok(Versions { snapshot, container: container.clone(), counters })
    }

    /// The newest number that was given.
    pub fn head(&self) -> u64 {
        self.counters.last_number
    }

    /// How many versions live: one for each item, those included that have expired and are not purged yet.
    pub fn count(&self) -> u64 {
        self.counters.items
    }

    /// The next living versions behind a number, at most so many, the oldest first; fewer only at the end. Expired ones are among them.
    ///
    /// # Errors
    /// [`Error::Unavailable`]
    pub async fn behind(&self, after: u64, most: usize) -> Result<Vec<Item>, Error> {
        let records = self.records(after, Some(most.max(1))).await?;
        let keys = records.into_iter().map(|(_, rest)| key::join(self.container.number(), &rest)).collect();
        let items = self.snapshot.multi_get(Space::Items, keys).await?;
        items.into_iter().flatten().map(Item::from_stored).collect()
    }

    /// The numbers of all living versions.
    ///
    /// # Errors
    /// [`Error::Unavailable`]
    pub async fn numbers(&self) -> Result<HashSet<u64>, Error> {
        Ok(self.records(0, None).await?.into_iter().map(|(number, _)| number).collect())
    }

    /// Versions up to `after` that live no more; perhaps not all of them.
    ///
    /// # Errors
    /// [`Error::Unavailable`]
    pub async fn died_since(&self, after: u64) -> Result<Vec<u64>, Error> {
        let mut dead = Vec::new();
        let mut noted = self.container.deaths().since(after);
        noted.sort_unstable();
        noted.dedup();
        for batch in noted.chunks(LOOKUP_BATCH) {
            let keys = batch.iter().map(|number| key::feed(self.container.number(), *number)).collect();
            let records = self.snapshot.multi_get(Space::Feed, keys).await?;
            dead.extend(batch.iter().zip(records).filter(|(_, record)| record.is_none()).map(|(number, _)| *number));
        }
        Ok(dead)
    }

    async fn records(&self, after: u64, most: Option<usize>) -> Result<Vec<(u64, Bytes)>, Error> {
        let container = self.container.number();
        let range = KeyRange {
            start: key::feed(container, after.saturating_add(1)),
            end: KeyRange::prefix(&container.to_be_bytes()).end,
        };
        let records = Records { most, with_keys: most.is_some(), found: Vec::new() };
        Ok(scan(&*self.snapshot, Scan { space: Space::Feed, range, reverse: false }, records).await?.found)
    }
}

/// Collects feed records: number, and rest of the item's key.
struct Records {
    most: Option<usize>,
    with_keys: bool,
    found: Vec<(u64, Bytes)>,
}

impl Visitor for Records {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        if let Some(number) = key::feed_number(key)
            && value.len() > key::FEED_TS_LEN
        {
            let rest = if self.with_keys { value.slice(key::FEED_TS_LEN..) } else { Bytes::new() };
            self.found.push((number, rest));
        }
        if self.most.is_some_and(|most| self.found.len() >= most) { Visit::Stop } else { Visit::Continue }
    }
}
