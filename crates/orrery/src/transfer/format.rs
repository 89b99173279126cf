//! The formats of files.

use std::path::Path;

use anyhow::bail;
use clap::ValueEnum;

/// How items are written down in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A JSON array of objects, or objects one after the other
    Json,
    /// One JSON object per line
    Jsonl,
    /// Comma-separated values with a header line
    Csv,
    /// A graph in XML
    Graphml,
}

impl Format {
    /// The format that a file's name stands for; a `.gz` at its end does not count.
    ///
    /// # Errors
    /// If the name ends in nothing known.
    pub fn from_name(path: &Path) -> anyhow::Result<Format> {
        let name = path.to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("json") => Ok(Format::Json),
            Some("jsonl" | "ndjson") => Ok(Format::Jsonl),
            Some("csv") => Ok(Format::Csv),
            Some("graphml" | "xml") => Ok(Format::Graphml),
            _ => bail!(
                "the name of {} does not tell its format: add --format json, jsonl, csv or graphml",
                path.display()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        let format = |name: &str| Format::from_name(Path::new(name));
        assert_eq!(format("a/b.JSON").unwrap(), Format::Json);
        assert_eq!(format("b.ndjson").unwrap(), Format::Jsonl);
        assert_eq!(format("b.csv.gz").unwrap(), Format::Csv);
        assert!(format("b.parquet").unwrap_err().to_string().contains("--format"));
        assert!(format("json").is_err());
    }
}
