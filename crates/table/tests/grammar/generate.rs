//! Random sentences of the grammar.

use std::collections::HashSet;

use orrery_table::DateTime;

use super::ebnf::{Grammar, Node, is_token};
use super::recognise::{SPECIALS, is_token_of};

/// Rules within rules, from which on the shortest way to an end is taken.
const MAX_DEPTH: usize = 40;
/// Tokens of a sentence, from which on the same is done.
const MAX_TOKENS: usize = 200;
/// Most repetitions of a part.
const MAX_REPEATS: usize = 3;
/// Any token of the language is one of these.
const TERMINALS: [&str; 10] = ["(", ")", "and", "or", "not", "OPERATOR", "PROPERTY", "LITERAL", "BOOLEAN", "KEYWORD"];

/// Makes sentences; the same ones for the same seed.
pub struct Generator<'g> {
    grammar: &'g Grammar,
    state: u64,
    depth: usize,
    tokens: Vec<String>,
    /// The alternatives that were taken, by rule and number.
    pub used: HashSet<(&'g str, usize)>,
}

impl<'g> Generator<'g> {
    pub fn new(grammar: &'g Grammar, seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Generator { grammar, state, depth: 0, tokens: Vec::new(), used: HashSet::new() }
    }

    pub fn tokens(&mut self) -> Vec<String> {
        self.tokens.clear();
        self.syntax("filter", self.grammar.rule("filter"));
        std::mem::take(&mut self.tokens)
    }

    /// The tokens with white space between them, or nothing beside parentheses.
    pub fn spaced(&mut self, tokens: &[String]) -> String {
        let mut text = String::new();
        for token in tokens {
            let separable = text.ends_with(['(', ')']) || matches!(token.as_str(), "(" | ")");
            // A name that touches a parenthesis would be a function.
            let spaces = [" ", "  ", "\t", "\u{a0}\r\n", ""];
            text += spaces[self.below(spaces.len() - usize::from(!separable || token == "("))];
            text += token;
        }
        text
    }

    /// The tokens with one left out, doubled, replaced or exchanged with the next one.
    pub fn damaged(&mut self, mut tokens: Vec<String>) -> Vec<String> {
        let place = self.below(tokens.len());
        let next = (place + 1) % tokens.len();
        match self.below(4) {
            0 => drop(tokens.remove(place)),
            1 => tokens.insert(place, tokens[place].clone()),
            2 => {
                let terminal = TERMINALS[self.below(TERMINALS.len())];
                tokens[place] =
                    if is_token(terminal) && terminal.len() > 1 { self.token(terminal) } else { terminal.to_owned() };
            }
            _ => tokens.swap(place, next),
        }
        tokens
    }

    /// A number from 0 up to `end`, exclusive (xorshift).
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from((self.state >> 16) % end as u64).unwrap()
    }

    fn is_ending(&self) -> bool {
        self.depth > MAX_DEPTH || self.tokens.len() > MAX_TOKENS
    }

    fn syntax(&mut self, rule: &'g str, node: &'g Node) {
        match node {
            Node::Any(nodes) => {
                // The first alternative leads to an end; so it is written.
                let (number, node) = &nodes[if self.is_ending() { 0 } else { self.below(nodes.len()) }];
                self.used.insert((rule, *number));
                self.syntax(rule, node);
            }
            Node::All(nodes) => nodes.iter().for_each(|node| self.syntax(rule, node)),
            Node::Many(node) => {
                let times = (0..MAX_REPEATS).take_while(|_| !self.is_ending() && self.below(4) == 0).count();
                (0..times).for_each(|_| self.syntax(rule, node));
            }
            Node::Text(text) => self.tokens.push(text.clone()),
            Node::Rule(name) if is_token(name) => {
                let token = self.token(name);
                self.tokens.push(token);
            }
            Node::Rule(name) => {
                self.depth += 1;
                self.syntax(name, self.grammar.rule(name));
                self.depth -= 1;
            }
            Node::Maybe(_) | Node::Times(..) | Node::Except(..) | Node::Special(_) => {
                panic!("{rule} is no token, but has parts of one")
            }
        }
    }

    /// A token that is also as the grammar's comments say.
    fn token(&mut self, rule: &str) -> String {
        let grammar = self.grammar;
        let (rule, node) = grammar.rules.get_key_value(rule).unwrap();
        loop {
            let text = self.text(rule, node);
            let is_sound = match text.strip_prefix("datetime'") {
                Some(time) => DateTime::parse(time.trim_end_matches('\'')).is_some(),
                None => {
                    text.parse().is_ok_and(f64::is_finite)
                        || !text.contains(|c: char| c.is_ascii_digit())
                        || !text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                        || text.ends_with('L')
                }
            };
            if is_sound {
                return text;
            }
        }
    }

    /// The characters of a token.
    fn text(&mut self, rule: &'g str, node: &'g Node) -> String {
        match node {
            Node::Any(nodes) => {
                let (number, node) = &nodes[self.below(nodes.len())];
                self.used.insert((rule, *number));
                self.text(rule, node)
            }
            Node::All(nodes) => nodes.iter().map(|node| self.text(rule, node)).collect(),
            Node::Maybe(node) if self.below(2) == 0 => self.text(rule, node),
            Node::Maybe(_) => String::new(),
            Node::Many(node) => (0..self.below(3)).map(|_| self.text(rule, node)).collect(),
            Node::Times(times, node) => (0..*times).map(|_| self.text(rule, node)).collect(),
            Node::Except(node, except) => loop {
                let text = self.text(rule, node);
                if !is_token_of(self.grammar, except, &text) {
                    return text;
                }
            },
            Node::Text(text) => text.clone(),
            Node::Rule(name) if name == "DATE" => {
                self.text(name, self.grammar.rule(name));
                self.date()
            }
            Node::Rule(name) => self.text(name, self.grammar.rule(name)),
            Node::Special(special) => self.special(special).to_string(),
        }
    }

    /// Random digits are hardly ever a date.
    fn date(&mut self) -> String {
        let (year, month, day) = (1601 + self.below(8398), 1 + self.below(12), 1 + self.below(31));
        format!("{year:04}-{month:02}-{day:02}")
    }

    fn special(&mut self, description: &str) -> char {
        let (_, examples, _) = SPECIALS.iter().find(|(known, ..)| *known == description).expect("it is described");
        let examples: Vec<char> = examples.chars().collect();
        examples[self.below(examples.len())]
    }
}
