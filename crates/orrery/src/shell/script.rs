//! Statements from a pipe, a file or the command line.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, stdin};
use std::path::Path;

use anyhow::Context;

use super::input::{Input, MAX_STATEMENT_BYTES, Splitter};
use super::session::{Next, Session};

/// Where statements come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// An argument.
    Command { index: usize, text: &'a str },
    /// A file.
    File(&'a Path),
    /// Standard input.
    StandardInput,
}

impl<'a> Source<'a> {
    /// A file, or standard input for `-`.
    pub fn file(path: &'a Path) -> Source<'a> {
        if path.as_os_str() == "-" { Source::StandardInput } else { Source::File(path) }
    }

    fn name(self) -> String {
        match self {
            Source::Command { index, .. } => format!("command {}", index + 1),
            Source::File(path) => path.display().to_string(),
            Source::StandardInput => "standard input".into(),
        }
    }

    fn open(self) -> anyhow::Result<Box<dyn BufRead + 'a>> {
        match self {
            Source::Command { text, .. } => Ok(Box::new(text.as_bytes())),
            Source::File(path) => {
                let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
                Ok(Box::new(BufReader::new(file)))
            }
            Source::StandardInput => Ok(Box::new(stdin().lock())),
        }
    }
}

/// Runs all statements, each as soon as it is whole, and returns how many failed. Each failure is told with its place.
///
/// # Errors
/// If a source cannot be read, or the output is closed.
pub async fn run(session: &mut Session, sources: &[Source<'_>]) -> anyhow::Result<u64> {
    let mut failed = 0;
    for source in sources {
        let mut script = Script { session, name: source.name(), statements: 0, failed: 0 };
        let next = script.run(&mut *source.open()?).await;
        failed += script.failed;
        if next? == Next::Leave {
            break;
        }
    }
    Ok(failed)
}

/// One source on its way.
struct Script<'s> {
    session: &'s mut Session,
    name: String,
    /// Statements and commands begun.
    statements: u64,
    failed: u64,
}

impl Script<'_> {
    async fn run(&mut self, reader: &mut dyn BufRead) -> anyhow::Result<Next> {
        let mut splitter = Splitter::new(self.session.language);
        while let Some(line) =
            tokio::task::block_in_place(|| read_line(reader)).with_context(|| format!("cannot read {}", self.name))?
        {
            match splitter.push(&line) {
                Ok(inputs) => {
                    for input in inputs {
                        if self.input(&input).await? == Next::Leave {
                            return Ok(Next::Leave);
                        }
                    }
                    // A command is the last of its line.
                    splitter.speak(self.session.language);
                }
                Err(too_long) => {
                    // Where the next one begins cannot be told.
                    self.failed += 1;
                    self.session.tell(&format!("orrery: {}: {too_long}", self.name));
                    return Ok(Next::Stay);
                }
            }
        }
        match splitter.finish() {
            Some(input) => self.input(&input).await,
            None => Ok(Next::Stay),
        }
    }

    async fn input(&mut self, input: &Input) -> anyhow::Result<Next> {
        self.statements += 1;
        match self.session.run(input).await {
            Ok(next) => Ok(next),
            Err(error) if is_broken_pipe(&error) => Err(error),
            Err(error) => {
                self.failed += 1;
                let (number, line) = (self.statements, input.line);
                let what = self.session.describe(&error, input);
                self.session.tell(&format!("orrery: {}, statement {number}, line {line}: {what}", self.name));
                Ok(Next::Stay)
            }
        }
    }
}

/// The next line with its end, or so much of it as a statement may have; none at the end of the input.
fn read_line(reader: &mut dyn BufRead) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    reader.take(MAX_STATEMENT_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
    let line = line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(&line);
    if line.is_empty() {
        return Ok(None);
    }
    let text = std::str::from_utf8(line);
    text.map(|text| Some(text.to_owned())).map_err(|error| std::io::Error::new(ErrorKind::InvalidData, error))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
