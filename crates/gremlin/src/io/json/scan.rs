//! One walk over a text, without recursion, that writes down its nodes.

use super::super::{DecodeError, MAX_VALUES};
use super::MAX_JSON_DEPTH;
use super::node::{Kind, Node};

/// The nodes of the one value in `text`, which is shorter than 4 GiB. There is at least one.
pub(super) fn scan(text: &str) -> Result<Vec<Node>, DecodeError> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, nodes: Vec::new(), open: Vec::new() };
    scanner.run()?;
    Ok(scanner.nodes)
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    nodes: Vec<Node>,
    /// The nodes of the objects and arrays around `at`.
    open: Vec<u32>,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), DecodeError> {
        loop {
            self.skip_space();
            if self.value()? {
                continue;
            }
            if !self.after_value()? {
                break;
            }
        }
        self.skip_space();
        if self.at < self.bytes.len() { Err(self.unexpected("the end")) } else { Ok(()) }
    }

    fn skip_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Reads a value, or the opening of one that has a first element. Tells whether a value must follow.
    fn value(&mut self) -> Result<bool, DecodeError> {
        match self.bytes.get(self.at) {
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'{') => return self.open(Kind::Object, b'}'),
            Some(b'[') => return self.open(Kind::Array, b']'),
            Some(b't') => self.literal("true", Kind::True)?,
            Some(b'f') => self.literal("false", Kind::False)?,
            Some(b'n') => self.literal("null", Kind::Null)?,
            _ => return Err(self.unexpected("a value")),
        }
        Ok(false)
    }

    fn open(&mut self, kind: Kind, end: u8) -> Result<bool, DecodeError> {
        if self.open.len() == MAX_JSON_DEPTH {
            return Err(DecodeError::TooDeep { at: self.at });
        }
        self.open.push(self.nodes.len() as u32);
        self.push(kind, self.at, self.at, false)?;
        self.at += 1;
        self.skip_space();
        if self.bytes.get(self.at) == Some(&end) {
            self.close();
            return Ok(false);
        }
        if kind == Kind::Object {
            self.name("a name or '}'")?;
        }
        Ok(true)
    }

    fn close(&mut self) {
        self.at += 1;
        if let Some(index) = self.open.pop() {
            let span = self.nodes.len() as u32 - index;
            self.nodes[index as usize].span = span;
        }
    }

    /// Closes what ends here. Tells whether a value must follow.
    fn after_value(&mut self) -> Result<bool, DecodeError> {
        while let Some(index) = self.open.last() {
            let kind = self.nodes[*index as usize].kind;
            self.skip_space();
            match (self.bytes.get(self.at), kind) {
                (Some(b','), Kind::Object) => {
                    self.at += 1;
                    self.skip_space();
                    self.name("a name")?;
                    return Ok(true);
                }
                (Some(b','), _) => {
                    self.at += 1;
                    return Ok(true);
                }
                (Some(b'}'), Kind::Object) | (Some(b']'), Kind::Array) => self.close(),
                (_, Kind::Object) => return Err(self.unexpected("',' or '}'")),
                _ => return Err(self.unexpected("',' or ']'")),
            }
        }
        Ok(false)
    }

    fn name(&mut self, expected: &'static str) -> Result<(), DecodeError> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(self.unexpected(expected));
        }
        self.string()?;
        self.skip_space();
        if self.bytes.get(self.at) != Some(&b':') {
            return Err(self.unexpected("':'"));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), DecodeError> {
        let start = self.at;
        let mut is_escaped = false;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    is_escaped = true;
                    // What is escaped may be a quote, never the end of the string.
                    self.at = (self.at + 2).min(self.bytes.len());
                }
                Some(0..0x20) => return Err(self.unexpected("an escaped control character")),
                Some(_) => self.at += 1,
                None => return Err(self.unexpected("'\"'")),
            }
        }
        self.at += 1;
        if is_escaped && serde_json::from_str::<String>(&self.text[start..self.at]).is_err() {
            self.at = start + self.text[start..].find('\\').unwrap_or_default();
            return Err(self.unexpected("an escape of a character"));
        }
        self.push(Kind::String, start, self.at, is_escaped)
    }

    fn number(&mut self) -> Result<(), DecodeError> {
        let start = self.at;
        self.skip_if(b"-");
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.skip_if(b".") {
            self.digits()?;
        }
        if self.skip_if(b"eE") {
            self.skip_if(b"+-");
            self.digits()?;
        }
        self.push(Kind::Number, start, self.at, false)
    }

    fn skip_if(&mut self, set: &[u8]) -> bool {
        let is_there = self.bytes.get(self.at).is_some_and(|byte| set.contains(byte));
        self.at += usize::from(is_there);
        is_there
    }

    fn digits(&mut self) -> Result<(), DecodeError> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn literal(&mut self, word: &'static str, kind: Kind) -> Result<(), DecodeError> {
        let start = self.at;
        if !self.bytes[start..].starts_with(word.as_bytes()) {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        self.push(kind, start, self.at, false)
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize, is_escaped: bool) -> Result<(), DecodeError> {
        if self.nodes.len() == MAX_VALUES {
            return Err(DecodeError::TooManyValues { at: start });
        }
        self.nodes.push(Node { kind, is_escaped, at: start as u32, end: end as u32, span: 1 });
        Ok(())
    }

    #[cold]
    fn unexpected(&self, expected: &'static str) -> DecodeError {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(character) => format!("{:?}", character),
            None => "the end".into(),
        };
        DecodeError::Unexpected { at: self.at, expected, found }
    }
}
