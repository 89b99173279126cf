//! Writes memtables to tables.

use std::time::Duration;

use fjall::{AbstractTree, PersistMode};

use super::errors::writing;
use super::spaces::Spaces;
use crate::Error;

/// Less than this is read back from the journal within milliseconds, and not worth a table each time the store is closed.
const MIN_BYTES_ON_CLOSE: u64 = 4 << 20;

const PAUSE: Duration = Duration::from_millis(1);

/// Returns when all that is in memory now is in tables.
pub(super) fn flush(spaces: &Spaces) -> Result<(), Error> {
    flush_from(spaces, 1)
}

/// Leaves little to be read back at the next opening.
pub(super) fn flush_before_closing(spaces: &Spaces) -> Result<(), Error> {
    flush_from(spaces, MIN_BYTES_ON_CLOSE)
}

fn flush_from(spaces: &Spaces, min_bytes: u64) -> Result<(), Error> {
    for keyspace in spaces.keyspaces().iter().filter(|keyspace| keyspace.tree.active_memtable().size() >= min_bytes) {
        keyspace.rotate_memtable().map_err(|error| writing(&error))?;
    }
    while spaces.keyspaces().iter().any(|keyspace| keyspace.sealed_memtable_count() > 0) {
        // Fails once background work has failed, which would leave this waiting for ever.
        spaces.persist(PersistMode::Buffer).map_err(|error| writing(&error))?;
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
