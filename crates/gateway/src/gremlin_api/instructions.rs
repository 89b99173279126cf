//! Looking through instructions, nested ones included, and filling in variables that a text's own statements assign.

use std::sync::Arc;

use orrery_gremlin::value::{Bytecode, GMap, GValue, Instruction, P};

/// Steps that change a graph.
pub(super) const WRITING_STEPS: [&str; 6] = ["addV", "addE", "mergeV", "mergeE", "property", "drop"];
/// Parts of `repeat()` that the service does not count as steps.
const UNCOUNTED_STEPS: [&str; 3] = ["times", "until", "emit"];

/// The first step that would change a graph.
pub(super) fn first_write(bytecode: &Bytecode) -> Option<&'static str> {
    let mut found = None;
    visit(bytecode, &mut |instruction| {
        found = found.or_else(|| WRITING_STEPS.into_iter().find(|name| *name == &*instruction.name));
    });
    found
}

/// How many steps there are, as the service counts them.
pub(super) fn step_count(bytecode: &Bytecode) -> usize {
    let mut count = 0;
    visit(bytecode, &mut |instruction| count += usize::from(!UNCOUNTED_STEPS.contains(&&*instruction.name)));
    count
}

fn visit<'b>(bytecode: &'b Bytecode, see: &mut dyn FnMut(&'b Instruction)) {
    for instruction in bytecode.source.iter().chain(&bytecode.steps) {
        see(instruction);
        instruction.arguments.iter().for_each(|argument| visit_value(argument, see));
    }
}

/// Every place where bytecode can stand within an argument.
fn visit_value<'b>(value: &'b GValue, see: &mut dyn FnMut(&'b Instruction)) {
    match value {
        GValue::Bytecode(inner) => visit(inner, see),
        GValue::List(items) => items.iter().for_each(|item| visit_value(item, see)),
        GValue::Set(members) => members.iter().for_each(|member| visit_value(member, see)),
        GValue::Map(entries) => entries.iter().for_each(|(key, value)| {
            visit_value(key, see);
            visit_value(value, see);
        }),
        GValue::Predicate(predicate) => visit_predicate(predicate, see),
        GValue::CardinalityValue(_, value) => visit_value(value, see),
        GValue::Binding(binding) => visit_value(&binding.value, see),
        GValue::Strategy(strategy) => strategy.configuration.iter().for_each(|(_, value)| visit_value(value, see)),
        GValue::Traverser(traverser) => visit_value(&traverser.value, see),
        GValue::BulkSet(set) => set.items.iter().for_each(|(item, _)| visit_value(item, see)),
        // Scalars, and parts of a graph, which are looked up by their ids.
        _ => {}
    }
}

fn visit_predicate<'b>(predicate: &'b P, see: &mut dyn FnMut(&'b Instruction)) {
    match predicate {
        P::Compare(_, operand) | P::Text(_, operand) => visit_value(operand, see),
        P::Interval(_, low, high) => [low, high].into_iter().for_each(|operand| visit_value(operand, see)),
        P::Within(members) | P::Without(members) => members.iter().for_each(|member| visit_value(member, see)),
        P::TypeOf(_) => {}
        P::And(all) | P::Or(all) => all.iter().for_each(|one| visit_predicate(one, see)),
        P::Not(inner) => visit_predicate(inner, see),
    }
}

/// The same instructions with the values of variables in the places kept for them.
pub(super) fn fill(bytecode: &Bytecode, variables: &GMap) -> Bytecode {
    let filled = |instructions: &[Instruction]| {
        let each = instructions.iter().map(|instruction| Instruction {
            arguments: instruction.arguments.iter().map(|argument| fill_value(argument, variables)).collect(),
            ..instruction.clone()
        });
        each.collect()
    };
    Bytecode { source: filled(&bytecode.source), steps: filled(&bytecode.steps) }
}

/// The same value, likewise.
pub(super) fn fill_value(value: &GValue, variables: &GMap) -> GValue {
    let fill_in = |value: &GValue| fill_value(value, variables);
    match value {
        GValue::Binding(binding) if matches!(binding.value, GValue::Null) => {
            variables.get(&GValue::String(binding.key.clone())).cloned().unwrap_or(GValue::Null)
        }
        GValue::Bytecode(inner) => GValue::Bytecode(Arc::new(fill(inner, variables))),
        GValue::List(items) => GValue::list(items.iter().map(fill_in)),
        GValue::Set(members) => GValue::set(members.iter().map(fill_in)),
        GValue::Map(entries) => GValue::map(entries.iter().map(|(key, value)| (fill_in(key), fill_in(value)))),
        GValue::Predicate(predicate) => GValue::Predicate(Arc::new(fill_predicate(predicate, variables))),
        GValue::CardinalityValue(cardinality, value) => {
            GValue::CardinalityValue(*cardinality, Arc::new(fill_in(value)))
        }
        other => other.clone(),
    }
}

fn fill_predicate(predicate: &P, variables: &GMap) -> P {
    let fill_in = |value: &GValue| fill_value(value, variables);
    // A variable that stands alone for the members of a set is one.
    let members = |members: &[GValue]| match members {
        [GValue::Binding(_)] => match fill_in(&members[0]) {
            GValue::List(items) => items.to_vec(),
            GValue::Set(items) => items.iter().cloned().collect(),
            single => vec![single],
        },
        several => several.iter().map(fill_in).collect(),
    };
    match predicate {
        P::Compare(comparison, operand) => P::Compare(*comparison, fill_in(operand)),
        P::Interval(interval, low, high) => P::Interval(*interval, fill_in(low), fill_in(high)),
        P::Within(all) => P::Within(members(all)),
        P::Without(all) => P::Without(members(all)),
        P::TypeOf(class) => P::TypeOf(*class),
        P::Text(comparison, operand) => P::Text(*comparison, fill_in(operand)),
        P::And(all) => P::And(all.iter().map(|one| fill_predicate(one, variables)).collect()),
        P::Or(all) => P::Or(all.iter().map(|one| fill_predicate(one, variables)).collect()),
        P::Not(inner) => P::Not(Box::new(fill_predicate(inner, variables))),
    }
}

#[cfg(test)]
mod tests {
    use orrery_gremlin::value::{Binding, Comparison};

    use super::*;

    fn bytecode(steps: Vec<(&str, Vec<GValue>)>) -> Bytecode {
        let steps = steps.into_iter().map(|(name, arguments)| Instruction::new(name, arguments)).collect();
        Bytecode { source: Vec::new(), steps }
    }

    fn nested(steps: Vec<(&str, Vec<GValue>)>) -> GValue {
        GValue::Bytecode(bytecode(steps).into())
    }

    #[test]
    fn a_write_is_found_however_deep_it_hides() {
        let drop = || nested(vec![("out", vec![]), ("drop", vec![])]);
        for hidden in [
            drop(),
            GValue::list([drop()]),
            GValue::map([("k".into(), drop())]),
            GValue::Predicate(P::Not(Box::new(P::Compare(Comparison::Equal, drop()))).into()),
            nested(vec![("union", vec![1.into(), drop()])]),
        ] {
            assert_eq!(first_write(&bytecode(vec![("V", vec![]), ("map", vec![hidden])])), Some("drop"));
        }
        assert_eq!(first_write(&bytecode(vec![("V", vec!["drop".into()]), ("out", vec![])])), None);
    }

    #[test]
    fn parts_of_a_repetition_do_not_count_as_steps() {
        let repeat =
            bytecode(vec![("V", vec![]), ("repeat", vec![nested(vec![("out", vec![])])]), ("times", vec![2.into()])]);
        assert_eq!(step_count(&repeat), 3);
    }

    #[test]
    fn variables_are_filled_in_where_places_are_kept_for_them() {
        let place = || GValue::Binding(Binding { key: "x".into(), value: GValue::Null }.into());
        let variables: GMap = [("x".into(), GValue::list([1.into(), 2.into()]))].into_iter().collect();
        assert_eq!(
            fill_value(&GValue::list([place()]), &variables),
            GValue::list([variables[&GValue::from("x")].clone()])
        );
        let within = GValue::Predicate(P::Within(vec![place()]).into());
        let GValue::Predicate(filled) = fill_value(&within, &variables) else { panic!("it stays a predicate") };
        assert!(matches!(&*filled, P::Within(members) if members.len() == 2));
        let inner = nested(vec![("is", vec![place()])]);
        let GValue::Bytecode(filled) = fill_value(&inner, &variables) else { panic!("it stays bytecode") };
        assert_eq!(filled.steps[0].arguments[0], variables[&GValue::from("x")]);
    }
}
