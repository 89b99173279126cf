//! Statements on tables at the prompt. A statement ends with its line, or at a semicolon before that.

mod run;
mod scan;
mod statement;

pub use run::run;

use super::{Tint, Wanted};
use scan::{Piece, PieceKind, pieces};
use statement::STATEMENTS;

/// Words inside of statements and filters.
const INNER_WORDS: [&str; 12] = ["select", "top", "eq", "ne", "gt", "ge", "lt", "le", "and", "or", "not", "datetime"];

/// Behind the first semicolon that is in no text, else the end of the line.
pub fn statement_end(line: &str) -> Option<usize> {
    let end = pieces(line).find(|piece| piece.kind == PieceKind::Semicolon).map(|piece| piece.span.end);
    end.or_else(|| (!line.is_empty()).then_some(line.len()))
}

/// Whether there is nothing but comments and white space, or a semicolon.
pub fn is_blank(statement: &str) -> bool {
    pieces(statement).all(|piece| is_noise(piece.kind))
}

/// Cuts white space and the semicolon off.
pub fn trim(statement: &str) -> &str {
    let end = pieces(statement).find(|piece| piece.kind == PieceKind::Semicolon);
    statement[..end.map_or(statement.len(), |piece| piece.span.start)].trim()
}

/// The first words of statements, and those inside.
pub fn words() -> Vec<&'static str> {
    STATEMENTS.iter().map(|(word, _)| *word).chain(INNER_WORDS).collect()
}

/// How statements are written.
pub fn usages() -> impl Iterator<Item = &'static str> {
    STATEMENTS.iter().map(|(_, usage)| *usage)
}

/// What can be completed at the end of the text: a table behind the first word, properties in a filter.
pub fn wanted(text: &str) -> (Wanted, usize) {
    let pieces: Vec<Piece> =
        pieces(text).filter(|piece| !is_noise(piece.kind) || piece.span.end == text.len()).collect();
    match pieces.split_last() {
        Some((last, _)) if last.kind == PieceKind::Open && text[last.span.clone()].starts_with('"') => {
            let start = text.rfind(|c: char| c.is_whitespace() || c == '"' || c == '(').map_or(0, |at| at + 1);
            (Wanted::Property, start)
        }
        Some((last, _)) if last.kind == PieceKind::Open || last.kind == PieceKind::Comment => {
            (Wanted::Nothing, text.len())
        }
        Some((last, before)) if last.kind == PieceKind::Word => {
            (if before.len() == 1 { Wanted::Source } else { Wanted::Word }, last.span.start)
        }
        Some((_, before)) => (if before.len() == 1 { Wanted::Source } else { Wanted::Word }, text.len()),
        None => (Wanted::Word, text.len()),
    }
}

/// The pieces of a text with their colours.
pub fn tints(text: &str) -> Vec<(Tint, &str)> {
    let tint = |kind, text: &str| match kind {
        PieceKind::Word if words().iter().any(|word| word.eq_ignore_ascii_case(text)) => Tint::Keyword,
        PieceKind::Word if text.bytes().all(|byte| byte.is_ascii_digit()) => Tint::Number,
        PieceKind::Text | PieceKind::Open => Tint::String,
        PieceKind::Comment => Tint::Comment,
        PieceKind::Word | PieceKind::Json | PieceKind::Space | PieceKind::Comma | PieceKind::Semicolon => Tint::Plain,
    };
    pieces(text).map(|piece| (tint(piece.kind, &text[piece.span.clone()]), &text[piece.span])).collect()
}

fn is_noise(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Space | PieceKind::Comment | PieceKind::Semicolon)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_with_the_line_or_a_semicolon() {
        assert_eq!(statement_end("tables\n"), Some(7));
        assert_eq!(statement_end("get t 'a;' {\";\":1}; tables"), Some(19));
        assert_eq!(statement_end(""), None);
        assert_eq!(trim(" drop t ;\n"), "drop t");
        assert!(is_blank(" -- nothing ; here") && !is_blank("tables"));
    }

    #[test]
    fn what_fits_the_place_is_wanted() {
        assert_eq!(wanted("que"), (Wanted::Word, 0));
        assert_eq!(wanted("query pe"), (Wanted::Source, 6));
        assert_eq!(wanted("query "), (Wanted::Source, 6));
        assert_eq!(wanted("query people \"ag"), (Wanted::Property, 14));
        assert_eq!(wanted("insert people {\"a"), (Wanted::Nothing, 17));
    }
}
