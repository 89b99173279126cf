//! JSON lines: a record on each line, empty lines between them allowed.

use std::io::{self, BufRead};

use super::entry::{Bounded, Entry, RecordReader, Unit};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads JSON lines.
pub(super) struct JsonLines<R> {
    input: R,
    line: u64,
}

impl<R: BufRead + Send> JsonLines<R> {
    pub fn new(input: R) -> Self {
        JsonLines { input, line: 0 }
    }

    /// The next line without its end; none at the end of the file.
    fn line(&mut self) -> io::Result<Option<Bounded>> {
        let mut line = Bounded::default();
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok((line.size_bytes > 0).then_some(line));
            }
            let end = memchr::memchr(b'\n', buffer);
            line.push(&buffer[..end.unwrap_or(buffer.len())]);
            let consumed = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(consumed);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }
}

impl<R: BufRead + Send> RecordReader for JsonLines<R> {
    fn next(&mut self) -> io::Result<Option<Entry>> {
        loop {
            let Some(mut line) = self.line()? else { return Ok(None) };
            self.line += 1;
            if self.line == 1 && line.kept.starts_with(BYTE_ORDER_MARK) {
                line.kept.drain(..BYTE_ORDER_MARK.len());
            }
            if line.is_whole() && line.kept.trim_ascii().is_empty() {
                continue;
            }
            return Ok(Some(line.into_entry(self.line)));
        }
    }

    fn unit(&self) -> Unit {
        Unit::Line
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;
    use crate::import::entry::MAX_RECORD_BYTES;

    fn read(text: &[u8], buffer: usize) -> Vec<Entry> {
        let mut reader = JsonLines::new(BufReader::with_capacity(buffer, text));
        std::iter::from_fn(|| reader.next().unwrap()).collect()
    }

    #[test]
    fn empty_lines_count_but_are_no_records() {
        let entries = read(b"\xEF\xBB\xBF{\"a\":1}\r\n\n  \n{\"b\":2}", 4);
        assert_eq!(entries, [Entry::found(1, b"{\"a\":1}\r".to_vec()), Entry::found(4, b"{\"b\":2}".to_vec())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let text = [vec![b'x'; MAX_RECORD_BYTES + 5], b"\n{}\n".to_vec()].concat();
        let entries = read(&text, 8192);
        assert_eq!(entries, [Entry::too_long(1, MAX_RECORD_BYTES as u64 + 5), Entry::found(2, b"{}".to_vec())]);
    }

    proptest! {
        #[test]
        fn joined_lines_are_split_again(lines in prop::collection::vec("[^\n\\s\u{FEFF}][^\n]{0,20}", 0..20), buffer in 1usize..40) {
            let entries = read(lines.join("\n").as_bytes(), buffer);
            let expected: Vec<Entry> = lines.iter().zip(1..).map(|(line, number)| Entry::found(number, line.clone().into_bytes())).collect();
            prop_assert_eq!(entries, expected);
        }
    }
}
