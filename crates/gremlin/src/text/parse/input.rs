//! The parser's input and its smallest rules.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult};

use super::super::token::{Symbol, Token, TokenKind};
use super::super::{MAX_RANGE_ITEMS, MAX_TEXT_BYTES};
use crate::GremlinError;
use crate::value::{Binding, GMap, GValue, MAX_NESTING};

/// A text's tokens, of which the last one is [`TokenKind::End`], and what its names stand for.
pub(super) struct Text<'t> {
    pub tokens: Vec<Token<'t>>,
    /// Values for this text alone.
    pub bindings: &'t GMap,
    /// Values that earlier texts of the session left.
    pub session: &'t GMap,
    /// What earlier statements of this text assign to. The values are known when these have run.
    pub assigned: RefCell<HashSet<Arc<str>>>,
    /// How many items the ranges have made.
    pub range_items: Cell<usize>,
}

impl Text<'_> {
    /// What a name stands for: assignments of this text hide bindings, and these the session's variables.
    pub fn variable(&self, name: &str) -> Option<GValue> {
        if let Some(name) = self.assigned.borrow().get(name) {
            return Some(GValue::Binding(Arc::new(Binding { key: Arc::clone(name), value: GValue::Null })));
        }
        let key = GValue::string(name);
        self.bindings.get(&key).or_else(|| self.session.get(&key)).cloned()
    }

    /// Whether a name stands for a value.
    pub fn is_variable(&self, name: &str) -> bool {
        let key = GValue::string(name);
        self.assigned.borrow().contains(name) || self.bindings.contains_key(&key) || self.session.contains_key(&key)
    }
}

/// The tokens that are left, and how deep the rules nest that read them. Small, since each frame of the recursion has several.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'t> {
    pub source: &'t Text<'t>,
    /// The next token. The end is not read over.
    next: usize,
    depth: usize,
}

pub(super) type Parsed<'t, T> = IResult<Tokens<'t>, T, Fault>;

/// What is wrong.
#[derive(Debug)]
pub(super) enum Fault {
    /// The token at this place is not what is wanted there.
    Unexpected {
        next: usize,
        wanted: &'static str,
    },
    Refused(Box<GremlinError>),
}

impl<'t> Tokens<'t> {
    pub fn new(source: &'t Text<'t>) -> Self {
        Tokens { source, next: 0, depth: 0 }
    }

    pub fn kind(&self) -> &'t TokenKind<'t> {
        self.kind_after(0)
    }

    /// Beyond the last token there are only ends.
    pub fn kind_after(&self, tokens: usize) -> &'t TokenKind<'t> {
        self.source.tokens.get(self.next + tokens).map_or(&TokenKind::End, |token| &token.kind)
    }

    /// Whether the next token is this symbol.
    pub fn is(&self, symbol: Symbol) -> bool {
        self.is_after(0, symbol)
    }

    /// Whether the token after so many is this symbol.
    pub fn is_after(&self, tokens: usize, symbol: Symbol) -> bool {
        *self.kind_after(tokens) == TokenKind::Symbol(symbol)
    }

    /// The byte offset of the next token.
    pub fn at(&self) -> usize {
        self.source.tokens.get(self.next).map_or(MAX_TEXT_BYTES, |token| token.at)
    }

    pub fn begins_line(&self) -> bool {
        self.source.tokens.get(self.next).is_some_and(|token| token.begins_line)
    }

    pub fn advance(self) -> Self {
        self.skip(1)
    }

    pub fn skip(self, tokens: usize) -> Self {
        Tokens { next: (self.next + tokens).min(self.source.tokens.len().saturating_sub(1)), ..self }
    }

    /// One level further down.
    pub fn deeper(self) -> Result<Self, Err<Fault>> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep());
        }
        Ok(Tokens { depth: self.depth + 1, ..self })
    }

    /// Fails where so many levels more are too many.
    pub fn check_levels(&self, levels: usize) -> Result<(), Err<Fault>> {
        if self.depth + levels > MAX_NESTING { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&self) -> Err<Fault> {
        self.refuse(GremlinError::TooLarge { what: "levels of nesting", limit: MAX_NESTING, at: Some(self.at()) })
    }

    /// At the level of another place.
    pub fn at_level_of(self, other: Tokens<'_>) -> Self {
        Tokens { depth: other.depth, ..self }
    }

    /// The next token is not what a rule begins with; another rule may.
    pub fn unexpected(&self, wanted: &'static str) -> Err<Fault> {
        Err::Error(Fault::Unexpected { next: self.next, wanted })
    }

    /// No rule can go on.
    pub fn refuse(&self, error: GremlinError) -> Err<Fault> {
        Err::Failure(Fault::Refused(Box::new(error)))
    }

    /// Something of Groovy or of lambdas begins here; `what` is the subject of a sentence with its verb.
    pub fn unsupported(&self, what: impl Into<String>) -> Err<Fault> {
        self.refuse(GremlinError::Unsupported { what: what.into(), at: Some(self.at()) })
    }

    /// The language is left here, in a way that the message tells.
    pub fn wrong(&self, message: impl Into<String>) -> Err<Fault> {
        self.refuse(GremlinError::Syntax { message: message.into(), at: Some(self.at()) })
    }

    /// Counts items that a range is about to make.
    pub fn count_range(&self, items: usize) -> Result<(), Err<Fault>> {
        let total = self.source.range_items.get().saturating_add(items);
        if total > MAX_RANGE_ITEMS {
            let at = Some(self.at());
            return Err(self.refuse(GremlinError::TooLarge { what: "items in ranges", limit: MAX_RANGE_ITEMS, at }));
        }
        self.source.range_items.set(total);
        Ok(())
    }
}

impl<'t> ParseError<Tokens<'t>> for Fault {
    fn from_error_kind(input: Tokens<'t>, _: ErrorKind) -> Self {
        Fault::Unexpected { next: input.next, wanted: "something else" }
    }

    fn append(_: Tokens<'t>, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// This symbol.
pub(super) fn symbol<'t>(wanted: Symbol) -> impl Fn(Tokens<'t>) -> Parsed<'t, ()> {
    move |input| {
        if input.is(wanted) { Ok((input.advance(), ())) } else { Err(input.unexpected(wanted.quoted())) }
    }
}

/// A name, which is called that in the message if there is none.
pub(super) fn word<'t>(called: &'static str) -> impl Fn(Tokens<'t>) -> Parsed<'t, &'t str> {
    move |input| match input.kind() {
        TokenKind::Word(word) => Ok((input.advance(), *word)),
        _ => Err(input.unexpected(called)),
    }
}

/// Any number of items between commas, and the sign behind them.
pub(super) fn items<'t, T>(
    item: impl Fn(Tokens<'t>) -> Parsed<'t, T>,
    close: Symbol,
) -> impl Fn(Tokens<'t>) -> Parsed<'t, Vec<T>> {
    move |mut input| {
        let mut items = Vec::new();
        if input.is(close) {
            return Ok((input.advance(), items));
        }
        loop {
            let (after, next) = item(input)?;
            items.push(next);
            if after.is(close) {
                return Ok((after.advance(), items));
            }
            let wanted = if close == Symbol::CloseParenthesis { "',' or ')'" } else { "',' or the closing bracket" };
            if !after.is(Symbol::Comma) {
                return Err(after.unexpected(wanted));
            }
            input = after.advance();
        }
    }
}
