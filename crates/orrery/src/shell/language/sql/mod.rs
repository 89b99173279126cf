//! SQL at the prompt.

mod run;
mod scan;
mod source;
mod words;

pub use run::run;
pub use words::words;

use super::{Tint, Wanted};
use scan::{Piece, PieceKind, pieces};

/// Behind the first semicolon that is in no string and no comment.
pub fn statement_end(line: &str, inside: &mut bool) -> Option<usize> {
    for piece in pieces(line, *inside) {
        *inside = piece.kind == PieceKind::OpenComment;
        if piece.kind == PieceKind::Semicolon {
            return Some(piece.span.end);
        }
    }
    None
}

/// Whether there is nothing but comments and white space, or a semicolon.
pub fn is_blank(statement: &str) -> bool {
    let is_noise = |kind| matches!(kind, PieceKind::Space | PieceKind::Comment | PieceKind::Semicolon);
    pieces(statement, false).all(|piece| is_noise(piece.kind))
}

/// Cuts white space and the semicolon off.
pub fn trim(statement: &str) -> &str {
    let end = pieces(statement, false).find(|piece| piece.kind == PieceKind::Semicolon);
    statement[..end.map_or(statement.len(), |piece| piece.span.start)].trim()
}

/// What can be completed at the end of the text.
pub fn wanted(text: &str) -> (Wanted, usize) {
    let pieces: Vec<_> = pieces(text, false).collect();
    let (start, before) = match pieces.split_last() {
        Some((last, before)) if last.kind == PieceKind::Word => (last.span.start, before),
        Some((last, before)) if last.kind == PieceKind::String => {
            // `c["na`: a property in brackets.
            let is_property = before.last().is_some_and(|piece| &text[piece.span.clone()] == "[");
            return (if is_property { Wanted::Property } else { Wanted::Nothing }, last.span.start + 1);
        }
        Some((last, _)) if matches!(last.kind, PieceKind::Comment | PieceKind::OpenComment | PieceKind::Number) => {
            return (Wanted::Nothing, text.len());
        }
        _ => (text.len(), &pieces[..]),
    };
    let word = |piece: &Piece| text[piece.span.clone()].to_ascii_uppercase();
    let previous = before.iter().rev().find(|piece| piece.kind != PieceKind::Space).map(word);
    match previous.as_deref() {
        Some(".") => (Wanted::Property, start),
        Some("FROM") => (Wanted::Source, start),
        _ => (Wanted::Word, start),
    }
}

/// The pieces of a text with their colours.
pub fn tints(text: &str) -> Vec<(Tint, &str)> {
    let tint = |kind, text: &str| match kind {
        PieceKind::Word if words::is_keyword(text) => Tint::Keyword,
        PieceKind::String => Tint::String,
        PieceKind::Number => Tint::Number,
        PieceKind::Comment | PieceKind::OpenComment => Tint::Comment,
        PieceKind::Word | PieceKind::Space | PieceKind::Semicolon | PieceKind::Symbol => Tint::Plain,
    };
    pieces(text, false).map(|piece| (tint(piece.kind, &text[piece.span.clone()]), &text[piece.span])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_outside_of_strings_and_comments() {
        let end = |line, mut inside| (statement_end(line, &mut inside), inside);
        assert_eq!(end("SELECT ';' -- ;\n", false), (None, false));
        assert_eq!(end("SELECT 1; SELECT 2;", false), (Some(9), false));
        assert_eq!(end("/* ; ", false), (None, true));
        assert_eq!(end("; */ 1;", true), (Some(7), false));
        assert_eq!(end("'it''s \\'; ' ;", false), (Some(14), false));
    }

    #[test]
    fn a_statement_has_more_than_comments() {
        assert_eq!(trim(" SELECT 1 ;\n"), "SELECT 1");
        assert_eq!(trim("SELECT ';'"), "SELECT ';'");
        assert!(is_blank(" -- nothing\n /* here */ ;") && is_blank("") && !is_blank(" 1"));
        assert!(!is_blank("/* open"));
    }

    #[test]
    fn coloured_pieces_are_the_whole_text() {
        let text = "select c.\"a\", 'b\\'' FROM c -- why\nWHERE c.n > 1.5e3 /* open";
        let tints = tints(text);
        assert_eq!(tints.iter().map(|(_, piece)| *piece).collect::<String>(), text);
        assert_eq!(tints[0], (Tint::Keyword, "select"));
        assert!(tints.contains(&(Tint::String, "'b\\''")) && tints.contains(&(Tint::Number, "1.5e3")));
        assert_eq!(tints.last(), Some(&(Tint::Comment, "/* open")));
    }
}
