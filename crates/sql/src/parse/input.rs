//! The parser's input and its smallest rules.

use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult};

use crate::ast::Name;
use crate::limits::MAX_NESTING;
use crate::token::{Keyword, Span, Symbol, Token, TokenKind};

/// A query and its tokens, of which the last one is [`TokenKind::End`].
pub(super) struct Text<'t> {
    pub text: &'t str,
    pub tokens: Vec<Token<'t>>,
}

/// The tokens that are left, and how deep the rules nest that read them. Small, since each frame of the recursion has several.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'t> {
    source: &'t Text<'t>,
    /// The next token. The end is not read over.
    at: usize,
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
    TooManyJoins,
}

impl<'t> Tokens<'t> {
    pub fn new(source: &'t Text<'t>) -> Self {
        Tokens { source, at: 0, depth: 0 }
    }

    pub fn kind(&self) -> &'t TokenKind<'t> {
        self.kind_after(0)
    }

    /// Beyond the last token there are only ends.
    fn kind_after(&self, tokens: usize) -> &'t TokenKind<'t> {
        self.source.tokens.get(self.at + tokens).map_or(&TokenKind::End, |token| &token.kind)
    }

    /// The kind of the token after the next one.
    pub fn second(&self) -> &'t TokenKind<'t> {
        self.kind_after(1)
    }

    /// The kind of the token after that.
    pub fn third(&self) -> &'t TokenKind<'t> {
        self.kind_after(2)
    }

    pub fn span(&self) -> Span {
        self.source.tokens[self.at].span
    }

    /// Where the token before the next one stands.
    pub fn previous(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::default(), |before| self.source.tokens[before].span)
    }

    /// The next token as a name, whatever it is.
    pub fn name(&self) -> Name {
        let span = self.span();
        Name { text: self.source.text.get(span.range()).unwrap_or_default().to_owned(), span }
    }

    pub fn advance(self) -> Self {
        Tokens { at: (self.at + 1).min(self.source.tokens.len() - 1), ..self }
    }

    /// `levels` further down.
    pub fn deeper(self, levels: usize) -> Result<Self, Err<Fault>> {
        if self.depth + levels > MAX_NESTING {
            return Err(self.fail(FaultKind::TooDeep));
        }
        Ok(Tokens { depth: self.depth + levels, ..self })
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
        TokenKind::Identifier(_) => Ok((input.advance(), input.name())),
        _ => Err(input.unexpected()),
    }
}

/// A string that names something.
pub(super) fn quoted_name(input: Tokens<'_>) -> Parsed<'_, Name> {
    match input.kind() {
        TokenKind::String(text) => Ok((input.advance(), Name { text: text.clone(), span: input.span() })),
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

/// One or more items between commas.
pub(super) fn list<'t, T>(item: impl Fn(Tokens<'t>) -> Parsed<'t, T>) -> impl Fn(Tokens<'t>) -> Parsed<'t, Vec<T>> {
    move |input| {
        let (mut input, first) = item(input)?;
        let mut items = vec![first];
        while let Ok((after, _)) = symbol(Symbol::Comma)(input) {
            let (after, next) = must(item(after))?;
            items.push(next);
            input = after;
        }
        Ok((input, items))
    }
}

/// Once the beginning of a construct is read, no other rule can be meant.
pub(super) fn must<T>(parsed: Parsed<'_, T>) -> Parsed<'_, T> {
    match parsed {
        Err(Err::Error(fault)) => Err(Err::Failure(fault)),
        parsed => parsed,
    }
}
