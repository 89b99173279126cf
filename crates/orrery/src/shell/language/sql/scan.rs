//! The outer form of a SQL text: what is a word, a string, a comment. Takes any text, right or wrong.

use super::super::piece;

/// What a piece of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Space,
    Comment,
    /// `/*` that does not end.
    OpenComment,
    /// In single or double quotes; ends with the line at the latest, as strings of the language do.
    String,
    Number,
    Word,
    Semicolon,
    Symbol,
}

/// A piece of the text.
pub(super) type Piece = piece::Piece<PieceKind>;

/// The pieces of a text, without gaps. `inside` is whether it begins inside a block comment.
pub(super) fn pieces(text: &str, inside: bool) -> impl Iterator<Item = Piece> + '_ {
    let mut inside = inside;
    piece::cut(text, move |rest| if std::mem::take(&mut inside) { comment(rest, 0) } else { first_piece(rest) })
}

/// The first piece of a text that is not empty, and its length in bytes.
fn first_piece(text: &str) -> (PieceKind, usize) {
    let while_true = |test: fn(char) -> bool| text.find(|c| !test(c)).unwrap_or(text.len());
    let Some(first) = text.chars().next() else { return (PieceKind::Space, 0) };
    match first {
        _ if text.starts_with("--") => (PieceKind::Comment, text.find('\n').unwrap_or(text.len())),
        _ if text.starts_with("/*") => comment(text, 2),
        '\'' | '"' => (PieceKind::String, string(text, first)),
        ';' => (PieceKind::Semicolon, 1),
        '0'..='9' => (PieceKind::Number, while_true(|c| c == '.' || is_word(c))),
        c if c.is_whitespace() => (PieceKind::Space, while_true(char::is_whitespace)),
        c if is_word(c) => (PieceKind::Word, while_true(is_word)),
        c => (PieceKind::Symbol, c.len_utf8()),
    }
}

/// A block comment whose text begins after `opened` bytes.
fn comment(text: &str, opened: usize) -> (PieceKind, usize) {
    match text[opened..].find("*/") {
        Some(end) => (PieceKind::Comment, opened + end + 2),
        None => (PieceKind::OpenComment, text.len()),
    }
}

/// The length of a string with its quotes.
fn string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_cut_without_gaps(text in "[a'\"\\\\;/*\\-\n 1é.]{0,40}", inside: bool) {
            let mut end = 0;
            for piece in pieces(&text, inside) {
                prop_assert_eq!(piece.span.start, end);
                prop_assert!(piece.span.end > end);
                end = piece.span.end;
            }
            prop_assert_eq!(end, text.len());
        }

        /// Lines cut one by one are the text cut as a whole: only a comment goes on from line to line.
        #[test]
        fn lines_can_be_cut_alone(text in "[a'\"\\\\;/*\\-\n ]{0,40}") {
            let semicolons = |text: &str, inside| {
                pieces(text, inside).filter(|piece| piece.kind == PieceKind::Semicolon).count()
            };
            let (mut inside, mut count) = (false, 0);
            for line in text.split_inclusive('\n') {
                count += semicolons(line, inside);
                inside = pieces(line, inside).last().is_some_and(|piece| piece.kind == PieceKind::OpenComment);
            }
            prop_assert_eq!(count, semicolons(&text, false));
        }
    }
}
