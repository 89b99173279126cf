//! What the text is made of.

use std::ops::Range;

use orrery_value::Number;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token<'t> {
    pub kind: TokenKind<'t>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind<'t> {
    Keyword(Keyword),
    Identifier(&'t str),
    /// Without its `@`.
    Parameter(&'t str),
    String(String),
    Number(Number),
    Symbol(Symbol),
    /// A reserved word that means nothing as it is written.
    Reserved,
    /// Stands after the last piece, so that there always is a next one.
    End,
}

/// Byte offsets into the query text, which is shorter than 4 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// From the start of this one to the end of the other.
    pub(crate) fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

macro_rules! keywords {
    ($($variant:ident $text:literal),* $(,)?) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Keyword { $($variant),* }

        impl Keyword {
            /// The reserved word that this is in some case.
            pub fn parse(word: &str) -> Option<Keyword> {
                const WORDS: &[(&str, Keyword)] = &[$(($text, Keyword::$variant)),*];
                WORDS.iter().find(|(text, _)| text.eq_ignore_ascii_case(word)).map(|(_, keyword)| *keyword)
            }
        }
    };
}

keywords! {
    And "AND", Array "ARRAY", As "AS", Asc "ASC", Between "BETWEEN", By "BY", Desc "DESC", Distinct "DISTINCT", Escape "ESCAPE",
    Exists "EXISTS", False "FALSE", From "FROM", Group "GROUP", In "IN", Join "JOIN", Left "LEFT", Like "LIKE", Limit "LIMIT",
    Not "NOT", Null "NULL", Offset "OFFSET", Or "OR", Order "ORDER", Right "RIGHT", Select "SELECT", Top "TOP", True "TRUE",
    Udf "UDF", Undefined "UNDEFINED", Value "VALUE", Where "WHERE",
}

macro_rules! symbols {
    ($($variant:ident $text:literal),* $(,)?) => {
        /// A sign or operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Symbol { $($variant),* }

        impl Symbol {
            /// Every symbol with its text; longer texts stand before their beginnings.
            pub const ALL: &'static [(&'static str, Symbol)] = &[$(($text, Symbol::$variant)),*];
        }
    };
}

symbols! {
    ShiftRightZero ">>>", ShiftRight ">>", ShiftLeft "<<", LessOrEqual "<=", GreaterOrEqual ">=", NotEqual "!=", NotEqualSql "<>",
    Coalesce "??", Concat "||", OpenParenthesis "(", CloseParenthesis ")", OpenBracket "[", CloseBracket "]", OpenBrace "{",
    CloseBrace "}", Comma ",", Dot ".", Colon ":", Question "?", Star "*", Slash "/", Percent "%", Plus "+", Minus "-", Less "<",
    Greater ">", Equal "=", Ampersand "&", Caret "^", Bar "|", Tilde "~",
}
