//! fjall's errors as those of the contract.

use std::io;
use std::path::Path;

use crate::Error;

/// Of opening the folder at `path`.
pub(super) fn opening(path: &Path, error: &io::Error) -> Error {
    Error::Open { path: path.display().to_string(), reason: error.to_string() }
}

/// Of opening the database in the folder at `path`.
pub(super) fn opening_database(path: &Path, error: fjall::Error) -> Error {
    match error {
        fjall::Error::Locked => Error::Locked { path: path.display().to_string() },
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => opening(path, &error),
        other => Error::Damaged { reason: reason(&other) },
    }
}

/// Of a commit.
pub(super) fn writing(error: &fjall::Error) -> Error {
    Error::Unavailable { reason: reason(error) }
}

/// Of a get or a scan.
pub(super) fn reading(error: &fjall::Error) -> Error {
    Error::Read { reason: reason(error) }
}

fn reason(error: &fjall::Error) -> String {
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => error.to_string(),
        fjall::Error::Poisoned => "an earlier write, flush or compaction failed".to_owned(),
        fjall::Error::Storage(error) => format!("{error:?}"),
        other => format!("{other:?}"),
    }
}
