//! Statements one after the other.

use std::sync::Arc;

use super::super::token::{Symbol, TokenKind};
use super::super::{Expression, Statement};
use super::argument::{argument, is_class};
use super::input::{Parsed, Tokens, symbol, word};
use super::traversal::{ends_statement, root};
use crate::value::GValue;

/// All statements of a text. A line break or a semicolon stands between two of them; before a name nothing is needed.
pub(super) fn script(mut input: Tokens<'_>) -> Parsed<'_, Vec<Statement>> {
    let mut statements = Vec::new();
    loop {
        while input.is(Symbol::Semicolon) {
            input = input.advance();
        }
        if *input.kind() == TokenKind::End {
            return Ok((input, statements));
        }
        let (after, statement) = statement(input)?;
        let may_end = after.begins_line() || matches!(after.kind(), TokenKind::Word(_) | TokenKind::End);
        if !may_end && !after.is(Symbol::Semicolon) {
            return Err(match after.kind() {
                TokenKind::Symbol(Symbol::OpenBracket) => after.unsupported("indexing a result with '[' is"),
                _ => after.unexpected("the end of the statement"),
            });
        }
        statements.push(statement);
        input = after;
    }
}

fn statement(input: Tokens<'_>) -> Parsed<'_, Statement> {
    let (input, assigned_to) = target(input)?;
    let start = input;
    let (input, expression) = expression(input)?;
    if let Some(name) = &assigned_to {
        if let Expression::Traversal { bytecode, .. } = &expression
            && bytecode.steps.is_empty()
        {
            return Err(start.unsupported("a variable that is the source of traversals is"));
        }
        input.source.assigned.borrow_mut().insert(Arc::clone(name));
    }
    Ok((input, Statement { assigned_to, expression }))
}

/// `name =` or `def name =`, if that comes next.
fn target(input: Tokens<'_>) -> Parsed<'_, Option<Arc<str>>> {
    let is_declared =
        matches!(input.kind(), TokenKind::Word("def" | "var")) && matches!(input.kind_after(1), TokenKind::Word(_));
    if !is_declared && !input.is_after(1, Symbol::Equal) {
        return Ok((input, None));
    }
    let name_at = if is_declared { input.advance() } else { input };
    let (input, name) = word("a variable")(name_at)?;
    if is_constant(name) || matches!(name, "g" | "__") {
        return Err(name_at.wrong(format!("'{name}' is no variable and cannot be assigned to")));
    }
    let (input, ()) = symbol(Symbol::Equal)(input)?;
    Ok((input, Some(Arc::from(name))))
}

fn is_constant(name: &str) -> bool {
    matches!(name, "true" | "false" | "null" | "NaN" | "Infinity" | "new")
}

fn expression(input: Tokens<'_>) -> Parsed<'_, Expression> {
    let TokenKind::Word(name) = *input.kind() else { return value(input) };
    if is_of_groovy(name) && !input.source.is_variable(name) {
        return Err(input.unsupported(format!("'{name}' of Groovy is")));
    }
    let is_member = input.is_after(1, Symbol::Dot) && name != "__" && !is_class(name);
    if name == "g" || (is_member && !input.source.is_variable(name)) {
        return root(input);
    }
    value(input)
}

fn value(input: Tokens<'_>) -> Parsed<'_, Expression> {
    let (after, value) = argument(input)?;
    match value {
        GValue::Bytecode(_) => Err(input.wrong("a traversal begins with its source, as in g.V()")),
        GValue::Predicate(_) => Err(input.wrong("a predicate is no statement")),
        _ if after.is(Symbol::Dot) => Err(after.unsupported("calling methods of values is")),
        value => Ok((ends_statement(after)?, Expression::Value(value))),
    }
}

/// Words that begin statements and declarations of Groovy.
fn is_of_groovy(word: &str) -> bool {
    matches!(
        word,
        "abstract"
            | "assert"
            | "break"
            | "class"
            | "continue"
            | "do"
            | "enum"
            | "final"
            | "for"
            | "if"
            | "import"
            | "interface"
            | "package"
            | "print"
            | "println"
            | "private"
            | "public"
            | "return"
            | "static"
            | "switch"
            | "synchronized"
            | "throw"
            | "trait"
            | "try"
            | "while"
    )
}
