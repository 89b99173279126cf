//! `orrery shell`: queries at a prompt or from a pipe, on a server or straight on a data folder.
//!
//! Text becomes [`Input`](input::Input)s: statements of a [`Language`] and commands that begin with a backslash. `interactive.rs` reads
//! them from a terminal, `script.rs` from anything else; a [`Session`] runs them on its [`Target`] and writes rows to standard
//! output and everything else to standard error.

mod args;
mod command;
mod completion;
mod fault;
mod highlight;
mod history;
mod input;
mod interactive;
mod language;
mod listing;
mod output;
mod prompt;
mod script;
mod session;
mod target;
mod vocabulary;

use std::io::{IsTerminal, stderr, stdin};
use std::process::ExitCode;

pub use args::ShellArgs;
use language::Language;
use script::Source;
use session::Session;
use target::Target;

/// Runs the shell until its input ends.
///
/// # Errors
/// If the server does not answer, the data folder cannot be opened, or what is to be read cannot be.
pub async fn run(args: ShellArgs) -> anyhow::Result<ExitCode> {
    let target = Target::new(args.place.open().await?);
    let mut session = Session::new(target, args.language, &args);
    let outcome = attend(&mut session, &args).await;
    session.close().await?;
    Ok(if outcome? == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Takes the input from wherever it comes, and returns how many statements of a script failed.
async fn attend(session: &mut Session, args: &ShellArgs) -> anyhow::Result<u64> {
    // Tables need no database, and perhaps no SQL API.
    if session.language != Language::Table || args.database.is_some() {
        session.begin(args.database.as_deref(), args.container.as_deref()).await?;
    }
    let commands = args.commands.iter().enumerate().map(|(index, text)| Source::Command { index, text });
    let sources: Vec<Source<'_>> = commands.chain(args.files.iter().map(|path| Source::file(path))).collect();
    if !sources.is_empty() {
        return script::run(session, &sources).await;
    }
    if stdin().is_terminal() && stderr().is_terminal() {
        return interactive::run(session).await.map(|()| 0);
    }
    script::run(session, &[Source::StandardInput]).await
}
