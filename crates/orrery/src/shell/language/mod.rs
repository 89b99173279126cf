//! The query languages of the prompt.
//!
//! What a language brings: where its statements end, the words it completes, how its text is coloured, and how a statement is
//! run. Everything else (commands, history, results, targets) is the same for all, so that another language is one more folder
//! here and one more arm in each function.

pub mod gremlin;
mod piece;
pub mod sql;
pub mod table;

use clap::ValueEnum;

use super::session::Session;

/// A query language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// SQL on containers
    Sql,
    /// Tables and their entities
    Table,
    /// Traversals of graphs
    Gremlin,
}

/// A piece of text as it is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// No colour.
    Plain,
    /// A reserved word.
    Keyword,
    /// A text.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
}

/// What can stand at a place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing that is known: inside of a text or comment.
    Nothing,
    /// A container.
    Source,
    /// A property.
    Property,
    /// Anything else.
    Word,
}

/// Names that a line holds at the most.
const MAX_LISTED: usize = 20;

/// Names in a line, the first of them if there are many.
pub fn names_in_a_line(names: &[String]) -> String {
    let more = names.len().saturating_sub(MAX_LISTED);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

impl Language {
    /// Stands in front of the prompt's sign when no database is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Language::Sql => "orrery",
            Language::Table => "tables",
            Language::Gremlin => "gremlin",
        }
    }

    /// What its statements are.
    pub fn description(self) -> &'static str {
        match self {
            Language::Sql => "SQL",
            Language::Table => "on tables",
            Language::Gremlin => "Gremlin",
        }
    }

    /// How its statements are written, a line for each.
    pub fn help(self) -> String {
        match self {
            Language::Sql => String::from(
                "SELECT … ;                 run a query; it may span lines and ends with a semicolon\n\
                 EXPLAIN SELECT … ;         tell how it would run\n",
            ),
            Language::Table => table::usages().map(|usage| format!("{usage}\n")).collect(),
            Language::Gremlin => gremlin::usages().map(|usage| format!("{usage}\n")).collect(),
        }
    }

    /// Where the first statement of a line ends: behind its terminator. `inside` is whether the line begins inside a comment, and
    /// tells afterwards whether the next one does.
    pub fn statement_end(self, line: &str, inside: &mut bool) -> Option<usize> {
        match self {
            Language::Sql => sql::statement_end(line, inside),
            Language::Table => table::statement_end(line),
            Language::Gremlin => gremlin::statement_end(line),
        }
    }

    /// Whether the text says nothing: comments and white space.
    pub fn is_blank(self, text: &str) -> bool {
        match self {
            Language::Sql => sql::is_blank(text),
            Language::Table => table::is_blank(text),
            Language::Gremlin => gremlin::is_blank(text),
        }
    }

    /// The statement without its terminator.
    pub fn trim(self, statement: &str) -> &str {
        match self {
            Language::Sql => sql::trim(statement),
            Language::Table => table::trim(statement),
            Language::Gremlin => gremlin::trim(statement),
        }
    }

    /// Reserved words and functions.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Language::Sql => sql::words(),
            Language::Table => table::words(),
            Language::Gremlin => gremlin::words(),
        }
    }

    /// What can be completed at the end of a text, and where the word begins that stands there.
    pub fn wanted(self, text: &str) -> (Wanted, usize) {
        match self {
            Language::Sql => sql::wanted(text),
            Language::Table => table::wanted(text),
            Language::Gremlin => gremlin::wanted(text),
        }
    }

    /// The text in pieces, each with its colour, which together are the text.
    pub fn tints(self, text: &str) -> Vec<(Tint, &str)> {
        match self {
            Language::Sql => sql::tints(text),
            Language::Table => table::tints(text),
            Language::Gremlin => gremlin::tints(text),
        }
    }

    /// Runs a statement and shows what it gives.
    ///
    /// # Errors
    /// What is wrong with it, or why it could not run, or that the output is closed.
    pub async fn run(self, session: &mut Session, statement: &str) -> anyhow::Result<()> {
        match self {
            Language::Sql => sql::run(session, statement).await,
            Language::Table => table::run(session, statement).await,
            Language::Gremlin => gremlin::run(session, statement).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..25).map(|n| n.to_string()).collect();
        assert!(names_in_a_line(&names).ends_with("18, 19 and 5 more"));
        assert_eq!(names_in_a_line(&names[..2]), "0, 1");
    }
}
