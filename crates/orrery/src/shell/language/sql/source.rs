//! Which name a query reads from.

use super::scan::{Piece, PieceKind, pieces};

/// Deepest nesting of parentheses that is looked into.
const MAX_DEPTH: usize = 64;

/// The first name in the FROM clause: `c` in `FROM c`, `FROM c.items i`, `FROM t IN c.tags` and `FROM (SELECT … FROM c) s`.
pub(super) fn source(text: &str) -> Option<&str> {
    let noise = |kind| matches!(kind, PieceKind::Space | PieceKind::Comment | PieceKind::OpenComment);
    let pieces: Vec<Piece> = pieces(text, false).filter(|piece| !noise(piece.kind)).collect();
    let words: Vec<(PieceKind, &str)> = pieces.iter().map(|piece| (piece.kind, &text[piece.span.clone()])).collect();
    source_of(&words, 0)
}

fn source_of<'t>(words: &[(PieceKind, &'t str)], nesting: usize) -> Option<&'t str> {
    let is = |at: usize, word: &str| words.get(at).is_some_and(|(_, text)| text.eq_ignore_ascii_case(word));
    let mut depth = 0_usize;
    for at in 0..words.len() {
        match words[at] {
            (PieceKind::Symbol, "(") => depth += 1,
            // The end of the subquery that is looked into.
            (PieceKind::Symbol, ")") if depth == 0 => return None,
            (PieceKind::Symbol, ")") => depth -= 1,
            // A property may have that name, after a dot.
            (PieceKind::Word, _) if depth == 0 && is(at, "FROM") && !(at > 0 && is(at - 1, ".")) => {
                let first = if is(at + 2, "IN") { at + 3 } else { at + 1 };
                return match words.get(first)? {
                    (PieceKind::Word, name) => Some(name),
                    (PieceKind::Symbol, "(") if nesting < MAX_DEPTH => source_of(&words[first + 1..], nesting + 1),
                    _ => None,
                };
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_of_from_is_found_in_every_form() {
        for (text, name) in [
            ("SELECT * FROM airports a", Some("airports")),
            ("select c.from from c.items i", Some("c")),
            ("SELECT * FROM t IN c.tags", Some("c")),
            ("SELECT * FROM (SELECT DISTINCT VALUE c.x FROM c) AS x", Some("c")),
            ("SELECT (SELECT VALUE t FROM t IN d.tags) AS t FROM c", Some("c")),
            ("SELECT ARRAY(SELECT 1) /* FROM x */ FROM c JOIN t IN c.tags", Some("c")),
            ("SELECT ' FROM x ', c[\"FROM\"] FROM c", Some("c")),
            ("SELECT 1", None),
            ("SELECT * FROM", None),
            ("SELECT * FROM (SELECT 1) x", None),
        ] {
            assert_eq!(source(text), name, "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_not_followed() {
        let text = format!("SELECT 1 {}", "FROM (".repeat(100_000));
        assert_eq!(source(&text), None);
    }
}
