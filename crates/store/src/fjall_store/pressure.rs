//! Waits for fjall's background work before writing more.
//!
//! fjall has waits of its own inside a commit, but they never end if its background threads have died of a full disk. These
//! begin a little earlier and do end then.

use std::time::Duration;

use fjall::{AbstractTree, PersistMode};

use super::spaces::Spaces;
use crate::Space;

/// fjall waits at 4 memtables that are full and not yet flushed; one more may fill up during a commit.
const MAX_SEALED_MEMTABLES: usize = 2;

/// fjall waits at 30 runs of tables in the first level.
const MAX_FIRST_LEVEL_RUNS: usize = 26;

/// Bytes written between two looks.
const BYTES_PER_CHECK: usize = 1 << 20;

const PAUSE: Duration = Duration::from_millis(2);

/// Counts bytes up to the next look.
#[derive(Default)]
pub(super) struct Pressure {
    unchecked_bytes: usize,
}

impl Pressure {
    /// Returns when `size_bytes` more may be written.
    pub(super) fn wait(&mut self, spaces: &Spaces, size_bytes: usize) -> Result<(), fjall::Error> {
        self.unchecked_bytes += size_bytes;
        if self.unchecked_bytes < BYTES_PER_CHECK {
            return Ok(());
        }
        self.unchecked_bytes = 0;
        while is_behind(spaces) {
            // Fails once background work has failed, and that alone is why it is called.
            spaces.persist(PersistMode::Buffer)?;
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

fn is_behind(spaces: &Spaces) -> bool {
    // The index is not written by commits; its runs wait by themselves.
    Space::COMMITTED.into_iter().map(|space| spaces.keyspace(space)).any(|keyspace| {
        keyspace.sealed_memtable_count() > MAX_SEALED_MEMTABLES || keyspace.tree.l0_run_count() > MAX_FIRST_LEVEL_RUNS
    })
}
