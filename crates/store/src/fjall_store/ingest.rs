//! Runs of the index space: tables written beside the commit and shown all at once.
//!
//! fjall writes the tables without any lock and gives them, when they are finished, one number and one new version of the
//! keyspace's tables. That takes the journal's lock and an fsync; commits wait for it, as they do for each other.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fjall::{AbstractTree, PersistMode};

use super::Shared;
use super::errors::writing;
use super::options::Durability;
use super::spaces::Spaces;
use crate::guarded::guarded;
use crate::run_check::CheckedRun;
use crate::{Error, Run, Space};

/// Runs in the first level at which the next one waits: a reader looks at each of them.
const MAX_FIRST_LEVEL_RUNS: usize = 12;

/// How often a run waits for a merge that goes on already. Reads are slower after that, but right.
const MAX_PAUSES: usize = 5_000;

const PAUSE: Duration = Duration::from_millis(2);

/// Writes one run at a time.
pub(super) struct Ingestions {
    /// What makes durable all that was committed before a run.
    mode: PersistMode,
    /// Whether no more runs are taken. Held while one is written.
    closed: Mutex<bool>,
}

impl Ingestions {
    pub(super) fn new(durability: Durability) -> Self {
        let mode = match durability {
            // It is durable already; fjall is only asked whether it has failed.
            Durability::Durable => PersistMode::Buffer,
            Durability::Buffered => PersistMode::SyncData,
        };
        Ingestions { mode, closed: Mutex::new(false) }
    }

    /// Writes a run and publishes the state with it. Blocks.
    pub(super) fn ingest(&self, shared: &Shared, run: Run) -> Result<(), Error> {
        let closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if *closed {
            return Err(Error::Closed);
        }
        let spaces = &shared.spaces;
        make_room(spaces).map_err(|error| writing(&error))?;
        spaces.persist(self.mode).map_err(|error| writing(&error))?;
        guarded("run", || {
            let mut ingestion = spaces.keyspace(Space::Index).start_ingestion().map_err(|error| writing(&error))?;
            for row in CheckedRun::new(run) {
                let (key, value) = row?;
                ingestion.write(key, value).map_err(|error| writing(&error))?;
            }
            shared.published.after(spaces, || ingestion.finish()).map_err(|error| writing(&error))
        })
    }

    /// Waits for the run that is being written and takes no more.
    pub(super) fn close(&self) {
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

/// Merges the first level on this thread if fjall's threads do not keep up: they are told once for each run, and may be busy then.
fn make_room(spaces: &Spaces) -> Result<(), fjall::Error> {
    let tree = &spaces.keyspace(Space::Index).tree;
    for _ in 0..MAX_PAUSES {
        let before = tree.l0_run_count();
        if before < MAX_FIRST_LEVEL_RUNS {
            break;
        }
        spaces.compact(Space::Index)?;
        if tree.l0_run_count() >= before {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(())
}
