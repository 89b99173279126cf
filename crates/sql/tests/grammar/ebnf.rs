//! Reading a grammar. The tests of other languages read theirs with this file too.

use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;

/// The rules of a grammar by name.
pub struct Grammar {
    pub rules: HashMap<String, Node>,
}

/// A part of a rule.
#[derive(Debug)]
pub enum Node {
    /// One of several, which have numbers within their rule.
    Any(Vec<(usize, Node)>),
    /// One after the other.
    All(Vec<Node>),
    Maybe(Box<Node>),
    /// Any number of times.
    Many(Box<Node>),
    Times(usize, Box<Node>),
    Except(Box<Node>, Box<Node>),
    Text(String),
    Rule(String),
    /// `? a description ?`
    Special(String),
}

impl Grammar {
    /// What a file of `grammars/` holds.
    pub fn of(file: &str) -> Grammar {
        let path = format!("{}/../../grammars/{file}", env!("CARGO_MANIFEST_DIR"));
        Grammar::read(&std::fs::read_to_string(path).unwrap())
    }

    fn read(text: &str) -> Grammar {
        let tokens = tokens(text);
        let rules = tokens.split(|token| *token == Token::Sign(';')).filter(|rule| !rule.is_empty()).map(|rule| {
            let [Token::Name(name), Token::Sign('='), body @ ..] = rule else { panic!("no rule: {rule:?}") };
            let mut reader = Reader { tokens: body, alternatives: 0 };
            let node = reader.any();
            assert!(reader.tokens.is_empty(), "{name} goes on: {:?}", reader.tokens);
            (name.clone(), node)
        });
        let grammar = Grammar { rules: rules.collect() };
        for (name, node) in &grammar.rules {
            node.walk(&mut |node| {
                if let Node::Rule(used) = node {
                    assert!(grammar.rules.contains_key(used), "{name} uses {used}, which is no rule");
                }
            });
        }
        grammar
    }

    pub fn rule(&self, name: &str) -> &Node {
        &self.rules[name]
    }

    /// Every alternative of every rule, by rule and number.
    pub fn alternatives(&self) -> impl Iterator<Item = (&str, usize)> {
        self.rules.iter().flat_map(|(name, node)| {
            let mut found = Vec::new();
            node.walk(&mut |node| {
                if let Node::Any(nodes) = node {
                    found.extend(nodes.iter().map(|(number, _)| (name.as_str(), *number)));
                }
            });
            found
        })
    }
}

/// Rules in capitals are tokens.
pub fn is_token(rule: &str) -> bool {
    !rule.contains(|c: char| c.is_lowercase())
}

impl Node {
    fn walk<'n>(&'n self, visit: &mut dyn FnMut(&'n Node)) {
        visit(self);
        match self {
            Node::Any(nodes) => nodes.iter().for_each(|(_, node)| node.walk(visit)),
            Node::All(nodes) => nodes.iter().for_each(|node| node.walk(visit)),
            Node::Maybe(node) | Node::Many(node) | Node::Times(_, node) => node.walk(visit),
            Node::Except(node, other) => {
                node.walk(visit);
                other.walk(visit);
            }
            Node::Text(_) | Node::Rule(_) | Node::Special(_) => {}
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Special(String),
    Number(usize),
    Sign(char),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\n' => {}
            '(' if chars.peek() == Some(&'*') => skip_comment(&mut chars),
            '"' | '\'' => tokens.push(Token::Text(up_to(&mut chars, c))),
            '?' => tokens.push(Token::Special(up_to(&mut chars, c).trim().to_owned())),
            '0'..='9' => tokens.push(Token::Number(with(c, &mut chars, |c| c.is_ascii_digit()).parse().unwrap())),
            c if c.is_alphabetic() => {
                tokens.push(Token::Name(with(c, &mut chars, |c| c.is_alphabetic() || c == ' ').trim().to_owned()));
            }
            c => tokens.push(Token::Sign(c)),
        }
    }
    tokens
}

fn skip_comment(chars: &mut Peekable<Chars<'_>>) {
    let mut before = ' ';
    for c in chars {
        if (before, c) == ('*', ')') {
            return;
        }
        before = c;
    }
    panic!("a comment does not end");
}

fn up_to(chars: &mut Peekable<Chars<'_>>, end: char) -> String {
    chars.take_while(|c| *c != end).collect()
}

fn with(first: char, chars: &mut Peekable<Chars<'_>>, goes_on: impl Fn(char) -> bool) -> String {
    let mut text = first.to_string();
    while let Some(c) = chars.next_if(|c| goes_on(*c)) {
        text.push(c);
    }
    text
}

/// Reads the body of a rule by recursive descent.
struct Reader<'t> {
    tokens: &'t [Token],
    alternatives: usize,
}

impl Reader<'_> {
    fn sign(&mut self, sign: char) -> bool {
        match self.tokens {
            [Token::Sign(first), rest @ ..] if *first == sign => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }

    fn any(&mut self) -> Node {
        let mut nodes = vec![self.all()];
        while self.sign('|') {
            nodes.push(self.all());
        }
        let numbered = nodes.into_iter().map(|node| {
            self.alternatives += 1;
            (self.alternatives, node)
        });
        Node::Any(numbered.collect())
    }

    fn all(&mut self) -> Node {
        let mut nodes = vec![self.except()];
        while self.sign(',') {
            nodes.push(self.except());
        }
        Node::All(nodes)
    }

    fn except(&mut self) -> Node {
        let node = self.part();
        if self.sign('-') { Node::Except(Box::new(node), Box::new(self.part())) } else { node }
    }

    fn part(&mut self) -> Node {
        let (first, rest) = self.tokens.split_first().expect("a rule ends too early");
        self.tokens = rest;
        let (node, close) = match first {
            Token::Name(name) => return Node::Rule(name.clone()),
            Token::Text(text) => return Node::Text(text.clone()),
            Token::Special(text) => return Node::Special(text.clone()),
            Token::Number(times) => {
                assert!(self.sign('*'));
                return Node::Times(*times, Box::new(self.part()));
            }
            Token::Sign('(') => (self.any(), ')'),
            Token::Sign('[') => (Node::Maybe(Box::new(self.any())), ']'),
            Token::Sign('{') => (Node::Many(Box::new(self.any())), '}'),
            Token::Sign(sign) => panic!("unexpected {sign}"),
        };
        assert!(self.sign(close), "{close} is missing: {:?}", self.tokens);
        node
    }
}
