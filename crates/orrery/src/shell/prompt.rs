//! What stands in front of what is typed.

use std::borrow::Cow;

use reedline::{Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus};

use super::language::Language;
use super::session::Session;

/// The chosen database and container.
pub struct ShellPrompt {
    place: String,
}

impl ShellPrompt {
    pub fn new(session: &Session) -> ShellPrompt {
        let place = match (&session.database, &session.container) {
            _ if session.language == Language::Table => session.language.name().to_owned(),
            (None, _) => session.language.name().to_owned(),
            (Some(database), None) => database.clone(),
            (Some(database), Some(container)) => format!("{database}/{container}"),
        };
        ShellPrompt { place }
    }
}

impl Prompt for ShellPrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.place)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed(". ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "found",
            PromptHistorySearchStatus::Failing => "nothing found",
        };
        Cow::Owned(format!(" ({found}: {}) ", search.term))
    }
}
