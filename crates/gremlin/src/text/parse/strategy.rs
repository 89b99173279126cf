//! Strategies, in the three ways they are written.

use std::sync::Arc;

use super::super::token::{Symbol, TokenKind};
use super::argument::argument;
use super::input::{Parsed, Tokens, items, symbol, word};
use super::traversal::empty_call;
use crate::value::{GValue, Strategy};

/// `X`, `new X(key: value)`, `X(key: value)` or `X.build().key(value).create()`.
pub(super) fn strategy(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let is_new = *input.kind() == TokenKind::Word("new");
    let (after, name) = match named_class(if is_new { input.advance() } else { input })? {
        (after, Named::Class(name)) => (after, name),
        (after, Named::Value(value)) => return Ok((after, value)),
    };
    if after.is(Symbol::OpenParenthesis) {
        let inside = after.advance().deeper()?;
        let (after, configuration) = items(setting, Symbol::CloseParenthesis)(inside)?;
        return Ok((after.at_level_of(input), made(name, configuration)));
    }
    match (after.is(Symbol::Dot), after.kind_after(1)) {
        (true, TokenKind::Word("build")) => built(after.advance(), name),
        (true, TokenKind::Word("instance")) => {
            let (after, ()) = empty_call(after.advance())?;
            Ok((after, GValue::Class(Arc::from(name))))
        }
        (true, TokenKind::Word("class")) => Ok((after.skip(2), GValue::Class(Arc::from(name)))),
        (true, _) => Err(after.advance().unexpected("build() or instance()")),
        (false, _) if is_new => Err(after.unexpected("'('")),
        (false, _) => Ok((after, GValue::Class(Arc::from(name)))),
    }
}

/// The class of a strategy.
pub(super) fn class(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let (after, name) = match named_class(input)? {
        (after, Named::Class(name)) => (after, name),
        (after, Named::Value(value)) => return Ok((after, value)),
    };
    let after =
        if after.is(Symbol::Dot) && *after.kind_after(1) == TokenKind::Word("class") { after.skip(2) } else { after };
    Ok((after, GValue::Class(Arc::from(name))))
}

enum Named<'t> {
    Class(&'t str),
    /// Of a variable.
    Value(GValue),
}

/// A class, whose packages say nothing, or a variable that is one, is a strategy or will be known later.
fn named_class(mut input: Tokens<'_>) -> Parsed<'_, Named<'_>> {
    loop {
        let (after, name) = word("a strategy")(input)?;
        match input.source.variable(name) {
            Some(value @ (GValue::Strategy(_) | GValue::Class(_) | GValue::Binding(_))) => {
                return Ok((after, Named::Value(value)));
            }
            Some(value) => return Err(input.wrong(format!("'{name}' is {} and no strategy", value.kind()))),
            None => {}
        }
        if name.starts_with(char::is_uppercase) || !after.is(Symbol::Dot) {
            return Ok((after, Named::Class(name)));
        }
        input = after.advance();
    }
}

fn made(name: &str, configuration: Vec<(Arc<str>, GValue)>) -> GValue {
    GValue::Strategy(Arc::new(Strategy { name: Arc::from(name), configuration }))
}

/// `key: value`
fn setting(input: Tokens<'_>) -> Parsed<'_, (Arc<str>, GValue)> {
    let (input, key) = match input.kind() {
        TokenKind::String(key) => (input.advance(), Arc::clone(key)),
        _ => word("a setting")(input).map(|(input, key)| (input, Arc::from(key)))?,
    };
    let (input, ()) = symbol(Symbol::Colon)(input)?;
    let (input, value) = argument(input)?;
    Ok((input, (key, value)))
}

/// From `build()` to `create()`, a setting for each method between.
fn built<'t>(input: Tokens<'t>, name: &str) -> Parsed<'t, GValue> {
    let (mut after, ()) = empty_call(input)?;
    let mut configuration = Vec::new();
    loop {
        let (_, ()) = symbol(Symbol::Dot)(after)?;
        let (behind, key) = word("a setting or create()")(after.advance())?;
        let (behind, ()) = symbol(Symbol::OpenParenthesis)(behind)?;
        let (behind, arguments) = items(argument, Symbol::CloseParenthesis)(behind.deeper()?)?;
        after = behind.at_level_of(input);
        if key == "create" && arguments.is_empty() {
            return Ok((after, made(name, configuration)));
        }
        configuration.push(setting_of(key, arguments));
    }
}

/// Several arguments are a list, none is a switch. `with(key, value)` names the setting itself.
fn setting_of(method: &str, mut arguments: Vec<GValue>) -> (Arc<str>, GValue) {
    if let ("with", [GValue::String(key), ..]) = (method, &arguments[..]) {
        let key = Arc::clone(key);
        return (key, arguments.into_iter().nth(1).unwrap_or(GValue::Bool(true)));
    }
    let value = match (arguments.pop(), arguments.is_empty()) {
        (None, _) => GValue::Bool(true),
        (Some(only), true) => only,
        (Some(last), false) => GValue::list(arguments.into_iter().chain([last])),
    };
    (Arc::from(method), value)
}
