//! Completion of what is typed: commands and their arguments, and the words of the language.

use reedline::{Completer, CompletionResult, Span, Suggestion};

use super::command::COMMANDS;
use super::language::{Language, Wanted};
use super::vocabulary::SharedVocabulary;

/// Suggestions shown at once.
const MAX_SUGGESTIONS: usize = 200;

/// Completes at the cursor.
pub struct ShellCompleter {
    language: Language,
    words: Vec<&'static str>,
    vocabulary: SharedVocabulary,
}

impl ShellCompleter {
    pub fn new(language: Language, vocabulary: SharedVocabulary) -> ShellCompleter {
        ShellCompleter { language, words: language.words(), vocabulary }
    }

    /// What the text before the cursor can go on with, and where the word begins that it replaces.
    fn candidates(&self, before: &str) -> (usize, Vec<String>) {
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = &before[line_start..];
        if line.trim_start().starts_with('\\') && self.language.is_blank(&before[..line_start]) {
            let word_start = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
            let typed: Vec<&str> = line[..word_start].split_whitespace().collect();
            return (line_start + word_start, self.of_command(&typed));
        }
        let (wanted, start) = self.language.wanted(before);
        (start, self.of_language(wanted))
    }

    /// The next word of a command whose words before it are these.
    fn of_command(&self, typed: &[&str]) -> Vec<String> {
        let fixed = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let quoted = |names: &[String]| names.iter().map(|name| quote(name)).collect();
        match typed {
            [] => COMMANDS.iter().map(|(name, _, _)| (*name).to_owned()).collect(),
            ["\\c"] => self.vocabulary.with(|names| quoted(&names.databases)),
            ["\\c", _] | ["\\d" | "\\p"] => self.vocabulary.with(|names| quoted(&names.containers)),
            ["\\o"] => fixed(&["table", "json", "csv"]),
            ["\\timing" | "\\explain"] => fixed(&["on", "off"]),
            ["\\limit"] => fixed(&["all"]),
            _ => Vec::new(),
        }
    }

    fn of_language(&self, wanted: Wanted) -> Vec<String> {
        let words = || self.words.iter().map(|word| (*word).to_owned());
        self.vocabulary.with(|names| match wanted {
            Wanted::Nothing => Vec::new(),
            Wanted::Property => names.properties.iter().cloned().collect(),
            Wanted::Source => names.containers.clone(),
            Wanted::Word => words().chain(names.containers.clone()).chain(names.properties.clone()).collect(),
        })
    }
}

impl Completer for ShellCompleter {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let Some(before) = line.get(..pos) else { return CompletionResult::fresh(Vec::new()) };
        let (start, candidates) = self.candidates(before);
        let typed = before[start..].to_lowercase();
        let matching = candidates.into_iter().filter(|candidate| candidate.to_lowercase().starts_with(&typed));
        let suggestions: Vec<Suggestion> = matching
            .take(MAX_SUGGESTIONS)
            .map(|value| Suggestion { value, span: Span::new(start, pos), ..Suggestion::default() })
            .collect();
        CompletionResult::fresh(suggestions)
    }
}

fn quote(name: &str) -> String {
    if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(text: &str) -> Vec<String> {
        let vocabulary = SharedVocabulary::default();
        vocabulary.with(|names| {
            names.databases = vec!["geo".into(), "my db".into()];
            names.containers = vec!["airports".into()];
            names.properties = ["country", "city"].map(str::to_owned).into();
        });
        let result = ShellCompleter::new(Language::Sql, vocabulary).complete(text, text.len());
        result.suggestions().iter().map(|found| format!("{}{}", &text[..found.span.start], found.value)).collect()
    }

    #[test]
    fn what_fits_the_place_is_offered() {
        assert_eq!(completed("sel"), ["SELECT"]);
        assert_eq!(completed("SELECT * FROM a"), ["SELECT * FROM airports"]);
        assert_eq!(completed("SELECT c.ci"), ["SELECT c.city"]);
        assert_eq!(completed("SELECT c[\"co"), ["SELECT c[\"country"]);
        assert_eq!(completed("SELECT 1 WHERE StartsW"), ["SELECT 1 WHERE STARTSWITH"]);
        assert!(completed("SELECT 'sel").is_empty() && completed("-- sel").is_empty());
    }

    #[test]
    fn commands_have_their_arguments() {
        assert_eq!(completed("\\t"), ["\\timing", "\\table"]);
        assert_eq!(completed("\\c "), ["\\c geo", "\\c \"my db\""]);
        assert_eq!(completed("\\c geo a"), ["\\c geo airports"]);
        assert_eq!(completed("\\o j"), ["\\o json"]);
        assert!(!completed("SELECT 1\n\\d").contains(&"SELECT 1\n\\d".to_owned()));
    }
}
