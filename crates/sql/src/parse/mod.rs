//! Tokens to a syntax tree: predictive rules, one token of look-ahead (two where noted), no backtracking over expressions.

mod clause;
mod expr;
mod input;

use nom::Err;

use crate::ast::Query;
use crate::error::{ErrorCode, SqlError};
use crate::lex::lex;
use crate::limits::{MAX_IN_ITEMS, MAX_NESTING};
use input::{Fault, FaultKind, Tokens};

/// The syntax tree of a query text.
///
/// # Errors
/// Where the text leaves the grammar, or goes beyond a limit, or uses a construct that is not supported yet.
pub fn parse(text: &str) -> Result<Query, SqlError> {
    let tokens = lex(text)?;
    match clause::query(Tokens::new(&tokens)) {
        Ok((_, query)) => Ok(query),
        Err(Err::Error(fault) | Err::Failure(fault)) => Err(explain(text, fault)),
        Err(Err::Incomplete(_)) => Err(SqlError::new(ErrorCode::Syntax, text.len()..text.len(), END)),
    }
}

const END: &str = "Syntax error, incorrect syntax near end of query.";

/// Longest piece of the text that a message repeats.
const MAX_SHOWN_CHARS: usize = 64;

fn explain(text: &str, fault: Fault) -> SqlError {
    let span = fault.span.range();
    let (code, message) = match fault.kind {
        FaultKind::Unexpected if span.is_empty() => (ErrorCode::Syntax, END.to_owned()),
        FaultKind::Unexpected => {
            let near: String = text[span.clone()].chars().take(MAX_SHOWN_CHARS).collect();
            (ErrorCode::Syntax, format!("Syntax error, incorrect syntax near '{near}'."))
        }
        FaultKind::BadEscape => (ErrorCode::Syntax, "Syntax error, ESCAPE takes a string of one character.".to_owned()),
        FaultKind::TooDeep => (ErrorCode::TooLarge, format!("The query nests deeper than {MAX_NESTING} levels.")),
        FaultKind::TooManyItems => {
            (ErrorCode::TooLarge, format!("The list of an IN has more than {MAX_IN_ITEMS} items."))
        }
        FaultKind::NotSupported(what) => (ErrorCode::NotSupported, format!("{what} is not supported by this version.")),
    };
    SqlError::new(code, span, message)
}
