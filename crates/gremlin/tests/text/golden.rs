//! Golden files: texts and the instructions they are turned into.
//!
//! In `tests/golden/text/*.txt` a case is a text, a line `----`, and its statements, an instruction a line with the offset of its
//! name; a blank line ends it, and lines that begin with `#` say what it shows. The variables are `x` (1), `name` ("marko"), `ids`
//! (a list) and `old` of the session. With `ORRERY_REWRITE_GOLDEN=1` the instructions are written anew; the difference is then
//! reviewed like code.

use std::fmt::Write as _;
use std::path::Path;

use orrery_gremlin::GValue;
use orrery_gremlin::text::{Expression, parse, print};
use orrery_gremlin::value::{Bytecode, GMap, Instruction};

#[test]
fn texts_parse_to_the_instructions_in_the_golden_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/text");
    let rewrite = std::env::var_os("ORRERY_REWRITE_GOLDEN").is_some();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let written = std::fs::read_to_string(&path).unwrap();
        let (actual, count) = run(&written);
        cases += count;
        if rewrite {
            std::fs::write(&path, &actual).unwrap();
        } else {
            for (line, (expected, actual)) in written.lines().zip(actual.lines()).enumerate() {
                assert_eq!(actual, expected, "{}:{}", path.display(), line + 1);
            }
            assert_eq!(actual, written, "{}", path.display());
        }
    }
    assert!(cases >= 90, "only {cases} cases were found");
}

/// The file with its outputs computed, and how many cases it has.
fn run(file: &str) -> (String, usize) {
    let mut out = String::new();
    let mut text = String::new();
    let mut skipping = false;
    let mut cases = 0;
    for line in file.lines() {
        match line {
            "----" => {
                cases += 1;
                skipping = true;
                writeln!(out, "----\n{}", outcome(text.trim_end())).unwrap();
                text.clear();
            }
            "" => {
                skipping = false;
                out.push('\n');
            }
            _ if skipping => {}
            comment if comment.starts_with('#') => writeln!(out, "{comment}").unwrap(),
            line => {
                writeln!(out, "{line}").unwrap();
                writeln!(text, "{line}").unwrap();
            }
        }
    }
    (out, cases)
}

fn outcome(text: &str) -> String {
    let bindings = GMap::from_iter([
        (GValue::from("x"), GValue::from(1)),
        (GValue::from("name"), GValue::from("marko")),
        (GValue::from("ids"), GValue::list([GValue::from("a"), GValue::from("b")])),
    ]);
    let session = GMap::from_iter([(GValue::from("old"), GValue::from("kept")), (GValue::from("x"), GValue::from(2))]);
    match parse(text, &bindings, &session) {
        Err(error) => error.to_string(),
        Ok(script) if script.statements.is_empty() => "nothing".to_owned(),
        Ok(script) => {
            let mut lines = Vec::new();
            for statement in script.statements {
                let target = statement.assigned_to.map(|name| format!("{name} = ")).unwrap_or_default();
                match statement.expression {
                    Expression::Value(value) => lines.push(format!("{target}{}", show(&value))),
                    Expression::Traversal { source, bytecode, terminal } => {
                        lines.push(format!("{target}{source} {terminal:?}"));
                        lines.extend(bytecode.source.iter().chain(&bytecode.steps).map(line));
                    }
                }
            }
            lines.join("\n")
        }
    }
}

/// The instruction as the printer writes it, and where its name stands.
fn line(instruction: &Instruction) -> String {
    let alone = Bytecode { source: Vec::new(), steps: vec![instruction.clone()] };
    let printed = print(&alone);
    format!("  {:>3} {}", instruction.at.unwrap(), printed.strip_prefix("g.").unwrap())
}

fn show(value: &GValue) -> String {
    if let GValue::Binding(binding) = value {
        return format!("the variable {}", binding.key);
    }
    let alone = Bytecode { source: Vec::new(), steps: vec![Instruction::new("", vec![value.clone()])] };
    let printed = print(&alone);
    printed.strip_prefix("g.(").and_then(|printed| printed.strip_suffix(')')).unwrap().to_owned()
}
