//! What all connections of the Gremlin API share.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use http::StatusCode;
use orrery_engine::Engine;
use orrery_gremlin::graph::{Adjacencies, GraphError, Unwritten, Waiting};
use orrery_gremlin::run::RunError;
use orrery_gremlin::value::GMap;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::answer::{Answer, Outlet};
use super::app::GremlinApiConfig;
use super::at_once::{LONGEST_TRIAL, Trials};
use super::command::{Code, Evaluation};
use super::credentials::Principal;
use super::envelope::Envelope;
use super::evaluate::{Evaluated, Place, evaluate};
use super::fault::{Fault, Source};
use super::limits::{MAX_IN_FLIGHT, MAX_RUNNING, MAX_SESSIONS, READER_PATIENCE, READERS_PER_CORE};
use super::session::Turn;
use crate::auth::Authenticator;
use crate::listen::{ReplyFacts, Unanswered};
use crate::metrics::ApiMetrics;

/// Names for [`Metrics::api`](crate::metrics::Metrics::api), in the order of [`Operation`].
pub const ROUTE_NAMES: [&str; 8] =
    ["other", "upgrade", "http eval", "authentication", "eval", "bytecode", "session", "session close"];

/// An operation, as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Other,
    Upgrade,
    HttpEval,
    Authentication,
    Eval,
    Bytecode,
    Session,
    SessionClose,
}

impl Operation {
    /// The operation that an evaluation over a WebSocket is.
    pub fn of(evaluation: &Evaluation) -> Operation {
        match (&evaluation.session, &evaluation.code) {
            (Some(_), _) => Operation::Session,
            (None, Code::Text { .. }) => Operation::Eval,
            (None, Code::Bytecode(_)) => Operation::Bytecode,
        }
    }

    pub fn facts(self, charge_ru: f64) -> ReplyFacts {
        ReplyFacts { route: self as u8, charge_ru }
    }
}

/// The API's parts and bounds.
pub(super) struct Server {
    pub engine: Engine,
    pub authenticator: Authenticator,
    pub is_strict: bool,
    /// Who is whose neighbour, kept at hand for all requests.
    adjacencies: Adjacencies,
    trials: Trials,
    metrics: Arc<ApiMetrics>,
    in_flight: Arc<Semaphore>,
    running: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    /// Room for sessions.
    pub sessions: Arc<Semaphore>,
}

/// A request's place among those in flight, of the API and of its connection.
#[derive(Debug)]
pub(super) struct InFlight {
    metrics: Arc<ApiMetrics>,
    _permits: (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>),
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.metrics.request_ends();
    }
}

/// A request that is ready to run.
pub(super) struct Job {
    pub principal: Arc<Principal>,
    pub evaluation: Evaluation,
    pub operation: Operation,
    pub envelope: Envelope,
    pub outlet: Outlet,
    /// Its place in its session.
    pub turn: Option<Turn>,
    pub _in_flight: InFlight,
    /// Of a WebSocket; HTTP counts its own requests.
    pub _unanswered: Option<Unanswered>,
    /// Bounds what runs for the connection.
    pub running: Option<Arc<Semaphore>>,
    /// Set when the client is gone.
    pub cancelled: Arc<AtomicBool>,
}

impl Server {
    pub fn new(config: GremlinApiConfig) -> Server {
        let GremlinApiConfig { engine, authenticator, strict, graph_bytes, metrics } = config;
        let room = |count| Arc::new(Semaphore::new(count));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Server {
            engine,
            authenticator,
            is_strict: strict,
            adjacencies: Adjacencies::new(graph_bytes),
            metrics,
            in_flight: room(MAX_IN_FLIGHT),
            trials: Trials::default(),
            running: room(MAX_RUNNING),
            readers: room(READERS_PER_CORE * cores),
            sessions: room(MAX_SESSIONS),
        }
    }

    /// Admits a request.
    ///
    /// # Errors
    /// If there are too many, of the API or of the connection.
    pub fn admit(&self, of_connection: Option<&Arc<Semaphore>>) -> Result<InFlight, Fault> {
        let admit = |room: &Arc<Semaphore>| room.clone().try_acquire_owned().map_err(|_| Fault::TooManyRequests);
        let permits = (admit(&self.in_flight)?, of_connection.map(admit).transpose()?);
        self.metrics.request_begins();
        Ok(InFlight { metrics: self.metrics.clone(), _permits: permits })
    }

    /// Counts a request that is done.
    pub fn record(&self, operation: Operation, code: u16, envelope: &Envelope) {
        let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.metrics.record(operation.facts(envelope.charge_ru), status, envelope.elapsed());
    }

    /// Runs a request at once if that can be done, or begins to run it as one of the tasks.
    pub fn start(self: &Arc<Self>, job: Box<Job>, tasks: &mut JoinSet<()>) {
        let server = self.clone();
        let job = match self.try_at_once(job) {
            Tried::Answered => return,
            Tried::Unwritten(half) => {
                tasks.spawn(async move { server.write(*half).await });
                return;
            }
            Tried::InVain(job) => job,
        };
        match self.places_at_hand(&job) {
            Some(places) => {
                tasks.spawn_blocking(move || {
                    server.run_blocking(job);
                    drop(places);
                });
            }
            None => {
                tasks.spawn(server.run_aside(job));
            }
        }
    }

    /// The places that a request needs, if it has to wait for none and for no other request.
    fn places_at_hand(&self, job: &Job) -> Option<Vec<OwnedSemaphorePermit>> {
        if job.turn.is_some() {
            return None;
        }
        let readers = (!job.evaluation.code.may_write()).then_some(&self.readers);
        let rooms = job.running.iter().chain([&self.running]).chain(readers);
        rooms.map(|room| room.clone().try_acquire_owned().ok()).collect()
    }

    /// Runs a request to its end. When this is dropped before, the request goes on until it notices that its client is gone, and keeps
    /// its places until then.
    pub async fn run(self: Arc<Self>, job: Box<Job>) {
        match self.try_at_once(job) {
            Tried::Answered => {}
            Tried::Unwritten(half) => self.write(*half).await,
            Tried::InVain(job) => self.run_aside(job).await,
        }
    }

    /// Answers a request that is short enough, or evaluates it as far as writing new elements.
    fn try_at_once(&self, job: Box<Job>) -> Tried {
        if job.turn.is_some() {
            return Tried::InVain(job);
        }
        let Some(slot) = self.trials.take(&job.evaluation.code) else { return Tried::InVain(job) };
        let (mut answer, Evaluated { ended, mut unwritten }) = self.evaluate(&job, Waiting::Never);
        let is_in_time =
            !matches!(ended, Err(Fault::Timeout { .. } | Fault::Run(RunError::Graph(GraphError::MustWait))));
        // Of several graphs it is not known which new element comes first.
        let is_at_once = is_in_time && unwritten.len() <= 1;
        let tried = match unwritten.pop() {
            Some(unwritten) if is_at_once => Tried::Unwritten(Box::new(Half { job, answer, ended, unwritten })),
            None if is_at_once && self.conclude(&job, &mut answer, ended).is_ok() => Tried::Answered,
            _ => Tried::InVain(job),
        };
        self.trials.note(slot, !matches!(tried, Tried::InVain(_)));
        tried
    }

    /// Writes what a request has left to be written, and answers it.
    async fn write(&self, half: Half) {
        let Half { job, mut answer, ended, unwritten } = half;
        let done = unwritten.write().await;
        answer.envelope.charge_ru += done.charge_ru;
        // What was refused came before whatever ended the request.
        let refused = done.result.map_err(|error| Fault::Run(RunError::Graph(error)));
        answer.wait_later();
        // One that may wait always ends.
        let _ = self.conclude(&job, &mut answer, refused.and(ended));
        answer.deliver().await;
    }

    /// Runs a request to its end on a thread that may block.
    async fn run_aside(self: Arc<Self>, mut job: Box<Job>) {
        if let Some(turn) = &mut job.turn {
            turn.come().await;
        }
        let mut places = Vec::new();
        for room in job.running.iter().chain([&self.running]) {
            // These semaphores are never closed.
            places.extend(room.clone().acquire_owned().await.ok());
        }
        if !job.evaluation.code.may_write() {
            places.extend(self.reader_place().await);
        }
        // A panic is caught within, and a runtime that stops takes the answer's reader with it.
        let _ = tokio::task::spawn_blocking(move || {
            self.run_blocking(job);
            drop(places);
        })
        .await;
    }

    /// A place among those that read, if one is free in time. Writes take none: they wait for the disk, and the more do the better.
    async fn reader_place(&self) -> Option<OwnedSemaphorePermit> {
        timeout(READER_PATIENCE, self.readers.clone().acquire_owned()).await.ok()?.ok()
    }

    fn run_blocking(&self, job: Box<Job>) {
        let (mut answer, evaluated) = self.evaluate(&job, Waiting::Blocking(Handle::current()));
        // One that may wait always ends.
        let _ = self.conclude(&job, &mut answer, evaluated.ended);
    }

    /// Runs a request's code. If it may not wait, it has only the time of a trial, and nothing is sent.
    fn evaluate(&self, job: &Job, waiting: Waiting) -> (Answer, Evaluated) {
        let Job { principal, evaluation, envelope, outlet, turn, cancelled, .. } = job;
        let mut envelope = envelope.clone();
        envelope.source = evaluation.code.source();
        let mut answer = Answer::new(envelope, outlet.clone(), evaluation.settings, &waiting);
        if let Waiting::Never = waiting {
            answer = answer.within(LONGEST_TRIAL);
        }
        let place = Place {
            engine: &self.engine,
            adjacencies: &self.adjacencies,
            principal,
            aliases: &evaluation.aliases,
            is_strict: self.is_strict,
            in_session: turn.is_some(),
            waiting,
            cancelled: cancelled.clone(),
        };
        let mut variables = turn.as_ref().map_or_else(GMap::default, |turn| lock(&turn.variables).clone());
        // What a panic leaves behind is an answer whose rest is dropped, and variables as they were between statements.
        let evaluated =
            catch_unwind(AssertUnwindSafe(|| evaluate(&place, &evaluation.code, &mut variables, &mut answer)));
        if let Some(turn) = turn {
            *lock(&turn.variables) = variables;
        }
        let panicked = |_| Evaluated { ended: Err(Fault::Panicked), unwritten: Vec::new() };
        (answer, evaluated.unwrap_or_else(panicked))
    }

    /// Sends the rest of an answer, or how the request failed, and counts it.
    ///
    /// # Errors
    /// If that would have to wait and may not: then nothing was sent or counted.
    fn conclude(&self, job: &Job, answer: &mut Answer, ended: Result<(), Fault>) -> Result<(), NotAtOnce> {
        let finish = |()| catch_unwind(AssertUnwindSafe(|| answer.finish())).unwrap_or(Err(Fault::Panicked));
        let code = match ended.and_then(finish) {
            Ok(code) => code,
            Err(Fault::Run(RunError::Graph(GraphError::MustWait))) => return Err(NotAtOnce),
            Err(fault) if job.cancelled.load(Ordering::Relaxed) => fault.status(answer.envelope.source).code,
            Err(fault) => {
                let code = answer.fail(&fault).ok_or(NotAtOnce)?;
                let activity_id = answer.envelope.activity_id;
                match fault {
                    Fault::Panicked => tracing::error!(%activity_id, "request handler panicked"),
                    _ => tracing::debug!(%activity_id, reason = fault.message(), "request failed"),
                }
                code
            }
        };
        self.record(job.operation, code, &answer.envelope);
        Ok(())
    }
}

/// What became of a request that was tried where it came in.
enum Tried {
    Answered,
    /// It is evaluated, and new elements are to be written.
    Unwritten(Box<Half>),
    /// The client has seen nothing, and nothing is written.
    InVain(Box<Job>),
}

/// A request that is answered once its new elements are written.
struct Half {
    job: Box<Job>,
    answer: Answer,
    ended: Result<(), Fault>,
    unwritten: Unwritten,
}

/// A request takes longer than a trial may.
#[derive(Debug)]
struct NotAtOnce;

fn lock(variables: &std::sync::Mutex<GMap>) -> std::sync::MutexGuard<'_, GMap> {
    variables.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a request's failure before it runs is told.
pub(super) fn source_of(op: &str) -> Source {
    if op == "bytecode" { Source::Bytecode } else { Source::Text }
}
