//! Reads of a [`super::MemoryStore`] at one version.

use std::sync::Arc;
use std::vec::IntoIter;

use async_trait::async_trait;
use bytes::Bytes;

use super::versions::SharedVersions;
use crate::scan_pool::ScanPool;
use crate::{Error, Scan, Snapshot, Space, Visitor};

/// Rows a scan copies out while it holds the lock once.
const CHUNK_ROWS: usize = 128;

/// All spaces at one version, which is kept for as long as this lives.
pub(super) struct MemorySnapshot {
    view: Arc<View>,
    scans: Arc<ScanPool>,
}

impl MemorySnapshot {
    pub(super) fn open(shared: Arc<SharedVersions>, scans: Arc<ScanPool>) -> Self {
        let version = shared.open_snapshot();
        MemorySnapshot { view: Arc::new(View { shared, version }), scans }
    }
}

#[async_trait]
impl Snapshot for MemorySnapshot {
    async fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        Ok(self.view.get(space, key))
    }

    async fn multi_get(&self, space: Space, keys: Vec<Vec<u8>>) -> Result<Vec<Option<Bytes>>, Error> {
        Ok(keys.iter().map(|key| self.view.get(space, key)).collect())
    }

    async fn scan(&self, scan: Scan, visitor: Box<dyn Visitor>) -> Result<Box<dyn Visitor>, Error> {
        let rows = Rows { view: self.view.clone(), rest: Some(scan), chunk: Vec::new().into_iter() };
        self.scans.scan(rows, visitor).await
    }
}

/// A version held open.
struct View {
    shared: Arc<SharedVersions>,
    version: u64,
}

impl View {
    fn get(&self, space: Space, key: &[u8]) -> Option<Bytes> {
        self.shared.get_at(self.version, space, key)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.shared.close_snapshot(self.version);
    }
}

/// The rows of a scan, fetched chunk by chunk.
struct Rows {
    view: Arc<View>,
    /// What is left to fetch.
    rest: Option<Scan>,
    chunk: IntoIter<(Bytes, Bytes)>,
}

impl Rows {
    fn fetch(&mut self) {
        let Some(mut scan) = self.rest.take() else { return };
        let chunk = self.view.shared.range_at(self.view.version, scan.space, &scan.range, scan.reverse, CHUNK_ROWS);
        if let Some((last, _)) = chunk.last()
            && chunk.len() == CHUNK_ROWS
        {
            if scan.reverse {
                scan.range.end = Some(last.to_vec());
            } else {
                // The least key after `last` is `last` and a zero byte.
                scan.range.start = [last, &[0][..]].concat();
            }
            self.rest = Some(scan);
        }
        self.chunk = chunk.into_iter();
    }
}

impl Iterator for Rows {
    type Item = Result<(Bytes, Bytes), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.chunk.len() == 0 {
            self.fetch();
        }
        self.chunk.next().map(Ok)
    }
}
