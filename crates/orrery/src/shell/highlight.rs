//! Colours of what is typed.

use reedline::{Color, Highlighter, StyledText};

use super::language::{Language, Tint};

/// Colours the language's words; the editor leaves colours out where they are not wanted.
pub struct ShellHighlighter {
    /// Whose words.
    pub language: Language,
}

impl Highlighter for ShellHighlighter {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        let mut styled = StyledText::new();
        for (tint, text) in self.language.tints(line) {
            let style = match tint {
                Tint::Plain => Color::Default.normal(),
                Tint::Keyword => Color::Blue.bold(),
                Tint::String => Color::Green.normal(),
                Tint::Number => Color::Cyan.normal(),
                Tint::Comment => Color::DarkGray.normal(),
            };
            styled.push((style, text.to_owned()));
        }
        styled
    }
}
