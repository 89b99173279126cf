//! Terms that texts are searched for.

use orrery_value::{Number, Value};

use super::stem::stem;
use super::words::Words;
use crate::query::Datum;

/// Edits that a fuzzy term may allow, as on the service.
const MAX_DISTANCE: i64 = 2;

/// A word or a phrase.
#[derive(Clone, Debug)]
pub(in crate::query) struct Term {
    pub(super) words: Vec<Pattern>,
}

/// What a word of a text must be like.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    stem: String,
    /// The word itself and the edits allowed, if there are any.
    fuzzy: Option<(Vec<char>, usize)>,
}

/// A word of a text, whose stem is made when it is first needed.
pub(super) struct Candidate<'w> {
    word: &'w str,
    stem: Option<String>,
}

impl Term {
    /// A term that is found as it is. One that has no words but stop words is in no text.
    pub fn new(text: &str) -> Term {
        Term::within(text, 0)
    }

    /// A string, or an object of a term and a distance.
    pub(super) fn from_datum(term: &Datum<'_>) -> Option<Term> {
        let term = term.as_value();
        if let Value::String(text) = &*term {
            return Some(Term::new(text));
        }
        let object = term.as_object()?;
        let distance = object.get("distance").and_then(Value::as_number).and_then(Number::as_i64)?;
        let text = object.get("term").and_then(Value::as_str)?;
        (0..=MAX_DISTANCE).contains(&distance).then(|| Term::within(text, distance as usize))
    }

    fn within(text: &str, distance: usize) -> Term {
        let (mut words, mut patterns) = (Words::of(text), Vec::new());
        while let Some(word) = words.next() {
            let fuzzy = (distance > 0).then(|| (word.chars().collect(), distance));
            patterns.push(Pattern { stem: stem(word), fuzzy });
        }
        Term { words: patterns }
    }
}

impl Pattern {
    /// Whether a word of a text is this one.
    pub fn accepts(&self, candidate: &mut Candidate<'_>) -> bool {
        // A stem begins as its word does.
        let alike = candidate.word.as_bytes().first() == self.stem.as_bytes().first();
        if alike && candidate.stem() == self.stem {
            return true;
        }
        self.fuzzy.as_ref().is_some_and(|(word, distance)| is_near(word, candidate.word, *distance))
    }
}

impl<'w> Candidate<'w> {
    pub fn new(word: &'w str) -> Self {
        Candidate { word, stem: None }
    }

    fn stem(&mut self) -> &str {
        self.stem.get_or_insert_with(|| stem(self.word))
    }
}

/// Whether at most `distance` characters must be inserted, left out or replaced to make one word of the other.
fn is_near(a: &[char], b: &str, distance: usize) -> bool {
    let count = b.chars().count();
    if count.abs_diff(a.len()) > distance {
        return false;
    }
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (at, other) in b.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for column in 1..row.len() {
            let replaced = diagonal + usize::from(a[column - 1] != other);
            diagonal = row[column];
            row[column] = replaced.min(row[column] + 1).min(row[column - 1] + 1);
        }
        if row.iter().all(|edits| *edits > distance) {
            return false;
        }
    }
    row[a.len()] <= distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, edits) in [
            ("red", "red", 0),
            ("red", "rad", 1),
            ("red", "reds", 1),
            ("red", "ed", 1),
            ("red", "erd", 2),
            ("bycycle", "bicycle", 1),
            ("bcycl", "bicycle", 2),
            ("", "ab", 2),
            ("größe", "grosse", 3),
            ("kitten", "sitting", 3),
        ] {
            let a: Vec<char> = a.chars().collect();
            for distance in 0..4 {
                assert_eq!(is_near(&a, b, distance), edits <= distance, "{a:?} {b} {distance}");
            }
        }
    }
}
