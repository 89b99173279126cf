//! What may stand where a step takes an argument.

use std::sync::Arc;

use super::super::token::{Symbol, TokenKind};
use super::collection::{list_or_map, range, set};
use super::constructor::{construct, is_constructor};
use super::input::{Parsed, Tokens, symbol, word};
use super::predicate::{is_predicate, not, predicate};
use super::traversal::{nested, within};
use crate::GremlinError;
use crate::step::{INDEXER, VALUE_MAP_TOKENS};
use crate::value::{Cardinality, Constant, GValue};

/// A value, a variable, a traversal, a predicate or a constant.
pub(super) fn argument(input: Tokens<'_>) -> Parsed<'_, GValue> {
    match input.kind() {
        TokenKind::Number(_) | TokenKind::String(_) if input.is_after(1, Symbol::Range) => range(input),
        TokenKind::Number(number) => Ok((input.advance(), number.clone())),
        TokenKind::String(text) => Ok((input.advance(), GValue::String(Arc::clone(text)))),
        TokenKind::Symbol(Symbol::OpenBracket) => list_or_map(input),
        TokenKind::Symbol(Symbol::OpenBrace) => set(input),
        TokenKind::Symbol(Symbol::OpenParenthesis) => parenthesised(input),
        TokenKind::Word(name) => named(input, name),
        _ => Err(input.unexpected("an argument")),
    }
}

fn parenthesised(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let (after, value) = argument(input.advance().deeper()?)?;
    let (after, ()) = symbol(Symbol::CloseParenthesis)(after)?;
    Ok((after.at_level_of(input), value))
}

/// What begins with a name; the sign behind it tells what that is.
fn named<'t>(input: Tokens<'t>, name: &'t str) -> Parsed<'t, GValue> {
    match input.kind_after(1) {
        TokenKind::Symbol(Symbol::OpenParenthesis | Symbol::OpenBrace) => called(input, name),
        TokenKind::Symbol(Symbol::Dot) => qualified(input, name),
        _ if name == "new" => construct(input.advance()),
        _ => bare(input, name),
    }
}

/// A name with parentheses: a predicate, a value, or the first step of a traversal.
fn called<'t>(input: Tokens<'t>, name: &str) -> Parsed<'t, GValue> {
    if name == "not" {
        return not(input);
    }
    if is_predicate(name) {
        return predicate(input);
    }
    if let Some(cardinality) = Cardinality::parse(name) {
        return with_cardinality(input.advance(), cardinality);
    }
    if is_constructor(name) {
        return construct(input);
    }
    traversal(input)
}

fn traversal(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let (input, steps) = nested(input)?;
    Ok((input, GValue::Bytecode(Arc::new(steps))))
}

/// The value behind a cardinality.
fn with_cardinality(input: Tokens<'_>, cardinality: Cardinality) -> Parsed<'_, GValue> {
    let (input, value) = parenthesised(input)?;
    match value {
        GValue::Bytecode(_) | GValue::Predicate(_) | GValue::CardinalityValue(..) => {
            Err(input.wrong(format!("{}() takes a value", cardinality.name())))
        }
        value => Ok((input, GValue::CardinalityValue(cardinality, Arc::new(value)))),
    }
}

/// A name alone: a constant of the language or a variable. Bindings hide the constants of enumerations.
fn bare<'t>(input: Tokens<'t>, name: &str) -> Parsed<'t, GValue> {
    let value = match name {
        "true" => GValue::Bool(true),
        "false" => GValue::Bool(false),
        "null" => GValue::Null,
        "NaN" => GValue::Double(f64::NAN),
        "Infinity" => GValue::Double(f64::INFINITY),
        _ => match (input.source.variable(name), Constant::parse_bare(name)) {
            (Some(value), _) => value,
            (None, Some(constant)) => GValue::Constant(constant),
            (None, None) if name == "it" => return Err(input.unsupported("'it' of lambdas is")),
            (None, None) => {
                let error = GremlinError::UnknownVariable { name: name.to_owned(), at: Some(input.at()) };
                return Err(input.refuse(error));
            }
        },
    };
    Ok((input.advance(), value))
}

/// Classes whose members may stand in arguments, and where packages begin.
pub(super) fn is_class(name: &str) -> bool {
    Constant::is_enumeration(name)
        || is_package(name)
        || matches!(name, "P" | "TextP" | "WithOptions" | "VertexProperty" | "UUID" | "Lambda" | "IO")
}

fn is_package(name: &str) -> bool {
    matches!(name, "org" | "java" | "com")
}

/// A name and a member of it.
fn qualified<'t>(input: Tokens<'t>, name: &'t str) -> Parsed<'t, GValue> {
    if name == "__" {
        return traversal(input.skip(2));
    }
    if input.source.is_variable(name) {
        return Err(input.unsupported(format!("calling methods of the variable '{name}' is")));
    }
    let after = input.skip(2);
    let (_, member) = word("a member")(after)?;
    match name {
        "P" | "TextP" if is_predicate(member) || member == "not" => predicate(after),
        "P" | "TextP" => Err(after.wrong(format!("{name} has no predicate '{member}'"))),
        "WithOptions" => with_option(after, member),
        "VertexProperty" if member == "Cardinality" && after.is_after(1, Symbol::Dot) => qualified(after, member),
        "UUID" if matches!(member, "fromString" | "randomUUID") => construct(after),
        "Lambda" => Err(input.unsupported("lambdas are")),
        "IO" => file_option(after, member),
        _ if Constant::is_enumeration(name) => constant(after, name, member),
        _ if is_package(name) => member_of_package(after),
        _ if name.starts_with(char::is_uppercase) => Err(input.unsupported(format!("the class '{name}' is"))),
        _ => {
            let (input, steps) = within(input)?;
            Ok((input, GValue::Bytecode(Arc::new(steps))))
        }
    }
}

/// A class with its packages: these say nothing.
fn member_of_package(mut input: Tokens<'_>) -> Parsed<'_, GValue> {
    loop {
        let (_, name) = word("a class")(input)?;
        if name.starts_with(char::is_uppercase) || !input.is_after(1, Symbol::Dot) {
            return named(input, name);
        }
        input = input.skip(2);
    }
}

/// The member at hand of an enumeration.
fn constant<'t>(input: Tokens<'t>, enumeration: &str, member: &str) -> Parsed<'t, GValue> {
    let Some(constant) = Constant::parse(enumeration, member) else {
        return Err(input.wrong(format!("{enumeration} has no constant '{member}'")));
    };
    match constant {
        Constant::Cardinality(cardinality) if input.is_after(1, Symbol::OpenParenthesis) => {
            with_cardinality(input.advance(), cardinality)
        }
        constant => Ok((input.advance(), GValue::Constant(constant))),
    }
}

/// What the constants of `with()` stand for.
fn with_option<'t>(input: Tokens<'t>, member: &str) -> Parsed<'t, GValue> {
    let value = match member {
        "tokens" => GValue::from(VALUE_MAP_TOKENS),
        "indexer" => GValue::from(INDEXER),
        "none" | "list" => GValue::Int(0),
        "ids" | "map" => GValue::Int(1),
        "labels" => GValue::Int(2),
        "keys" => GValue::Int(4),
        "values" => GValue::Int(8),
        "all" => GValue::Int(15),
        _ => return Err(input.wrong(format!("WithOptions has no constant '{member}'"))),
    };
    Ok((input.advance(), value))
}

/// Those of files: `io()` itself says that it is not supported.
fn file_option<'t>(input: Tokens<'t>, member: &str) -> Parsed<'t, GValue> {
    let value = match member {
        "reader" => "~tinkerpop.io.reader",
        "writer" => "~tinkerpop.io.writer",
        "gryo" | "graphson" | "graphml" => member,
        _ => return Err(input.wrong(format!("IO has no constant '{member}'"))),
    };
    Ok((input.advance(), GValue::from(value)))
}
