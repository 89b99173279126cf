//! `grammars/sql.ebnf` and the parser are the same language: what the one generates the other reads, and of damaged sentences both
//! accept the same ones.

mod ebnf;
mod generate;
mod recognise;

use std::collections::HashSet;
use std::sync::OnceLock;

use ebnf::Grammar;
use generate::Generator;

/// Sentences that are to show all of the grammar.
const SENTENCES: u64 = 1000;

/// Sentences that are damaged and recognised.
const DAMAGED: usize = 300;

/// Most tokens of a sentence that is recognised, which takes much more time than parsing.
const MAX_RECOGNISED: usize = 40;

fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::of("sql.ebnf"))
}

/// The tokens of a sentence of the grammar.
pub fn tokens(seed: u64) -> Vec<String> {
    Generator::new(grammar(), seed).tokens("query")
}

/// A sentence of the grammar, with white space and comments of all kinds.
pub fn sentence(seed: u64) -> String {
    let mut generator = Generator::new(grammar(), seed);
    let tokens = generator.tokens("query");
    generator.spaced(&tokens)
}

#[test]
fn generated_sentences_parse_and_use_every_rule_and_alternative() {
    let grammar = grammar();
    let mut used = HashSet::new();
    for seed in 0..SENTENCES {
        let mut generator = Generator::new(grammar, seed);
        let tokens = generator.tokens("query");
        let text = generator.spaced(&tokens);
        if let Err(error) = orrery_sql::parse(&text) {
            panic!("seed {seed}: {error}\n{text}");
        }
        used.extend(generator.used);
    }
    // Keywords are known by name only, to tell identifiers from them.
    let unused: Vec<_> =
        grammar.alternatives().filter(|(rule, place)| *rule != "KEYWORD" && !used.contains(&(*rule, *place))).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn generated_sentences_are_recognised() {
    for tokens in (0..).map(tokens).filter(|tokens| tokens.len() <= MAX_RECOGNISED).take(100) {
        assert!(recognise::accepts(grammar(), &tokens), "{}", tokens.join(" "));
    }
}

#[test]
fn damaged_sentences_parse_if_the_grammar_has_them() {
    let grammar = grammar();
    let damaged = (0..).map(|seed| Generator::new(grammar, !seed).damaged(tokens(seed)));
    let mut accepted = 0;
    for damaged in damaged.filter(|tokens| tokens.len() <= MAX_RECOGNISED).take(DAMAGED) {
        let text = damaged.join(" ");
        let parses = orrery_sql::parse(&text).is_ok();
        assert_eq!(parses, recognise::accepts(grammar, &damaged), "{text}");
        accepted += usize::from(parses);
    }
    assert!((DAMAGED / 50..DAMAGED / 2).contains(&accepted), "{accepted} of {DAMAGED} say little");
}
