//! Full text search: which texts contain terms, and how well they match.
//!
//! A text is the list of its words: in small letters, without the stop words of English (`words.rs`). A term is a word or a phrase,
//! taken apart in the same way; it occurs where its words follow each other in the text. Words are compared by their stems
//! (`stem.rs`), so that `bicycles` is found by `bicycle`. The service documents these steps without their details; the number of words
//! that its scores imply is the one without stop words. It has other stems for other languages, chosen by the container's policy,
//! which functions do not see.
//!
//! A term may also be `{"term": "bycycle", "distance": 1}`, which accepts words that differ by so many inserted, left out or
//! replaced characters, two at the most.

mod bm25;
mod stem;
mod stop_words;
mod term;
mod words;

use orrery_value::{Number, Value};

use super::{Function, at_least, exactly};
use crate::query::{Datum, Effort};

pub(in crate::query) use bm25::{Corpus, Occurrences};
pub(in crate::query) use term::Term;

pub(super) const FUNCTIONS: &[Function] = &[
    // The documentation has a sample with several terms, which is read as all of them.
    at_least("FULLTEXTCONTAINS", 2, |a, effort| contains_all(a, effort).into()),
    at_least("FULLTEXTCONTAINSALL", 2, |a, effort| contains_all(a, effort).into()),
    at_least("FULLTEXTCONTAINSANY", 2, |a, effort| contains_any(a, effort).into()),
    exactly("_FULLTEXTSCORE", 5, |a, effort| score(a, effort).into()),
    exactly("_FULLTEXTWORDCOUNT", 1, |a, effort| word_count(a, effort).into()),
];

fn contains_all(arguments: &[Datum<'_>], effort: &Effort) -> Option<bool> {
    contains(arguments, effort, |found, wanted| found == wanted)
}

fn contains_any(arguments: &[Datum<'_>], effort: &Effort) -> Option<bool> {
    contains(arguments, effort, |found, _| found > 0)
}

/// Reads the text until `enough` of the terms were found, which is told how many were and how many there are.
fn contains(arguments: &[Datum<'_>], effort: &Effort, enough: fn(usize, usize) -> bool) -> Option<bool> {
    let text = arguments[0].as_str()?;
    let terms = terms(arguments[1..].iter(), effort)?;
    let found = |occurrences: &[u64]| occurrences.iter().filter(|count| **count > 0).count();
    let occurrences = Occurrences::until(&text, &terms, effort, |counts| enough(found(counts), terms.len()))?;
    Some(enough(found(&occurrences.terms), terms.len()))
}

/// `_FullTextScore(text, terms, documents, words, hits)`: a part of the query plan that clients run on each range, with statistics
/// that they gathered over all of them.
fn score(arguments: &[Datum<'_>], effort: &Effort) -> Option<f64> {
    let text = arguments[0].as_str()?;
    let terms = arguments[1].as_value();
    let terms: Vec<_> = terms.as_array()?.iter().map(Datum::Borrowed).collect();
    let terms = self::terms(terms.iter(), effort)?;
    let hits = arguments[4].as_value();
    let hits = hits.as_array()?.iter().map(count).collect::<Option<Vec<_>>>()?;
    if hits.len() != terms.len() {
        return None;
    }
    let corpus = Corpus { documents: count(&arguments[2].as_value())?, words: count(&arguments[3].as_value())?, hits };
    Some(corpus.score(&Occurrences::of(&text, &terms, effort)?))
}

fn word_count(arguments: &[Datum<'_>], effort: &Effort) -> Option<i64> {
    let text = arguments[0].as_str()?;
    Occurrences::of(&text, &[], effort).map(|occurrences| occurrences.words as i64)
}

fn terms<'d>(terms: impl Iterator<Item = &'d Datum<'d>>, effort: &Effort) -> Option<Vec<Term>> {
    terms.map(|term| effort.spend(term.weight()).then(|| Term::from_datum(term))?).collect()
}

/// A number of things.
fn count(value: &Value) -> Option<f64> {
    value.as_number().map(Number::as_f64).filter(|count| count.is_finite() && *count >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{called, called_with, check};
    use crate::query::Effort;

    const TEXT: &str = "The red bicycles are faster than a Bicycle of the mountain's valley";

    #[test]
    fn terms_are_found_as_words_and_phrases() {
        for (term, expected) in [
            ("bicycle", true),
            ("BICYCLES", true),
            ("cycle", false),
            ("bicy", false),
            ("mountain", true),
            ("red bicycle", true),
            ("the red", true),
            ("bicycle red", false),
            ("red faster", false),
            ("faster bicycle", true),
            ("red-bicycle", true),
            ("valley!", true),
            ("mountain valley extra", false),
            ("the", false),
            ("", false),
        ] {
            assert_eq!(
                called("FULLTEXTCONTAINS", &format!("[\"{TEXT}\", \"{term}\"]")),
                expected.to_string(),
                "{term}"
            );
        }
    }

    #[test]
    fn all_and_any_of_several_terms() {
        for (terms, all, any) in [
            (r#""red", "valley""#, true, true),
            (r#""red", "hill""#, false, true),
            (r#""sea", "hill""#, false, false),
            (r#""valley", "red", "red""#, true, true),
        ] {
            let arguments = format!("[\"{TEXT}\", {terms}]");
            assert_eq!(called("FULLTEXTCONTAINSALL", &arguments), all.to_string(), "{terms}");
            assert_eq!(called("FULLTEXTCONTAINS", &arguments), all.to_string(), "{terms}");
            assert_eq!(called("FULLTEXTCONTAINSANY", &arguments), any.to_string(), "{terms}");
        }
    }

    #[test]
    fn fuzzy_terms_accept_near_words() {
        for (term, expected) in [
            (r#"{"term": "bycycle", "distance": 0}"#, "false"),
            (r#"{"term": "bycycle", "distance": 1}"#, "true"),
            (r#"{"term": "rad bcycle", "distance": 2}"#, "true"),
            (r#"{"term": "bcyle", "distance": 1}"#, "false"),
            (r#"{"term": "bicycle", "distance": 3}"#, ""),
            (r#"{"term": "bicycle", "distance": -1}"#, ""),
            (r#"{"term": "bicycle"}"#, ""),
            (r#"{"distance": 1}"#, ""),
            ("5", ""),
        ] {
            assert_eq!(called("FULLTEXTCONTAINS", &format!("[\"{TEXT}\", {term}]")), expected, "{term}");
        }
    }

    #[test]
    fn what_is_no_text_is_undefined() {
        check(&[
            ("FULLTEXTCONTAINS", r#"[["red"], "red"]"#, ""),
            ("FULLTEXTCONTAINSANY", r#"["red", "red", null]"#, ""),
            ("_FULLTEXTWORDCOUNT", "[5]", ""),
            ("_FULLTEXTSCORE", r#"[5, ["a"], 1, 1, [1]]"#, ""),
            ("_FULLTEXTSCORE", r#"["red", "red", 1, 1, [1]]"#, ""),
            ("_FULLTEXTSCORE", r#"["red", ["red"], 1, 1, []]"#, ""),
            ("_FULLTEXTSCORE", r#"["red", ["red"], -1, 1, [1]]"#, ""),
            ("_FULLTEXTSCORE", r#"["red", ["red"], 1, "1", [1]]"#, ""),
        ]);
    }

    #[test]
    fn words_are_counted_without_stop_words() {
        check(&[
            ("_FULLTEXTWORDCOUNT", r#"["The quick brown fox"]"#, "3"),
            ("_FULLTEXTWORDCOUNT", r#"["1,977 - it's O'Brien's naïve_name"]"#, "3"),
            ("_FULLTEXTWORDCOUNT", r#"[""]"#, "0"),
        ]);
    }

    #[test]
    fn scores_rise_with_rare_terms_and_fall_with_length() {
        let score = |text: &str, terms: &str, hits: &str| -> f64 {
            called("_FULLTEXTSCORE", &format!("[\"{text}\", {terms}, 100, 1000, {hits}]")).parse().unwrap()
        };
        assert_eq!(score("river", "[\"mountain\"]", "[5]"), 0.0);
        let once = score("mountain river", "[\"mountain\"]", "[5]");
        assert!(once > score("mountain river", "[\"mountain\"]", "[50]"));
        assert!(once > score("mountain river forest lake", "[\"mountain\"]", "[5]"));
        assert!(score("mountain mountain", "[\"mountain\"]", "[5]") > once);
        assert!(score("mountain river", "[\"mountain\", \"river\"]", "[5, 5]") > once);
        assert!(score("mountain river", "[\"mountain\"]", "[1000]") > 0.0);
    }

    #[test]
    fn a_long_text_is_paid_for() {
        let effort = Effort::of(1000);
        let text = "word ".repeat(1000);
        assert_eq!(called_with("FULLTEXTCONTAINS", &format!("[\"{text}\", \"other\"]"), &effort), "");
        assert!(effort.is_exhausted());
    }
}
