//! Patterns of LIKE: `%` any run, `_` one character, `[a-f]` and `[abc]` one of a set, `[^a-f]` one outside it.

use crate::query::Effort;

/// A pattern, ready to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Char(char),
    AnyChar,
    AnyRun,
    Set { ranges: Vec<(char, char)>, negated: bool },
}

impl Like {
    /// Reads a pattern. The character after `escape` stands for itself. A bracket that is never closed does too.
    pub fn new(pattern: &str, escape: Option<char>) -> Self {
        let mut parts = Vec::new();
        let mut rest = pattern.chars();
        while let Some(c) = rest.next() {
            let part = match c {
                c if Some(c) == escape => Part::Char(rest.next().unwrap_or(c)),
                '%' => Part::AnyRun,
                '_' => Part::AnyChar,
                '[' => match set(rest.as_str()) {
                    Some((part, after)) => {
                        rest = after.chars();
                        part
                    }
                    None => Part::Char(c),
                },
                c => Part::Char(c),
            };
            if part != Part::AnyRun || parts.last() != Some(&Part::AnyRun) {
                parts.push(part);
            }
        }
        Like { parts }
    }

    /// What every matching text begins with, and whether that is all of it.
    pub(in crate::query) fn prefix(&self) -> (String, bool) {
        let chars = self.parts.iter().map_while(|part| match part {
            Part::Char(char) => Some(*char),
            Part::AnyChar | Part::AnyRun | Part::Set { .. } => None,
        });
        let prefix: String = chars.collect();
        let is_all = prefix.chars().count() == self.parts.len();
        (prefix, is_all)
    }

    /// Whether all texts match that begin with the [`prefix`](Like::prefix).
    pub(in crate::query) fn is_prefix(&self) -> bool {
        let wild = |part: &&Part| !matches!(part, Part::Char(_));
        self.parts.last() == Some(&Part::AnyRun) && self.parts.iter().filter(wild).count() == 1
    }

    /// Whether the whole text matches. Takes at most text times pattern steps of `effort`; false when it runs out.
    pub fn matches(&self, text: &str, effort: &Effort) -> bool {
        let mut rest = text.chars();
        let mut part = 0;
        // Where to go on if the match fails: after the last run, which then takes one character more.
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        while effort.spend(1) {
            if self.parts.get(part) == Some(&Part::AnyRun) {
                part += 1;
                if part == self.parts.len() {
                    return true;
                }
                retry = Some((part, rest.clone()));
                continue;
            }
            let next = rest.clone().next();
            match (self.parts.get(part), next) {
                (None, None) => return true,
                (Some(wanted), Some(c)) if wanted.accepts(c) => {
                    part += 1;
                    rest.next();
                }
                _ => {
                    let Some((after_run, from)) = &mut retry else { return false };
                    if from.next().is_none() {
                        return false;
                    }
                    part = *after_run;
                    rest = from.clone();
                }
            }
        }
        false
    }
}

impl Part {
    fn accepts(&self, c: char) -> bool {
        match self {
            Part::Char(wanted) => *wanted == c,
            Part::AnyChar => true,
            Part::AnyRun => false,
            Part::Set { ranges, negated } => ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated,
        }
    }
}

/// The set after an opening bracket, and the text after its closing one.
fn set(text: &str) -> Option<(Part, &str)> {
    let (inside, after) = text.split_once(']')?;
    let (inside, negated) = inside.strip_prefix('^').map_or((inside, false), |inside| (inside, true));
    let mut ranges = Vec::new();
    let mut rest = inside.chars();
    while let Some(low) = rest.next() {
        let mut ahead = rest.clone();
        let high = (ahead.next() == Some('-')).then(|| ahead.next()).flatten();
        if high.is_some() {
            rest = ahead;
        }
        ranges.push((low, high.unwrap_or(low)));
    }
    Some((Part::Set { ranges, negated }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text, expected) in [
            ("abc", "abc", true),
            ("abc", "abcd", false),
            ("", "", true),
            ("", "a", false),
            ("%", "", true),
            ("%b%", "abc", true),
            ("a%c%e", "abcde", true),
            ("a%c%e", "abcdef", false),
            ("%ab", "aaab", true),
            ("_", "é", true),
            ("__", "é", false),
            ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[^a-c]x", "dx", true),
            ("[^a-c]x", "ax", false),
            ("[a-]", "-", true),
            ("[abc", "[abc", true),
            ("[]", "", false),
            ("ABC", "abc", false),
        ] {
            assert_eq!(Like::new(pattern, None).matches(text, &Effort::for_row()), expected, "{text} LIKE {pattern}");
        }
    }

    #[test]
    fn an_escaped_character_stands_for_itself() {
        let like = Like::new("100!%", Some('!'));
        assert!(like.matches("100%", &Effort::for_row()));
        assert!(!like.matches("100 percent", &Effort::for_row()));
        assert!(Like::new("a!", Some('!')).matches("a!", &Effort::for_row()));
    }

    #[test]
    fn a_hostile_pattern_ends_with_the_effort() {
        let effort = Effort::of(10_000);
        assert!(!Like::new(&"%a".repeat(1000), None).matches(&"ab".repeat(100_000), &effort));
        let effort = Effort::of(10_000);
        assert!(!Like::new("%aaaaaaaaaaaaaaab", None).matches(&"a".repeat(100_000), &effort));
        assert!(effort.is_exhausted());
    }
}
