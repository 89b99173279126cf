//! Regular expressions, compiled once per thread for as long as they are in use.
//!
//! The service has Perl-compatible expressions, matched by backtracking; here matching takes linear time, so that no pattern stalls
//! the server. What cannot be had that way (look-around, back-references, possessive and atomic groups, recursion) is refused by its
//! name: a query with it fails, as it does with a pattern that is malformed or too large. Classes like `\d` and `\w` cover all of
//! Unicode, and `$` without the modifier `m` stands for the very end only. `perl.rs` sees to other differences.

use std::cell::RefCell;

use regex::{Regex, RegexBuilder};

use super::perl::translated;
use crate::query::Effort;

/// Compiled patterns that a thread keeps, the latest ones. A query has a few.
const MAX_PATTERNS_KEPT: usize = 8;

/// Bytes of a pattern's text.
const MAX_PATTERN_BYTES: usize = 8 * 1024;

/// Bytes of a compiled pattern, which repetition makes far larger than its text.
const MAX_COMPILED_BYTES: usize = 512 * 1024;

/// A pattern that compiles to less is a small one.
const SMALL_COMPILED_BYTES: usize = 64 * 1024;

/// Bytes that matching with a pattern may remember.
const MAX_MATCHER_BYTES: usize = 512 * 1024;

/// Steps that compiling costs.
const COMPILE_STEPS: usize = 256 * 1024;

/// Steps per byte of text that is searched with a small pattern, and with a larger one: matching takes text times pattern at most.
const STEPS_PER_BYTE_OF_SMALL: usize = 2;
const STEPS_PER_BYTE_OF_LARGE: usize = 16;

/// Characters of a pattern that are shown when it is refused.
const SHOWN_CHARS: usize = 80;

/// A compiled pattern.
pub(super) struct Pattern {
    text: String,
    modifiers: String,
    pub regex: Regex,
    steps_per_byte: usize,
}

thread_local! {
    /// The latest first.
    static PATTERNS: RefCell<Vec<Pattern>> = const { RefCell::new(Vec::new()) };
}

/// What `apply` makes of the pattern, whose search through `searched` is paid for. None for modifiers other than `m`, `s`, `i` and `x`,
/// and for a pattern that is refused, which fails the row.
pub(super) fn with_pattern<T>(
    text: &str,
    modifiers: &str,
    searched: &str,
    effort: &Effort,
    apply: impl FnOnce(&Pattern) -> T,
) -> Option<T> {
    PATTERNS.with_borrow_mut(|patterns| {
        match patterns.iter().position(|kept| kept.text == text && kept.modifiers == modifiers) {
            Some(at) => patterns[..=at].rotate_right(1),
            None => {
                let pattern = compile(text, modifiers, effort)?;
                patterns.truncate(MAX_PATTERNS_KEPT - 1);
                patterns.insert(0, pattern);
            }
        }
        let pattern = patterns.first()?;
        effort.spend(searched.len() * pattern.steps_per_byte).then(|| apply(pattern))
    })
}

/// A pattern that nobody has compiled on this thread of late.
fn compile(text: &str, modifiers: &str, effort: &Effort) -> Option<Pattern> {
    if !modifiers.chars().all(|modifier| "msix".contains(modifier)) || !effort.spend(COMPILE_STEPS) {
        return None;
    }
    match build(text, modifiers) {
        Ok((regex, steps_per_byte)) => {
            Some(Pattern { text: text.to_owned(), modifiers: modifiers.to_owned(), regex, steps_per_byte })
        }
        Err(reason) => {
            let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            effort.refuse(format!("the regular expression '{shown}' cannot be used: {reason}"));
            None
        }
    }
}

/// The expression and the steps per byte of text that it costs.
fn build(text: &str, modifiers: &str) -> Result<(Regex, usize), String> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(format!("it has more than {MAX_PATTERN_BYTES} bytes"));
    }
    let has = |modifier| modifiers.contains(modifier);
    let text = translated(text, has('x'))?;
    let within = |size_bytes| {
        RegexBuilder::new(&text)
            .multi_line(has('m'))
            .dot_matches_new_line(has('s'))
            .case_insensitive(has('i'))
            .ignore_whitespace(has('x'))
            .size_limit(size_bytes)
            .dfa_size_limit(MAX_MATCHER_BYTES)
            .build()
    };
    let (built, steps_per_byte) = match within(SMALL_COMPILED_BYTES) {
        Err(regex::Error::CompiledTooBig(_)) => (within(MAX_COMPILED_BYTES), STEPS_PER_BYTE_OF_LARGE),
        built => (built, STEPS_PER_BYTE_OF_SMALL),
    };
    match built {
        Ok(regex) => Ok((regex, steps_per_byte)),
        Err(regex::Error::CompiledTooBig(_)) => {
            Err(format!("it takes more than {MAX_COMPILED_BYTES} bytes when compiled"))
        }
        Err(error) => {
            // The last line says what is wrong; those before it show where.
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default();
            Err(reason.strip_prefix("error: ").unwrap_or(reason).to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_kept_up_to_a_number_the_latest_first() {
        for round in 0..3 {
            for number in 0..MAX_PATTERNS_KEPT + 3 {
                let pattern = format!("^{number}$");
                let found = |text: &str| {
                    with_pattern(&pattern, "", text, &Effort::for_row(), |pattern| pattern.regex.is_match(text))
                };
                assert_eq!(found(&number.to_string()), Some(true), "round {round}");
                assert_eq!(found("none"), Some(false), "round {round}");
            }
        }
        assert_eq!(PATTERNS.with_borrow(Vec::len), MAX_PATTERNS_KEPT);
    }

    #[test]
    fn a_kept_pattern_costs_no_compiling() {
        let effort = Effort::for_row();
        let is_match = || with_pattern("a+", "", "caat", &effort, |pattern| pattern.regex.is_match("caat"));
        assert_eq!(is_match(), Some(true));
        let spent = effort.spent();
        assert_eq!(is_match(), Some(true));
        assert!(effort.spent() - spent < COMPILE_STEPS as u64 / 100);
    }
}
