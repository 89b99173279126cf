//! Regular expressions as the service reads them, Perl-compatible ones, in the spelling of the `regex` crate.
//!
//! Both agree on nearly everything. What only Perl's has is left for the crate to refuse; here stands what the crate would read as
//! something else, or refuse although it can match it.

/// The pattern for the crate. `verbose` is the modifier `x`.
///
/// # Errors
/// The name of a construct that the crate would take for another one.
pub(super) fn translated(pattern: &str, verbose: bool) -> Result<String, &'static str> {
    let mut translation = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    let mut after_quantifier = false;
    while let Some(c) = rest.chars().next() {
        let token = token(rest, c, verbose);
        match token.kind {
            Kind::Quantifier if c == '+' && after_quantifier => return Err("possessive quantifiers are not supported"),
            _ if rest.starts_with("(?R)") => return Err("recursion is not supported"),
            _ => {}
        }
        after_quantifier = token.kind == Kind::Quantifier && !after_quantifier;
        let (text, after) = rest.split_at(token.len);
        match token.kind {
            Kind::Class => translate_class(text, &mut translation),
            Kind::Brace => translation.push_str("\\{"),
            Kind::Escape => translation.push_str(escape(text)),
            Kind::Quantifier | Kind::Other => translation.push_str(text),
        }
        rest = after;
    }
    Ok(translation)
}

/// What is read as one.
struct Token {
    kind: Kind,
    len: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A set of characters in brackets.
    Class,
    /// How often: `*`, `+`, `?`, `{2,3}`.
    Quantifier,
    /// A brace that stands for itself.
    Brace,
    /// A backslash and what follows.
    Escape,
    Other,
}

/// The first token of a text that begins with `c`.
fn token(text: &str, c: char, verbose: bool) -> Token {
    let (kind, len) = match c {
        '\\' => (Kind::Escape, 1 + text[1..].chars().next().map_or(0, char::len_utf8)),
        '[' => (Kind::Class, class_len(text)),
        '*' | '+' | '?' => (Kind::Quantifier, 1),
        '{' => repetition_len(text).map_or((Kind::Brace, 1), |len| (Kind::Quantifier, len)),
        // The question mark says what kind of group it is.
        '(' if text.starts_with("(?") => (Kind::Other, 2),
        '#' if verbose => (Kind::Other, text.find('\n').unwrap_or(text.len())),
        c => (Kind::Other, c.len_utf8()),
    };
    Token { kind, len }
}

/// The bytes of `{n}`, `{n,}` or `{n,m}`; none if it is no such thing.
fn repetition_len(text: &str) -> Option<usize> {
    let (inside, _) = text[1..].split_once('}')?;
    let (low, high) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!low.is_empty() && digits(low) && digits(high)).then_some(inside.len() + 2)
}

/// The bytes of a class with its brackets; all that is left if it is not closed.
fn class_len(text: &str) -> usize {
    let negation = if text.starts_with("[^") { 2 } else { 1 };
    // A bracket that closes the class at once is a member of it.
    let mut at = if text[negation..].starts_with(']') { negation + 1 } else { negation };
    while let Some(c) = text[at..].chars().next() {
        at += match c {
            ']' => return at + 1,
            '\\' => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            _ => named_class_len(&text[at..]).unwrap_or(c.len_utf8()),
        };
    }
    at
}

/// The bytes of a class with a name, such as `[:alpha:]`.
fn named_class_len(text: &str) -> Option<usize> {
    let (name, _) = text.strip_prefix("[:")?.split_once(":]")?;
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'^').then_some(name.len() + 4)
}

/// Within a class the crate knows sets of sets and, if it is verbose, leaves out white space.
fn translate_class(class: &str, translation: &mut String) {
    let mut rest = class;
    let mut opening = true;
    while let Some(c) = rest.chars().next() {
        let (text, after) = match named_class_len(rest) {
            Some(len) if !opening => rest.split_at(len),
            _ if c == '\\' => rest.split_at(1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
            _ => rest.split_at(c.len_utf8()),
        };
        match c {
            '\\' => translation.push_str(escape(text)),
            _ if text.len() > c.len_utf8() => translation.push_str(text),
            '[' if !opening => translation.push_str("\\["),
            '&' | '~' => translation.extend(['\\', c]),
            // Of two in a row the second one is the member that a range, or the class, ends with.
            '-' if translation.ends_with('-') => translation.push_str("\\-"),
            c if c.is_whitespace() || c == '#' => translation.push_str(&format!("\\x{{{:x}}}", u32::from(c))),
            c => translation.push(c),
        }
        opening = false;
        rest = after;
    }
}

fn escape(text: &str) -> &str {
    match text {
        // The crate has them for the ends of words.
        "\\<" => "<",
        "\\>" => ">",
        "\\h" => "[\\t\\p{Zs}]",
        "\\H" => "[^\\t\\p{Zs}]",
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    #[test]
    fn what_both_read_alike_stays_as_it_is() {
        for pattern in [
            "",
            "a|b*?c+?d??",
            "(?i:x)(?<name>y)(?P<other>z)",
            "a{2}b{2,}c{2,3}?",
            r"\{\}\[\]\\é\d\b",
            "[a-z^\\]-]",
            "[^]x]",
            "[]x]",
            "[[:alpha:][:^digit:]_]",
            "é[é-ü]",
        ] {
            assert_eq!(translated(pattern, false).as_deref(), Ok(pattern));
            assert!(Regex::new(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn what_the_crate_reads_otherwise_is_spelled_for_it() {
        for (pattern, matching, other) in [
            ("^{id}$", "{id}", "id"),
            ("^a{,2}$", "a{,2}", "aa"),
            ("^x{$", "x{", "x"),
            (r"^\<b\>$", "<b>", "b"),
            (r"^a\hb$", "a\tb", "a\nb"),
            (r"^a\Hb$", "axb", "a b"),
            ("^[[]$", "[", "]"),
            ("^[a[b]$", "[", "a[b"),
            ("^[a-c&&b]$", "a", "d"),
            ("^[ab~~b]$", "a", "~~"),
            ("^[+--]$", ",", "a"),
            ("^[a b]$", " ", "c"),
            (r"^[\h]$", "\t", "h"),
        ] {
            let regex = Regex::new(&translated(pattern, false).unwrap()).unwrap();
            assert!(regex.is_match(matching), "{pattern} and {matching}: {regex}");
            assert!(!regex.is_match(other), "{pattern} and {other}: {regex}");
        }
    }

    #[test]
    fn verbose_patterns_keep_spaces_in_classes_and_have_comments() {
        let translation = translated("^ [ #] x { # a { b [\n$", true).unwrap();
        let regex = regex::RegexBuilder::new(&translation).ignore_whitespace(true).build().unwrap();
        assert!(regex.is_match(" x{") && regex.is_match("#x{"));
        assert!(!regex.is_match("x{"));
    }

    #[test]
    fn what_would_mean_something_else_is_refused() {
        for pattern in ["a++b", "a*+", "a?+", "a{2}+", "(a)++"] {
            assert_eq!(translated(pattern, false), Err("possessive quantifiers are not supported"), "{pattern}");
        }
        for pattern in ["a+", r"\++", "[+]+", r"a\?+", "(?:a)+", "a+?"] {
            assert!(translated(pattern, false).is_ok(), "{pattern}");
        }
        assert_eq!(translated("(a(?R)?b)", false), Err("recursion is not supported"));
    }

    #[test]
    fn unfinished_patterns_end() {
        for pattern in ["\\", "[", "[^", "[a\\", "[]", "[[:alpha", "{", "{1", "(?", "é[é"] {
            assert!(translated(pattern, false).is_ok(), "{pattern}");
        }
    }
}
