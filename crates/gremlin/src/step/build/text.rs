//! Steps on texts, numbers and dates.

use super::Arguments;
use crate::GremlinError;
use crate::step::{Operand, StepKind, TextFunction};
use crate::value::{Constant, GValue, Scope};

pub(super) fn make(arguments: &mut Arguments<'_>) -> Result<Option<StepKind>, GremlinError> {
    if let Some(function) = function(arguments.name()) {
        return Ok(Some(StepKind::Text(function, arguments.scope())));
    }
    Ok(Some(match arguments.name() {
        "math" => StepKind::Math { expression: arguments.string("an expression")?, by: Vec::new() },
        "format" => StepKind::Format { template: arguments.string("a template")?, by: Vec::new() },
        "concat" => StepKind::Concat(concat(arguments)?),
        "reverse" => StepKind::Reverse,
        "replace" => {
            let scope = arguments.scope();
            let wanted = "two strings";
            StepKind::Replace { scope, old: arguments.string_or_null(wanted)?, new: arguments.string_or_null(wanted)? }
        }
        "split" => StepKind::Split { scope: arguments.scope(), separator: arguments.string_or_null("a separator")? },
        "substring" => substring(arguments)?,
        "conjoin" => StepKind::Conjoin(arguments.string("a separator")?),
        "asNumber" => StepKind::AsNumber(number_type(arguments)?),
        "asBool" => StepKind::AsBool,
        "asDate" => StepKind::AsDate,
        "dateAdd" => date_add(arguments)?,
        "dateDiff" => StepKind::DateDiff(date(arguments)?),
        _ => return Ok(None),
    }))
}

fn function(name: &str) -> Option<TextFunction> {
    Some(match name {
        "asString" => TextFunction::AsString,
        "length" => TextFunction::Length,
        "toLower" => TextFunction::ToLower,
        "toUpper" => TextFunction::ToUpper,
        "trim" => TextFunction::Trim,
        "lTrim" => TextFunction::LTrim,
        "rTrim" => TextFunction::RTrim,
        _ => return None,
    })
}

fn concat(arguments: &mut Arguments<'_>) -> Result<Vec<Operand>, GremlinError> {
    let wanted = "strings or traversals";
    let mut parts = Vec::new();
    while arguments.left() > 0 {
        let part = arguments.operand(wanted)?;
        if let Operand::Value(value) = &part
            && !matches!(value, GValue::String(_) | GValue::Null)
        {
            return Err(arguments.refuse(wanted, value));
        }
        parts.push(part);
    }
    Ok(parts)
}

fn substring(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    let scope: Scope = arguments.scope();
    let start = arguments.integer("an integer")?;
    let end = if arguments.left() > 0 { Some(arguments.integer("an integer")?) } else { None };
    Ok(StepKind::Substring { scope, start, end })
}

fn number_type(arguments: &mut Arguments<'_>) -> Result<Option<crate::value::GType>, GremlinError> {
    if arguments.left() == 0 {
        return Ok(None);
    }
    let wanted = "a GType of numbers";
    match arguments.any(wanted)? {
        GValue::Constant(Constant::GType(gtype)) if gtype.is_number() => Ok(Some(gtype)),
        other => Err(arguments.refuse(wanted, &other)),
    }
}

fn date_add(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    match arguments.any("a DT")? {
        GValue::Constant(Constant::DateUnit(unit)) => {
            Ok(StepKind::DateAdd { unit, amount: arguments.integer("an integer")? })
        }
        other => Err(arguments.refuse("a DT", &other)),
    }
}

fn date(arguments: &mut Arguments<'_>) -> Result<Operand, GremlinError> {
    let wanted = "a date or a traversal";
    let date = arguments.operand(wanted)?;
    match &date {
        Operand::Value(value) if !matches!(value, GValue::Date(_) | GValue::DateTime(_) | GValue::Null) => {
            Err(arguments.refuse(wanted, value))
        }
        _ => Ok(date),
    }
}
