//! Texts cut into pieces, which every language does by its own rules.

use std::ops::Range;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<K> {
    /// What it is.
    pub kind: K,
    /// Where it is.
    pub span: Range<usize>,
}

/// The pieces of a text, without gaps. `first` tells of a text that is not empty what its first piece is, and how many bytes that has.
pub fn cut<'t, K: 't>(
    text: &'t str,
    mut first: impl FnMut(&str) -> (K, usize) + 't,
) -> impl Iterator<Item = Piece<K>> + 't {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let (kind, length) = first(rest);
        let span = start..start + length;
        start = span.end;
        Some(Piece { kind, span })
    })
}
