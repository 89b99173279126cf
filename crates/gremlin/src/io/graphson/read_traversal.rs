//! Traversals and what they are made of.

use std::sync::Arc;

use super::super::json::{Item, Kind};
use super::super::{DecodeError, predicate, strategy_name};
use super::read::{Typed, array, deeper, invalid, items, member, named, string, text, unexpected, value};
use super::read_scalar;
use crate::value::{Binding, Bytecode, GValue, Instruction, Lambda, Strategy};

pub(super) fn typed(item: Item, name: &str, depth: usize) -> Result<GValue, DecodeError> {
    Ok(match name {
        "Bytecode" => {
            let read = |name| item.member(name).map_or_else(|| Ok(Vec::new()), |list| instructions(list, depth));
            predicate::bytecode(Bytecode { source: read("source")?, steps: read("step")? })
        }
        "Binding" => {
            let key = string(member(item, "key", "a variable")?)?;
            let value = value(member(item, "value", "the value of a variable")?, depth)?;
            GValue::Binding(Arc::new(Binding { key, value }))
        }
        "Lambda" => lambda(item)?,
        _ => condition(item, depth)?,
    })
}

fn instructions(list: Item, depth: usize) -> Result<Vec<Instruction>, DecodeError> {
    let list = array(list, "an array of instructions")?;
    let read = list.items().map(|instruction| {
        let mut parts = array(instruction, "an instruction")?.items();
        let name = parts.next().ok_or_else(|| unexpected(instruction, "the name of an instruction"))?;
        let arguments = parts.map(|argument| value(argument, depth));
        Ok(Instruction::new(string(name)?, arguments.collect::<Result<_, DecodeError>>()?))
    });
    read.collect()
}

fn lambda(item: Item) -> Result<GValue, DecodeError> {
    let arguments = item.member("arguments").map_or(Ok(-1), read_scalar::integer)?;
    Ok(GValue::Lambda(Arc::new(Lambda {
        script: string(member(item, "script", "the script of a lambda")?)?,
        language: item.member("language").map_or_else(|| Ok("gremlin-groovy".into()), string)?,
        arguments: i32::try_from(arguments).unwrap_or(-1),
    })))
}

/// `P` or `TextP`: the names tell them apart.
fn condition(item: Item, depth: usize) -> Result<GValue, DecodeError> {
    let name_item = member(item, "predicate", "the name of a predicate")?;
    let name = text(name_item, "the name of a predicate")?;
    let operand = member(item, "value", "the operand of a predicate")?;
    let takes_several = matches!(&*name, "within" | "without" | "and" | "or" | "between" | "inside" | "outside");
    let several = array(operand, "operands").ok().filter(|_| takes_several);
    let operands = match several {
        Some(several) => items(several, depth)?,
        None => match value(operand, depth)? {
            GValue::Set(members) if takes_several => members.iter().cloned().collect(),
            single => vec![single],
        },
    };
    predicate::predicate(&name, operands).ok_or_else(|| invalid(name_item, "a predicate and its operands", &name))
}

/// A strategy by the name of its type. Its settings are the members of `conf`, or of the whole.
pub(super) fn strategy(typed: &Typed, name: &str, depth: usize) -> Result<GValue, DecodeError> {
    let Some(item) = typed.value.filter(|item| item.kind() != Kind::Null) else {
        return Ok(GValue::Strategy(Arc::new(Strategy { name: name.into(), configuration: Vec::new() })));
    };
    let depth = deeper(item, depth)?;
    let class = item.member("fqcn").map(|class| text(class, "the class of a strategy")).transpose()?;
    let name = match &class {
        // The name of the type that stands for any strategy.
        Some(class) if name == "TraversalStrategy" => strategy_name(class),
        _ => name,
    };
    let settings = match (&class, item.member("conf")) {
        (Some(_), Some(conf)) => named(conf, depth)?,
        _ => named(item, depth)?,
    };
    let configuration = settings.into_iter().filter(|(key, _)| **key != *"fqcn").collect();
    Ok(GValue::Strategy(Arc::new(Strategy { name: name.into(), configuration })))
}
