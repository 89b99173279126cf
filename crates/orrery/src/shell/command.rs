//! The commands of the shell: what begins with a backslash.

use anyhow::{bail, ensure};
use clap::ValueEnum;

use super::args::Limit;
use super::language::Language;
use super::output::Format;

/// What a command asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `\h`
    Help,
    /// `\l`
    Databases,
    /// `\c [database [container]]`
    Choose { database: Option<String>, container: Option<String> },
    /// `\d`
    Containers,
    /// `\d name`
    Container(String),
    /// `\p [name]`
    Ranges(Option<String>),
    /// `\timing [on|off]`
    Timing(Option<bool>),
    /// `\explain [on|off]`
    Explain(Option<bool>),
    /// `\o [format]`
    Output(Option<Format>),
    /// `\limit [rows|all]`
    Limit(Option<Limit>),
    /// `\sql`, `\table`, `\gremlin`
    Speak(Language),
    /// `\q`
    Quit,
}

/// Every command: what is typed, its arguments, and what it does.
pub const COMMANDS: [(&str, &str, &str); 13] = [
    ("\\h", "", "this help"),
    ("\\l", "", "databases"),
    ("\\c", "[DATABASE [CONTAINER]]", "choose a database, and the container of queries that name none"),
    ("\\d", "[CONTAINER]", "containers of the database, or everything about one"),
    ("\\p", "[CONTAINER]", "physical partitions (partition key ranges) of a container"),
    ("\\o", "[table|json|csv]", "how results are written; json is one value per line"),
    ("\\limit", "[ROWS|all]", "rows shown of a result"),
    ("\\timing", "[on|off]", "where a query's time goes, below each result"),
    ("\\explain", "[on|off]", "explain each query before it runs"),
    ("\\sql", "", "statements in SQL"),
    ("\\table", "", "statements on tables: query, get, insert, …"),
    ("\\gremlin", "", "traversals of the chosen container's graph"),
    ("\\q", "", "leave; so does Ctrl-D"),
];

impl Command {
    /// Reads a command.
    ///
    /// # Errors
    /// If there is no such command, or its arguments are wrong.
    pub fn parse(text: &str) -> anyhow::Result<Command> {
        let words = words(text)?;
        let Some((name, arguments)) = words.split_first() else { bail!("\\h lists the commands") };
        let command = match (name.as_str(), arguments) {
            ("\\h" | "\\help" | "\\?", []) => Command::Help,
            ("\\l", []) => Command::Databases,
            ("\\c", []) => Command::Choose { database: None, container: None },
            ("\\c", [database]) => Command::Choose { database: Some(database.clone()), container: None },
            ("\\c", [database, container]) => {
                Command::Choose { database: Some(database.clone()), container: Some(container.clone()) }
            }
            ("\\d", []) => Command::Containers,
            ("\\d", [container]) => Command::Container(container.clone()),
            ("\\p", []) => Command::Ranges(None),
            ("\\p", [container]) => Command::Ranges(Some(container.clone())),
            ("\\timing", arguments) if arguments.len() < 2 => Command::Timing(switch(arguments)?),
            ("\\explain", arguments) if arguments.len() < 2 => Command::Explain(switch(arguments)?),
            ("\\o", []) => Command::Output(None),
            ("\\o", [format]) => match Format::from_str(format, true) {
                Ok(format) => Command::Output(Some(format)),
                Err(_) => bail!("'{format}' is no output: table, json and csv are"),
            },
            ("\\limit", []) => Command::Limit(None),
            ("\\limit", [limit]) => Command::Limit(Some(limit.parse().map_err(anyhow::Error::msg)?)),
            ("\\sql", []) => Command::Speak(Language::Sql),
            ("\\table", []) => Command::Speak(Language::Table),
            ("\\gremlin", []) => Command::Speak(Language::Gremlin),
            ("\\q", []) => Command::Quit,
            (name, _) => match COMMANDS.iter().find(|(known, _, _)| *known == name) {
                Some((name, usage, _)) => bail!("it is: {}", format!("{name} {usage}").trim_end()),
                None => bail!("there is no command {name}: \\h lists those that are there"),
            },
        };
        Ok(command)
    }
}

fn switch(arguments: &[String]) -> anyhow::Result<Option<bool>> {
    match arguments {
        [] => Ok(None),
        [word] if word.eq_ignore_ascii_case("on") => Ok(Some(true)),
        [word] if word.eq_ignore_ascii_case("off") => Ok(Some(false)),
        _ => bail!("it is either on or off"),
    }
}

/// Words between white space; names with white space stand in double quotes. A semicolon at the end does not count.
fn words(text: &str) -> anyhow::Result<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = text.trim().trim_end_matches(';').trim_end();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = quoted.find('"');
                ensure!(end.is_some(), "a quote does not end");
                let (word, after) = quoted.split_at(end.unwrap_or(quoted.len()));
                (word, &after[1..])
            }
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_arguments() {
        let read = |text| Command::parse(text).unwrap();
        assert_eq!(read("\\l ;"), Command::Databases);
        let chosen = Command::Choose { database: Some("my db".into()), container: Some("c".into()) };
        assert_eq!(read("\\c \"my db\" c"), chosen);
        assert_eq!(read("\\d orders"), Command::Container("orders".into()));
        assert_eq!(read("\\timing OFF"), Command::Timing(Some(false)));
        assert_eq!(read("\\o JSON"), Command::Output(Some(Format::Json)));
        assert_eq!(read("\\limit all"), Command::Limit(Some(Limit(None))));
    }

    #[test]
    fn wrong_commands_say_what_is_right() {
        let error = |text| Command::parse(text).unwrap_err().to_string();
        assert!(error("\\x").contains("\\h lists"));
        assert_eq!(error("\\c a b c"), "it is: \\c [DATABASE [CONTAINER]]");
        assert!(error("\\o xml").contains("table, json and csv"));
        assert!(error("\\timing maybe").contains("on or off"));
        assert!(error("\\c \"a").contains("quote"));
        assert!(error("\\limit few").contains("all"));
    }

    #[test]
    fn every_command_of_the_help_exists() {
        for (name, _, _) in COMMANDS {
            assert!(Command::parse(name).is_ok(), "{name}");
        }
    }
}
