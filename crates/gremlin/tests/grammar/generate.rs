//! Random sentences of the grammar.

use std::collections::HashSet;

use super::ebnf::{Grammar, Node, is_token};

/// Rules within rules, from which on the shortest way to an end is taken.
const MAX_DEPTH: usize = 30;

/// Tokens of a sentence, from which on the same is done.
const MAX_TOKENS: usize = 120;

/// Most repetitions of a part.
const MAX_REPEATS: usize = 3;

/// What the grammar describes in words, with examples.
const SPECIALS: &[(&str, &str)] = &[
    ("a capital letter", "ABXÉ"),
    ("a letter of any script", "abcxyzABZéß名ñ"),
    ("a digit or another numeral of any script", "0179٣"),
    ("a digit from 0 to 9", "0123456789"),
    ("a digit from 1 to 9", "123456789"),
    ("a digit from 0 to 7", "01234567"),
    ("a digit from 0 to 9, a to f or A to F", "0129abcdefABCDEF"),
    ("a digit from 0 to 9, a to c or A to C, or e or f or E or F", "0129abcefABCEF"),
    ("a line break", "\n"),
    ("a character other than quotes and the backslash", "ab \u{7f}/é{?}$-😀\u{2028}\n\t/*"),
];

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

    pub fn tokens(&mut self, rule: &'g str) -> Vec<String> {
        self.tokens.clear();
        self.syntax(rule, self.grammar.rule(rule));
        std::mem::take(&mut self.tokens)
    }

    /// The tokens with white space and comments between them, or nothing where brackets make that possible.
    pub fn spaced(&mut self, tokens: &[String]) -> String {
        let mut text = String::new();
        for token in tokens {
            let is_bracket = |c: Option<char>| c.is_some_and(|c| "()[]{},".contains(c));
            let separable = is_bracket(text.chars().last()) || is_bracket(token.chars().next());
            let spaces = [" ", " ", "\n", "\t ", "/* a 'comment' */", " // another \"\n", "\u{a0}\r\n", ""];
            text += spaces[self.below(spaces.len() - usize::from(!separable))];
            text += token;
        }
        text
    }

    pub fn damaged(&mut self, mut tokens: Vec<String>) -> Vec<String> {
        if tokens.is_empty() {
            return tokens;
        }
        let place = self.below(tokens.len());
        let next = (place + 1) % tokens.len();
        match self.below(3) {
            0 => drop(tokens.remove(place)),
            1 => tokens.insert(place, tokens[place].clone()),
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
            Node::Maybe(node) => {
                if !self.is_ending() && self.below(5) < 3 {
                    self.syntax(rule, node);
                }
            }
            Node::Many(node) => {
                for _ in 0..MAX_REPEATS {
                    if self.is_ending() || self.below(3) > 0 {
                        break;
                    }
                    self.syntax(rule, node);
                }
            }
            Node::Text(text) => self.tokens.push(text.clone()),
            Node::Rule(name) if is_token(name) => {
                let token = self.token(name, self.grammar.rule(name));
                self.tokens.push(token);
            }
            Node::Rule(name) => {
                self.depth += 1;
                self.syntax(name, self.grammar.rule(name));
                self.depth -= 1;
            }
            Node::Times(..) | Node::Except(..) | Node::Special(_) => panic!("{rule} is no token, but has parts of one"),
        }
    }

    fn token(&mut self, rule: &'g str, node: &'g Node) -> String {
        loop {
            let text = self.text(rule, node);
            // That a suffix is the class, and the number is to fit it, is in the grammar's comment only.
            let digits = text.trim_end_matches(|c| "bBsSiIlL".contains(c));
            if rule != "NUMBER" || digits.len() == text.len() || digits.len() < 4 {
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
                if !self.words(except).contains(&text.as_str()) {
                    return text;
                }
            },
            Node::Text(text) => text.clone(),
            Node::Rule(name) => self.text(name, self.grammar.rule(name)),
            Node::Special(description) => {
                let found = SPECIALS.iter().find(|(known, _)| known == description);
                let (_, examples) = found.unwrap_or_else(|| panic!("unknown: {description}"));
                let place = self.below(examples.chars().count());
                examples.chars().nth(place).map(String::from).expect("it is below their number")
            }
        }
    }

    /// All words that a part without choices but those between words stands for.
    fn words(&self, node: &'g Node) -> Vec<&'g str> {
        match node {
            Node::Any(nodes) => nodes.iter().flat_map(|(_, node)| self.words(node)).collect(),
            Node::All(nodes) => nodes.iter().flat_map(|node| self.words(node)).collect(),
            Node::Rule(name) => self.words(self.grammar.rule(name)),
            Node::Text(text) => vec![text],
            other => panic!("{other:?} is no word"),
        }
    }
}
