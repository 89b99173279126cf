//! What `grammars/gremlin.ebnf` generates, the parser reads.

#[path = "../../../sql/tests/grammar/ebnf.rs"]
mod ebnf;
mod generate;

use std::collections::HashSet;
use std::sync::OnceLock;

use ebnf::Grammar;
use generate::Generator;
use orrery_gremlin::GValue;
use orrery_gremlin::text::{Expression, parse, print};
use orrery_gremlin::value::GMap;

/// Sentences that are to show all of the grammar.
const SENTENCES: u64 = 1500;

/// Values beside them, which show how numbers and strings are spelled.
const VALUES: u64 = 12_000;

fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::of("gremlin.ebnf"))
}

/// Values of all variables that the grammar has.
pub fn variables() -> GMap {
    (0..10).map(|number| (GValue::string(format!("x{number}")), GValue::from(number))).collect()
}

/// A sentence of the grammar, with white space and comments of all kinds.
pub fn sentence(seed: u64) -> String {
    let mut generator = Generator::new(grammar(), seed);
    let tokens = generator.tokens("script");
    generator.spaced(&tokens)
}

/// A sentence with a token left out, doubled or exchanged with the next one.
pub fn damaged(seed: u64) -> String {
    let mut generator = Generator::new(grammar(), seed);
    let tokens = generator.tokens("script");
    let tokens = generator.damaged(tokens);
    generator.spaced(&tokens)
}

#[test]
fn generated_sentences_parse_and_use_every_rule_and_alternative() {
    let variables = variables();
    let mut used = HashSet::new();
    for (rule, seed) in (0..SENTENCES).map(|seed| ("script", seed)).chain((0..VALUES).map(|seed| ("value", seed))) {
        let mut generator = Generator::new(grammar(), seed);
        let tokens = generator.tokens(rule);
        let text = generator.spaced(&tokens);
        if let Err(error) = parse(&text, &variables, &GMap::new()) {
            panic!("{rule} of seed {seed}: {error}\n{text}");
        }
        used.extend(generator.used);
    }
    // These are known by name only, to tell names of steps from them.
    let is_exception = |rule: &str| matches!(rule, "UNFIT" | "TAKEN" | "MADE");
    let unused: Vec<_> = grammar()
        .alternatives()
        .filter(|(rule, place)| !is_exception(rule) && !used.contains(&(*rule, *place)))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn what_is_printed_parses_to_the_same_instructions() {
    let variables = variables();
    let mut traversals = 0;
    for seed in 0..SENTENCES {
        let text = sentence(seed);
        for statement in parse(&text, &variables, &GMap::new()).unwrap().statements {
            let Expression::Traversal { bytecode, .. } = statement.expression else { continue };
            let printed = print(&bytecode);
            let again = match parse(&printed, &GMap::new(), &GMap::new()) {
                Ok(again) => again,
                Err(error) => panic!("seed {seed}: {error}\n{text}\n{printed}"),
            };
            let Expression::Traversal { bytecode: again, .. } = &again.statements[0].expression else {
                panic!("seed {seed}: {printed}");
            };
            // Variables assigned in the text have no value as yet, and are printed as null.
            let assigned = text.contains('=');
            assert!(assigned || without_places(&bytecode) == without_places(again), "seed {seed}: {text}\n{printed}");
            assert_eq!(print(again), printed, "seed {seed}: {text}");
            traversals += 1;
        }
    }
    assert!(traversals > 500, "only {traversals} traversals");
}

/// The instructions without the offsets of their names.
fn without_places(bytecode: &orrery_gremlin::value::Bytecode) -> String {
    let shown = format!("{bytecode:?}");
    let mut parts = shown.split("at: Some(");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        out += part.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out
}
