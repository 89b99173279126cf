//! Taking a text apart into words.

use super::stop_words::is_stop_word;

/// The words of a text, in small letters, without stop words.
///
/// A word is a run of letters, digits and underscores of any script, with apostrophes between them: `don't` and `O'Neill` are words.
/// Everything else parts words. Scripts without spaces give one word for each run.
pub(super) struct Words<'t> {
    rest: &'t str,
    word: String,
}

impl<'t> Words<'t> {
    pub fn of(text: &'t str) -> Self {
        Words { rest: text, word: String::new() }
    }

    /// The next word, until the one after it is asked for.
    pub fn next(&mut self) -> Option<&str> {
        loop {
            let text = &self.rest[word_start(self.rest)..];
            if text.is_empty() {
                return None;
            }
            let end = word_end(text);
            self.rest = &text[end..];
            self.word.clear();
            lower(&text[..end], &mut self.word);
            if !is_stop_word(&self.word) {
                break;
            }
        }
        Some(&self.word)
    }
}

fn is_inside(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

/// Whether a byte of ASCII is one that words consist of; none for a part of another character.
fn is_ascii_inside(byte: u8) -> Option<bool> {
    byte.is_ascii().then(|| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Where the first word begins; the end of the text if there is none.
fn word_start(text: &str) -> usize {
    match text.bytes().position(|byte| is_ascii_inside(byte) != Some(false)) {
        Some(at) if is_ascii_inside(text.as_bytes()[at]) == Some(true) => at,
        Some(at) => text[at..].find(is_inside).map_or(text.len(), |start| at + start),
        None => text.len(),
    }
}

/// Where the word at the beginning of a text ends.
fn word_end(text: &str) -> usize {
    // Plain letters and digits, as most words are all of, need no characters.
    match text.bytes().position(|byte| is_ascii_inside(byte) != Some(true)) {
        Some(at) if matches!(text.as_bytes()[at], b'\'' | 0x80..) => at + word_end_by_characters(&text[at..]),
        Some(at) => at,
        None => text.len(),
    }
}

/// Where a word goes on to, from somewhere within it.
fn word_end_by_characters(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let joins = is_apostrophe(character) && characters.peek().is_some_and(|(_, next)| is_inside(*next));
        if !is_inside(character) && !joins {
            return at;
        }
    }
    text.len()
}

/// Appends a word in small letters and with one kind of apostrophe.
fn lower(word: &str, out: &mut String) {
    if word.is_ascii() {
        out.push_str(word);
        out.make_ascii_lowercase();
        return;
    }
    for character in word.chars() {
        match character {
            '\u{2019}' => out.push('\''),
            character => out.extend(character.to_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_apart_into_words() {
        for (text, expected) in [
            ("", ""),
            ("...", ""),
            ("Red, green; BLUE.", "red green blue"),
            ("O'Neill\u{2019}s 'quoted' word'", "o'neill's quoted word"),
            ("snake_case 19th 1,977", "snake_case 19th 977"),
            ("Größe ÉTÉ 東京 Ωmega", "größe été 東京 ωmega"),
            ("don't you''ve", ""),
            ("a-b U.S.A. rock'n'roll", "rock'n'roll"),
        ] {
            let (mut words, mut found) = (Words::of(text), Vec::new());
            while let Some(word) = words.next() {
                found.push(word.to_owned());
            }
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
