//! What `orrery import` can be told.

use std::path::PathBuf;

use clap::Args;

use crate::transfer::{Format, LocationArgs};

/// Writes at a time, unless told otherwise.
const DEFAULT_CONCURRENCY: u16 = 8;
const MAX_CONCURRENCY: i64 = 256;

/// Read items from files and write them into a container
///
/// An item that exists is replaced, so that an import that was interrupted can be repeated. Items are checked one by one: what
/// cannot be imported is told with its line or element number, and the rest goes in.
#[derive(Args, Debug, Clone)]
#[command(after_help = AFTER_HELP)]
pub struct ImportArgs {
    /// Files to read; - is standard input. Files packed with gzip are unpacked
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub location: LocationArgs,
    /// Make the database and the container if they are missing, with this partition key path; repeat it for the levels of a hierarchical key
    #[arg(long, value_name = "PATH", conflicts_with = "table")]
    pub partition_key: Vec<String>,
    /// Throughput in RU/s of the container if it is made
    #[arg(long, value_name = "RU")]
    pub throughput: Option<u32>,
    /// Format of the files; by default their names tell, and standard input is JSON
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Character between the cells of a CSV file; "\t" is a tab
    #[arg(long, default_value = ",", value_name = "CHARACTER", value_parser = parse_delimiter)]
    pub delimiter: u8,
    /// Take the id from this property, a string or number, instead of from "id"
    #[arg(long, value_name = "PROPERTY", conflicts_with = "table")]
    pub id_field: Option<String>,
    /// The files hold vertices and edges of a graph, as GraphML always does: CSV with the columns ~id, ~label, ~from and ~to, or GraphSON
    #[arg(long, conflicts_with_all = ["table", "id_field"])]
    pub graph: bool,
    /// Writes at a time
    #[arg(long, default_value_t = DEFAULT_CONCURRENCY, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_CONCURRENCY))]
    pub concurrency: u16,
    /// Write every reject into this file, a JSON object per line with file, line or element, reason and record
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,
    /// Show no progress bar
    #[arg(long)]
    pub no_progress: bool,
}

const AFTER_HELP: &str = "\
Formats:
  json   a JSON array of objects, or objects one after the other
  jsonl  one JSON object per line
  csv    a header, then rows; quotes as in RFC 4180. A column is named 'name' or 'name:type' with the types string (the
         default, also for dates), int, double, bool and json. An empty cell leaves the property out; \"\" is an empty text

  graphml  vertices and edges in XML; implies --graph

With --graph, vertices and edges become the documents that the Gremlin API has for them; a container that is made best has a property of
all vertices as its partition key, or /id. The files may be, all in one import since an edge is stored with the labels and
partitions of its vertices:
  csv           ~id, ~label, and the properties as columns; of edges ~from and ~to as well. Vertices and edges may be in files of their own
  json, jsonl   GraphSON with or without types: a vertex with its edges per line, one element after the other, or a whole graph with
                its vertices and edges
Edges of vertices that are read later wait in a temporary file.

With --table, records are entities: JSON as the Table API has it (a member 'when@odata.type' beside 'when'), or CSV as Azure
Storage Explorer writes it: columns PartitionKey, RowKey, and for each property 'name' and 'name@type' (String, Int32, Int64, Double,
Boolean, DateTime, Guid, Binary; without a type it is a String). The table is made if it is missing. A Timestamp is not taken over.

An item without an id gets a random one: importing it again adds it again. Use --id-field, or give the items ids.

Examples:
  orrery import cities.json --database geo --container cities --partition-key /country
  orrery import orders.csv.gz -d shop -c orders --partition-key /tenant --partition-key /user --id-field number
  cat events.jsonl | orrery import - -d logs -c events --format jsonl --rejects rejects.jsonl
  orrery import cities.json -d geo -c cities --endpoint https://localhost:8081 --ca ./orrery-data/cert.pem
  orrery import people.csv --table people
  orrery import nodes.csv edges.csv --graph -d air -c routes --partition-key /country
  orrery import cities.json -d geo -c cities --data-dir ./orrery-data   (while no server runs on it)

The exit code is 1 if a record was rejected or the import failed.";

pub(crate) fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err("a delimiter is one ASCII character other than a quote, such as ; or \\t".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_one_character() {
        assert_eq!(parse_delimiter(";"), Ok(b';'));
        assert_eq!(parse_delimiter("\\t"), Ok(b'\t'));
        assert!(parse_delimiter("\"").is_err() && parse_delimiter("").is_err() && parse_delimiter("é").is_err());
    }
}
