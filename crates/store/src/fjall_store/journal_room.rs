//! Room in the journal that is ready to be written.
//!
//! fjall makes a journal as a file of 64 MiB with nothing in it. Each page that a commit is the first to reach needs a block then, and
//! the sync of the commit has to write the file's inode too. So zeros are written there ahead of the commits, a [`CHUNK_BYTES`] at a
//! time: syncs of 30 KB take half as long afterwards (figures in ARCHITECTURE.md). What follows the last batch of a journal read as
//! zeros before and does so now.
//!
//! **Invariant:** only holes are written to, and only by the thread that writes the batches, between two of them. So no byte of fjall's
//! is touched, and the file's length stays, which fjall goes by after a recovery.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{SeekFrom, fstatfs, seek};
use rustix::io::Errno;

use super::format::journals;

/// Zeros that are written at a time: the sync behind them takes 1 ms more.
const CHUNK_BYTES: u64 = 512 << 10;

/// The same, to be written.
static ZEROS: [u8; CHUNK_BYTES as usize] = [0; CHUNK_BYTES as usize];

/// What a journal has of a row besides its key and value, and of a batch, at the most.
const FRAME_BYTES: u64 = 64;

/// File systems that overwrite in place, so that blocks which are there already save something: ext2 to ext4, and XFS.
const OVERWRITING: [i64; 2] = [0xEF53, 0x5846_5342];

/// Keeps room ready in the journal that fjall writes to.
pub(super) struct JournalRoom {
    /// `None`: it is of no use here.
    folder: Option<PathBuf>,
    /// The number that the next journal will have.
    next: u64,
    journal: Option<Journal>,
}

struct Journal {
    file: File,
    /// Where fjall writes next, or before that.
    written: u64,
    /// To here it is without holes; the largest number if it needs no more room.
    ready: u64,
}

impl JournalRoom {
    /// Of the database in a folder.
    pub fn new(database: &Path) -> Self {
        let newest = newest_journal(database);
        if let Err(error) = &newest {
            tracing::debug!(%error, "no room is made in journals ahead of commits");
        }
        let newest = newest.ok().flatten();
        JournalRoom { folder: newest.map(|_| database.to_owned()), next: newest.unwrap_or_default(), journal: None }
    }

    /// Makes sure that there is room for a batch of so many rows, whose keys and values have so many bytes. Room is a matter of speed
    /// alone: where it can't be made, nothing is said but in the log.
    pub fn prepare(&mut self, rows: usize, size_bytes: usize) {
        let most = size_bytes as u64 + (rows as u64 + 1) * FRAME_BYTES;
        let has_room = self.journal.as_ref().is_some_and(|journal| journal.has_room(most));
        let followed = if has_room { Ok(()) } else { self.follow() };
        let prepared = followed.and_then(|()| self.journal.as_mut().map_or(Ok(()), |journal| journal.extend(most)));
        if let Err(error) = prepared {
            tracing::debug!(%error, "no room is made in journals any more");
            (self.folder, self.journal) = (None, None);
        }
    }

    /// Goes on to the newest journal. To look for it with each batch took 3 % of the committing thread's time, so that is done only where
    /// there is no room left in the last one: fjall may write up to a chunk to the next without room.
    fn follow(&mut self) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        loop {
            match File::options().read(true).write(true).open(folder.join(format!("{}.jnl", self.next))) {
                Ok(file) if !OVERWRITING.contains(&fstatfs(&file)?.f_type) => {
                    self.folder = None;
                    return Ok(());
                }
                // fjall is just making it.
                Ok(file) if file.metadata()?.len() == 0 => return Ok(()),
                Ok(file) => self.journal = Some(Journal::new(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error),
            }
            self.next += 1;
        }
    }
}

impl Journal {
    fn new(file: File) -> Self {
        Journal { file, written: 0, ready: 0 }
    }

    /// Whether there is room for so many bytes more.
    fn has_room(&self, most: u64) -> bool {
        self.ready != u64::MAX && self.written.saturating_add(most) <= self.ready
    }

    /// Makes room for so many bytes more.
    fn extend(&mut self, most: u64) -> io::Result<()> {
        while self.ready < self.written.saturating_add(most) {
            self.add_chunk()?;
        }
        self.written = self.written.saturating_add(most);
        Ok(())
    }

    fn add_chunk(&mut self) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        // Where nothing is known of holes they begin at the end.
        let hole = if self.ready < length { seek(&self.file, SeekFrom::Hole(self.ready))? } else { length };
        let end = length.min(hole.saturating_add(CHUNK_BYTES));
        let is_free = match seek(&self.file, SeekFrom::Data(hole)) {
            Ok(data) => data >= end,
            Err(error) => error == Errno::NXIO,
        };
        if hole >= end || !is_free {
            self.ready = u64::MAX;
            return Ok(());
        }
        if hole > self.ready {
            self.written = self.written.max(hole);
        }
        self.file.write_all_at(&ZEROS[..usize::try_from(end - hole).unwrap_or(ZEROS.len())], hole)?;
        self.ready = end;
        Ok(())
    }
}

/// The number of the journal that fjall writes to.
fn newest_journal(database: &Path) -> io::Result<Option<u64>> {
    let number = |path: PathBuf| path.file_stem()?.to_str()?.parse().ok();
    Ok(journals(database)?.filter_map(|entry| number(entry.path())).max())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    const LENGTH: u64 = 5 << 19;

    fn make(folder: &Path, number: u64, data: &[u8]) -> PathBuf {
        let path = folder.join(format!("{number}.jnl"));
        let file = File::create(&path).unwrap();
        file.set_len(LENGTH).unwrap();
        file.write_all_at(data, 0).unwrap();
        path
    }

    fn allocated(path: &Path) -> u64 {
        path.metadata().unwrap().blocks() * 512
    }

    #[test]
    fn what_is_written_stays_and_so_does_the_length() {
        let folder = tempfile::tempdir().unwrap();
        let data: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8 + 1).collect();
        let first = make(folder.path(), 7, &data);
        let mut room = JournalRoom::new(folder.path());
        for _ in 0..8 {
            room.prepare(10, 500_000);
        }
        let second = folder.path().join("8.jnl");
        File::create(&second).unwrap();
        room.prepare(1, 10);
        assert_eq!(second.metadata().unwrap().len(), 0);
        make(folder.path(), 8, &data[..10]);
        room.prepare(1, 10);
        for (path, data) in [(&first, &data[..]), (&second, &data[..10])] {
            let mut expected = data.to_vec();
            expected.resize(usize::try_from(LENGTH).unwrap(), 0);
            assert!(std::fs::read(path).unwrap() == expected);
        }
        let file = File::open(&first).unwrap();
        if !OVERWRITING.contains(&fstatfs(&file).unwrap().f_type) {
            eprintln!("skipped: on this file system room is of no use");
            return;
        }
        assert!(allocated(&first) >= LENGTH);
        assert!((CHUNK_BYTES..2 * CHUNK_BYTES).contains(&allocated(&second)));
    }

    #[test]
    fn data_that_runs_ahead_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = make(folder.path(), 0, &[]);
        let mut room = JournalRoom::new(folder.path());
        room.prepare(1, 10);
        // More than was announced: behind what is ready, and somewhere else.
        let file = File::options().write(true).open(&path).unwrap();
        file.write_all_at(&[1; 5000], CHUNK_BYTES).unwrap();
        file.write_all_at(&[2; 5000], CHUNK_BYTES + 500_000).unwrap();
        for _ in 0..20 {
            room.prepare(1, 200_000);
        }
        let found = std::fs::read(&path).unwrap();
        assert_eq!(found.iter().filter(|byte| **byte == 1).count(), 5000);
        assert_eq!(found.iter().filter(|byte| **byte == 2).count(), 5000);
        assert_eq!(found.len() as u64, LENGTH);
    }
}
