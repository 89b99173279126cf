//! What a request asks for: its operation and arguments, checked.

use std::sync::Arc;
use std::time::Duration;

use orrery_gremlin::io::{Named, Request};
use orrery_gremlin::step::{Query, TraversalStrategy};
use orrery_gremlin::value::{Bytecode, GMap, GValue};

use super::fault::{Fault, Source};
use super::instructions::{WRITING_STEPS, first_write};
use super::limits::{DEFAULT_BATCH_SIZE, DEFAULT_EVALUATION_TIMEOUT, MAX_BATCH_SIZE, MAX_EVALUATION_TIMEOUT};

/// Names that mean something in every text, so that no variable may have them.
const RESERVED_NAMES: [&str; 10] = ["g", "id", "label", "key", "value", "null", "true", "false", "NaN", "Infinity"];
/// Longest name of a variable, an alias or a session.
const MAX_NAME_BYTES: usize = 1024;

/// An operation.
#[derive(Debug)]
pub(super) enum Command {
    /// Says who is there.
    LogIn { sasl: String },
    /// Runs something.
    Evaluate(Evaluation),
    /// Ends a session.
    CloseSession { session: Arc<str> },
}

/// What sources of traversals stand for.
pub(super) type Aliases = Vec<(Arc<str>, Arc<str>)>;

/// What is to be run, and how.
#[derive(Debug)]
pub(super) struct Evaluation {
    pub code: Code,
    pub aliases: Aliases,
    pub settings: Settings,
    pub session: Option<Arc<str>>,
}

/// What is to be run.
#[derive(Debug)]
pub(super) enum Code {
    Text { text: String, bindings: GMap },
    Bytecode(Arc<Bytecode>),
}

impl Code {
    /// Whether it has, or seems to have, steps that write. A guess is good enough for what it decides: when the request runs.
    pub fn may_write(&self) -> bool {
        match self {
            Code::Text { text, .. } => WRITING_STEPS.iter().any(|step| text.contains(step)),
            Code::Bytecode(bytecode) => first_write(bytecode).is_some(),
        }
    }

    pub fn source(&self) -> Source {
        match self {
            Code::Text { .. } => Source::Text,
            Code::Bytecode(_) => Source::Bytecode,
        }
    }
}

/// What a client can set for a request, by arguments or in the traversal's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Settings {
    pub batch_size: usize,
    pub evaluation_timeout: Duration,
    /// Whether elements come with their properties.
    pub has_properties: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            batch_size: DEFAULT_BATCH_SIZE,
            evaluation_timeout: DEFAULT_EVALUATION_TIMEOUT,
            has_properties: true,
        }
    }
}

impl Settings {
    /// Takes a setting that is known; others are no business of the server.
    fn set(&mut self, name: &str, value: &GValue) -> Result<(), Fault> {
        match name {
            "batchSize" => {
                let size = value.as_i64().and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
                let size = size.ok_or_else(|| Fault::invalid("[batchSize] must be an integer greater than 0"))?;
                self.batch_size = size.min(MAX_BATCH_SIZE);
            }
            "evaluationTimeout" | "scriptEvaluationTimeout" => {
                let timeout_ms = value.as_i64().and_then(|timeout| u64::try_from(timeout).ok());
                let timeout_ms =
                    timeout_ms.ok_or_else(|| Fault::invalid(format!("[{name}] must be a number of milliseconds")))?;
                // Zero asks for no bound.
                let asked = if timeout_ms == 0 { MAX_EVALUATION_TIMEOUT } else { Duration::from_millis(timeout_ms) };
                self.evaluation_timeout = asked.min(MAX_EVALUATION_TIMEOUT);
            }
            "materializeProperties" => {
                self.has_properties = match value.as_str() {
                    Some("all") => true,
                    Some("tokens") => false,
                    _ => return Err(Fault::invalid("[materializeProperties] must be 'all' or 'tokens'")),
                };
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes what a traversal's own source says.
    pub fn set_from(&mut self, query: &Query) -> Result<(), Fault> {
        for strategy in &query.source.strategies {
            if let TraversalStrategy::Options(options) = strategy {
                options.iter().try_for_each(|(name, value)| self.set(name, value))?;
            }
        }
        query.source.options.iter().try_for_each(|(name, value)| self.set(name, value))
    }
}

impl Command {
    /// Reads a request's operation and arguments.
    ///
    /// # Errors
    /// 498 if there is no such operation, 499 if an argument is missing or wrong.
    pub fn parse(request: Request) -> Result<Command, Fault> {
        let Request { op, processor, mut args, .. } = request;
        if op == "authentication" {
            // Clients name any processor here.
            let sasl = required_text(&args, "sasl", &op)?.to_owned();
            return Ok(Command::LogIn { sasl });
        }
        let in_session = match processor.as_str() {
            "" | "traversal" => false,
            "session" => true,
            other => return Err(Fault::malformed(format!("there is no processor '{}'", shorten(other)))),
        };
        let session = if in_session { Some(session_name(&args, &op)?) } else { None };
        let code = match (op.as_str(), processor.as_str()) {
            ("eval", "" | "session") => {
                let text = required_text(&args, "gremlin", &op)?.to_owned();
                check_language(&args)?;
                Code::Text { text, bindings: bindings(&mut args)? }
            }
            ("bytecode", _) => match args.shift_remove("gremlin") {
                Some(GValue::Bytecode(bytecode)) => Code::Bytecode(bytecode),
                _ => return Err(requires(&op, "gremlin")),
            },
            ("close", "session") => {
                return session
                    .map(|session| Command::CloseSession { session })
                    .ok_or_else(|| requires(&op, "session"));
            }
            _ => {
                return Err(Fault::malformed(format!(
                    "op '{}' is not recognized by processor '{processor}'",
                    shorten(&op)
                )));
            }
        };
        let aliases = aliases(&args)?;
        if matches!(code, Code::Bytecode(_)) && aliases.len() > 1 {
            return Err(Fault::invalid("[bytecode] takes one alias, for 'g'"));
        }
        let mut settings = Settings::default();
        args.iter()
            .filter(|(_, value)| !matches!(value, GValue::Null))
            .try_for_each(|(name, value)| settings.set(name, value))?;
        Ok(Command::Evaluate(Evaluation { code, aliases, settings, session }))
    }
}

fn requires(op: &str, argument: &str) -> Fault {
    Fault::invalid(format!("A message with an [{op}] op code requires a [{argument}] argument"))
}

fn required_text<'a>(args: &'a Named, name: &str, op: &str) -> Result<&'a str, Fault> {
    args.get(name).and_then(GValue::as_str).ok_or_else(|| requires(op, name))
}

fn session_name(args: &Named, op: &str) -> Result<Arc<str>, Fault> {
    match args.get("session") {
        Some(GValue::String(name)) if !name.is_empty() && name.len() <= MAX_NAME_BYTES => Ok(name.clone()),
        Some(GValue::Uuid(id)) => Ok(id.to_string().into()),
        _ => Err(requires(op, "session")),
    }
}

fn check_language(args: &Named) -> Result<(), Fault> {
    match args.get("language") {
        None | Some(GValue::Null) => Ok(()),
        Some(GValue::String(language)) if matches!(&**language, "gremlin-groovy" | "gremlin-lang") => Ok(()),
        Some(other) => Err(Fault::invalid(format!(
            "the language is gremlin-lang or the part of gremlin-groovy that is Gremlin, not {}",
            other.as_str().map_or_else(|| other.kind().to_owned(), |name| format!("'{}'", shorten(name)))
        ))),
    }
}

fn bindings(args: &mut Named) -> Result<GMap, Fault> {
    let bindings = match args.shift_remove("bindings") {
        None | Some(GValue::Null) => return Ok(GMap::default()),
        Some(GValue::Map(bindings)) => bindings,
        Some(_) => return Err(Fault::invalid("[bindings] must be a map")),
    };
    for name in bindings.keys() {
        let Some(name) = name.as_str() else {
            return Err(Fault::invalid(format!("the name of a binding must be a string, not {}", name.kind())));
        };
        if !is_variable_name(name) {
            return Err(Fault::invalid(format!(
                "'{}' cannot be the name of a binding: it must be an identifier that means nothing else",
                shorten(name)
            )));
        }
    }
    Ok(Arc::unwrap_or_clone(bindings))
}

/// Whether a variable may be called so.
fn is_variable_name(name: &str) -> bool {
    let mut characters = name.chars();
    name.len() <= MAX_NAME_BYTES
        && characters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
        && characters.all(|other| other.is_alphanumeric() || matches!(other, '_' | '$'))
        && !RESERVED_NAMES.contains(&name)
}

fn aliases(args: &Named) -> Result<Aliases, Fault> {
    let aliases = match args.get("aliases") {
        None | Some(GValue::Null) => return Ok(Vec::new()),
        Some(GValue::Map(aliases)) => aliases,
        Some(_) => return Err(Fault::invalid("[aliases] must be a map")),
    };
    let pair = |(name, target): (&GValue, &GValue)| match (name, target) {
        (GValue::String(name), GValue::String(target)) if name.len() <= MAX_NAME_BYTES => {
            Ok((name.clone(), target.clone()))
        }
        _ => Err(Fault::invalid("[aliases] must map names to names")),
    };
    aliases.iter().map(pair).collect()
}

/// A client's own text, cut to a length that an answer can repeat.
pub(super) fn shorten(text: &str) -> String {
    const MAX_SHOWN: usize = 64;
    text.chars().take(MAX_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use orrery_gremlin::value::Uuid;

    use super::*;

    fn request(op: &str, processor: &str, args: &[(&str, GValue)]) -> Request {
        let args = args.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        Request { id: Uuid::nil(), op: op.into(), processor: processor.into(), args }
    }

    fn evaluation(op: &str, processor: &str, args: &[(&str, GValue)]) -> Result<Evaluation, Fault> {
        match Command::parse(request(op, processor, args))? {
            Command::Evaluate(evaluation) => Ok(evaluation),
            other => panic!("{other:?}"),
        }
    }

    fn text() -> (&'static str, GValue) {
        ("gremlin", "g.V()".into())
    }

    #[test]
    fn settings_come_as_arguments_of_the_old_names_and_the_new() {
        let settings = |name, value: GValue| evaluation("eval", "", &[text(), (name, value)]).map(|read| read.settings);
        assert_eq!(settings("batchSize", 2.into()).unwrap().batch_size, 2);
        assert_eq!(settings("batchSize", i64::MAX.into()).unwrap().batch_size, MAX_BATCH_SIZE);
        let half = Duration::from_millis(500);
        assert_eq!(settings("evaluationTimeout", 500_i64.into()).unwrap().evaluation_timeout, half);
        assert_eq!(settings("scriptEvaluationTimeout", 500.into()).unwrap().evaluation_timeout, half);
        assert_eq!(settings("evaluationTimeout", 0.into()).unwrap().evaluation_timeout, MAX_EVALUATION_TIMEOUT);
        assert!(!settings("materializeProperties", "tokens".into()).unwrap().has_properties);
        assert_eq!(settings("batchSize", GValue::Null).unwrap(), Settings::default());
        for (name, value) in
            [("batchSize", 0.into()), ("evaluationTimeout", "x".into()), ("materializeProperties", 1.into())]
        {
            assert!(matches!(settings(name, value), Err(Fault::InvalidArguments { .. })), "{name}");
        }
    }

    #[test]
    fn names_of_bindings_are_identifiers_that_mean_nothing_else() {
        let with = |name: &str| {
            let bindings = GValue::map([(name.into(), 1.into())]);
            evaluation("eval", "", &[text(), ("bindings", bindings)])
        };
        for name in ["x", "vid1", "_x", "größe"] {
            assert!(with(name).is_ok(), "{name}");
        }
        for name in ["", "g", "id", "1x", "a b", "a-b", "null"] {
            assert!(matches!(with(name), Err(Fault::InvalidArguments { .. })), "{name}");
        }
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        let message = |request| Command::parse(request).unwrap_err().message();
        assert_eq!(message(request("eval", "", &[])), "A message with an [eval] op code requires a [gremlin] argument");
        assert!(message(request("bytecode", "traversal", &[text()])).contains("[gremlin]"));
        assert!(message(request("eval", "session", &[text()])).contains("[session]"));
        assert!(message(request("fly", "", &[])).contains("'fly'"));
        assert!(message(request("eval", "cypher", &[text()])).contains("'cypher'"));
        let language = request("eval", "", &[text(), ("language", "groovy-jython".into())]);
        assert!(message(language).contains("'groovy-jython'"));
    }

    #[test]
    fn any_processor_takes_logins_and_sessions_are_named_by_texts_and_uuids() {
        for processor in ["", "traversal", "session", "anything"] {
            let read = Command::parse(request("authentication", processor, &[("sasl", "AA==".into())]));
            assert!(matches!(read, Ok(Command::LogIn { .. })));
        }
        for name in [GValue::from("s"), GValue::Uuid(Uuid::nil())] {
            let read = Command::parse(request("close", "session", &[("session", name)]));
            assert!(matches!(read, Ok(Command::CloseSession { .. })));
        }
    }
}
