//! `grammars/odata-filter.ebnf` and the parser are the same language: what the one generates the other reads, and of damaged sentences
//! both accept the same ones.

mod ebnf;
mod generate;
mod recognise;

use std::collections::HashSet;

use ebnf::Grammar;
use generate::Generator;
use orrery_table::Filter;

/// Sentences for each test; all of them differ by their seed only.
const SENTENCES: u64 = 3000;

fn tokens(seed: u64) -> Vec<String> {
    Generator::new(Grammar::of_filters(), seed).tokens()
}

/// A sentence of the grammar, with white space of all kinds.
pub fn sentence(seed: u64) -> String {
    let mut generator = Generator::new(Grammar::of_filters(), seed);
    let tokens = generator.tokens();
    generator.spaced(&tokens)
}

#[test]
fn every_generated_sentence_parses_and_prints_as_one_of_the_same_tree() {
    for seed in 0..SENTENCES {
        let text = sentence(seed);
        let filter = match Filter::parse(&text) {
            Ok(filter) => filter.expect("it is not empty"),
            Err(error) => panic!("seed {seed}: {error} at {:?}\n{text}", error.at),
        };
        let printed = filter.to_string();
        assert_eq!(Filter::parse(&printed), Ok(Some(filter)), "seed {seed}: {text}\n{printed}");
    }
}

#[test]
fn generated_sentences_use_every_rule_and_alternative() {
    let grammar = Grammar::of_filters();
    let mut used = HashSet::new();
    for seed in 0..SENTENCES {
        let mut generator = Generator::new(grammar, seed);
        generator.tokens();
        used.extend(generator.used);
    }
    // Keywords are known by name only, to tell names of properties from them.
    let unused: Vec<_> =
        grammar.alternatives().filter(|(rule, place)| *rule != "KEYWORD" && !used.contains(&(*rule, *place))).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn generated_sentences_are_recognised() {
    for seed in 0..SENTENCES / 10 {
        let tokens = tokens(seed);
        assert!(recognise::accepts(Grammar::of_filters(), &tokens), "seed {seed}: {}", tokens.join(" "));
    }
}

#[test]
fn damaged_sentences_parse_if_the_grammar_has_them() {
    let grammar = Grammar::of_filters();
    let mut accepted = 0;
    for seed in 0..SENTENCES {
        let damaged = Generator::new(grammar, seed ^ 0x5EED).damaged(tokens(seed));
        if damaged.is_empty() {
            continue;
        }
        let text = damaged.join(" ");
        let parses = Filter::parse(&text).is_ok();
        assert_eq!(parses, recognise::accepts(grammar, &damaged), "seed {seed}: {text}");
        accepted += u64::from(parses);
    }
    assert!((SENTENCES / 20..SENTENCES * 19 / 20).contains(&accepted), "{accepted} of {SENTENCES} say little");
}
