//! What came of the records: counted, and the rejected ones told.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use serde_json::json;

use super::entry::Position;
use crate::transfer::Progress;

/// Rejects that are told on standard error; the file has them all.
const MAX_TOLD: u64 = 10;

/// Counts records, shared by all that work on them.
pub(super) struct Tally {
    progress: Progress,
    imported: AtomicU64,
    rejected: AtomicU64,
    generated_ids: AtomicU64,
    file: Option<Mutex<RejectsFile>>,
}

struct RejectsFile {
    out: BufWriter<File>,
    failure: Option<std::io::Error>,
}

/// The counts at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    /// Items written.
    pub imported: u64,
    /// Records that could not be.
    pub rejected: u64,
    /// Of the items written, those that had no id and got one.
    pub generated_ids: u64,
}

impl Tally {
    /// # Errors
    /// If the file for rejects cannot be made.
    pub fn new(progress: Progress, rejects: Option<&Path>) -> anyhow::Result<Tally> {
        let open =
            |path: &Path| File::create(path).with_context(|| format!("cannot write rejects to {}", path.display()));
        let file = rejects.map(open).transpose()?;
        let file = file.map(|file| Mutex::new(RejectsFile { out: BufWriter::new(file), failure: None }));
        Ok(Tally {
            progress,
            imported: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
            generated_ids: AtomicU64::new(0),
            file,
        })
    }

    pub fn id_generated(&self) {
        self.generated_ids.fetch_add(1, Ordering::Relaxed);
    }

    pub fn imported(&self, count: u64) {
        let imported = self.imported.fetch_add(count, Ordering::Relaxed) + count;
        self.progress.show_counts(imported, self.rejected.load(Ordering::Relaxed));
    }

    /// Counts a reject, tells it if it is among the first, and writes it down. `text` is the record, as far as there is one.
    pub fn reject(&self, position: &Position, reason: &str, text: Option<&[u8]>) {
        let before = self.rejected.fetch_add(1, Ordering::Relaxed);
        if before < MAX_TOLD {
            self.progress.print(&format!("{position}: {reason}"));
        } else if before == MAX_TOLD {
            let rest = if self.file.is_some() {
                "the rest is in the file of rejects"
            } else {
                "--rejects FILE writes them all down"
            };
            self.progress.print(&format!("more than {MAX_TOLD} rejects: {rest}"));
        }
        if let Some(file) = &self.file {
            file.lock().unwrap_or_else(PoisonError::into_inner).write(position, reason, text);
        }
    }

    /// The counts, once everything is done.
    ///
    /// # Errors
    /// If the file for rejects could not be written.
    pub fn finish(self, rejects: Option<&Path>) -> anyhow::Result<Counts> {
        if let Some(file) = self.file {
            let file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
            let written = file.finish();
            written
                .with_context(|| format!("cannot write rejects to {}", rejects.unwrap_or(Path::new("?")).display()))?;
        }
        Ok(Counts {
            imported: self.imported.into_inner(),
            rejected: self.rejected.into_inner(),
            generated_ids: self.generated_ids.into_inner(),
        })
    }
}

impl RejectsFile {
    fn write(&mut self, position: &Position, reason: &str, text: Option<&[u8]>) {
        let mut line = json!({"file": &*position.file, (position.unit.word()): position.number, "reason": reason});
        if let Some(text) = text {
            line["record"] = String::from_utf8_lossy(text).into();
        }
        if self.failure.is_none() {
            self.failure = writeln!(self.out, "{line}").err();
        }
    }

    fn finish(mut self) -> std::io::Result<()> {
        match self.failure {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }
}
