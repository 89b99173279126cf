//! Traversals at the prompt. A text ends with its line, unless the line ends in what must go on: a dot, a comma or an open bracket.

mod readable;
mod run;
mod scan;

pub use run::run;

use super::{Tint, Wanted};
use scan::{Piece, PieceKind, pieces};

/// Steps and what else is typed often.
const WORDS: [&str; 92] = [
    "addE",
    "addV",
    "aggregate",
    "and",
    "as",
    "barrier",
    "both",
    "bothE",
    "bothV",
    "by",
    "cap",
    "choose",
    "coalesce",
    "constant",
    "count",
    "cyclicPath",
    "dedup",
    "drop",
    "E",
    "elementMap",
    "emit",
    "executionProfile",
    "explain",
    "filter",
    "flatMap",
    "fold",
    "from",
    "g",
    "group",
    "groupCount",
    "has",
    "hasId",
    "hasKey",
    "hasLabel",
    "hasNot",
    "hasValue",
    "id",
    "identity",
    "in",
    "inE",
    "inject",
    "inV",
    "is",
    "iterate",
    "label",
    "limit",
    "local",
    "loops",
    "map",
    "match",
    "math",
    "max",
    "mean",
    "mergeE",
    "mergeV",
    "min",
    "next",
    "not",
    "option",
    "optional",
    "or",
    "order",
    "otherV",
    "out",
    "outE",
    "outV",
    "P.gt",
    "P.lt",
    "P.within",
    "path",
    "profile",
    "project",
    "properties",
    "property",
    "range",
    "repeat",
    "sample",
    "select",
    "sideEffect",
    "simplePath",
    "store",
    "sum",
    "tail",
    "times",
    "to",
    "toList",
    "tree",
    "unfold",
    "union",
    "until",
    "V",
    "valueMap",
];

/// How texts are written.
pub fn usages() -> impl Iterator<Item = &'static str> {
    [
        "g.V().has('city','Oslo')   run a traversal on the chosen container; a line ending in . , or ( goes on",
        "g.V().out().profile()      tell what each step did; .explain() tells how it would run",
        "a = g.V('1').next(); g.V(a).out()   several statements of one line share their variables",
    ]
    .into_iter()
}

/// The end of the line, if the text ends with it.
pub fn statement_end(line: &str) -> Option<usize> {
    let last = pieces(line).filter(|piece| !is_noise(piece.kind)).last();
    let goes_on = last.is_some_and(|piece| matches!(&line[piece.span], "." | "," | "(" | "[" | "{"));
    (!line.is_empty() && !goes_on).then_some(line.len())
}

/// Whether there is nothing but comments and white space.
pub fn is_blank(statement: &str) -> bool {
    pieces(statement).all(|piece| is_noise(piece.kind) || &statement[piece.span] == ";")
}

/// Cuts white space and semicolons off.
pub fn trim(statement: &str) -> &str {
    statement.trim().trim_end_matches(';').trim_end()
}

/// The names of steps.
pub fn words() -> Vec<&'static str> {
    WORDS.to_vec()
}

/// What can be completed at the end of the text: properties in a text, steps elsewhere.
pub fn wanted(text: &str) -> (Wanted, usize) {
    match pieces(text).last() {
        Some(Piece { kind: PieceKind::Open, span }) => (Wanted::Property, span.start + 1),
        Some(Piece { kind: PieceKind::Comment, .. }) => (Wanted::Nothing, text.len()),
        Some(Piece { kind: PieceKind::Word, span }) => (Wanted::Word, span.start),
        _ => (Wanted::Word, text.len()),
    }
}

/// The pieces of a text with their colours.
pub fn tints(text: &str) -> Vec<(Tint, &str)> {
    let tint = |piece: &Piece| match piece.kind {
        PieceKind::Word if WORDS.contains(&&text[piece.span.clone()]) => Tint::Keyword,
        PieceKind::Number => Tint::Number,
        PieceKind::Text | PieceKind::Open => Tint::String,
        PieceKind::Comment => Tint::Comment,
        PieceKind::Word | PieceKind::Space | PieceKind::Sign => Tint::Plain,
    };
    pieces(text).map(|piece| (tint(&piece), &text[piece.span])).collect()
}

fn is_noise(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Space | PieceKind::Comment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_their_line_unless_they_go_on() {
        assert_eq!(statement_end("g.V()\n"), Some(6));
        assert_eq!(statement_end("g.V(). // more\n"), None);
        assert_eq!(statement_end("g.inject([\n"), None);
        assert_eq!(statement_end("g.V('.')"), Some(8));
        assert_eq!(statement_end(""), None);
        assert_eq!(trim(" g.V() ;\n"), "g.V()");
        assert!(is_blank(" // nothing\n;") && !is_blank("g"));
    }

    #[test]
    fn what_fits_the_place_is_wanted() {
        assert_eq!(wanted("g.V().ha"), (Wanted::Word, 6));
        assert_eq!(wanted("g.V().has('ci"), (Wanted::Property, 11));
        assert_eq!(wanted("g.V() // x"), (Wanted::Nothing, 10));
        assert_eq!(wanted("g.V()."), (Wanted::Word, 6));
    }

    #[test]
    fn colours_cover_the_text() {
        let text = "g.V('é').limit(1.5) // all";
        let tinted = tints(text);
        assert_eq!(tinted.iter().map(|(_, piece)| *piece).collect::<String>(), text);
        assert!(tinted.contains(&(Tint::Keyword, "limit")) && tinted.contains(&(Tint::Number, "1.5")));
        assert!(tinted.contains(&(Tint::String, "'é'")));
    }
}
