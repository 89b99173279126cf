//! Counting terms in a text, and the score that the counts give.

use super::term::{Candidate, Term};
use super::words::Words;
use crate::query::Effort;

/// How fast repeating a term stops counting. The service says that it is the usual BM25: these are the usual constants.
const K1: f64 = 1.2;
/// How much a text's length counts.
const B: f64 = 0.75;

/// What was counted in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::query) struct Occurrences {
    /// All words but stop words.
    pub words: u64,
    /// How often each term occurs; occurrences may overlap.
    pub terms: Vec<u64>,
}

/// The texts among which one is scored.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query) struct Corpus {
    /// How many documents there are, whether they have a text or not.
    pub documents: f64,
    /// How many words their texts have together.
    pub words: f64,
    /// How many texts have each term.
    pub hits: Vec<f64>,
}

impl Occurrences {
    /// Counts the words of a text and the terms in it; none if the effort is used up.
    pub fn of(text: &str, terms: &[Term], effort: &Effort) -> Option<Occurrences> {
        Occurrences::until(text, terms, effort, |_| false)
    }

    /// Counts until a term was found and `enough` accepts the counts of terms.
    pub(super) fn until(
        text: &str,
        terms: &[Term],
        effort: &Effort,
        enough: impl Fn(&[u64]) -> bool,
    ) -> Option<Occurrences> {
        if !effort.spend(text.len()) {
            return None;
        }
        let mut counted = Occurrences { words: 0, terms: vec![0; terms.len()] };
        let mut begun: Vec<Vec<usize>> = vec![Vec::new(); terms.len()];
        let mut words = Words::of(text);
        while let Some(word) = words.next() {
            counted.words += 1;
            let mut candidate = Candidate::new(word);
            let mut found = false;
            for ((term, begun), count) in terms.iter().zip(&mut begun).zip(&mut counted.terms) {
                if !effort.spend(1 + begun.len() * word.len()) {
                    return None;
                }
                if advance(term, begun, &mut candidate) {
                    *count += 1;
                    found = true;
                }
            }
            if found && enough(&counted.terms) {
                break;
            }
        }
        Some(counted)
    }
}

/// Carries the occurrences of a term that have begun one word further, and begins another one. `begun` holds how many words of each
/// were seen. Whether one is complete now.
fn advance(term: &Term, begun: &mut Vec<usize>, candidate: &mut Candidate<'_>) -> bool {
    let Some(last) = term.words.len().checked_sub(1) else { return false };
    begun.push(0);
    begun.retain(|seen| term.words[*seen].accepts(candidate));
    begun.iter_mut().for_each(|seen| *seen += 1);
    let complete = begun.first().is_some_and(|seen| *seen > last);
    if complete {
        // The one that began first is the only one that can be complete.
        begun.remove(0);
    }
    complete
}

impl Corpus {
    /// How well a text matches the terms: the BM25 score, 0 without any of them.
    pub fn score(&self, text: &Occurrences) -> f64 {
        let average = if self.documents > 0.0 { self.words / self.documents } else { 0.0 };
        let length = if average > 0.0 { text.words as f64 / average } else { 1.0 };
        let damping = K1 * (1.0 - B + B * length);
        let scores = text.terms.iter().zip(&self.hits).map(|(count, hits)| {
            let count = *count as f64;
            self.rarity(*hits) * count * (K1 + 1.0) / (count + damping)
        });
        scores.sum()
    }

    /// The weight of a term that `hits` texts have, positive even if all have it.
    fn rarity(&self, hits: f64) -> f64 {
        let hits = hits.min(self.documents);
        ((self.documents - hits + 0.5) / (hits + 0.5)).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str, terms: &[&str]) -> (u64, Vec<u64>) {
        let terms: Vec<_> = terms.iter().map(|term| Term::new(term)).collect();
        let Occurrences { words, terms } = Occurrences::of(text, &terms, &Effort::for_row()).unwrap();
        (words, terms)
    }

    #[test]
    fn terms_are_counted_with_their_overlaps() {
        assert_eq!(counted("red red red blue", &["red", "red red", "red blue", "green"]), (4, vec![3, 2, 1, 0]));
        assert_eq!(counted("red red blue red red blue", &["red red blue", "the"]), (6, vec![2, 0]));
        assert_eq!(counted("", &["red"]), (0, vec![0]));
        assert_eq!(counted("red", &[]), (1, Vec::new()));
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        let corpus = Corpus { documents: 3.0, words: 12.0, hits: vec![1.0, 2.0] };
        let text = Occurrences { words: 2, terms: vec![1, 2] };
        let damping = 1.2 * (0.25 + 0.75 * 2.0 / 4.0);
        let rare = (1.0f64 + 2.5 / 1.5).ln() * 2.2 / (1.0 + damping);
        let common = (1.0f64 + 1.5 / 2.5).ln() * 2.0 * 2.2 / (2.0 + damping);
        assert!((corpus.score(&text) - (rare + common)).abs() < 1e-12);
    }

    #[test]
    fn an_empty_corpus_gives_finite_scores() {
        let corpus = Corpus { documents: 0.0, words: 0.0, hits: vec![0.0] };
        assert!(corpus.score(&Occurrences { words: 1, terms: vec![1] }).is_finite());
    }
}
