//! Lines of input to statements and commands.

use super::language::Language;

/// Longest statement; the longest query that a server takes is half of it.
pub const MAX_STATEMENT_BYTES: usize = 1024 * 1024;

/// What is typed without a backslash and means a command, where a statement would begin.
const BARE_COMMANDS: [(&str, &str); 3] = [("exit", "\\q"), ("quit", "\\q"), ("help", "\\h")];

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// What it is.
    pub kind: InputKind,
    /// Its text, without terminator.
    pub text: String,
    /// The line that it begins on, from 1.
    pub line: u64,
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A statement of the language.
    Statement,
    /// A command of the shell: `\d`.
    Command,
}

/// A statement does not end.
#[derive(Debug, thiserror::Error)]
#[error("the statement that begins on line {line} is longer than {MAX_STATEMENT_BYTES} bytes: does it end?")]
pub struct TooLong {
    line: u64,
}

/// Gathers lines until a statement is whole.
pub struct Splitter {
    language: Language,
    pending: String,
    /// Whether the next line begins inside a comment.
    inside: bool,
    /// Lines taken.
    lines: u64,
    /// The line that `pending` begins on.
    first_line: u64,
}

impl Splitter {
    pub fn new(language: Language) -> Splitter {
        Splitter { language, pending: String::new(), inside: false, lines: 0, first_line: 1 }
    }

    /// What comes next is of another language.
    pub fn speak(&mut self, language: Language) {
        self.language = language;
    }

    /// Takes a line, and returns what is whole with it.
    ///
    /// # Errors
    /// [`TooLong`]
    pub fn push(&mut self, line: &str) -> Result<Vec<Input>, TooLong> {
        self.lines += 1;
        let mut whole = Vec::new();
        let mut rest = line;
        loop {
            if self.is_idle() {
                self.pending.clear();
                self.first_line = self.lines;
                if let Some(command) = command(rest) {
                    whole.push(Input { kind: InputKind::Command, text: command.to_owned(), line: self.lines });
                    return Ok(whole);
                }
            }
            let end = self.language.statement_end(rest, &mut self.inside);
            let (taken, left) = rest.split_at(end.unwrap_or(rest.len()));
            if self.pending.len() + taken.len() > MAX_STATEMENT_BYTES {
                return Err(TooLong { line: self.first_line });
            }
            self.pending.push_str(taken);
            if end.is_none() {
                return Ok(whole);
            }
            whole.extend(self.take());
            rest = left;
        }
    }

    /// What is left at the end of the input counts as a statement.
    pub fn finish(mut self) -> Option<Input> {
        self.take()
    }

    /// Whether no statement is begun.
    pub fn is_idle(&self) -> bool {
        !self.inside && self.language.is_blank(&self.pending)
    }

    fn take(&mut self) -> Option<Input> {
        let pending = std::mem::take(&mut self.pending);
        if self.language.is_blank(&pending) {
            return None;
        }
        let text = self.language.trim(&pending).to_owned();
        Some(Input { kind: InputKind::Statement, text, line: self.first_line })
    }
}

fn command(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.starts_with('\\') {
        return Some(line);
    }
    let word = line.trim_end_matches(';').trim_end();
    BARE_COMMANDS.iter().find(|(bare, _)| bare.eq_ignore_ascii_case(word)).map(|(_, command)| *command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<(u64, String)> {
        let mut splitter = Splitter::new(Language::Sql);
        let mut inputs = Vec::new();
        for line in text.split_inclusive('\n') {
            inputs.extend(splitter.push(line).unwrap());
        }
        inputs.extend(splitter.finish());
        inputs.into_iter().map(|input| (input.line, input.text)).collect()
    }

    #[test]
    fn statements_end_at_semicolons_and_commands_with_their_line() {
        let text = "-- first\n\\l\nSELECT 1;SELECT\n  ';\\q'\n; \\d a b \nquit\nSELECT 3";
        let expected =
            [(2, "\\l"), (3, "SELECT 1"), (3, "SELECT\n  ';\\q'"), (5, "\\d a b"), (6, "\\q"), (7, "SELECT 3")];
        assert_eq!(split(text), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn comments_over_lines_belong_to_no_command() {
        assert_eq!(split("/* a\n\\l;\n*/ SELECT 1\n;;\n"), [(1, "/* a\n\\l;\n*/ SELECT 1".to_owned())]);
        assert_eq!(split("SELECT 1\n\\l\n;"), [(1, "SELECT 1\n\\l".to_owned())]);
    }

    #[test]
    fn what_does_not_end_is_refused() {
        let mut splitter = Splitter::new(Language::Sql);
        let line = "SELECT 1 ".repeat(1000);
        let error = (0..200).find_map(|_| splitter.push(&line).err()).unwrap();
        assert!(error.to_string().contains("begins on line 1 "), "{error}");
    }
}
