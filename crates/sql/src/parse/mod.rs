//! Tokens to a syntax tree: predictive rules, one token of look-ahead (two or three where noted), no backtracking.
//!
//! `clause.rs` has the query and its clauses, `source.rs` FROM, `expr.rs` operators and `primary.rs` what they apply to.

mod clause;
mod expr;
mod input;
mod operator;
mod primary;
mod source;

use nom::Err;

use crate::ast::Query;
use crate::error::{ErrorCode, SqlError};
use crate::lex::lex;
use crate::limits::{MAX_IN_ITEMS, MAX_JOINS, MAX_NESTING};
use input::{Fault, FaultKind, Text, Tokens};

/// The syntax tree of a query text.
///
/// # Errors
/// Where the text leaves the grammar, or goes beyond a limit.
pub fn parse(text: &str) -> Result<Query, SqlError> {
    let source = Text { text, tokens: lex(text)? };
    match clause::whole_query(Tokens::new(&source)) {
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
        FaultKind::TooManyJoins => (ErrorCode::TooLarge, format!("A query has more than {MAX_JOINS} joins.")),
    };
    SqlError::new(code, span, message)
}
