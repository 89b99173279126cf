//! Variables: bindings, those of a session, and those that a text itself assigns.

use orrery_gremlin::GValue;
use orrery_gremlin::step::{Compiled, Query};
use orrery_gremlin::text::{Expression, parse};
use orrery_gremlin::value::GMap;

fn variables(entries: &[(&str, GValue)]) -> GMap {
    entries.iter().map(|(name, value)| (GValue::from(*name), value.clone())).collect()
}

fn compiled(expression: &Expression) -> Compiled {
    let Expression::Traversal { bytecode, .. } = expression else { panic!("{expression:?}") };
    Query::from_bytecode(bytecode).unwrap()
}

#[test]
fn values_of_earlier_statements_are_filled_in_wherever_they_stand() {
    let text = "a = g.V().next(); b = 'x'
        g.V(a).has('p', within(b)).has('q', startingWith(b).or(gt(a))).map(constant([(b):{a}])).property('k', set(a))";
    let script = parse(text, &GMap::new(), &GMap::new()).unwrap();
    let [_, _, last] = &script.statements[..] else { panic!("{script:?}") };
    let filled = last.expression.filled(&variables(&[("a", GValue::from(7)), ("b", GValue::from("y"))]));
    let plain = "g.V(7).has('p', within('y')).has('q', startingWith('y').or(gt(7))).map(constant(['y':{7}])).property('k', set(7))";
    let plain = parse(plain, &GMap::new(), &GMap::new()).unwrap();
    assert_eq!(compiled(&filled), compiled(&plain.statements[0].expression));
}

#[test]
fn a_list_that_fills_within_stands_for_its_members() {
    let script = parse("a = g.V().id().toList(); g.V().has('p', within(a))", &GMap::new(), &GMap::new()).unwrap();
    let list = GValue::list([GValue::from(1), GValue::from(2)]);
    let filled = script.statements[1].expression.filled(&variables(&[("a", list)]));
    let plain = parse("g.V().has('p', within(1, 2))", &GMap::new(), &GMap::new()).unwrap();
    assert_eq!(compiled(&filled), compiled(&plain.statements[0].expression));
}

#[test]
fn assignments_hide_bindings_and_these_the_session() {
    let (bindings, session) =
        (variables(&[("a", GValue::from(1))]), variables(&[("a", GValue::from(2)), ("b", GValue::from(3))]));
    let script = parse("a; b; a = 4; a", &bindings, &session).unwrap();
    let values: Vec<_> = script.statements.into_iter().map(|statement| statement.expression).collect();
    assert!(matches!(values[0], Expression::Value(GValue::Int(1))));
    assert!(matches!(values[1], Expression::Value(GValue::Int(3))));
    assert!(matches!(&values[3], Expression::Value(GValue::Binding(binding)) if &*binding.key == "a"));
    assert!(matches!(values[3].filled(&variables(&[("a", GValue::from(4))])), Expression::Value(GValue::Int(4))));
    assert!(matches!(values[3].filled(&GMap::new()), Expression::Value(GValue::Binding(_))));
}
