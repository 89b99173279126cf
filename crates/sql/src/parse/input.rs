//! The parser's input and its smallest rules.

use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult};

use crate::ast::Name;
use crate::limits::MAX_NESTING;
use crate::token::{Keyword, Span, Symbol, Token, TokenKind};

/// The tokens that are left, and how deep the rules nest that read them.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'t> {
    /// Never empty: the end is not read over.
    rest: &'t [Token<'t>],
    /// Where the token before them stands.
    pub previous: Span,
    pub depth: usize,
}

pub(super) type Parsed<'t, T> = IResult<Tokens<'t>, T, Fault>;

/// What is wrong, and at which token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub span: Span,
    pub kind: FaultKind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FaultKind {
    Unexpected,
    BadEscape,
    TooDeep,
    TooManyItems,
    NotSupported(&'static str),
}

impl<'t> Tokens<'t> {
    /// `tokens` ends in [`TokenKind::End`].
    pub fn new(tokens: &'t [Token<'t>]) -> Self {
        Tokens { rest: tokens, previous: Span::default(), depth: 0 }
    }

    pub fn kind(&self) -> &'t TokenKind<'t> {
        &self.rest[0].kind
    }

    /// The kind of the token after the next one.
    pub fn second(&self) -> &'t TokenKind<'t> {
        self.rest.get(1).map_or(&TokenKind::End, |token| &token.kind)
    }

    pub fn span(&self) -> Span {
        self.rest[0].span
    }

    pub fn advance(self) -> Self {
        if self.rest.len() > 1 { Tokens { rest: &self.rest[1..], previous: self.span(), ..self } } else { self }
    }

    /// One level further down.
    pub fn deeper(self) -> Result<Self, Err<Fault>> {
        if self.depth >= MAX_NESTING {
            return Err(self.fail(FaultKind::TooDeep));
        }
        Ok(Tokens { depth: self.depth + 1, ..self })
    }

    pub fn at_depth(self, depth: usize) -> Self {
        Tokens { depth, ..self }
    }

    /// The next token is not what a rule begins with; another rule may.
    pub fn unexpected(&self) -> Err<Fault> {
        Err::Error(Fault { span: self.span(), kind: FaultKind::Unexpected })
    }

    /// No rule can go on.
    pub fn fail(&self, kind: FaultKind) -> Err<Fault> {
        Err::Failure(Fault { span: self.span(), kind })
    }

    /// The construct that begins here is of the language, but not of this version.
    pub fn refuse<T>(&self, what: &'static str) -> Result<T, Err<Fault>> {
        Err(self.fail(FaultKind::NotSupported(what)))
    }
}

impl<'t> ParseError<Tokens<'t>> for Fault {
    fn from_error_kind(input: Tokens<'t>, _: ErrorKind) -> Self {
        Fault { span: input.span(), kind: FaultKind::Unexpected }
    }

    fn append(_: Tokens<'t>, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// This symbol; gives its place.
pub(super) fn symbol<'t>(wanted: Symbol) -> impl Fn(Tokens<'t>) -> Parsed<'t, Span> {
    move |input| match input.kind() {
        TokenKind::Symbol(symbol) if *symbol == wanted => Ok((input.advance(), input.span())),
        _ => Err(input.unexpected()),
    }
}

/// This reserved word; gives its place.
pub(super) fn keyword<'t>(wanted: Keyword) -> impl Fn(Tokens<'t>) -> Parsed<'t, Span> {
    move |input| match input.kind() {
        TokenKind::Keyword(keyword) if *keyword == wanted => Ok((input.advance(), input.span())),
        _ => Err(input.unexpected()),
    }
}

pub(super) fn identifier(input: Tokens<'_>) -> Parsed<'_, Name> {
    match input.kind() {
        TokenKind::Identifier(text) => Ok((input.advance(), Name { text: (*text).to_owned(), span: input.span() })),
        _ => Err(input.unexpected()),
    }
}

/// `@name`, without the sign.
pub(super) fn parameter(input: Tokens<'_>) -> Parsed<'_, String> {
    match input.kind() {
        TokenKind::Parameter(name) => Ok((input.advance(), (*name).to_owned())),
        _ => Err(input.unexpected()),
    }
}

/// Whether a word that is reserved in some places only stands here.
pub(super) fn is_word(input: Tokens<'_>, word: &str) -> bool {
    matches!(input.kind(), TokenKind::Identifier(text) if text.eq_ignore_ascii_case(word))
}
