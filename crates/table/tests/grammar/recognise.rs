//! Whether tokens are a sentence of the grammar: all ways through the rules at once, so that nothing of the parser's is repeated here.

use std::collections::{BTreeSet, HashMap};

use super::ebnf::{Grammar, Node, is_token};

/// Words of the grammar, examples, and the rule that they describe.
type Special = (&'static str, &'static str, fn(char) -> bool);

/// What the grammar describes in words.
pub const SPECIALS: &[Special] = &[
    ("a letter of any script", "abcxyzABZéß名ñ", char::is_alphabetic),
    ("a digit or another numeral of any script", "0179٣½", char::is_numeric),
    ("a digit from 0 to 9", "0123456789", |c| c.is_ascii_digit()),
    ("a digit from 0 to 9, a to f or A to F", "0129abcdefABCDEF", |c| c.is_ascii_hexdigit()),
    ("any character but a single quote", "ab (or)\n\"%\\é😀\u{2028}", |c| c != '\''),
];

/// Whether the tokens are a filter.
pub fn accepts(grammar: &Grammar, tokens: &[String]) -> bool {
    let mut recogniser = Recogniser { grammar, tokens, known: HashMap::new() };
    recogniser.rule("filter", 0).contains(&tokens.len())
}

/// Whether a text is as a whole what a part of a token's rule describes.
pub fn is_token_of(grammar: &Grammar, node: &Node, text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    token_ends(grammar, node, &characters, 0).contains(&characters.len())
}

struct Recogniser<'g> {
    grammar: &'g Grammar,
    tokens: &'g [String],
    /// Where a rule that begins at a token may end. No rule begins with itself, so that these are complete when asked for again.
    known: HashMap<(&'g str, usize), BTreeSet<usize>>,
}

impl<'g> Recogniser<'g> {
    fn rule(&mut self, name: &'g str, from: usize) -> BTreeSet<usize> {
        if let Some(ends) = self.known.get(&(name, from)) {
            return ends.clone();
        }
        let ends = match self.tokens.get(from) {
            _ if !is_token(name) => self.ends(self.grammar.rule(name), from),
            Some(token) if is_token_of(self.grammar, self.grammar.rule(name), token) => BTreeSet::from([from + 1]),
            _ => BTreeSet::new(),
        };
        self.known.insert((name, from), ends.clone());
        ends
    }

    fn ends(&mut self, node: &'g Node, from: usize) -> BTreeSet<usize> {
        match node {
            Node::Any(nodes) => nodes.iter().flat_map(|(_, node)| self.ends(node, from)).collect(),
            Node::All(nodes) => nodes.iter().fold(BTreeSet::from([from]), |starts, node| {
                starts.into_iter().flat_map(|start| self.ends(node, start)).collect()
            }),
            Node::Maybe(node) => self.ends(node, from).into_iter().chain([from]).collect(),
            Node::Many(node) => closure(from, |start| self.ends(node, start)),
            Node::Rule(name) => self.rule(name, from),
            Node::Text(text) if self.tokens.get(from) == Some(text) => BTreeSet::from([from + 1]),
            Node::Text(_) => BTreeSet::new(),
            Node::Times(..) | Node::Except(..) | Node::Special(_) => panic!("a part of a token outside one"),
        }
    }
}

/// Everything that is reached by any number of steps.
fn closure(from: usize, mut step: impl FnMut(usize) -> BTreeSet<usize>) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([from]);
    let mut new = vec![from];
    while let Some(start) = new.pop() {
        new.extend(step(start).into_iter().filter(|end| reached.insert(*end)));
    }
    reached
}

fn token_ends(grammar: &Grammar, node: &Node, text: &[char], from: usize) -> BTreeSet<usize> {
    let in_turn = |parts: &mut dyn Iterator<Item = &Node>| {
        parts.fold(BTreeSet::from([from]), |starts, node| {
            starts.into_iter().flat_map(|start| token_ends(grammar, node, text, start)).collect()
        })
    };
    match node {
        Node::Any(nodes) => nodes.iter().flat_map(|(_, node)| token_ends(grammar, node, text, from)).collect(),
        Node::All(nodes) => in_turn(&mut nodes.iter()),
        Node::Times(times, node) => in_turn(&mut std::iter::repeat_n(&**node, *times)),
        Node::Maybe(node) => token_ends(grammar, node, text, from).into_iter().chain([from]).collect(),
        Node::Many(node) => closure(from, |start| token_ends(grammar, node, text, start)),
        Node::Except(node, except) => {
            let is_except = |end: &usize| is_token_of(grammar, except, &text[from..*end].iter().collect::<String>());
            token_ends(grammar, node, text, from).into_iter().filter(|end| !is_except(end)).collect()
        }
        Node::Rule(name) => token_ends(grammar, grammar.rule(name), text, from),
        Node::Text(wanted) => {
            let wanted: Vec<char> = wanted.chars().collect();
            if text[from..].starts_with(&wanted) { BTreeSet::from([from + wanted.len()]) } else { BTreeSet::new() }
        }
        Node::Special(description) => {
            let (_, _, is) = SPECIALS.iter().find(|(known, ..)| known == description).expect("it is described");
            if text.get(from).is_some_and(|c| is(*c)) { BTreeSet::from([from + 1]) } else { BTreeSet::new() }
        }
    }
}
