//! The outer form of a statement on tables: words, texts in quotes, JSON in braces. Takes any text, right or wrong.

use super::super::piece;

/// What a piece of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Space,
    Comment,
    /// In single or double quotes; a quote inside is doubled.
    Text,
    /// A JSON object, braces included.
    Json,
    Word,
    Comma,
    Semicolon,
    /// A text or an object that does not end.
    Open,
}

/// A piece of the text.
pub(super) type Piece = piece::Piece<PieceKind>;

/// The pieces of a text, without gaps.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece> + '_ {
    piece::cut(text, first_piece)
}

/// What stands in quotes: without them, and with doubled quotes as one.
pub(super) fn unquoted(text: &str) -> String {
    let Some(quote) = text.chars().next() else { return String::new() };
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    inner.replace(&format!("{quote}{quote}"), &quote.to_string())
}

/// The first piece of a text that is not empty, and its length in bytes.
fn first_piece(text: &str) -> (PieceKind, usize) {
    let until = |test: fn(char) -> bool| text.find(test).unwrap_or(text.len());
    let closed = |kind, end: Option<usize>| end.map_or((PieceKind::Open, text.len()), |end| (kind, end));
    match text.chars().next() {
        _ if text.starts_with("--") => (PieceKind::Comment, text.find('\n').unwrap_or(text.len())),
        Some(quote @ ('\'' | '"')) => closed(PieceKind::Text, quoted_end(text, quote)),
        Some('{') => closed(PieceKind::Json, object_end(text)),
        Some(',') => (PieceKind::Comma, 1),
        Some(';') => (PieceKind::Semicolon, 1),
        Some(c) if c.is_whitespace() => (PieceKind::Space, until(|c| !c.is_whitespace())),
        _ => (PieceKind::Word, until(|c| c.is_whitespace() || matches!(c, '\'' | '"' | '{' | ',' | ';'))),
    }
}

/// Behind the closing quote.
fn quoted_end(text: &str, quote: char) -> Option<usize> {
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        if c == quote && rest.next_if(|(_, next)| *next == quote).is_none() {
            return Some(at + 1);
        }
    }
    None
}

/// Behind the brace that closes the first one.
fn object_end(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_cut_without_gaps(text in "[a'\"\\\\;{}, \n1é\\-]{0,40}") {
            let mut end = 0;
            for piece in pieces(&text) {
                prop_assert_eq!(piece.span.start, end);
                prop_assert!(piece.span.end > end && text.is_char_boundary(piece.span.end));
                end = piece.span.end;
            }
            prop_assert_eq!(end, text.len());
        }
    }

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(unquoted("'O''Neil'"), "O'Neil");
        assert_eq!(unquoted("\"a eq 'it''s'\""), "a eq 'it''s'");
    }
}
