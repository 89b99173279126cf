//! CSV as of RFC 4180: records of cells, quotes around cells that need them.
//!
//! Read here rather than by a library because of two demands: a quote that is never closed must not take the rest of the file into
//! memory (or pass for a cell), and an empty cell differs from an empty text in quotes.

use std::io::{self, BufRead};

use super::entry::MAX_RECORD_BYTES;

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// Its text, quotes taken off.
    pub text: String,
    /// Whether it stood in quotes.
    pub quoted: bool,
}

/// Reads records.
pub(super) struct CsvRecords<R> {
    input: R,
    delimiter: u8,
    /// Lines begun so far.
    line: u64,
    at_start: bool,
}

/// A record, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CsvRecord {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its cells, or what is wrong.
    pub cells: Result<Vec<Cell>, String>,
}

/// Where in a record the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    CellStart,
    Plain,
    Quoted,
    /// Behind a quote inside quotes: the end of the cell, or half of a quote.
    QuoteInQuoted,
    /// Behind a mistake: up to the end of the line.
    Skip,
}

/// A record being read.
struct Draft {
    cells: Vec<Cell>,
    bytes: Vec<u8>,
    quoted: bool,
    size_bytes: u64,
    wrong: Option<String>,
}

impl<R: BufRead + Send> CsvRecords<R> {
    /// `delimiter` is neither a quote nor the end of a line.
    pub fn new(input: R, delimiter: u8) -> Self {
        CsvRecords { input, delimiter, line: 0, at_start: true }
    }

    /// The next record that is not an empty line; none at the end.
    pub fn next(&mut self) -> io::Result<Option<CsvRecord>> {
        loop {
            let line = self.line + 1;
            let Some(draft) = self.read()? else { return Ok(None) };
            let first = std::mem::take(&mut self.at_start);
            let mut cells = draft.finish();
            if let Ok(cells) = &mut cells
                && first
                && let Some(cell) = cells.first_mut()
                && let Some(text) = cell.text.strip_prefix(BYTE_ORDER_MARK)
            {
                cell.text = text.to_owned();
            }
            let empty = matches!(cells.as_deref(), Ok([cell]) if cell.text.is_empty() && !cell.quoted);
            if !empty {
                return Ok(Some(CsvRecord { line, cells }));
            }
        }
    }

    fn read(&mut self) -> io::Result<Option<Draft>> {
        let mut draft = Draft { cells: Vec::new(), bytes: Vec::new(), quoted: false, size_bytes: 0, wrong: None };
        let mut state = State::CellStart;
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                if draft.size_bytes == 0 {
                    return Ok(None);
                }
                if state == State::Quoted {
                    draft.fail("a quote is opened and never closed");
                }
                draft.end_cell();
                return Ok(Some(draft));
            }
            let mut at = 0;
            let mut ended = false;
            while at < buffer.len() && !ended {
                let run = plain_run(&buffer[at..], state, self.delimiter);
                draft.push(&buffer[at..at + run]);
                at += run;
                if run > 0 && state == State::CellStart {
                    state = State::Plain;
                }
                if let Some(&byte) = buffer.get(at) {
                    at += 1;
                    draft.size_bytes += 1;
                    self.line += u64::from(byte == b'\n');
                    ended = byte == b'\n' && state != State::Quoted;
                    state = draft.step(state, byte, self.delimiter);
                }
            }
            self.input.consume(at);
            if ended {
                return Ok(Some(draft));
            }
        }
    }
}

/// How many bytes from here on are cell text without any further meaning.
fn plain_run(bytes: &[u8], state: State, delimiter: u8) -> usize {
    let special = match state {
        State::CellStart if bytes.first() == Some(&b'"') => Some(0),
        State::CellStart | State::Plain => memchr::memchr2(delimiter, b'\n', bytes),
        State::Quoted => memchr::memchr2(b'"', b'\n', bytes),
        State::QuoteInQuoted => Some(0),
        State::Skip => memchr::memchr(b'\n', bytes),
    };
    special.unwrap_or(bytes.len())
}

impl Draft {
    /// Takes a byte that may mean something.
    fn step(&mut self, state: State, byte: u8, delimiter: u8) -> State {
        match (state, byte) {
            (State::Quoted, b'"') => State::QuoteInQuoted,
            (State::Quoted, _) => {
                self.keep(&[byte]);
                State::Quoted
            }
            (State::CellStart, b'"') => {
                self.quoted = true;
                State::Quoted
            }
            (State::QuoteInQuoted, b'"') => {
                self.keep(b"\"");
                State::Quoted
            }
            (_, b'\n') => {
                self.end_cell();
                State::CellStart
            }
            (State::Skip, _) => State::Skip,
            (_, byte) if byte == delimiter => {
                self.end_cell();
                State::CellStart
            }
            // The line's end may be of two characters.
            (State::QuoteInQuoted, b'\r') => State::QuoteInQuoted,
            (State::QuoteInQuoted, _) => {
                self.fail("text follows the closing quote of a cell");
                State::Skip
            }
            (State::CellStart | State::Plain, _) => {
                self.keep(&[byte]);
                State::Plain
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.size_bytes += bytes.len() as u64;
        self.keep(bytes);
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.size_bytes > MAX_RECORD_BYTES as u64 {
            self.bytes = Vec::new();
            self.cells = Vec::new();
        } else if self.wrong.is_none() {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn end_cell(&mut self) {
        let mut bytes = std::mem::take(&mut self.bytes);
        let quoted = std::mem::take(&mut self.quoted);
        if self.wrong.is_some() || self.size_bytes > MAX_RECORD_BYTES as u64 {
            return;
        }
        if !quoted && bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.cells.push(Cell { text, quoted }),
            Err(_) => self.fail(&format!("cell {} is not valid UTF-8", self.cells.len() + 1)),
        }
    }

    fn fail(&mut self, reason: &str) {
        self.wrong.get_or_insert_with(|| reason.to_owned());
    }

    fn finish(self) -> Result<Vec<Cell>, String> {
        match self.wrong {
            Some(reason) => Err(reason),
            None if self.size_bytes > MAX_RECORD_BYTES as u64 => {
                Err(format!("the record is {} bytes long; the limit is {MAX_RECORD_BYTES}", self.size_bytes))
            }
            None => Ok(self.cells),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8], delimiter: u8, buffer: usize) -> Vec<CsvRecord> {
        let mut reader = CsvRecords::new(BufReader::with_capacity(buffer, text), delimiter);
        std::iter::from_fn(|| reader.next().unwrap()).collect()
    }

    fn texts(text: &str) -> Vec<Result<Vec<String>, String>> {
        let texts = |cells: Vec<Cell>| cells.into_iter().map(|cell| cell.text).collect();
        read(text.as_bytes(), b',', 2).into_iter().map(|record| record.cells.map(texts)).collect()
    }

    fn row(cells: &[&str]) -> Result<Vec<String>, String> {
        Ok(cells.iter().map(|cell| (*cell).to_owned()).collect())
    }

    #[test]
    fn records_are_those_of_the_rfc() {
        assert_eq!(
            texts("\u{FEFF}a,b\r\n\r\n1,\"x, \"\"y\"\"\r\nz\"\r\n,\n"),
            [row(&["a", "b"]), row(&["1", "x, \"y\"\r\nz"]), row(&["", ""])]
        );
        assert_eq!(texts("a"), [row(&["a"])]);
        assert_eq!(texts("a,"), [row(&["a", ""])]);
        assert_eq!(texts("a \"b\" c,d"), [row(&["a \"b\" c", "d"])]);
        assert!(texts("").is_empty());
    }

    #[test]
    fn quoted_and_empty_differ() {
        let cells = read(b"\"\",", b',', 8).remove(0).cells.unwrap();
        assert_eq!(cells.iter().map(|cell| cell.quoted).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn mistakes_are_told_with_their_line_and_do_not_spread() {
        let records = read(b"a,b\n\"x\ny\" z,1\nc,d\n\"e", b',', 5);
        assert_eq!(records.iter().map(|record| record.line).collect::<Vec<_>>(), [1, 2, 4, 5]);
        assert!(records[1].cells.as_ref().unwrap_err().contains("closing quote"));
        assert!(records[2].cells.is_ok());
        assert!(records[3].cells.as_ref().unwrap_err().contains("never closed"));
        let records = read(b"a\n\xFF,b\nc", b',', 5);
        assert!(records[1].cells.as_ref().unwrap_err().contains("cell 1 is not valid UTF-8"));
        assert!(records[2].cells.is_ok());
    }

    #[test]
    fn a_quote_never_closed_does_not_fill_the_memory() {
        let text = [b"\"".as_slice(), &vec![b'x'; MAX_RECORD_BYTES + 1]].concat();
        let mut reader = CsvRecords::new(BufReader::new(&text[..]), b',');
        let draft = reader.read().unwrap().unwrap();
        assert!(draft.bytes.capacity() <= 2 * MAX_RECORD_BYTES && draft.cells.is_empty());
        assert!(draft.finish().is_err());
    }

    proptest! {
        #[test]
        fn written_records_are_read_again(
            rows in prop::collection::vec(prop::collection::vec("[a-c,;\"\r\n é]{0,6}", 1..5), 0..8),
            delimiter in prop::sample::select(vec![b',', b';', b'\t']),
            buffer in 1usize..20,
        ) {
            let mut text = Vec::new();
            for row in &rows {
                for (cell, index) in row.iter().zip(0..) {
                    if index > 0 {
                        text.push(delimiter);
                    }
                    crate::export::write_cell(cell, delimiter, &mut text);
                }
                text.extend_from_slice(b"\r\n");
            }
            let found: Vec<Vec<String>> = read(&text, delimiter, buffer)
                .into_iter()
                .map(|record| record.cells.unwrap().into_iter().map(|cell| cell.text).collect())
                .collect();
            prop_assert_eq!(found, rows);
        }
    }
}
