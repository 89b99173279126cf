//! `$select`.

use crate::Error;

/// Most names in one list.
const MAX_NAMES: usize = 1_024;

/// Which properties a reply shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// Sorted, each once.
    names: Vec<String>,
}

impl Select {
    /// Reads the list; none if it selects everything, as an empty one and `*` do.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if it has more names than any entity.
    pub fn parse(text: &str) -> Result<Option<Self>, Error> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let mut names: Vec<_> = names.take(MAX_NAMES + 1).map(str::to_owned).collect();
        if names.len() > MAX_NAMES {
            return Err(Error::invalid_input("$select has too many names."));
        }
        if names.is_empty() || names.iter().any(|name| name == "*") {
            return Ok(None);
        }
        names.sort_unstable();
        names.dedup();
        Ok(Some(Select { names }))
    }

    /// The place of a name in [`names`](Select::names), if it is selected.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.binary_search_by(|own| own.as_str().cmp(name)).ok()
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}
