//! The elements of a JSON array, or JSON objects one after the other, found without holding the whole.

use std::io::{self, BufRead};

use super::entry::{Bounded, Entry, RecordReader, Unit};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads a JSON array of records; if the file begins with an object instead, a sequence of objects.
///
/// It follows strings and brackets only, to know where an element ends. Whether the element is JSON is for others to say.
pub(super) struct JsonElements<R> {
    input: R,
    state: State,
    number: u64,
    /// Whether arrays within an object are read one after the other, as a whole graph has them.
    is_graph: bool,
}

/// What the beginning of a file has that holds a whole graph, within so many bytes.
const GRAPH_MARK: &[u8] = b"\"vertices\"";
const GRAPH_MARK_WITHIN_BYTES: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// Before an array of a graph.
    Outside,
    /// Behind the opening bracket.
    First,
    /// Behind a comma.
    Element,
    /// Behind the closing bracket.
    Closed,
    /// Among objects without an array around them.
    Sequence,
    End,
}

impl<R: BufRead + Send> JsonElements<R> {
    pub fn new(input: R) -> Self {
        JsonElements { input, state: State::Start, number: 0, is_graph: false }
    }

    /// Reads the elements of a graph: an object with arrays of vertices and edges, or what [`JsonElements::new`] reads.
    pub fn of_graph(input: R) -> Self {
        JsonElements { is_graph: true, ..JsonElements::new(input) }
    }

    /// Whether an object that begins here is a whole graph.
    fn begins_graph(&mut self) -> io::Result<bool> {
        let buffer = self.input.fill_buf()?;
        let beginning = &buffer[..buffer.len().min(GRAPH_MARK_WITHIN_BYTES)];
        Ok(self.is_graph && memchr::memmem::find(beginning, GRAPH_MARK).is_some())
    }

    /// Skips everything up to the next array.
    fn outside(&mut self) -> io::Result<Option<Entry>> {
        let mut in_string = false;
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                self.state = State::End;
                return Ok(None);
            }
            let mut opened = None;
            for (at, byte) in buffer.iter().enumerate() {
                in_string ^= *byte == b'"';
                if *byte == b'[' && !in_string {
                    opened = Some(at);
                    break;
                }
            }
            let consumed = opened.map_or(buffer.len(), |at| at + 1);
            self.input.consume(consumed);
            if opened.is_some() {
                self.state = State::First;
                return Ok(None);
            }
        }
    }

    /// The next byte that is no white space, left in place.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let space = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let found = buffer.get(space).copied();
            self.input.consume(space);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    fn skip_byte_order_mark(&mut self) -> io::Result<()> {
        for byte in BYTE_ORDER_MARK {
            if self.input.fill_buf()?.first() != Some(byte) {
                return Ok(());
            }
            self.input.consume(1);
        }
        Ok(())
    }

    fn start(&mut self) -> io::Result<Option<Entry>> {
        self.skip_byte_order_mark()?;
        self.state = match self.peek()? {
            None => State::End,
            Some(b'[') => {
                self.input.consume(1);
                State::First
            }
            Some(b'{') if self.begins_graph()? => State::Outside,
            Some(b'{') => State::Sequence,
            Some(_) => return Ok(self.end("the file begins with neither an array nor an object")),
        };
        Ok(None)
    }

    /// One element, up to the comma or bracket behind it, which is consumed.
    fn element(&mut self) -> io::Result<Option<Entry>> {
        let first = self.peek()?;
        if first == Some(b']') && self.state == State::First {
            self.input.consume(1);
            self.state = State::Closed;
            return Ok(None);
        }
        let (mut element, ending) = self.scan(Until::Separator)?;
        self.state = match ending {
            Some(b',') => State::Element,
            Some(_) => State::Closed,
            None => return Ok(self.end("the file ends within this element or before the array's end")),
        };
        self.number += 1;
        let length = element.kept.trim_ascii_end().len();
        element.kept.truncate(length);
        if element.is_whole() && element.kept.is_empty() {
            return Ok(Some(Entry::wrong(self.number, "there is no element between two commas or brackets")));
        }
        Ok(Some(element.into_entry(self.number)))
    }

    /// One object of a sequence.
    fn object(&mut self) -> io::Result<Option<Entry>> {
        match self.peek()? {
            None => {
                self.state = State::End;
                Ok(None)
            }
            Some(b'{') => {
                let (element, ending) = self.scan(Until::Closed)?;
                if ending.is_none() {
                    return Ok(self.end("the file ends within this object"));
                }
                self.number += 1;
                Ok(Some(element.into_entry(self.number)))
            }
            Some(_) => {
                Ok(self.end("something other than an object follows the one before; the rest of the file is not read"))
            }
        }
    }

    fn closed(&mut self) -> io::Result<Option<Entry>> {
        if self.is_graph {
            self.state = State::Outside;
            return Ok(None);
        }
        if self.peek()?.is_some() {
            return Ok(self.end("text follows the end of the array; it is not read"));
        }
        self.state = State::End;
        Ok(None)
    }

    fn end(&mut self, reason: &str) -> Option<Entry> {
        self.state = State::End;
        self.number += 1;
        Some(Entry::wrong(self.number, reason))
    }

    /// Takes bytes up to the end of a value. Returns the byte that ended it, none at the end of the file.
    fn scan(&mut self, until: Until) -> io::Result<(Bounded, Option<u8>)> {
        let mut value = Bounded::default();
        let mut nesting = Nesting::default();
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok((value, None));
            }
            let Some(end) = nesting.find_end(buffer, until) else {
                value.push(buffer);
                let length = buffer.len();
                self.input.consume(length);
                continue;
            };
            let ending = buffer[end];
            value.push(&buffer[..end + usize::from(until == Until::Closed)]);
            self.input.consume(end + 1);
            return Ok((value, Some(ending)));
        }
    }
}

impl<R: BufRead + Send> RecordReader for JsonElements<R> {
    fn next(&mut self) -> io::Result<Option<Entry>> {
        loop {
            let entry = match self.state {
                State::Start => self.start()?,
                State::Outside => self.outside()?,
                State::First | State::Element => self.element()?,
                State::Closed => self.closed()?,
                State::Sequence => self.object()?,
                State::End => return Ok(None),
            };
            if entry.is_some() {
                return Ok(entry);
            }
        }
    }

    fn unit(&self) -> Unit {
        Unit::Element
    }
}

/// Where a value ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At a comma or closing bracket outside of it.
    Separator,
    /// At the brace that closes it.
    Closed,
}

/// How far inside a value the scan is.
#[derive(Default)]
struct Nesting {
    depth: u64,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Index of the byte that ends the value, if it is in these bytes.
    fn find_end(&mut self, bytes: &[u8], until: Until) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            if self.escaped {
                self.escaped = false;
                at += 1;
                continue;
            }
            if self.in_string {
                at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
                self.in_string = bytes[at] != b'"';
                self.escaped = self.in_string;
                at += 1;
                continue;
            }
            match bytes[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b',' | b']' if self.depth == 0 && until == Until::Separator => return Some(at),
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 && until == Until::Closed {
                        return Some(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;
    use crate::import::entry::MAX_RECORD_BYTES;

    fn read(text: &[u8], buffer: usize) -> Vec<Entry> {
        let mut reader = JsonElements::new(BufReader::with_capacity(buffer, text));
        std::iter::from_fn(|| reader.next().unwrap()).collect()
    }

    fn texts(text: &str) -> Vec<Result<String, String>> {
        let text_of = |entry: Entry| entry.content.map(|text| String::from_utf8(text).unwrap());
        read(text.as_bytes(), 3).into_iter().map(text_of).collect()
    }

    fn oks(expected: &[&str]) -> Vec<Result<String, String>> {
        expected.iter().map(|text| Ok((*text).to_owned())).collect()
    }

    #[test]
    fn arrays_are_split_at_their_own_commas() {
        assert_eq!(texts("\u{FEFF} [ ] "), oks(&[]));
        assert_eq!(texts(""), oks(&[]));
        assert_eq!(
            texts(r#" [{"a":[1,2]} , {"b":"],\"[{"} ,3 ] "#),
            oks(&[r#"{"a":[1,2]}"#, r#"{"b":"],\"[{"}"#, "3"])
        );
    }

    #[test]
    fn objects_without_an_array_are_a_sequence() {
        assert_eq!(
            texts("{\"a\":{}}{\"b\":\"}\"}\n\n {\"c\":[{}]}\n"),
            oks(&["{\"a\":{}}", "{\"b\":\"}\"}", "{\"c\":[{}]}"])
        );
    }

    #[test]
    fn what_is_missing_or_too_much_is_said_once() {
        let wrong = |text: &str| texts(text).into_iter().filter_map(Result::err).collect::<Vec<_>>();
        assert_eq!(wrong("[1,,2]").len(), 1);
        assert_eq!(texts("[1,]").len(), 2);
        for text in ["[1", "[1,", "[\"a", "[", "[1] 2", "x", "{} 1", "{\"a\":"] {
            assert_eq!(wrong(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn an_element_that_is_too_long_is_skipped() {
        let long = format!("[\"{}\",{{}}]", "x".repeat(MAX_RECORD_BYTES));
        let entries = read(long.as_bytes(), 8192);
        assert_eq!(entries, [Entry::too_long(1, MAX_RECORD_BYTES as u64 + 2), Entry::found(2, b"{}".to_vec())]);
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<i32>().prop_map(serde_json::Value::from),
            "[\\PC\n\"\\\\\\[\\]{},:]{0,8}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                prop::collection::btree_map("[a-c\"\\\\]{0,3}", inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn joined_elements_are_split_again(values in prop::collection::vec(json(), 0..8), space in "[ \n\t\r]{0,2}", buffer in 1usize..30) {
            let texts: Vec<String> = values.iter().map(serde_json::Value::to_string).collect();
            let expected: Vec<Entry> = texts.iter().zip(1..).map(|(text, number)| Entry::found(number, text.clone().into_bytes())).collect();
            let array = format!("{space}[{space}{}{space}]{space}", texts.join(&format!("{space},{space}")));
            prop_assert_eq!(read(array.as_bytes(), buffer), expected);
        }

        #[test]
        fn every_text_comes_to_an_end(text in "[\\[\\]{},\"\\\\a1 ]{0,40}", buffer in 1usize..9) {
            let entries = read(text.as_bytes(), buffer);
            prop_assert!(entries.len() <= text.len() + 1);
        }
    }
}
