//! The scanner: one walk over a JSON text that reports each token to a visitor.

use super::number::scan_number;
use super::string::{RawString, scan_string};
use super::{JsonError, JsonErrorKind, MAX_DEPTH};

/// What a reader of JSON does with each token. Offsets are into the scanned text.
pub(crate) trait Visitor {
    /// White space between tokens lies in `from..to`.
    fn space(&mut self, from: usize, to: usize);
    /// An array's next element begins at `at`; the token itself follows.
    fn element(&mut self, at: usize);
    /// A property's name; its value follows.
    fn name(&mut self, name: RawString) -> Result<(), JsonError>;
    /// A string value.
    fn string(&mut self, string: RawString);
    /// A number is spelled by `from..to`.
    fn number(&mut self, from: usize, to: usize);
    /// `null`, `true` or `false` begins at `at`.
    fn literal(&mut self, at: usize);
    /// An object's brace is at `at`.
    fn open_object(&mut self, at: usize);
    /// The innermost object's closing brace is at `at`.
    fn close_object(&mut self, at: usize) -> Result<(), JsonError>;
    /// An array's bracket is at `at`.
    fn open_array(&mut self, at: usize);
    /// The innermost array's closing bracket is at `at`.
    fn close_array(&mut self, at: usize);
}

/// The text as UTF-8, short enough for 32-bit offsets.
pub(crate) fn check_utf8(bytes: &[u8]) -> Result<&str, JsonError> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(JsonError::new(0, JsonErrorKind::TooLong));
    }
    std::str::from_utf8(bytes).map_err(|error| JsonError::new(error.valid_up_to(), JsonErrorKind::InvalidUtf8))
}

/// Walks the one value in `text`, white space around it allowed.
pub(crate) fn scan<V: Visitor>(text: &str, visitor: &mut V) -> Result<(), JsonError> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, visitor, open: 0, depth: 0 };
    scanner.run()
}

struct Scanner<'t, 'v, V> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    visitor: &'v mut V,
    /// One bit per open container, the innermost lowest: 1 for an object, 0 for an array.
    open: u128,
    depth: usize,
}

/// What the grammar asks for next.
enum Next {
    Value,
    AfterValue,
}

impl<V: Visitor> Scanner<'_, '_, V> {
    fn run(&mut self) -> Result<(), JsonError> {
        let mut next = Next::Value;
        loop {
            self.skip_space();
            next = match next {
                Next::Value => self.value()?,
                Next::AfterValue if self.depth == 0 => break,
                Next::AfterValue => self.after_value()?,
            };
        }
        match self.bytes.get(self.at) {
            None => Ok(()),
            Some(_) => Err(JsonError::new(self.at, JsonErrorKind::TrailingText)),
        }
    }

    #[inline]
    fn skip_space(&mut self) {
        if matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.skip_some_space();
        }
    }

    fn skip_some_space(&mut self) {
        let from = self.at;
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        self.visitor.space(from, self.at);
    }

    #[inline]
    fn value(&mut self) -> Result<Next, JsonError> {
        let at = self.at;
        match self.bytes.get(at) {
            Some(b'"') => {
                let string = scan_string(self.bytes, at + 1)?;
                self.at = string.end + 1;
                self.visitor.string(string);
            }
            Some(b'-' | b'0'..=b'9') => {
                self.at = scan_number(self.text, at)?;
                self.visitor.number(at, self.at);
            }
            Some(b'{') => {
                self.push(1)?;
                self.visitor.open_object(at);
                self.skip_space();
                if self.bytes.get(self.at) == Some(&b'}') {
                    self.close_object()?;
                } else {
                    self.name("a property name or '}'")?;
                    return Ok(Next::Value);
                }
            }
            Some(b'[') => {
                self.push(0)?;
                self.visitor.open_array(at);
                self.skip_space();
                if self.bytes.get(self.at) == Some(&b']') {
                    self.close_array();
                } else {
                    self.visitor.element(self.at);
                    return Ok(Next::Value);
                }
            }
            Some(b't') => self.literal("true")?,
            Some(b'f') => self.literal("false")?,
            Some(b'n') => self.literal("null")?,
            _ => return Err(self.unexpected("a value")),
        }
        Ok(Next::AfterValue)
    }

    #[inline]
    fn after_value(&mut self) -> Result<Next, JsonError> {
        let in_object = self.open & 1 == 1;
        match (self.bytes.get(self.at), in_object) {
            (Some(b','), true) => {
                self.at += 1;
                self.skip_space();
                self.name("a property name")?;
                Ok(Next::Value)
            }
            (Some(b','), false) => {
                self.at += 1;
                self.skip_space();
                self.visitor.element(self.at);
                Ok(Next::Value)
            }
            (Some(b'}'), true) => {
                self.close_object()?;
                Ok(Next::AfterValue)
            }
            (Some(b']'), false) => {
                self.close_array();
                Ok(Next::AfterValue)
            }
            (_, true) => Err(self.unexpected("',' or '}'")),
            (_, false) => Err(self.unexpected("',' or ']'")),
        }
    }

    #[inline]
    fn name(&mut self, expected: &'static str) -> Result<(), JsonError> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(self.unexpected(expected));
        }
        let name = scan_string(self.bytes, self.at + 1)?;
        self.at = name.end + 1;
        self.visitor.name(name)?;
        self.skip_space();
        if self.bytes.get(self.at) != Some(&b':') {
            return Err(self.unexpected("':'"));
        }
        self.at += 1;
        Ok(())
    }

    fn literal(&mut self, word: &'static str) -> Result<(), JsonError> {
        let end = self.at + word.len();
        if self.bytes.get(self.at..end) != Some(word.as_bytes()) {
            return Err(self.unexpected("a value"));
        }
        self.visitor.literal(self.at);
        self.at = end;
        Ok(())
    }

    fn push(&mut self, is_object: u128) -> Result<(), JsonError> {
        if self.depth == MAX_DEPTH {
            return Err(JsonError::new(self.at, JsonErrorKind::TooDeep));
        }
        self.open = self.open << 1 | is_object;
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    fn close_object(&mut self) -> Result<(), JsonError> {
        self.visitor.close_object(self.at)?;
        self.pop();
        Ok(())
    }

    fn close_array(&mut self) {
        self.visitor.close_array(self.at);
        self.pop();
    }

    fn pop(&mut self) {
        self.open >>= 1;
        self.depth -= 1;
        self.at += 1;
    }

    #[cold]
    fn unexpected(&self, expected: &'static str) -> JsonError {
        let kind = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => JsonErrorKind::Unexpected { found, expected },
            None => JsonErrorKind::UnexpectedEnd,
        };
        JsonError::new(self.at, kind)
    }
}
