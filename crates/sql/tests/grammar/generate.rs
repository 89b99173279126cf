//! Random sentences of a grammar.

use std::collections::HashSet;

use super::ebnf::{Grammar, Node, is_token};

/// Rules within rules, from which on the shortest way to an end is taken.
const MAX_DEPTH: usize = 70;

/// Tokens of a sentence, from which on the same is done.
const MAX_TOKENS: usize = 200;

/// Most repetitions of a part.
const MAX_REPEATS: usize = 3;

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
            let spaces = [" ", " ", "\n", "\t ", "/* a 'comment' */", " -- another \"\n", "\u{a0}\r\n", ""];
            text += spaces[self.below(spaces.len() - usize::from(!separable))];
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
            2 => tokens[place] = self.terminal(),
            _ => tokens.swap(place, next),
        }
        tokens
    }

    /// Any token of the language.
    fn terminal(&mut self) -> String {
        let grammar = self.grammar;
        let mut words: Vec<_> = ["IDENTIFIER", "PARAMETER", "NUMBER", "STRING", "KEYWORD"].to_vec();
        let signs =
            ["(", ")", "[", "]", "{", "}", ",", ".", ":", "?", "??", "*", "-", "+", "~", "=", "<", "||", "|", ">>>"];
        words.extend(signs);
        let word = words[self.below(words.len())];
        if signs.contains(&word) { word.to_owned() } else { self.token(word, grammar.rule(word)) }
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
                let (number, node) = self.choose(nodes);
                self.used.insert((rule, number));
                self.syntax(rule, node);
            }
            Node::All(nodes) => nodes.iter().for_each(|node| self.syntax(rule, node)),
            Node::Maybe(node) => {
                if !self.is_ending() && self.below(5) < 2 {
                    self.syntax(rule, node);
                }
            }
            Node::Many(node) => {
                for _ in 0..self.repeats(9) {
                    self.syntax(rule, node);
                }
            }
            Node::Text(text) => {
                let text = self.in_any_case(text);
                self.tokens.push(text);
            }
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

    /// How often a part is repeated; `chance` in 36 that it is once more.
    fn repeats(&mut self, chance: usize) -> usize {
        (0..MAX_REPEATS).take_while(|_| !self.is_ending() && self.below(36) < chance).count()
    }

    /// The first alternative leads to an end; so it is written.
    fn choose(&mut self, nodes: &'g [(usize, Node)]) -> (usize, &'g Node) {
        let (number, node) = &nodes[if self.is_ending() { 0 } else { self.below(nodes.len()) }];
        (*number, node)
    }

    /// Keywords may be in any case.
    fn in_any_case(&mut self, text: &str) -> String {
        if text.contains(|c: char| !c.is_ascii_uppercase()) {
            return text.to_owned();
        }
        text.chars().map(|c| if self.below(4) == 0 { c.to_ascii_lowercase() } else { c }).collect()
    }

    fn token(&mut self, rule: &'g str, node: &'g Node) -> String {
        loop {
            let text = self.text(rule, node);
            // Too large a number is in the grammar's comment only.
            if rule != "NUMBER"
                || text.parse::<f64>().is_ok_and(f64::is_finite)
                || text.starts_with("0x")
                || text.starts_with("0X")
            {
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
                if !super::recognise::is_token_of(self.grammar, except, &text.to_ascii_uppercase()) {
                    return text;
                }
            },
            Node::Text(text) => text.clone(),
            Node::Rule(name) => self.text(name, self.grammar.rule(name)),
            Node::Special(special) => self.special(special).to_string(),
        }
    }

    fn special(&mut self, description: &str) -> char {
        let found = super::recognise::SPECIALS.iter().find(|(known, ..)| *known == description);
        let (_, examples, _) = found.unwrap_or_else(|| panic!("unknown: {description}"));
        examples.chars().nth(self.below(examples.chars().count())).expect("it is below their number")
    }
}
