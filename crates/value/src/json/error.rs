//! Why a text is not the JSON that was asked for.

use super::MAX_DEPTH;

/// What is wrong with a JSON text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at offset {at}")]
pub struct JsonError {
    /// Byte offset into the text.
    pub at: usize,
    /// What is wrong there.
    pub kind: JsonErrorKind,
}

/// The rule a JSON text breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text stops inside a value.
    #[error("the JSON text ends too early")]
    UnexpectedEnd,
    /// A character that cannot stand there.
    #[error("found {found:?} where {expected} should be")]
    Unexpected {
        /// The character in the text.
        found: char,
        /// What the grammar allows.
        expected: &'static str,
    },
    /// The text goes on after its one value.
    #[error("text follows the end of the JSON value")]
    TrailingText,
    /// The bytes are not UTF-8.
    #[error("the text is not valid UTF-8")]
    InvalidUtf8,
    /// A raw control character inside a string.
    #[error("the control character {byte:#04x} must be escaped inside a string")]
    ControlCharacter {
        /// The character.
        byte: u8,
    },
    /// A backslash followed by something other than the escapes of JSON.
    #[error("the escape sequence is not one that JSON has")]
    InvalidEscape,
    /// Half of a surrogate pair, which stands for no character.
    #[error("the escape is half of a surrogate pair, which is no Unicode character")]
    LoneSurrogate,
    /// A number not spelled as JSON spells numbers.
    #[error("the number is malformed: {reason}")]
    InvalidNumber {
        /// The rule it breaks.
        reason: &'static str,
    },
    /// A number beyond the range of a double.
    #[error("the number is out of the range of a double")]
    NumberOutOfRange,
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("the value nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// One object names a property twice.
    #[error("the property {name:?} occurs twice in one object")]
    DuplicateProperty {
        /// The name, shortened if very long.
        name: String,
    },
    /// Longer than 4 GiB, which the scanner's offsets cannot hold.
    #[error("the text is too long")]
    TooLong,
}

impl JsonError {
    pub(crate) fn new(at: usize, kind: JsonErrorKind) -> Self {
        JsonError { at, kind }
    }

    /// The error for a second property called `name`; `at` is the offset of one of the two.
    pub(crate) fn duplicate(at: usize, name: &str) -> Self {
        const LONGEST_SHOWN: usize = 100;
        let name = match name.char_indices().nth(LONGEST_SHOWN) {
            Some((cut, _)) => format!("{}…", &name[..cut]),
            None => name.to_owned(),
        };
        JsonError { at, kind: JsonErrorKind::DuplicateProperty { name } }
    }
}
