//! Steps that run other traversals.

use super::repeat::condition;
use super::{Arguments, pattern};
use crate::GremlinError;
use crate::step::{Branching, Choice, Projection, StepKind};
use crate::value::{Constant, GValue};

pub(super) fn make(arguments: &mut Arguments<'_>) -> Result<Option<StepKind>, GremlinError> {
    Ok(Some(match arguments.name() {
        "local" => StepKind::Local(arguments.traversal()?),
        "optional" => StepKind::Optional(arguments.traversal()?),
        "union" => StepKind::Union(arguments.traversals()?),
        "coalesce" => StepKind::Coalesce(arguments.traversals()?),
        "choose" => StepKind::Choose(Box::new(choose(arguments)?)),
        "branch" => StepKind::Branch(Box::new(branching(arguments)?)),
        "match" => pattern::match_step(arguments)?,
        _ => return Ok(None),
    }))
}

fn choose(arguments: &mut Arguments<'_>) -> Result<Choice, GremlinError> {
    if arguments.left() < 2 {
        return branching(arguments).map(Choice::Case);
    }
    let condition = condition(arguments)?;
    let then = arguments.traversal()?;
    let otherwise = if arguments.left() > 0 { Some(arguments.traversal()?) } else { None };
    Ok(Choice::If { condition, then, otherwise })
}

fn branching(arguments: &mut Arguments<'_>) -> Result<Branching, GremlinError> {
    let wanted = "a traversal, a T or a Column";
    let on = if arguments.has_traversal() {
        Projection::Traversal(arguments.traversal()?)
    } else {
        match arguments.any(wanted)? {
            GValue::Constant(Constant::T(token)) => Projection::Token(token),
            GValue::Constant(Constant::Column(column)) => Projection::Column(column),
            other => return Err(arguments.refuse(wanted, &other)),
        }
    };
    Ok(Branching { on, options: Vec::new() })
}
