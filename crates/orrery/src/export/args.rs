//! What `orrery export` can be told.

use std::path::PathBuf;

use clap::Args;

use crate::import::parse_delimiter;
use crate::transfer::{Format, LocationArgs};

/// Write all items of a container into a file
///
/// Items are read page by page, so that a container of any size can be exported. The system properties (_rid, _self, _etag,
/// _attachments, _ts) are left out, and the outcome can be imported again.
#[derive(Args, Debug, Clone)]
#[command(after_help = AFTER_HELP)]
pub struct ExportArgs {
    #[command(flatten)]
    pub location: LocationArgs,
    /// File to write, packed with gzip if its name ends in .gz; standard output without it
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format to write; by default the name of the file tells, and standard output gets JSON lines
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Columns of a CSV file, such as id,name,age:int; by default all there are, found by reading everything once before
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Character between the cells of a CSV file; "\t" is a tab
    #[arg(long, default_value = ",", value_name = "CHARACTER", value_parser = parse_delimiter)]
    pub delimiter: u8,
    /// Write the vertices and edges that the items are in a graph, as GraphML always does
    #[arg(long, conflicts_with_all = ["table", "keep_system_properties", "columns"])]
    pub graph: bool,
    /// Keep _rid, _self, _etag, _attachments and _ts
    #[arg(long)]
    pub keep_system_properties: bool,
    /// Show no progress bar
    #[arg(long)]
    pub no_progress: bool,
}

const AFTER_HELP: &str = "\
Formats:
  json   a JSON array, an item on each line
  jsonl  an item on each line
  csv    a header, then rows. Without --columns the container is read twice: first for the columns and their types, which
         the header names ('age:int') so that an import restores them; a property with values of several types becomes a
         column of JSON. With --columns only these properties are written, and an item that does not fit a type is an error

  graphml  vertices and edges in XML; implies --graph

With --graph, the container is read twice, and a third time before for the properties that GraphML and CSV have to name first:
  json   a whole graph in GraphSON 3
  jsonl  GraphSON 3, an element on each line, vertices first
  csv    two files, NAME-nodes.csv and NAME-edges.csv for --output NAME.csv, with the columns ~id, ~label, ~from and ~to
CSV and GraphML have no properties of properties; several values of one property are an array in CSV and repeated in GraphML.

With --table, entities are written in the order of their keys: JSON as the Table API has it, Timestamp included, or CSV as Azure Storage
Explorer writes it, with a column 'name@type' beside each property. They are read from the Table API, on a server at --table-endpoint.

Items that are written meanwhile may or may not be in the file.

Examples:
  orrery export --database geo --container cities --output cities.json
  orrery export -d shop -c orders -o orders.csv.gz --columns id,tenant,total:double
  orrery export --table people -o people.csv
  orrery export -d air -c routes -o routes.graphml
  orrery export -d logs -c events | jq .message
  orrery export -d geo -c cities -o cities.jsonl --data-dir ./orrery-data   (while no server runs on it)";
