//! The scenarios of TinkerPop's suite, where they lie beside the repository: every text is read and checked, and so is the text that
//! its steps are printed as.

use std::path::Path;

use orrery_gremlin::step::{Compiled, Query};
use orrery_gremlin::text::{Expression, parse, print};
use orrery_gremlin::value::{Constant, GMap, Vertex};
use orrery_gremlin::{GValue, GremlinError};
use serde_json::Value;

#[test]
fn the_texts_of_all_scenarios_parse_and_compile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/gremlin");
    if !folder.is_dir() {
        eprintln!("SKIPPED: there are no scenarios at {}", folder.display());
        return;
    }
    let mut failures = Vec::new();
    let mut texts = 0;
    for scenario in scenarios(&folder) {
        let bindings = bindings(&scenario["params"]);
        let given = scenario["given"].as_array().into_iter().flatten();
        for text in given.chain([&scenario["gremlin"]]).filter_map(Value::as_str) {
            texts += 1;
            let failure = match compile(text, &bindings) {
                Ok(()) => continue,
                // What the suite wants refused may be refused, and what cannot be run here as well.
                Err(Failure::Text(_)) if scenario["result"]["kind"] == "error" => continue,
                Err(Failure::Steps(_)) if is_refusable(&scenario) => continue,
                Err(Failure::Text(error) | Failure::Steps(error)) => error,
            };
            failures.push(format!("{}: {text}: {failure}", scenario["scenario"]));
        }
    }
    assert!(failures.is_empty(), "{} of {texts}:\n{}", failures.len(), failures.join("\n"));
    assert!(texts > 1000, "only {texts} texts were found");
}

enum Failure {
    Text(GremlinError),
    Steps(GremlinError),
}

fn compile(text: &str, bindings: &GMap) -> Result<(), Failure> {
    let script = parse(text, bindings, &GMap::new()).map_err(Failure::Text)?;
    assert_eq!(script.statements.len(), 1, "{text}");
    let Expression::Traversal { bytecode, .. } = &script.statements[0].expression else { panic!("{text}") };
    let compiled = Query::from_bytecode(bytecode).map_err(Failure::Steps)?;
    if let Compiled::Query(query) = &compiled {
        let printed = print(&query.to_bytecode());
        let script = parse(&printed, &GMap::new(), &GMap::new()).map_err(Failure::Text)?;
        let Expression::Traversal { bytecode, .. } = &script.statements[0].expression else { panic!("{printed}") };
        let again = Query::from_bytecode(bytecode).map_err(Failure::Steps)?;
        assert_eq!(again, compiled, "{text}\n{printed}");
    }
    Ok(())
}

fn is_refusable(scenario: &Value) -> bool {
    let needs = scenario["needs"].as_array().is_some_and(|needs| !needs.is_empty());
    needs || scenario["needs"].as_str().is_some_and(|needs| !needs.is_empty()) || scenario["result"]["kind"] == "error"
}

fn scenarios(folder: &Path) -> Vec<Value> {
    let mut scenarios = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("graphs") {
            scenarios.extend(self::scenarios(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") && !folder.ends_with("gremlin") {
            let file: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let supported = file.as_array().unwrap().iter().filter(|scenario| scenario["unsupported"] != true);
            scenarios.extend(supported.cloned());
        }
    }
    scenarios
}

fn bindings(params: &Value) -> GMap {
    let params = params.as_object().into_iter().flatten();
    params.map(|(name, notation)| (GValue::from(name.as_str()), value(notation))).collect()
}

/// A value in the scenarios' notation. Elements are only of the right kind: there is no graph to take them from.
fn value(notation: &Value) -> GValue {
    let Value::String(text) = notation else {
        return match notation {
            Value::Object(entries) => {
                GValue::map(entries.iter().map(|(key, item)| (value(&Value::String(key.clone())), value(item))))
            }
            Value::Array(items) => GValue::list(items.iter().map(value)),
            Value::Bool(truth) => GValue::Bool(*truth),
            Value::Number(number) => GValue::from(number.as_f64().unwrap()),
            _ => GValue::Null,
        };
    };
    let (kind, inside) = match text.split_once('[') {
        Some((kind, inside)) if inside.contains(']') => (kind, inside.rsplit_once(']').unwrap().0),
        _ => ("", text.as_str()),
    };
    let items = || inside.split(',').filter(|item| !item.is_empty()).map(|item| value(&Value::from(item)));
    match kind {
        _ if text.ends_with("].id") || text.ends_with("].sid") => GValue::from("1"),
        "d" => number(&text["d[".len()..]),
        "l" => GValue::list(items()),
        "s" => GValue::set(items()),
        "m" => value(&serde_json::from_str(inside).unwrap()),
        "t" => GValue::Constant(Constant::parse("T", inside).unwrap()),
        "D" => GValue::Constant(Constant::parse("Direction", inside).unwrap()),
        "M" => GValue::Constant(Constant::parse("Merge", inside).unwrap()),
        "v" => GValue::Vertex(std::sync::Arc::new(Vertex {
            id: GValue::from("1"),
            label: "vertex".into(),
            partition: None,
            properties: None,
        })),
        "dt" => constructed("datetime", inside),
        "uuid" => constructed("UUID", inside),
        "str" => GValue::from(inside),
        "" => match inside {
            "null" => GValue::Null,
            "true" => GValue::Bool(true),
            "false" => GValue::Bool(false),
            text => GValue::from(text),
        },
        _ => GValue::from(text.as_str()),
    }
}

/// `1].i` and its like.
fn number(rest: &str) -> GValue {
    let (digits, suffix) = rest.split_once(']').unwrap();
    literal(&format!("{digits}{}", suffix.trim_start_matches('.')))
}

fn constructed(name: &str, text: &str) -> GValue {
    literal(&format!("{name}('{text}')"))
}

fn literal(text: &str) -> GValue {
    let script = parse(text, &GMap::new(), &GMap::new()).unwrap();
    match &script.statements[0].expression {
        Expression::Value(value) => value.clone(),
        other => panic!("{other:?}"),
    }
}
