//! What a statement on tables asks for.

use anyhow::{Context, bail, ensure};
use orrery_table::EntityKey;

use super::scan::{PieceKind, pieces, unquoted};
use crate::remote::EntityWrite;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// `tables`
    Tables,
    /// `create NAME`
    Create(String),
    /// `drop NAME`
    Drop(String),
    /// `query NAME ["FILTER"] [select A,B] [top N]`
    Query(Question),
    /// `explain NAME ["FILTER"]`
    Explain(Question),
    /// `get NAME 'PARTITION' 'ROW'`
    Get { table: String, key: EntityKey },
    /// `insert NAME {…}`, and so on.
    Write { table: String, write: EntityWrite, entity: String },
    /// `delete NAME 'PARTITION' 'ROW'`
    Delete { table: String, key: EntityKey },
}

/// Which entities are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Question {
    pub table: String,
    pub filter: Option<String>,
    /// Names with commas between them.
    pub select: Option<String>,
    pub top: Option<u64>,
}

/// Every statement: its word, and how it is written.
pub(super) const STATEMENTS: [(&str, &str); 11] = [
    ("tables", "tables"),
    ("create", "create NAME"),
    ("drop", "drop NAME"),
    ("query", "query NAME [\"FILTER\"] [select A,B] [top N]"),
    ("explain", "explain NAME [\"FILTER\"] [select A,B] [top N]"),
    ("get", "get NAME 'PARTITIONKEY' 'ROWKEY'"),
    ("insert", "insert NAME {\"PartitionKey\":\"…\",\"RowKey\":\"…\",…}"),
    ("merge", "merge NAME {…}"),
    ("replace", "replace NAME {…}"),
    ("upsert", "upsert NAME {…}"),
    ("delete", "delete NAME 'PARTITIONKEY' 'ROWKEY'"),
];

impl Statement {
    /// Reads a statement.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> anyhow::Result<Statement> {
        let mut words = Words::of(text)?;
        let verb = words.word().context("a statement begins with a word: \\h lists them")?.to_lowercase();
        let Some((_, usage)) = STATEMENTS.iter().find(|(known, _)| *known == verb) else {
            bail!("there is no statement '{verb}': \\h lists those that are there, and \\sql goes back to SQL");
        };
        Statement::read(&verb, &mut words)
            .and_then(|statement| words.end().map(|()| statement))
            .with_context(|| format!("it is: {usage}"))
    }

    fn read(verb: &str, words: &mut Words<'_>) -> anyhow::Result<Statement> {
        if verb == "tables" {
            return Ok(Statement::Tables);
        }
        let table = words.name().context("which table?")?;
        let write = match verb {
            "create" => return Ok(Statement::Create(table)),
            "drop" => return Ok(Statement::Drop(table)),
            "query" => return Ok(Statement::Query(words.question(table)?)),
            "explain" => return Ok(Statement::Explain(words.question(table)?)),
            "get" => return Ok(Statement::Get { table, key: words.key()? }),
            "delete" => return Ok(Statement::Delete { table, key: words.key()? }),
            "insert" => EntityWrite::Insert,
            "merge" => EntityWrite::Merge,
            "replace" => EntityWrite::Replace,
            _ => EntityWrite::InsertOrMerge,
        };
        let entity = words.take(PieceKind::Json).context("the entity is missing, a JSON object")?.to_owned();
        Ok(Statement::Write { table, write, entity })
    }
}

/// The pieces of a statement that count, taken one by one.
struct Words<'t> {
    pieces: std::iter::Peekable<std::vec::IntoIter<(PieceKind, &'t str)>>,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> anyhow::Result<Words<'t>> {
        let counts = |kind| !matches!(kind, PieceKind::Space | PieceKind::Comment | PieceKind::Semicolon);
        let pieces = pieces(text).filter(|piece| counts(piece.kind));
        let pieces: Vec<_> = pieces.map(|piece| (piece.kind, &text[piece.span])).collect();
        if let Some((_, open)) = pieces.iter().find(|(kind, _)| *kind == PieceKind::Open) {
            let start: String = open.chars().take(20).collect();
            bail!("what begins with {start} does not end; a statement stands on one line");
        }
        Ok(Words { pieces: pieces.into_iter().peekable() })
    }

    fn take(&mut self, kind: PieceKind) -> Option<&'t str> {
        self.pieces.next_if(|(found, _)| *found == kind).map(|(_, text)| text)
    }

    fn word(&mut self) -> Option<&'t str> {
        self.take(PieceKind::Word)
    }

    /// The word, if it is the next one.
    fn keyword(&mut self, word: &str) -> bool {
        let is_it = |(kind, text): &(PieceKind, &str)| *kind == PieceKind::Word && text.eq_ignore_ascii_case(word);
        self.pieces.next_if(is_it).is_some()
    }

    fn text(&mut self) -> Option<String> {
        self.take(PieceKind::Text).map(unquoted)
    }

    /// A name, in quotes or not.
    fn name(&mut self) -> Option<String> {
        self.text().or_else(|| self.word().map(str::to_owned))
    }

    fn key(&mut self) -> anyhow::Result<EntityKey> {
        let partition_key = self.text().context("the PartitionKey is missing, a text in quotes")?;
        let row_key = self.text().context("the RowKey is missing, a text in quotes")?;
        Ok(EntityKey { partition_key, row_key })
    }

    fn question(&mut self, table: String) -> anyhow::Result<Question> {
        let mut question = Question { table, filter: self.text(), ..Question::default() };
        loop {
            if self.keyword("select") {
                let mut names = vec![self.name().context("select needs names")?];
                while self.take(PieceKind::Comma).is_some() {
                    names.push(self.name().context("a name is missing behind a comma")?);
                }
                question.select = Some(names.join(","));
            } else if self.keyword("top") {
                let number = self.word().and_then(|word| word.parse().ok()).filter(|number| *number > 0);
                question.top = Some(number.context("top needs a number above 0")?);
            } else {
                return Ok(question);
            }
        }
    }

    fn end(&mut self) -> anyhow::Result<()> {
        let left = self.pieces.next();
        ensure!(left.is_none(), "'{}' is too much", left.map(|(_, text)| text).unwrap_or_default());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_read() {
        let read = |text| Statement::parse(text).unwrap();
        assert_eq!(read(" TABLES ;"), Statement::Tables);
        let question = Question {
            table: "people".into(),
            filter: Some("PartitionKey eq 'O''Neil'".into()),
            select: Some("a,b".into()),
            top: Some(5),
        };
        assert_eq!(read("query people \"PartitionKey eq 'O''Neil'\" select a, b top 5"), Statement::Query(question));
        let key = EntityKey { partition_key: "it's".into(), row_key: String::new() };
        assert_eq!(read("get people 'it''s' ''"), Statement::Get { table: "people".into(), key });
        let entity = r#"{"a":"}","b":{"c":"\"{"}}"#;
        let expected =
            Statement::Write { table: "people".into(), write: EntityWrite::InsertOrMerge, entity: entity.into() };
        assert_eq!(read(&format!("upsert people {entity}")), expected);
    }

    #[test]
    fn wrong_statements_say_what_is_right() {
        let error = |text| format!("{:#}", Statement::parse(text).unwrap_err());
        assert!(error("select 1").contains("\\sql"));
        assert!(error("get people 'a'").contains("it is: get NAME") && error("get people 'a'").contains("RowKey"));
        assert!(error("insert people {\"a\":1").contains("does not end"));
        assert!(error("query people top 0").contains("above 0") && error("tables x").contains("'x' is too much"));
    }
}
