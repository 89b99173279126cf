//! Multi-version ordered maps: what [`super::MemoryStore`] and its snapshots share.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;

use crate::guarded::Base;
use crate::{Error, KeyRange, Space};

/// Keys erased while the lock is held once.
const ERASE_CHUNK: usize = 1024;

/// Outdated keys that a commit looks at beyond as many as it wrote, so that the backlog left by a snapshot shrinks.
const OUTDATED_PER_COMMIT: usize = 64;

/// The maps behind their lock, and the versions open snapshots read at.
#[derive(Default)]
pub(super) struct SharedVersions {
    maps: RwLock<Maps>,
    /// How many snapshots are open at each version. Locked after `maps`.
    open: Mutex<BTreeMap<u64, usize>>,
}

#[derive(Default)]
struct Maps {
    spaces: [BTreeMap<Bytes, Versions>; Space::ALL.len()],
    /// The newest version; each commit makes the next one.
    newest: u64,
    /// Keys that have something to drop once no snapshot is older than the version beside them.
    outdated: VecDeque<(u64, Space, Bytes)>,
    size_bytes: u64,
}

/// The values of one key.
struct Versions {
    newest: Version,
    /// Oldest first.
    older: Vec<Version>,
}

struct Version {
    at: u64,
    /// Absent if the key was removed.
    value: Option<Bytes>,
}

impl SharedVersions {
    /// Registers a snapshot and returns the version it reads at.
    pub(super) fn open_snapshot(&self) -> u64 {
        let maps = self.read();
        *self.open().entry(maps.newest).or_insert(0) += 1;
        maps.newest
    }

    pub(super) fn close_snapshot(&self, version: u64) {
        let mut open = self.open();
        if let Some(count) = open.get_mut(&version) {
            *count -= 1;
            if *count == 0 {
                open.remove(&version);
            }
        }
    }

    /// The value of a key at a version.
    pub(super) fn get_at(&self, version: u64, space: Space, key: &[u8]) -> Option<Bytes> {
        self.read().spaces[space as usize].get(key)?.at(version).cloned()
    }

    /// Up to `limit` rows of a range at a version, from its end if `reverse`.
    pub(super) fn range_at(
        &self,
        version: u64,
        space: Space,
        range: &KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Vec<(Bytes, Bytes)> {
        if range.is_empty() {
            return Vec::new();
        }
        let maps = self.read();
        let keys = maps.spaces[space as usize].range::<[u8], _>(bounds(range));
        let row = |(key, versions): (&Bytes, &Versions)| Some((key.clone(), versions.at(version)?.clone()));
        if reverse {
            keys.rev().filter_map(row).take(limit).collect()
        } else {
            keys.filter_map(row).take(limit).collect()
        }
    }

    /// Makes the writes of a transaction or a run visible, all at once.
    pub(super) fn apply(&self, writes: impl Iterator<Item = (Space, Bytes, Option<Bytes>)>) {
        let mut maps = self.write();
        maps.newest += 1;
        let oldest = self.oldest_read(&maps);
        let mut written = 0;
        for (space, key, value) in writes {
            maps.set(space, key, value);
            written += 1;
        }
        maps.drop_outdated(oldest, written + OUTDATED_PER_COMMIT);
    }

    /// Removes all versions of the keys of a range, whoever might read them.
    pub(super) fn erase(&self, space: Space, range: &KeyRange) {
        loop {
            let mut maps = self.write();
            let keys = maps.spaces[space as usize].range::<[u8], _>(bounds(range)).take(ERASE_CHUNK);
            let keys: Vec<Bytes> = keys.map(|(key, _)| key.clone()).collect();
            for key in &keys {
                maps.remove(space, key);
            }
            if keys.len() < ERASE_CHUNK {
                return;
            }
        }
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.read().size_bytes
    }

    /// The oldest version that any snapshot, open now or later, can read at.
    fn oldest_read(&self, maps: &Maps) -> u64 {
        self.open().first_key_value().map_or(maps.newest, |(version, _)| *version)
    }

    fn read(&self) -> RwLockReadGuard<'_, Maps> {
        self.maps.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Maps> {
        self.maps.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Base for SharedVersions {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        Ok(self.get_at(u64::MAX, space, key))
    }

    fn range(&self, space: Space, range: &KeyRange, limit: usize) -> Result<Vec<(Bytes, Bytes)>, Error> {
        Ok(self.range_at(u64::MAX, space, range, false, limit))
    }
}

impl Maps {
    fn set(&mut self, space: Space, key: Bytes, value: Option<Bytes>) {
        let at = self.newest;
        let version = Version { at, value };
        self.size_bytes += version.size_bytes(&key);
        let map = &mut self.spaces[space as usize];
        let nothing_to_drop = match map.get_mut(&key) {
            Some(versions) => {
                let older = std::mem::replace(&mut versions.newest, version);
                versions.older.push(older);
                false
            }
            None => {
                let only_a_value = version.value.is_some();
                map.insert(key.clone(), Versions { newest: version, older: Vec::new() });
                only_a_value
            }
        };
        if !nothing_to_drop {
            self.outdated.push_back((at, space, key));
        }
    }

    /// Drops what no reader at `oldest` or later can see, of at most `limit` keys.
    fn drop_outdated(&mut self, oldest: u64, limit: usize) {
        for _ in 0..limit {
            let Some((_, space, key)) = self.outdated.pop_front_if(|(at, ..)| *at <= oldest) else { return };
            let Some(versions) = self.spaces[space as usize].get_mut(&key) else { continue };
            self.size_bytes -= versions.drop_older_than(oldest, &key);
            if versions.older.is_empty() && versions.newest.value.is_none() && versions.newest.at <= oldest {
                self.remove(space, &key);
            }
        }
    }

    fn remove(&mut self, space: Space, key: &Bytes) {
        if let Some(versions) = self.spaces[space as usize].remove(key) {
            let freed: u64 =
                versions.older.iter().chain([&versions.newest]).map(|version| version.size_bytes(key)).sum();
            self.size_bytes -= freed;
        }
    }
}

impl Versions {
    fn at(&self, version: u64) -> Option<&Bytes> {
        let found = if self.newest.at <= version {
            Some(&self.newest)
        } else {
            self.older.iter().rev().find(|older| older.at <= version)
        };
        found?.value.as_ref()
    }

    /// Drops the versions that a newer one hides from every reader at `oldest` or later, and says how large they were.
    fn drop_older_than(&mut self, oldest: u64, key: &Bytes) -> u64 {
        let visible = if self.newest.at <= oldest {
            self.older.len()
        } else {
            self.older.iter().rposition(|older| older.at <= oldest).unwrap_or(0)
        };
        let freed = self.older.drain(..visible).map(|version| version.size_bytes(key)).sum();
        if self.older.is_empty() {
            self.older = Vec::new();
        }
        freed
    }
}

impl Version {
    fn size_bytes(&self, key: &Bytes) -> u64 {
        (key.len() + self.value.as_ref().map_or(0, Bytes::len)) as u64
    }
}

fn bounds(range: &KeyRange) -> (Bound<&[u8]>, Bound<&[u8]>) {
    let end = range.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    (Bound::Included(&range.start), end)
}
