//! What `orrery shell` can be told.

use std::path::PathBuf;

use clap::Args;

use super::language::Language;
use super::output::Format;
use crate::transfer::PlaceArgs;

/// Query a server or a data folder: a prompt with history and completion, or statements from a pipe
///
/// At a terminal there is a prompt; otherwise statements are read from standard input, separated by semicolons. Results go to
/// standard output, everything else to standard error.
#[derive(Args, Debug, Clone)]
#[command(after_help = AFTER_HELP)]
pub struct ShellArgs {
    /// Run these statements instead of reading any; may be repeated
    #[arg(long = "command", short = 'c', value_name = "STATEMENTS")]
    pub commands: Vec<String>,
    /// Run the statements in this file, after those of --command; may be repeated, and - is standard input
    #[arg(long = "file", short = 'f', value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Name of the database; by default the only one, if there is one
    #[arg(long, short, value_name = "NAME")]
    pub database: Option<String>,
    /// Name of the container of queries whose FROM names none; by default the only one, if there is one
    #[arg(long, value_name = "NAME")]
    pub container: Option<String>,
    /// Language of the statements; \sql, \table and \gremlin change it
    #[arg(long, value_enum, default_value = "sql", value_name = "LANGUAGE")]
    pub language: Language,
    /// Address of the server's Gremlin API; by default port 8901 of the server
    #[arg(long, value_name = "URL", conflicts_with = "data_dir")]
    pub gremlin_endpoint: Option<String>,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// How results are written; by default as tables on a terminal and as JSON lines elsewhere
    #[arg(long, short, value_enum)]
    pub output: Option<Format>,
    /// Rows shown of a result, or "all"; by default 100 on a terminal and all elsewhere
    #[arg(long, value_name = "ROWS|all")]
    pub limit: Option<Limit>,
    /// Show where a query's time goes, as \timing does
    #[arg(long)]
    pub timing: bool,
    /// Say nothing below results
    #[arg(long, short)]
    pub quiet: bool,
}

/// A number of rows, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<u64>);

impl std::str::FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("all") {
            return Ok(Limit(None));
        }
        text.parse()
            .map(|rows| Limit(Some(rows)))
            .map_err(|_| format!("'{text}' is neither a number of rows nor \"all\""))
    }
}

const AFTER_HELP: &str = "\
Commands (\\h at the prompt):
  \\l databases   \\c DATABASE [CONTAINER] choose   \\d [CONTAINER] containers   \\p [CONTAINER] partitions
  \\o table|json|csv   \\limit ROWS|all   \\timing   \\explain   \\q
  \\table statements on tables   \\gremlin traversals   \\sql statements in SQL

A query runs on the container that its FROM names, else on the chosen one. EXPLAIN SELECT … tells how it would run.

Examples:
  orrery shell
  orrery shell --data-dir ./orrery-data --database geo        (while no server runs on it)
  orrery shell -d geo -c 'SELECT TOP 3 * FROM airports' --output table
  echo 'SELECT c.id FROM airports c' | orrery shell -d geo | jq .id
  orrery shell --language table -c 'query people \"age gt 30\" select name top 5'
  orrery shell --language gremlin -d travel --container routes -c \"g.V().has('country', 'US').out().path()\"
  orrery shell -d geo -f report.sql --output csv > report.csv

The exit code is 1 if a statement failed; the others run all the same.";
