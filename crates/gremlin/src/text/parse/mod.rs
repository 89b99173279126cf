//! Tokens to instructions: predictive rules, three tokens of look-ahead at most, no backtracking.
//!
//! `statement.rs` has what stands on its own, `traversal.rs` chains of steps, `argument.rs` what may stand in the parentheses of one.

mod argument;
mod collection;
mod constructor;
mod input;
mod predicate;
mod statement;
mod strategy;
mod traversal;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use nom::Err;

use super::Script;
use super::lex::{MAX_SHOWN_CHARS, lex};
use super::token::TokenKind;
use crate::GremlinError;
use crate::value::GMap;
use input::{Fault, Text, Tokens};

pub(super) fn parse(text: &str, bindings: &GMap, session: &GMap) -> Result<Script, GremlinError> {
    let source = Text {
        tokens: lex(text)?,
        bindings,
        session,
        assigned: RefCell::new(HashSet::new()),
        range_items: Cell::new(0),
    };
    match statement::script(Tokens::new(&source)) {
        Ok((_, statements)) => Ok(Script { statements }),
        Err(Err::Error(fault) | Err::Failure(fault)) => Err(explain(text, &source, fault)),
        Err(Err::Incomplete(_)) => Err(GremlinError::Syntax { message: "the text ends".to_owned(), at: None }),
    }
}

fn explain(text: &str, source: &Text<'_>, fault: Fault) -> GremlinError {
    let (next, wanted) = match fault {
        Fault::Refused(error) => return *error,
        Fault::Unexpected { next, wanted } => (next, wanted),
    };
    let Some(token) = source.tokens.get(next) else {
        return GremlinError::Syntax { message: format!("{wanted} is expected"), at: None };
    };
    let at = Some(token.at);
    let message = match &token.kind {
        TokenKind::Operator(operator) => {
            return GremlinError::Unsupported { what: format!("the operator '{operator}' of Groovy is"), at };
        }
        TokenKind::End => format!("{wanted} is expected, but the text ends"),
        _ => {
            let end = source.tokens.get(next + 1).map_or(text.len(), |after| after.at);
            let shown: String = text.get(token.at..end).unwrap_or_default().chars().take(MAX_SHOWN_CHARS).collect();
            format!("{wanted} is expected, but there is {}", shown.split_whitespace().next().unwrap_or_default())
        }
    };
    GremlinError::Syntax { message, at }
}
