//! The file that is written: complete, or not there.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::Compression;
use flate2::write::GzEncoder;

const BUFFER_BYTES: usize = 256 * 1024;

/// Where the items go.
pub(super) struct Output {
    sink: Option<Sink>,
    /// The file that is written, and the name that it gets in the end.
    file: Option<(PathBuf, PathBuf)>,
}

enum Sink {
    Plain(BufWriter<Box<dyn Write>>),
    Packed(GzEncoder<BufWriter<Box<dyn Write>>>),
}

impl Output {
    /// Opens a file, or standard output.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: Option<&Path>) -> anyhow::Result<Output> {
        let Some(path) = path else {
            return Ok(Output { sink: Some(Sink::Plain(buffered(Box::new(io::stdout().lock())))), file: None });
        };
        let mut draft = path.as_os_str().to_owned();
        draft.push(".part");
        let draft = PathBuf::from(draft);
        let raw = File::create(&draft).with_context(|| format!("cannot write {}", draft.display()))?;
        let raw = buffered(Box::new(raw));
        let packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let sink = if packed { Sink::Packed(GzEncoder::new(raw, Compression::default())) } else { Sink::Plain(raw) };
        Ok(Output { sink: Some(sink), file: Some((draft, path.to_owned())) })
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            Some(Sink::Plain(out)) => out.write_all(bytes),
            Some(Sink::Packed(out)) => out.write_all(bytes),
            None => Err(io::Error::other("the output is finished")),
        }
    }

    /// Writes what is buffered and gives the file its name.
    ///
    /// # Errors
    /// If that fails; the file is not there then.
    pub fn finish(mut self) -> io::Result<()> {
        let mut out = match self.sink.take() {
            Some(Sink::Plain(out)) => out,
            Some(Sink::Packed(out)) => out.finish()?,
            None => return Ok(()),
        };
        out.flush()?;
        drop(out);
        if let Some((draft, path)) = &self.file {
            std::fs::rename(draft, path)?;
        }
        self.file = None;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // A half-written file is not left behind; that it cannot be removed changes nothing.
        if let Some((draft, _)) = &self.file {
            let _ = std::fs::remove_file(draft);
        }
    }
}

fn buffered(raw: Box<dyn Write>) -> BufWriter<Box<dyn Write>> {
    BufWriter::with_capacity(BUFFER_BYTES, raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl");
        let mut output = Output::create(Some(&path)).unwrap();
        output.write(b"half").unwrap();
        drop(output);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut output = Output::create(Some(&path)).unwrap();
        output.write(b"whole").unwrap();
        output.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
