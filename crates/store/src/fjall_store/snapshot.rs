//! Reads of one moment.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::Shared;
use crate::scan_pool::ScanPool;
use crate::{Error, Scan, Snapshot, Space, Visitor};

/// More keys than this are looked up on the pool. A look-up of a cached key takes a few microseconds, a thread hop about twenty.
const MAX_INLINE_KEYS: usize = 16;

/// The state after some group of commits.
pub(super) struct FjallSnapshot {
    moment: Arc<fjall::Snapshot>,
    shared: Arc<Shared>,
    scans: Arc<ScanPool>,
}

impl FjallSnapshot {
    pub(super) fn new(shared: Arc<Shared>, scans: Arc<ScanPool>) -> Self {
        FjallSnapshot { moment: shared.published.current(&shared.spaces), shared, scans }
    }
}

#[async_trait]
impl Snapshot for FjallSnapshot {
    async fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.shared.spaces.get_at(&self.moment, space, key)
    }

    async fn multi_get(&self, space: Space, keys: Vec<Vec<u8>>) -> Result<Vec<Option<Bytes>>, Error> {
        let (moment, shared) = (self.moment.clone(), self.shared.clone());
        let get = move |key: &Vec<u8>| shared.spaces.get_at(&moment, space, key);
        if keys.len() <= MAX_INLINE_KEYS {
            return self.scans.look_up(keys, get).await;
        }
        self.scans.run(move |_| keys.iter().map(get).collect()).await
    }

    async fn scan(&self, scan: Scan, visitor: Box<dyn Visitor>) -> Result<Box<dyn Visitor>, Error> {
        let rows = self.shared.spaces.rows_at(&self.moment, scan.space, &scan.range);
        if scan.reverse { self.scans.scan(rows.rev(), visitor).await } else { self.scans.scan(rows, visitor).await }
    }
}
