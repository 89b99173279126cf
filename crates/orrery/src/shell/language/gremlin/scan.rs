//! The outer form of a traversal: words, numbers, texts in quotes, comments. Takes any text, right or wrong.

use super::super::piece;

/// What a piece of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Space,
    /// From `//` to the end of its line.
    Comment,
    /// In single or double quotes, with backslashes.
    Text,
    /// A text that does not end.
    Open,
    Word,
    Number,
    /// Any other character.
    Sign,
}

/// A piece of the text.
pub(super) type Piece = piece::Piece<PieceKind>;

/// The pieces of a text, without gaps.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece> + '_ {
    piece::cut(text, first_piece)
}

/// The first piece of a text that is not empty, and its length in bytes.
fn first_piece(text: &str) -> (PieceKind, usize) {
    let until = |test: fn(char) -> bool| text.find(test).unwrap_or(text.len());
    match text.chars().next() {
        _ if text.starts_with("//") => (PieceKind::Comment, text.find('\n').unwrap_or(text.len())),
        Some(quote @ ('\'' | '"')) => match quoted_end(text, quote) {
            Some(end) => (PieceKind::Text, end),
            None => (PieceKind::Open, text.len()),
        },
        Some(c) if c.is_whitespace() => (PieceKind::Space, until(|c| !c.is_whitespace())),
        Some(c) if c.is_ascii_digit() => {
            let digits = until(|c| !c.is_ascii_digit());
            // A dot belongs to the number only before another digit: `1.out()` is no number.
            let fraction = text[digits..].strip_prefix('.').map_or(0, |rest| {
                let more = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                if more > 0 { more + 1 } else { 0 }
            });
            (PieceKind::Number, digits + fraction)
        }
        Some(c) if c.is_alphabetic() || c == '_' => (PieceKind::Word, until(|c| !c.is_alphanumeric() && c != '_')),
        Some(c) => (PieceKind::Sign, c.len_utf8()),
        None => (PieceKind::Space, 0),
    }
}

fn quoted_end(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            end if end == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
