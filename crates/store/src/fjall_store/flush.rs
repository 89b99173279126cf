//! Writes memtables to tables.

use std::time::Duration;

use fjall::{AbstractTree, PersistMode};

use super::errors::writing;
use super::spaces::Spaces;
use crate::Error;

const PAUSE: Duration = Duration::from_millis(1);

/// Returns when all that is in memory now is in tables.
pub(super) fn flush(spaces: &Spaces) -> Result<(), Error> {
    for keyspace in spaces.keyspaces().iter().filter(|keyspace| keyspace.tree.active_memtable().size() > 0) {
        keyspace.rotate_memtable().map_err(|error| writing(&error))?;
    }
    while spaces.keyspaces().iter().any(|keyspace| keyspace.sealed_memtable_count() > 0) {
        // Fails once background work has failed, which would leave this waiting for ever.
        spaces.persist(PersistMode::Buffer).map_err(|error| writing(&error))?;
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
