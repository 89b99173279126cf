//! The prompt on a terminal.

use std::io::Write;

use anyhow::Context;
use reedline::{
    ColumnarMenu, Emacs, KeyCode, KeyModifiers, MenuBuilder, Reedline, ReedlineEvent, ReedlineMenu, Signal,
    ValidationResult, Validator, default_emacs_keybindings,
};

use super::completion::ShellCompleter;
use super::highlight::ShellHighlighter;
use super::history;
use super::input::{Input, Splitter};
use super::language::Language;
use super::prompt::ShellPrompt;
use super::session::{Next, Session};
use super::vocabulary::{SharedVocabulary, refresh};

const COMPLETION_MENU: &str = "completion";

/// Reads and runs until the person leaves.
///
/// # Errors
/// If the terminal cannot be read.
pub async fn run(session: &mut Session) -> anyhow::Result<()> {
    let vocabulary = SharedVocabulary::default();
    session.vocabulary = Some(vocabulary.clone());
    refresh(session).await;
    let mut editor = editor(session, &vocabulary);
    session.tell("\\h lists the commands, Ctrl-D leaves");
    let mut language = session.language;
    loop {
        if language != session.language {
            language = session.language;
            editor = self::editor(session, &vocabulary);
        }
        let prompt = ShellPrompt::new(session);
        let signal = tokio::task::block_in_place(|| editor.read_line(&prompt)).context("reading from the terminal")?;
        match signal {
            Signal::Success(text) => {
                // A history that cannot be written now is lost at worst.
                let _ = editor.sync_history();
                if submit(session, &text).await? == Next::Leave {
                    return Ok(());
                }
            }
            Signal::CtrlD => return Ok(()),
            // Ctrl-C drops what was typed.
            _ => {}
        }
    }
}

/// Runs what was typed: mostly one statement, sometimes several pasted.
async fn submit(session: &mut Session, text: &str) -> anyhow::Result<Next> {
    let mut splitter = Splitter::new(session.language);
    for line in text.split_inclusive('\n') {
        let inputs = match splitter.push(line) {
            Ok(inputs) => inputs,
            Err(too_long) => {
                tell_failure(session, &too_long.to_string());
                return Ok(Next::Stay);
            }
        };
        match run_all(session, inputs).await? {
            After::GoOn => splitter.speak(session.language),
            After::Cancelled => return Ok(Next::Stay),
            After::Leave => return Ok(Next::Leave),
        }
    }
    let rest = splitter.finish().into_iter().collect();
    Ok(if run_all(session, rest).await? == After::Leave { Next::Leave } else { Next::Stay })
}

/// What comes after some inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    GoOn,
    /// The rest of what was typed is not run.
    Cancelled,
    Leave,
}

async fn run_all(session: &mut Session, inputs: Vec<Input>) -> anyhow::Result<After> {
    for input in inputs {
        let chosen = (session.database.clone(), session.container.clone(), session.language);
        let outcome = tokio::select! {
            outcome = session.run(&input) => Some(outcome),
            pressed = tokio::signal::ctrl_c() => {
                pressed.context("listening for Ctrl-C")?;
                None
            }
        };
        match outcome {
            Some(Ok(Next::Leave)) => return Ok(After::Leave),
            Some(Ok(Next::Stay)) => {}
            Some(Err(error)) => {
                let what = session.describe(&error, &input);
                tell_failure(session, &what);
            }
            None => {
                session.target.cancel();
                // Rows that came before it stay above the word.
                session.out.flush().context("writing to the terminal")?;
                session.tell("cancelled");
                return Ok(After::Cancelled);
            }
        }
        if chosen != (session.database.clone(), session.container.clone(), session.language) {
            refresh(session).await;
        }
    }
    Ok(After::GoOn)
}

fn tell_failure(session: &Session, what: &str) {
    let (red, plain) = if session.screen.color { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    session.tell(&format!("{red}error:{plain} {what}"));
}

fn editor(session: &Session, vocabulary: &SharedVocabulary) -> Reedline {
    let mut keys = default_emacs_keybindings();
    let complete =
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(COMPLETION_MENU.to_owned()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let menu = ColumnarMenu::default().with_name(COMPLETION_MENU).with_marker("> ");
    let mut editor = Reedline::create()
        .with_ansi_colors(session.screen.color)
        .with_validator(Box::new(StatementValidator { language: session.language }))
        .with_completer(Box::new(ShellCompleter::new(session.language, vocabulary.clone())))
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_partial_completions(true)
        .with_quick_completions(true)
        .with_highlighter(Box::new(ShellHighlighter { language: session.language }));
    match history::open() {
        Ok(Some(history)) => editor = editor.with_history(Box::new(history)),
        Ok(None) => {}
        Err(error) => session.tell(&format!("what is typed will not be remembered: {error:#}")),
    }
    editor
}

/// Enter runs what is whole, and begins another line otherwise.
struct StatementValidator {
    language: Language,
}

impl Validator for StatementValidator {
    fn validate(&self, text: &str) -> ValidationResult {
        let mut splitter = Splitter::new(self.language);
        // What is too long is complete: running it says so.
        let too_long = text.split_inclusive('\n').any(|line| splitter.push(line).is_err());
        if too_long || splitter.is_idle() { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_ends_whole_statements_only() {
        let validator = StatementValidator { language: Language::Sql };
        let whole = |text| matches!(validator.validate(text), ValidationResult::Complete);
        for text in ["", "  ", "SELECT 1;", "SELECT 1; -- done", "\\d", "exit", "SELECT\n1;"] {
            assert!(whole(text), "{text}");
        }
        for text in ["SELECT 1", "SELECT ';'", "SELECT 1; SELECT", "/* ;"] {
            assert!(!whole(text), "{text}");
        }
    }

    #[test]
    fn statements_on_tables_end_with_their_line() {
        let validator = StatementValidator { language: Language::Table };
        assert!(matches!(validator.validate("get people 'a' 'b'"), ValidationResult::Complete));
    }
}
