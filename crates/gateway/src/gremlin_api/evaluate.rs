//! Running a request's statements, on a thread that may block or as far as they get without.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use orrery_engine::Engine;
use orrery_gremlin::graph::{Adjacencies, Graph, Unwritten, Waiting};
use orrery_gremlin::io::to_text;
use orrery_gremlin::run::{RunError, RunOptions, explain, run};
use orrery_gremlin::step::{Compiled, Query, Transaction};
use orrery_gremlin::text::{self, Expression, Script, Statement, Terminal};
use orrery_gremlin::value::{BulkSet, Bytecode, GMap, GSet, GValue, Traverser};

use super::answer::Answer;
use super::at_once::TRIAL_TIME;
use super::command::Code;
use super::credentials::Principal;
use super::fault::Fault;
use super::graphs::Graphs;
use super::instructions::{fill, fill_value, first_write, step_count};
use super::limits::{MAX_COLLECTED, MAX_MEMORY_BYTES, MAX_STATEMENTS, MAX_VARIABLE_VALUES, MAX_VARIABLES, service};

/// What a request runs against.
pub(super) struct Place<'a> {
    pub engine: &'a Engine,
    pub adjacencies: &'a Adjacencies,
    pub principal: &'a Principal,
    pub aliases: &'a [(Arc<str>, Arc<str>)],
    /// Whether the limits of the service apply.
    pub is_strict: bool,
    pub in_session: bool,
    /// How its graphs wait for the engine.
    pub waiting: Waiting,
    /// Set when the client is gone.
    pub cancelled: Arc<AtomicBool>,
}

/// Runs the code, and leaves the results in the answer. Variables are those of the session; assignments are added to them.
///
pub(super) fn evaluate(place: &Place<'_>, code: &Code, variables: &mut GMap, answer: &mut Answer) -> Evaluated {
    let Place { engine, adjacencies, principal, aliases, is_strict, waiting, .. } = place;
    let graphs = Graphs::new(engine, adjacencies, principal, aliases, *is_strict, waiting);
    let mut evaluator = Evaluator { place, graphs, answer };
    let ended = evaluator.code(code, variables);
    Evaluated { ended, unwritten: evaluator.graphs.take_unwritten() }
}

/// What became of a request's code.
pub(super) struct Evaluated {
    /// Whatever ended it early. Results that were sent before stay sent.
    pub ended: Result<(), Fault>,
    /// What is to be written yet: nothing, if its graphs wait.
    pub unwritten: Vec<Unwritten>,
}

struct Evaluator<'a> {
    place: &'a Place<'a>,
    graphs: Graphs<'a>,
    answer: &'a mut Answer,
}

impl Evaluator<'_> {
    fn code(&mut self, code: &Code, variables: &mut GMap) -> Result<(), Fault> {
        match code {
            Code::Bytecode(bytecode) => {
                self.stream("g", bytecode, |answer, traverser| answer.push(GValue::Traverser(Arc::new(traverser))))
            }
            Code::Text { text, bindings } => {
                if self.place.is_strict && text.len() > service::MAX_TEXT_BYTES {
                    let (length, most) = (text.len(), service::MAX_TEXT_BYTES);
                    return Err(Fault::ServiceLimit {
                        message: format!("The query has {length} bytes, and the limit is {most} (64 KB)"),
                    });
                }
                let script = text::parse(text, bindings, variables)?;
                self.script(&script, variables)
            }
        }
    }

    fn script(&mut self, script: &Script, variables: &mut GMap) -> Result<(), Fault> {
        if script.statements.len() > MAX_STATEMENTS {
            return Err(Fault::invalid(format!("a text has at most {MAX_STATEMENTS} statements")));
        }
        let Some((last, before)) = script.statements.split_last() else { return Ok(()) };
        for statement in before {
            self.statement(statement, variables, Use::Assigned)?;
        }
        self.statement(last, variables, Use::Answered)
    }

    fn statement(&mut self, statement: &Statement, variables: &mut GMap, used: Use) -> Result<(), Fault> {
        let value = match &statement.expression {
            Expression::Value(value) => Some(fill_value(value, variables)),
            Expression::Traversal { source, bytecode, terminal } => {
                let filled;
                // Only assignments leave places to be filled.
                let bytecode: &Bytecode = if variables.is_empty() {
                    bytecode
                } else {
                    filled = fill(bytecode, variables);
                    &filled
                };
                match (terminal, &statement.assigned_to, used) {
                    (Terminal::List, None, Use::Answered) => {
                        return self.stream(source, bytecode, Answer::push_bulk);
                    }
                    (Terminal::List, None, Use::Assigned) => self.value(source, bytecode, Terminal::Iterate)?,
                    _ => self.value(source, bytecode, *terminal)?,
                }
            }
        };
        if let Some(name) = &statement.assigned_to {
            assign(variables, name.clone(), value.clone().unwrap_or_default())?;
        }
        match (value, used) {
            (Some(value), Use::Answered) => push_members(self.answer, value),
            _ => Ok(()),
        }
    }

    /// What a traversal's terminal makes of it; nothing of `iterate()`.
    fn value(&mut self, source: &str, bytecode: &Bytecode, terminal: Terminal) -> Result<Option<GValue>, Fault> {
        let value = match terminal {
            Terminal::List => GValue::list(self.collect(source, bytecode, usize::MAX)?),
            Terminal::NextMany(most) => {
                GValue::list(self.collect(source, bytecode, usize::try_from(most).unwrap_or(usize::MAX))?)
            }
            Terminal::Set => {
                let mut members = GSet::default();
                self.each(source, bytecode, |_, traverser| {
                    members.insert(traverser.value);
                    within_bounds(members.len(), MAX_COLLECTED).map(|()| ControlFlow::Continue(()))
                })?;
                GValue::Set(Arc::new(members))
            }
            Terminal::BulkSet => {
                let mut counts = GMap::default();
                self.each(source, bytecode, |_, Traverser { bulk, value }| {
                    let before = counts.get(&value).and_then(GValue::as_i64).unwrap_or_default();
                    counts.insert(value, before.saturating_add(bulk).into());
                    within_bounds(counts.len(), MAX_COLLECTED).map(|()| ControlFlow::Continue(()))
                })?;
                let items = counts.into_iter().map(|(value, count)| (value, count.as_i64().unwrap_or_default()));
                GValue::BulkSet(Arc::new(BulkSet { items: items.collect() }))
            }
            Terminal::Next => self.collect(source, bytecode, 1)?.pop().ok_or(Fault::NoSuchElement)?,
            Terminal::TryNext => self.collect(source, bytecode, 1)?.pop().unwrap_or_default(),
            Terminal::HasNext => GValue::Bool(!self.collect(source, bytecode, 1)?.is_empty()),
            Terminal::Iterate => {
                self.each(source, bytecode, |_, _| Ok(ControlFlow::Continue(())))?;
                return Ok(None);
            }
            Terminal::Explain => {
                let Some(query) = self.compile(bytecode)? else { return Ok(None) };
                let graph = self.graphs.of_source(source)?;
                let explained = explain(&query, &*graph, &options(self.place, self.answer)).map_err(Fault::Run)?;
                explained.as_str().into()
            }
            Terminal::Text => {
                // What is shown is at least a traversal.
                Query::from_bytecode(bytecode)?;
                to_text(&GValue::Bytecode(Arc::new(bytecode.clone()))).as_str().into()
            }
        };
        Ok(Some(value))
    }

    /// The first results, one by one.
    fn collect(&mut self, source: &str, bytecode: &Bytecode, most: usize) -> Result<Vec<GValue>, Fault> {
        let mut values = Vec::new();
        if most == 0 {
            return Ok(values);
        }
        self.each(source, bytecode, |_, Traverser { bulk, value }| {
            for _ in 0..bulk {
                values.push(value.clone());
                within_bounds(values.len(), MAX_COLLECTED)?;
                if values.len() >= most {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(values)
    }

    /// Runs a traversal whose results are the answer.
    fn stream(
        &mut self,
        source: &str,
        bytecode: &Bytecode,
        push: impl Fn(&mut Answer, Traverser) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.each(source, bytecode, |answer, traverser| push(answer, traverser).map(|()| ControlFlow::Continue(())))
    }

    /// Runs a traversal.
    fn each(
        &mut self,
        source: &str,
        bytecode: &Bytecode,
        mut take: impl FnMut(&mut Answer, Traverser) -> Result<ControlFlow<()>, Fault>,
    ) -> Result<(), Fault> {
        let Some(query) = self.compile(bytecode)? else { return Ok(()) };
        let graph = self.graphs.of_source(source)?;
        let answer = &mut *self.answer;
        let mut settings = answer.settings();
        settings.set_from(&query)?;
        if self.place.is_strict {
            settings.evaluation_timeout = settings.evaluation_timeout.min(service::EVALUATION_TIMEOUT);
        }
        answer.set(settings);
        let options = options(self.place, answer);
        // The graph counts for all statements of the request, and there may be other graphs.
        let (of_others_ru, before) = (answer.envelope.charge_ru - graph.usage().charge_ru, graph.usage().partitions);
        let mut fault = None;
        let ended = run(&query, &*graph, &options, &mut |batch| {
            answer.envelope.charge_ru = of_others_ru + graph.usage().charge_ru;
            for traverser in batch {
                match take(answer, traverser) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => return ControlFlow::Break(()),
                    Err(refused) => {
                        fault = Some(refused);
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        });
        answer.envelope.charge_ru = of_others_ru + graph.usage().charge_ru;
        answer.envelope.partitions += graph.usage().partitions - before;
        if let Some(fault) = fault {
            return Err(fault);
        }
        ended.map_err(|error| match error {
            RunError::Timeout => Fault::Timeout { evaluation_timeout: settings.evaluation_timeout },
            other => Fault::Run(other),
        })
    }

    /// A traversal that is allowed here; none for a command on transactions, which needs nothing done.
    fn compile(&self, bytecode: &Bytecode) -> Result<Option<Query>, Fault> {
        if !self.place.principal.can_write()
            && let Some(step) = first_write(bytecode)
        {
            return Err(Fault::forbidden(format!(
                "The provided traversal has a mutating step and thus is not read only: {step}(); the key or token of this connection only reads"
            )));
        }
        match Query::from_bytecode(bytecode)? {
            Compiled::Query(query) => {
                let steps = if self.place.is_strict { step_count(bytecode) } else { 0 };
                if steps > service::MAX_STEPS {
                    let most = service::MAX_STEPS;
                    return Err(Fault::ServiceLimit {
                        message: format!("The traversal has {steps} steps, and the limit of operator depth is {most}"),
                    });
                }
                Ok(Some(query))
            }
            Compiled::Transaction(command) => self.transaction(command).map(|()| None),
        }
    }

    /// Every request has committed by itself, so that there is nothing to begin or commit, and nothing to roll back.
    fn transaction(&self, command: Transaction) -> Result<(), Fault> {
        let name = command.name();
        match command {
            Transaction::Rollback => Err(Fault::Run(RunError::Evaluation {
                message: "g.tx().rollback() is not supported: each request commits by itself".to_owned(),
            })),
            Transaction::Begin | Transaction::Commit if self.place.in_session => Ok(()),
            Transaction::Begin | Transaction::Commit => Err(Fault::invalid(format!("g.tx().{name}() needs a session"))),
        }
    }
}

/// The bounds of a traversal.
fn options(place: &Place<'_>, answer: &Answer) -> RunOptions {
    RunOptions {
        deadline: Some(answer.deadline()),
        thread_time: matches!(place.waiting, Waiting::Never).then_some(TRIAL_TIME),
        cancelled: place.cancelled.clone(),
        memory_bytes: MAX_MEMORY_BYTES,
        batch_size: answer.settings().batch_size,
        max_repeat_rounds: place.is_strict.then_some(service::MAX_REPEAT_ROUNDS),
    }
}

/// What becomes of a statement's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A variable may keep it.
    Assigned,
    /// It is the answer.
    Answered,
}

/// Answers with the members of a collection, or with the value itself. Entries of a map are maps of one.
fn push_members(answer: &mut Answer, value: GValue) -> Result<(), Fault> {
    match value {
        GValue::List(items) => items.iter().try_for_each(|item| answer.push(item.clone())),
        GValue::Set(members) => members.iter().try_for_each(|member| answer.push(member.clone())),
        GValue::BulkSet(set) => set
            .items
            .iter()
            .try_for_each(|(value, bulk)| answer.push_bulk(Traverser { bulk: *bulk, value: value.clone() })),
        GValue::Map(entries) => {
            entries.iter().try_for_each(|(key, value)| answer.push(GValue::map([(key.clone(), value.clone())])))
        }
        single => answer.push(single),
    }
}

fn assign(variables: &mut GMap, name: Arc<str>, value: GValue) -> Result<(), Fault> {
    variables.insert(GValue::String(name), value);
    within_bounds(variables.len(), MAX_VARIABLES)?;
    let values = variables.values().map(value_count).fold(0, usize::saturating_add);
    within_bounds(values, MAX_VARIABLE_VALUES)
}

/// How many values a value is made of. Elements count as one for each property.
fn value_count(value: &GValue) -> usize {
    let below = match value {
        GValue::List(items) => items.iter().map(value_count).sum(),
        GValue::Set(members) => members.iter().map(value_count).sum(),
        GValue::Map(entries) => entries.iter().map(|(key, value)| value_count(key) + value_count(value)).sum(),
        GValue::BulkSet(set) => set.items.iter().map(|(value, _)| value_count(value)).sum(),
        GValue::Path(path) => path.objects.iter().map(value_count).sum(),
        GValue::Vertex(vertex) => vertex.properties.as_ref().map_or(0, Vec::len),
        GValue::Edge(edge) => edge.properties.as_ref().map_or(0, Vec::len),
        GValue::Graph(graph) => graph.vertices.len() + graph.edges.len(),
        GValue::String(text) => text.len() / BYTES_OF_A_VALUE,
        _ => 0,
    };
    1 + below
}

/// Texts count by their length too.
const BYTES_OF_A_VALUE: usize = 256;

fn within_bounds(count: usize, most: usize) -> Result<(), Fault> {
    if count <= most {
        return Ok(());
    }
    Err(Fault::TooMuch { message: format!("more than {most} values to be kept in one place; narrow the traversal") })
}
