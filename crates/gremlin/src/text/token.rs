//! What a text is made of.

use std::sync::Arc;

use crate::value::GValue;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'t> {
    pub kind: TokenKind<'t>,
    /// Byte offset of its beginning.
    pub at: usize,
    /// Whether a line break stands before it, which ends a statement where nothing goes on.
    pub begins_line: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind<'t> {
    /// A name, a keyword or a constant.
    Word(&'t str),
    String(Arc<str>),
    Number(GValue),
    Symbol(Symbol),
    /// An operator of Groovy, which is met to be refused by name.
    Operator(&'t str),
    /// Stands after the last piece, so that there always is a next one.
    End,
}

macro_rules! symbols {
    ($($variant:ident $text:literal),* $(,)?) => {
        /// A sign of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Symbol { $($variant),* }

        impl Symbol {
            /// Every symbol with its text; longer texts stand before their beginnings.
            pub const ALL: &'static [(&'static str, Symbol)] = &[$(($text, Symbol::$variant)),*];

            /// For messages.
            pub fn quoted(self) -> &'static str {
                match self {
                    $(Symbol::$variant => concat!("'", $text, "'")),*
                }
            }
        }
    };
}

symbols! {
    Range "..", Dot ".", OpenParenthesis "(", CloseParenthesis ")", OpenBracket "[", CloseBracket "]", OpenBrace "{", CloseBrace "}",
    Comma ",", Colon ":", Semicolon ";", Equal "=",
}
