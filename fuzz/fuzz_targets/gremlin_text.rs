//! A text is read, or refused within itself. What is read prints as a text of the same instructions, which prints as itself; compiled, it
//! goes back to instructions that compile to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_gremlin::GValue;
use orrery_gremlin::step::{Compiled, Query};
use orrery_gremlin::text::{Expression, MAX_TEXT_BYTES, parse, print};
use orrery_gremlin::value::GMap;

fuzz_target!(|text: &str| {
    let variables = GMap::from_iter([(GValue::from("x"), GValue::from(1)), (GValue::from("y"), GValue::from("a"))]);
    let script = match within_budget(|| parse(text, &variables, &GMap::new())) {
        Ok(script) => script,
        Err(error) => {
            assert!(error.at().is_none_or(|at| text.is_char_boundary(at)), "{error:?}");
            return;
        }
    };
    for statement in script.statements {
        let Expression::Traversal { bytecode, .. } = statement.expression else { continue };
        let printed = within_budget(|| print(&bytecode));
        // Names spelled out and ranges make a text longer.
        if printed.len() > MAX_TEXT_BYTES {
            continue;
        }
        match within_budget(|| parse(&printed, &GMap::new(), &GMap::new())) {
            Ok(again) => {
                let Some(Expression::Traversal { bytecode, .. }) =
                    again.statements.first().map(|first| &first.expression)
                else {
                    panic!("{printed}");
                };
                assert_eq!(print(bytecode), printed);
            }
            Err(error) => panic!("{error}: {printed}"),
        }
        let Ok(Compiled::Query(query)) = within_budget(|| Query::from_bytecode(&bytecode)) else { continue };
        let again = Query::from_bytecode(&query.to_bytecode());
        assert_eq!(again, Ok(Compiled::Query(query)), "{printed}");
    }
});
