//! The folder of a store.
//!
//! ```text
//! <folder>/
//!   format   "orrery format 1\n": written first and read first
//!   lock     locked by the process that has the store open
//!   store/   the fjall database
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::errors::opening;
use crate::Error;

/// The newest format this version reads, and the one it writes. A change to the names, options or key layouts below that an older
/// version would misread makes a new one.
const FORMAT: u32 = 1;

const FORMAT_FILE: &str = "format";
const FORMAT_PREFIX: &str = "orrery format ";
const LOCK_FILE: &str = "lock";
const DATABASE_FOLDER: &str = "store";

/// fjall writes this file as the last step of creating a database.
const CREATED_MARKER: &str = "version";

/// A folder whose format is known and whose lock is held.
pub(super) struct Folder {
    path: PathBuf,
    /// Whether files are created in it that no earlier process can have made durable.
    is_new: bool,
    lock: File,
}

impl Folder {
    /// Checks the format of the folder, creating it if there is none, and locks it.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let found = read_format(path)?;
        if found.is_none() {
            fs::create_dir_all(path).map_err(|error| opening(path, &error))?;
        }
        let lock = lock(path)?;
        let mut folder = Folder { path: path.to_owned(), is_new: false, lock };
        // Another process may have written it since.
        if found.is_none() && read_format(path)?.is_none() {
            folder.write_format().map_err(|error| opening(path, &error))?;
        }
        folder.is_new = folder.remove_half_created().map_err(|error| opening(path, &error))?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn database_path(&self) -> PathBuf {
        self.path.join(DATABASE_FOLDER)
    }

    fn write_format(&self) -> io::Result<()> {
        let draft = self.path.join("format.new");
        let mut file = File::create(&draft)?;
        writeln!(file, "{FORMAT_PREFIX}{FORMAT}")?;
        file.sync_all()?;
        fs::rename(&draft, self.path.join(FORMAT_FILE))?;
        // What is created in the folder next is synced together with this.
        Ok(())
    }

    /// Whether a database has to be created. Removes one whose creation was cut short: fjall would refuse it, and nothing can
    /// have been committed to it.
    fn remove_half_created(&self) -> io::Result<bool> {
        let database = self.database_path();
        if database.join(CREATED_MARKER).try_exists()? {
            return Ok(false);
        }
        if database.try_exists()? {
            fs::remove_dir_all(&database)?;
        }
        Ok(true)
    }

    /// Makes durable that there is this folder with these files; their contents are already. Called once the database is there,
    /// before anything is committed to it.
    pub(super) fn sync_if_new(&self) -> io::Result<()> {
        if !self.is_new || !cfg!(unix) {
            return Ok(());
        }
        let path = self.path.canonicalize()?;
        for folder in std::iter::once(&*path).chain(path.parent()) {
            match File::open(folder).and_then(|folder| folder.sync_all()) {
                // We may use a folder in one that we may not read.
                Err(error) if error.kind() == ErrorKind::PermissionDenied && folder != path => {}
                outcome => outcome?,
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Closing the file is not enough while a child process that is just being started has it too.
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(%error, path = %self.path.display(), "cannot unlock the data folder");
        }
    }
}

/// The format of the folder; `None` if it has none yet.
fn read_format(path: &Path) -> Result<Option<u32>, Error> {
    let text = match fs::read_to_string(path.join(FORMAT_FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return refuse_strange(path).map(|()| None),
        Err(error) => return Err(opening(path, &error)),
    };
    let number = text.strip_prefix(FORMAT_PREFIX).and_then(|rest| rest.trim_end().parse().ok());
    let Some(found) = number else {
        return Err(Error::Damaged {
            reason: format!("{} does not say '{FORMAT_PREFIX}N'", path.join(FORMAT_FILE).display()),
        });
    };
    if found > FORMAT {
        return Err(Error::NewerFormat { path: path.display().to_string(), found, known: FORMAT });
    }
    Ok(Some(found))
}

/// A database without a format file was not made by this code, which writes that file first.
fn refuse_strange(path: &Path) -> Result<(), Error> {
    match path.join(DATABASE_FOLDER).try_exists() {
        Ok(false) => Ok(()),
        Ok(true) => Err(Error::Damaged { reason: format!("{} has data but no file '{FORMAT_FILE}'", path.display()) }),
        Err(error) => Err(opening(path, &error)),
    }
}

fn lock(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    let file = options
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.join(LOCK_FILE))
        .map_err(|error| opening(path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Locked { path: path.display().to_string() }),
        Err(TryLockError::Error(error)) => Err(opening(path, &error)),
    }
}

/// Bytes the journals in a database folder take up on disk; 0 if that cannot be told.
pub(super) fn journals_size_bytes(database: &Path) -> u64 {
    let journals = journals(database).into_iter().flatten();
    journals.filter_map(|entry| entry.metadata().ok()).map(|metadata| allocated_bytes(&metadata)).sum()
}

/// The journals of a database.
pub(super) fn journals(database: &Path) -> io::Result<impl Iterator<Item = fs::DirEntry>> {
    let is_journal = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "jnl");
    Ok(fs::read_dir(database)?.flatten().filter(is_journal))
}

/// Journals are created at their full length with nothing in them.
#[cfg(unix)]
fn allocated_bytes(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.blocks() * 512
}

#[cfg(not(unix))]
fn allocated_bytes(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}
