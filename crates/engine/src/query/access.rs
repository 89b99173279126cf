//! Reading the items of a narrowed scope.

use std::sync::Arc;

use orrery_store::{KeyRange, Snapshot, Space};

use crate::Error;
use crate::catalog::{Container, ContainerSettings};
use crate::item::{Item, ItemVisitor, RowScan, resume};

/// Bytes in front of every item's key: its container's number.
const CONTAINER_LEN: usize = 4;

/// Which items to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// None.
    Nothing,
    /// The one with this key.
    Point(Vec<u8>),
    /// Those with keys in a range.
    Range(KeyRange),
}

impl Access {
    /// Leaves out what comes up to and with the item at `rest`, a key without its container's number.
    pub fn after(self, container: &Container, rest: &[u8]) -> Access {
        match self {
            Access::Range(mut range) => {
                resume(&mut range, container, rest);
                Access::Range(range)
            }
            Access::Point(key) if key.get(CONTAINER_LEN..).is_some_and(|point| point > rest) => Access::Point(key),
            Access::Point(_) | Access::Nothing => Access::Nothing,
        }
    }

    /// Brings the visitor to each living item in the order of keys, and returns it.
    pub async fn run<V: ItemVisitor>(
        self,
        snapshot: &dyn Snapshot,
        settings: Arc<ContainerSettings>,
        now: u64,
        mut visitor: V,
    ) -> Result<V, Error> {
        match self {
            Access::Nothing => Ok(visitor),
            Access::Point(key) => {
                if let Some(bytes) = snapshot.get(Space::Items, &key).await? {
                    let item = Item::from_stored(bytes)?;
                    if !item.is_expired(&settings, now) {
                        visitor.visit(&key[CONTAINER_LEN..], &item)?;
                    }
                }
                Ok(visitor)
            }
            Access::Range(range) => RowScan { range, reverse: false, settings, now }.run(snapshot, visitor).await,
        }
    }
}
