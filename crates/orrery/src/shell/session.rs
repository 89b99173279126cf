//! One run of the shell: what it works on, what is chosen, and how results are shown.

use std::io::{BufWriter, Write, stderr, stdout};

use anyhow::bail;
use bytes::Bytes;
use serde_json::Value as Json;

use super::args::{Limit, ShellArgs};
use super::command::{COMMANDS, Command};
use super::fault::QueryFault;
use super::input::{Input, InputKind};
use super::language::{Language, names_in_a_line};
use super::listing;
use super::output::{Format, ResultWriter, Screen, Summary, flat_rows, tree};
use super::target::Target;
use super::vocabulary::SharedVocabulary;
use crate::remote::{ContainerLink, Graphs, Tables};
use crate::transfer::PlaceArgs;

/// Rows of a result that are shown on a terminal unless more are asked for.
const TERMINAL_ROWS: u64 = 100;

/// What the shell keeps between statements.
pub struct Session {
    /// What it works on.
    pub target: Target,
    /// Its tables, once they were asked for.
    pub tables: Option<Tables>,
    /// Its graphs, once they were asked for.
    pub graphs: Option<Graphs>,
    gremlin_endpoint: Option<String>,
    place: PlaceArgs,
    /// The language of its statements.
    pub language: Language,
    /// The database that is chosen.
    pub database: Option<String>,
    /// The container of queries that name none.
    pub container: Option<String>,
    /// How results are shown.
    pub settings: Settings,
    /// What they are shown on.
    pub screen: Screen,
    /// Where rows go.
    pub out: BufWriter<Box<dyn Write>>,
    /// What is completed; only at a prompt.
    pub vocabulary: Option<SharedVocabulary>,
}

/// How results are shown.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// In which format.
    pub format: Format,
    /// Rows at the most.
    pub limit: Option<u64>,
    /// Whether it is told where the time went.
    pub timing: bool,
    /// Whether queries are explained before they run.
    pub explain: bool,
    /// Whether nothing is said below results.
    pub quiet: bool,
}

/// What comes after an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next one.
    Stay,
    /// The end.
    Leave,
}

impl Session {
    pub fn new(target: Target, language: Language, args: &ShellArgs) -> Session {
        let screen = Screen::detect();
        let by_default = if screen.is_terminal { Format::Table } else { Format::Json };
        let limit = args.limit.unwrap_or(Limit(screen.is_terminal.then_some(TERMINAL_ROWS)));
        let settings = Settings {
            format: args.output.unwrap_or(by_default),
            limit: limit.0,
            timing: args.timing,
            explain: false,
            quiet: args.quiet,
        };
        let out = BufWriter::new(Box::new(stdout()) as Box<dyn Write>);
        let place = args.place.clone();
        Session {
            target,
            tables: None,
            graphs: None,
            gremlin_endpoint: args.gremlin_endpoint.clone(),
            place,
            language,
            database: None,
            container: None,
            settings,
            screen,
            out,
            vocabulary: None,
        }
    }

    /// Chooses what the command line names, else the only database and container if there is only one.
    ///
    /// # Errors
    /// If there is no such thing, or the server does not answer.
    pub async fn begin(&mut self, database: Option<&str>, container: Option<&str>) -> anyhow::Result<()> {
        match database {
            Some(database) => self.choose(database, container).await,
            None => match &self.target.databases().await?[..] {
                [only] => {
                    let only = only.name.clone();
                    self.choose(&only, container).await
                }
                _ if container.is_some() => bail!("--container needs --database: there is not just one"),
                _ => Ok(()),
            },
        }
    }

    /// Runs an input, and writes out what it gave.
    ///
    /// # Errors
    /// Why it failed; [`Session::describe`] says it. An [`std::io::Error`] if the output is closed.
    pub async fn run(&mut self, input: &Input) -> anyhow::Result<Next> {
        let outcome = match input.kind {
            InputKind::Statement => self.language.run(self, &input.text).await.map(|()| Next::Stay),
            InputKind::Command => match Command::parse(&input.text) {
                Ok(command) => self.command(command).await,
                Err(error) => Err(error),
            },
        };
        // What came before a failure is shown as well.
        self.out.flush()?;
        outcome
    }

    /// An error in words, with the place in the statement if it has one.
    pub fn describe(&self, error: &anyhow::Error, input: &Input) -> String {
        match error.downcast_ref::<QueryFault>() {
            Some(fault) => fault.show(&input.text),
            None => format!("{error:#}"),
        }
    }

    /// Says something to the person, not to whoever reads the rows.
    pub fn tell(&self, message: &str) {
        // Nobody listens any more, which is no reason to stop.
        let _ = writeln!(stderr(), "{message}");
    }

    /// The tables, to be put back.
    ///
    /// # Errors
    /// If it is not said how to reach them.
    pub fn take_tables(&mut self) -> anyhow::Result<Tables> {
        match self.tables.take() {
            Some(tables) => Ok(tables),
            None => self.place.tables(self.target.engine()),
        }
    }

    /// The graphs, to be put back.
    ///
    /// # Errors
    /// If it is not said how to reach them.
    pub fn take_graphs(&mut self) -> anyhow::Result<Graphs> {
        match self.graphs.take() {
            Some(graphs) => Ok(graphs),
            None => self.place.graphs(self.target.engine(), self.gremlin_endpoint.as_deref()),
        }
    }

    /// Ends the session.
    ///
    /// # Errors
    /// If the data folder cannot be closed.
    pub async fn close(self) -> anyhow::Result<()> {
        drop((self.tables, self.graphs));
        self.target.close().await
    }

    /// The error for a statement that needs a database, with those that are there.
    pub async fn no_database(&mut self) -> anyhow::Error {
        let names = match self.target.databases().await {
            Ok(databases) => databases.into_iter().map(|database| database.name).collect::<Vec<_>>(),
            Err(error) => return error,
        };
        if names.is_empty() {
            return anyhow::anyhow!("there are no databases yet");
        }
        let names = names_in_a_line(&names);
        anyhow::anyhow!("no database is chosen: \\c NAME or --database NAME chooses one. There are: {names}")
    }

    /// Writes rows that are at hand, such as a list.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn show_rows(&mut self, rows: &[Json]) -> anyhow::Result<()> {
        let mut writer = ResultWriter::new(self.settings.format, self.screen);
        for row in rows {
            writer.row(row.to_string().as_bytes(), &mut self.out)?;
        }
        let notes = writer.finish(&mut self.out)?;
        notes.iter().for_each(|note| self.tell(note));
        Ok(())
    }

    /// Writes one object: as a tree where tables are wanted.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn show_object(&mut self, object: &Json) -> anyhow::Result<()> {
        match self.settings.format {
            Format::Table => Ok(self.out.write_all(tree(object).as_bytes())?),
            Format::Json => Ok(writeln!(self.out, "{object}")?),
            Format::Csv => self.show_rows(&flat_rows(object)),
        }
    }

    /// Says how a query runs, beside its rows.
    pub fn tell_explanation(&self, explanation: &Json) {
        self.tell(tree(explanation).trim_end());
    }

    /// Says what is to be said below a result.
    ///
    /// # Errors
    /// If the output is closed.
    pub fn end_result(&mut self, summary: &Summary) -> anyhow::Result<()> {
        // On a terminal rows and words must not overtake each other.
        self.out.flush()?;
        if !self.settings.quiet {
            summary.notes.iter().for_each(|note| self.tell(note));
            self.tell(&summary.line());
        }
        if self.settings.timing {
            self.tell(&summary.timing());
        }
        Ok(())
    }

    /// Keeps the names of properties for completion.
    pub fn learn<'r>(&self, rows: impl Iterator<Item = &'r Bytes>) {
        if let Some(vocabulary) = &self.vocabulary {
            vocabulary.learn(rows);
        }
    }

    async fn command(&mut self, command: Command) -> anyhow::Result<Next> {
        match command {
            Command::Help => self.tell(&help(self.language)),
            Command::Databases => listing::databases(self).await?,
            Command::Choose { database: None, .. } => self.tell(&self.chosen()),
            Command::Choose { database: Some(database), container } => {
                self.choose(&database, container.as_deref()).await?;
                self.tell(&self.chosen());
            }
            Command::Containers => listing::containers(self).await?,
            Command::Container(name) => listing::container(self, name).await?,
            Command::Ranges(name) => listing::ranges(self, name).await?,
            Command::Timing(on) => {
                self.settings.timing = on.unwrap_or(!self.settings.timing);
                self.tell(&format!("timing is {}", on_or_off(self.settings.timing)));
            }
            Command::Explain(on) => {
                self.settings.explain = on.unwrap_or(!self.settings.explain);
                self.tell(&format!("explaining is {}", on_or_off(self.settings.explain)));
            }
            Command::Output(format) => {
                self.settings.format = format.unwrap_or(self.settings.format);
                self.tell(&format!("output is {}", self.settings.format.word()));
            }
            Command::Limit(limit) => {
                self.settings.limit = limit.map_or(self.settings.limit, |limit| limit.0);
                let rows = self.settings.limit.map_or("all".into(), |rows| rows.to_string());
                self.tell(&format!("rows shown: {rows}"));
            }
            Command::Speak(language) => {
                self.language = language;
                if language != Language::Table && self.database.is_none() {
                    self.begin(None, None).await?;
                }
                self.tell(&format!("statements are {}", language.description()));
            }
            Command::Quit => return Ok(Next::Leave),
        }
        Ok(Next::Stay)
    }

    async fn choose(&mut self, database: &str, container: Option<&str>) -> anyhow::Result<()> {
        let names = self.target.container_names(database).await?;
        let container = match (container, &names[..]) {
            (Some(name), names) if names.iter().any(|known| known == name) => Some(name.to_owned()),
            (Some(name), names) => {
                let link = ContainerLink { database: database.to_owned(), container: name.to_owned() };
                bail!("{}. There are: {}", no_such_container(&link), names_in_a_line(names));
            }
            (None, [only]) => Some(only.clone()),
            (None, _) => None,
        };
        self.database = Some(database.to_owned());
        self.container = container;
        Ok(())
    }

    fn chosen(&self) -> String {
        match (&self.database, &self.container) {
            (None, _) => "no database is chosen".into(),
            (Some(database), None) => format!("database {database}"),
            (Some(database), Some(container)) => format!("database {database}, container {container}"),
        }
    }
}

fn no_such_container(link: &ContainerLink) -> String {
    format!("there is no container '{}' in database '{}'", link.container, link.database)
}

fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn help(language: Language) -> String {
    let mut text = language.help();
    for (name, arguments, what) in COMMANDS {
        text.push_str(&format!("{:<26} {what}\n", format!("{name} {arguments}").trim_end()));
    }
    text.push_str("Ctrl-C cancels a query, Tab completes, the arrows and Ctrl-R go through what was typed before");
    text
}
