//! Transactions that remove items in the background. Each item is looked at again inside the transaction, so that one that a
//! client has changed meanwhile stays.

use std::sync::Arc;

use orrery_store::{Error as StoreError, Transaction, Verdict, View};

use super::Counters;
use super::writer::{Current, Failure, Writer};
use crate::catalog::Container;
use crate::clock::Clock;

/// Removes those of some items that still deserve it.
pub(crate) struct RemoveItems {
    container: Arc<Container>,
    clock: Arc<dyn Clock>,
    items: Vec<(Vec<u8>, Doomed)>,
    /// Items removed.
    pub removed: u64,
    /// The container's counters after the transaction, if it removed anything.
    pub counters: Option<Counters>,
}

/// When an item is to go.
#[derive(Clone, Copy)]
enum Doomed {
    IfExpired,
    IfVersion(u64),
}

impl RemoveItems {
    /// Removes the items with these keys (without the container's number) that have expired.
    pub fn expired(container: Arc<Container>, clock: Arc<dyn Clock>, rests: Vec<Vec<u8>>) -> Self {
        let items = rests.into_iter().map(|rest| (rest, Doomed::IfExpired)).collect();
        RemoveItems { container, clock, items, removed: 0, counters: None }
    }

    /// Removes these items unless they have another version by now.
    pub fn versions(container: Arc<Container>, clock: Arc<dyn Clock>, versions: Vec<(Vec<u8>, u64)>) -> Self {
        let items = versions.into_iter().map(|(rest, number)| (rest, Doomed::IfVersion(number))).collect();
        RemoveItems { container, clock, items, removed: 0, counters: None }
    }
}

impl Transaction for RemoveItems {
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, StoreError> {
        let container = self.container.clone();
        self.removed = 0;
        self.counters = None;
        let Some(mut writer) = Writer::begin(&container, &*self.clock, view)? else { return Ok(Verdict::Abort) };
        for (rest, doomed) in &self.items {
            match remove(&mut writer, rest, *doomed) {
                Ok(removed) => self.removed += removed,
                Err(Failure::Store(error)) => return Err(error),
                Err(Failure::Refused(error)) => return Err(StoreError::Damaged { reason: error.to_string() }),
            }
        }
        if self.removed == 0 {
            return Ok(Verdict::Abort);
        }
        self.counters = Some(writer.finish());
        Ok(Verdict::Commit)
    }
}

fn remove(writer: &mut Writer<'_>, rest: &[u8], doomed: Doomed) -> Result<u64, Failure> {
    let Some(current) = writer.read(rest.to_vec())? else { return Ok(0) };
    let goes = match doomed {
        Doomed::IfExpired => writer.is_expired(&current),
        Doomed::IfVersion(number) => current.item.lsn() == number,
    };
    if goes {
        let current: &Current = &current;
        writer.remove(current)?;
    }
    Ok(u64::from(goes))
}
