//! Files opened for reading: counted, unpacked, and split by their format.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use flate2::read::MultiGzDecoder;

use super::csv_rows::CsvRows;
use super::entity_rows::EntityRows;
use super::entry::RecordReader;
use super::graph::GraphmlElements;
use super::json_elements::JsonElements;
use super::json_lines::JsonLines;
use crate::transfer::{Format, Progress};

const BUFFER_BYTES: usize = 256 * 1024;
const GZIP_MAGIC: &[u8] = &[0x1F, 0x8B];

/// A file to import.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// As the user named it; `-` is standard input.
    path: PathBuf,
    format: Format,
    delimiter: u8,
    form: Form,
    size_bytes: Option<u64>,
}

/// What the records of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Items,
    /// Of a table.
    Entities,
    /// Of a graph.
    Elements,
}

impl Source {
    /// Looks at a file without reading it.
    ///
    /// # Errors
    /// If it is not there, or its format is unknown.
    pub fn find(path: &Path, format: Option<Format>, delimiter: u8, form: Form) -> anyhow::Result<Source> {
        let standard_input = path == Path::new("-");
        let format = match format {
            Some(format) => format,
            // Reads arrays and lines alike.
            None if standard_input => Format::Json,
            None => Format::from_name(path)?,
        };
        let size_bytes = if standard_input {
            None
        } else {
            let about = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
            anyhow::ensure!(!about.is_dir(), "{} is a folder", path.display());
            // A pipe has no length.
            about.is_file().then_some(about.len())
        };
        Ok(Source { path: path.to_owned(), format, delimiter, form, size_bytes })
    }

    /// Whether it holds a part of a graph.
    pub fn is_graph(&self) -> bool {
        self.form == Form::Elements || self.format == Format::Graphml
    }

    /// Bytes in the file, where that is known.
    pub fn size_bytes(&self) -> Option<u64> {
        self.size_bytes
    }

    /// The file's name for messages.
    pub fn name(&self) -> Arc<str> {
        if self.path == Path::new("-") { "standard input".into() } else { self.path.to_string_lossy().into() }
    }

    /// Opens the file. What is read moves `progress`.
    ///
    /// # Errors
    /// If it cannot be opened, or the header of a CSV file is wrong.
    pub fn open(&self, progress: &Progress) -> anyhow::Result<Box<dyn RecordReader>> {
        let raw: Box<dyn Read + Send> =
            if self.path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(&self.path)?) };
        let mut counted = BufReader::with_capacity(BUFFER_BYTES, Counted { raw, progress: progress.clone() });
        let packed = counted.fill_buf()?.starts_with(GZIP_MAGIC);
        let input: Box<dyn BufRead + Send> = if packed {
            Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(counted)))
        } else {
            Box::new(counted)
        };
        Ok(match self.format {
            Format::Graphml => Box::new(GraphmlElements::new(input)),
            Format::Json if self.form == Form::Elements => Box::new(JsonElements::of_graph(input)),
            Format::Json => Box::new(JsonElements::new(input)),
            Format::Jsonl => Box::new(JsonLines::new(input)),
            Format::Csv if self.form == Form::Entities => Box::new(EntityRows::new(input, self.delimiter)?),
            Format::Csv => Box::new(CsvRows::new(input, self.delimiter)?),
        })
    }
}

struct Counted {
    raw: Box<dyn Read + Send>,
    progress: Progress,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.raw.read(buffer)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::import::entry::Entry;

    #[test]
    fn packed_files_are_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl.gz");
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(b"{\"id\":\"a\"}\n{\"id\":\"b\"}\n").unwrap();
        std::fs::write(&path, packed.finish().unwrap()).unwrap();
        let mut reader =
            Source::find(&path, None, b',', Form::Items).unwrap().open(&Progress::of_bytes(None, false)).unwrap();
        assert_eq!(reader.next().unwrap(), Some(Entry::found(1, b"{\"id\":\"a\"}".to_vec())));
        assert_eq!(reader.next().unwrap(), Some(Entry::found(2, b"{\"id\":\"b\"}".to_vec())));
        assert_eq!(reader.next().unwrap(), None);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Source::find(Path::new("no-such.json"), None, b',', Form::Items).unwrap_err();
        assert!(format!("{error:#}").contains("no-such.json"));
    }
}
