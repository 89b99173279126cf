//! Stems of English words, by the rules of the Porter2 stemmer (<https://snowballstem.org/algorithms/english/stemmer.html>).
//!
//! A stem begins with the same letter as its word.

/// The stem of a word in small letters. Words with other characters than the 26 letters and apostrophes are their own stems.
pub(super) fn stem(word: &str) -> String {
    let letters = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'');
    if word.len() <= 2 || !letters {
        return word.to_owned();
    }
    if let Some((_, stem)) = EXCEPTIONS.iter().find(|(exception, _)| *exception == word) {
        return (*stem).to_owned();
    }
    let mut stemming = Stemming::of(word);
    stemming.drop_possessive();
    stemming.drop_plural();
    if !FINISHED_WITHOUT_PLURAL.contains(&stemming.word.as_str()) {
        stemming.drop_past_and_gerund();
        stemming.turn_y_into_i();
        stemming.shorten(ADVERBS_AND_NOUNS, Region::First);
        stemming.shorten(ADJECTIVES, Region::First);
        stemming.shorten(ENDINGS, Region::Second);
        stemming.drop_last_e_or_l();
    }
    stemming.word.make_ascii_lowercase();
    stemming.word
}

/// Words whose stems follow no rule.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("skis", "ski"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("idly", "idl"),
    ("gently", "gentl"),
    ("ugly", "ugli"),
    ("early", "earli"),
    ("only", "onli"),
    ("singly", "singl"),
    ("sky", "sky"),
    ("news", "news"),
    ("howe", "howe"),
    ("atlas", "atlas"),
    ("cosmos", "cosmos"),
    ("bias", "bias"),
    ("andes", "andes"),
];

const FINISHED_WITHOUT_PLURAL: &[&str] =
    &["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"];

/// A part of the word in which a suffix must lie.
#[derive(Clone, Copy)]
enum Region {
    First,
    Second,
}

/// A suffix and what stands in its place.
type Rule = (&'static str, Change);

#[derive(Clone, Copy)]
enum Change {
    To(&'static str),
    /// If the letter before it is one of these.
    After(&'static [u8], &'static str),
    /// If it lies in the second region.
    InSecond(&'static str),
}

use Change::{After, InSecond, To};

/// Longer suffixes come before those that they end with: the longest one decides.
const ADVERBS_AND_NOUNS: &[Rule] = &[
    ("ational", To("ate")),
    ("ization", To("ize")),
    ("fulness", To("ful")),
    ("ousness", To("ous")),
    ("iveness", To("ive")),
    ("tional", To("tion")),
    ("biliti", To("ble")),
    ("lessli", To("less")),
    ("entli", To("ent")),
    ("ation", To("ate")),
    ("alism", To("al")),
    ("aliti", To("al")),
    ("ousli", To("ous")),
    ("iviti", To("ive")),
    ("fulli", To("ful")),
    ("enci", To("ence")),
    ("anci", To("ance")),
    ("abli", To("able")),
    ("izer", To("ize")),
    ("ator", To("ate")),
    ("alli", To("al")),
    ("bli", To("ble")),
    ("ogi", After(b"l", "og")),
    ("li", After(b"cdeghkmnrt", "")),
];

const ADJECTIVES: &[Rule] = &[
    ("ational", To("ate")),
    ("tional", To("tion")),
    ("alize", To("al")),
    ("icate", To("ic")),
    ("iciti", To("ic")),
    ("ative", InSecond("")),
    ("ical", To("ic")),
    ("ness", To("")),
    ("ful", To("")),
];

const ENDINGS: &[Rule] = &[
    ("ement", To("")),
    ("ance", To("")),
    ("ence", To("")),
    ("able", To("")),
    ("ible", To("")),
    ("ment", To("")),
    ("ant", To("")),
    ("ent", To("")),
    ("ism", To("")),
    ("ate", To("")),
    ("iti", To("")),
    ("ous", To("")),
    ("ive", To("")),
    ("ize", To("")),
    ("ion", After(b"st", "")),
    ("al", To("")),
    ("er", To("")),
    ("ic", To("")),
];

/// A word on its way to its stem. A `y` that is no vowel is written as a capital.
struct Stemming {
    word: String,
    /// Where the regions begin.
    first: usize,
    second: usize,
}

impl Stemming {
    fn of(word: &str) -> Self {
        let mut letters = word.trim_start_matches('\'').as_bytes().to_vec();
        for at in 0..letters.len() {
            if letters[at] == b'y' && (at == 0 || is_vowel(letters[at - 1])) {
                letters[at] = b'Y';
            }
        }
        let special = ["gener", "commun", "arsen"].iter().find(|prefix| letters.starts_with(prefix.as_bytes()));
        let first = special.map_or_else(|| region_after(&letters, 0), |prefix| prefix.len());
        let second = region_after(&letters, first);
        Stemming { word: letters.iter().map(|letter| char::from(*letter)).collect(), first, second }
    }

    fn letters(&self) -> &[u8] {
        self.word.as_bytes()
    }

    /// What stands before a suffix, if the word has it.
    fn before(&self, suffix: &str) -> Option<&[u8]> {
        self.letters().strip_suffix(suffix.as_bytes())
    }

    fn replace(&mut self, suffix: &str, by: &str) {
        self.word.truncate(self.word.len() - suffix.len());
        self.word.push_str(by);
    }

    fn drop_possessive(&mut self) {
        if let Some(suffix) = ["'s'", "'s", "'"].into_iter().find(|suffix| self.word.ends_with(suffix)) {
            self.replace(suffix, "");
        }
    }

    fn drop_plural(&mut self) {
        if self.word.ends_with("sses") {
            self.replace("sses", "ss");
        } else if let Some(suffix) = ["ied", "ies"].into_iter().find(|suffix| self.word.ends_with(suffix)) {
            let by = if self.word.len() > suffix.len() + 1 { "i" } else { "ie" };
            self.replace(suffix, by);
        } else if self.word.ends_with("us") || self.word.ends_with("ss") {
        } else if let Some([before @ .., _]) = self.before("s")
            && before.iter().any(|letter| is_vowel(*letter))
        {
            self.replace("s", "");
        }
    }

    fn drop_past_and_gerund(&mut self) {
        const SUFFIXES: [&str; 6] = ["eedly", "ingly", "edly", "eed", "ing", "ed"];
        let Some(suffix) = SUFFIXES.into_iter().find(|suffix| self.word.ends_with(suffix)) else { return };
        let start = self.word.len() - suffix.len();
        if suffix.starts_with("ee") {
            if start >= self.first {
                self.replace(suffix, "ee");
            }
            return;
        }
        if !self.letters()[..start].iter().any(|letter| is_vowel(*letter)) {
            return;
        }
        self.replace(suffix, "");
        if ["at", "bl", "iz"].iter().any(|end| self.word.ends_with(end)) {
            self.word.push('e');
        } else if ends_with_double(self.letters()) {
            self.word.pop();
        } else if self.word.len() <= self.first && ends_with_short_syllable(self.letters()) {
            self.word.push('e');
        }
    }

    fn turn_y_into_i(&mut self) {
        if let [_, .., before, b'y' | b'Y'] = *self.letters()
            && !is_vowel(before)
        {
            self.word.pop();
            self.word.push('i');
        }
    }

    /// Applies the rule of the longest suffix that the word has, if it lies in the region.
    fn shorten(&mut self, rules: &[Rule], region: Region) {
        let Some((suffix, change)) = rules.iter().find(|(suffix, _)| self.word.ends_with(suffix)) else { return };
        let start = self.word.len() - suffix.len();
        let region = match region {
            Region::First => self.first,
            Region::Second => self.second,
        };
        if start < region {
            return;
        }
        let before = start.checked_sub(1).map(|at| self.letters()[at]);
        match *change {
            To(by) => self.replace(suffix, by),
            After(letters, by) if before.is_some_and(|before| letters.contains(&before)) => self.replace(suffix, by),
            InSecond(by) if start >= self.second => self.replace(suffix, by),
            After(..) | InSecond(_) => {}
        }
    }

    fn drop_last_e_or_l(&mut self) {
        let Some((last, before)) = self.letters().split_last() else { return };
        let start = before.len();
        let drop = match last {
            b'e' => start >= self.second || (start >= self.first && !ends_with_short_syllable(before)),
            b'l' => start >= self.second && before.last() == Some(&b'l'),
            _ => false,
        };
        if drop {
            self.word.pop();
        }
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// What follows the first letter that is no vowel and comes after a vowel, from `from` on.
fn region_after(letters: &[u8], from: usize) -> usize {
    let pairs = letters[from..].windows(2);
    let found = pairs.into_iter().position(|pair| is_vowel(pair[0]) && !is_vowel(pair[1]));
    found.map_or(letters.len(), |at| from + at + 2)
}

fn ends_with_double(letters: &[u8]) -> bool {
    matches!(letters, [.., a, b] if a == b && b"bdfgmnprt".contains(a))
}

fn ends_with_short_syllable(letters: &[u8]) -> bool {
    match letters {
        [vowel, last] => is_vowel(*vowel) && !is_vowel(*last),
        [.., before, vowel, last] => {
            !is_vowel(*before) && is_vowel(*vowel) && !is_vowel(*last) && !b"wxY".contains(last)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family_share_a_stem() {
        for (words, expected) in [
            ("bicycle bicycles bicycle's", "bicycl"),
            ("run runs running", "run"),
            ("hop hops hopped hopping", "hop"),
            ("hope hopes hoped hoping", "hope"),
            ("nation nations national nationally", "nation"),
            ("connect connected connecting connection connections", "connect"),
            ("happy happiness", "happi"),
            ("generate generates generated generating", "generat"),
            ("state states stated", "state"),
            ("cry cries cried", "cri"),
            ("tie ties", "tie"),
            ("die dying", "die"),
            ("sky skies", "sky"),
        ] {
            for word in words.split(' ') {
                assert_eq!(stem(word), expected, "{word}");
            }
        }
    }

    #[test]
    fn rules_apply_where_their_conditions_hold() {
        for (word, expected) in [
            ("by", "by"),
            ("say", "say"),
            ("enjoy", "enjoy"),
            ("gas", "gas"),
            ("this", "this"),
            ("gaps", "gap"),
            ("kiwis", "kiwi"),
            ("caress", "caress"),
            ("caresses", "caress"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("bed", "bed"),
            ("sing", "sing"),
            ("luxuriated", "luxuri"),
            ("falling", "fall"),
            ("proceed", "proceed"),
            ("canning", "canning"),
            ("news", "news"),
            ("generously", "generous"),
            ("communism", "communism"),
            ("relational", "relat"),
            ("vietnamization", "vietnam"),
            ("hopefulness", "hope"),
            ("analogies", "analog"),
            ("formative", "format"),
            ("adoption", "adopt"),
            ("replacement", "replac"),
            ("controlled", "control"),
            ("rate", "rate"),
            ("youth", "youth"),
            ("o'neill", "o'neil"),
            ("größe", "größe"),
            ("19th", "19th"),
            ("'''", ""),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }
}
