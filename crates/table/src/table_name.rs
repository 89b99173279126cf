//! How tables may be called.

use std::borrow::Cow;

use crate::{Dialect, Error, ErrorCode};

const MIN_STORAGE_CHARACTERS: usize = 3;
const MAX_STORAGE_CHARACTERS: usize = 63;
/// Longest name in the Cosmos dialect, in UTF-16 units.
const MAX_COSMOS_CHARACTERS: usize = 254;

/// Whether a table may have this name. Clients know a refusal of a name by its words.
///
/// # Errors
/// In the Storage dialect [`ErrorCode::OutOfRangeInput`] for its length, [`ErrorCode::InvalidResourceName`] for its characters and for
/// `tables` itself; in the Cosmos dialect [`ErrorCode::InvalidInput`].
pub fn check_table_name(name: &str, dialect: Dialect) -> Result<(), Error> {
    let length = name.encode_utf16().count();
    match dialect {
        Dialect::Storage => check_storage_name(name, length),
        Dialect::Cosmos => check_cosmos_name(name, length),
    }
}

fn check_storage_name(name: &str, length: usize) -> Result<(), Error> {
    if !(MIN_STORAGE_CHARACTERS..=MAX_STORAGE_CHARACTERS).contains(&length) {
        let detail = "The specified resource name length is not within the permissible limits.";
        return Err(Error::with_detail(ErrorCode::OutOfRangeInput, detail));
    }
    let is_valid = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !name.eq_ignore_ascii_case("tables");
    if is_valid { Ok(()) } else { Err(Error::new(ErrorCode::InvalidResourceName)) }
}

fn check_cosmos_name(name: &str, length: usize) -> Result<(), Error> {
    if !(1..=MAX_COSMOS_CHARACTERS).contains(&length) {
        return Err(Error::invalid_input(
            "One of the input values is invalid. The table name is too short or too long.",
        ));
    }
    if name.contains(['/', '\\', '#', '?']) || name.contains(char::is_control) {
        return Err(Error::invalid_input("The table name contains an invalid character."));
    }
    if name.ends_with(' ') {
        return Err(Error::invalid_input("Table name cannot end with a space."));
    }
    Ok(())
}

/// What tells two tables apart and orders them: in the Storage dialect names differing by case only are one name.
pub fn table_identity(name: &str, dialect: Dialect) -> Cow<'_, str> {
    match dialect {
        Dialect::Storage if name.bytes().any(|byte| byte.is_ascii_uppercase()) => Cow::Owned(name.to_ascii_lowercase()),
        Dialect::Storage | Dialect::Cosmos => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_the_dialect() {
        let code = |name: &str, dialect| check_table_name(name, dialect).err().map(|error| error.code);
        for good in ["abc", "T1x", &"a".repeat(63)] {
            assert_eq!(code(good, Dialect::Storage), None, "{good}");
        }
        for bad in ["1ab", "my-table", "my_table", "tables", "TABLES", "aéb", "a b"] {
            assert_eq!(code(bad, Dialect::Storage), Some(ErrorCode::InvalidResourceName), "{bad}");
        }
        for bad in ["", "ab", &"a".repeat(64)] {
            assert_eq!(code(bad, Dialect::Storage), Some(ErrorCode::OutOfRangeInput), "{bad}");
        }
        for good in ["a", "my-table", "1é", "tables"] {
            assert_eq!(code(good, Dialect::Cosmos), None, "{good}");
        }
        for bad in ["a/b", "a\\b", "a#", "?", "a ", "a\nb"] {
            assert_eq!(code(bad, Dialect::Cosmos), Some(ErrorCode::InvalidInput), "{bad}");
        }
        assert_eq!(code(&"a".repeat(255), Dialect::Cosmos), Some(ErrorCode::InvalidInput));
    }

    #[test]
    fn names_differing_by_case_are_one_in_the_storage_dialect() {
        assert_eq!(table_identity("MyTable", Dialect::Storage), "mytable");
        assert_eq!(table_identity("MyTable", Dialect::Cosmos), "MyTable");
    }
}
