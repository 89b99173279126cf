//! What all connections of the Gremlin API share.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use http::StatusCode;
use orrery_engine::Engine;
use orrery_gremlin::graph::{Adjacencies, GraphError, Waiting};
use orrery_gremlin::run::RunError;
use orrery_gremlin::value::GMap;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::answer::{Answer, Outlet};
use super::at_once::{TRIAL_TIME, Trials};
use super::command::{Code, Evaluation};
use super::credentials::Principal;
use super::envelope::Envelope;
use super::evaluate::{Place, evaluate};
use super::fault::{Fault, Source};
use super::limits::{MAX_IN_FLIGHT, MAX_RUNNING, MAX_SESSIONS, READER_PATIENCE, READERS_PER_CORE};
use super::session::Turn;
use crate::auth::Authenticator;
use crate::listen::ReplyFacts;
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
    /// Bounds what runs for the connection.
    pub running: Option<Arc<Semaphore>>,
    /// Set when the client is gone.
    pub cancelled: Arc<AtomicBool>,
}

impl Server {
    pub fn new(engine: Engine, authenticator: Authenticator, is_strict: bool, metrics: Arc<ApiMetrics>) -> Server {
        let room = |count| Arc::new(Semaphore::new(count));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Server {
            engine,
            authenticator,
            is_strict,
            adjacencies: Adjacencies::default(),
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
    pub fn start(self: &Arc<Self>, job: Job, tasks: &mut JoinSet<()>) {
        let Some(job) = self.try_at_once(job) else { return };
        let server = self.clone();
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
    pub async fn run(self: Arc<Self>, job: Job) {
        if let Some(job) = self.try_at_once(job) {
            self.run_aside(job).await;
        }
    }

    /// Answers a request that is short enough, and gives back any other, of which the client has seen nothing then.
    fn try_at_once(&self, job: Job) -> Option<Job> {
        if job.turn.is_some() || job.evaluation.code.may_write() {
            return Some(job);
        }
        let Some(slot) = self.trials.take(&job.evaluation.code) else { return Some(job) };
        let tried = self.answer(&job, Waiting::Never);
        self.trials.note(slot, tried.is_ok());
        tried.is_err().then_some(job)
    }

    /// Runs a request to its end on a thread that may block.
    async fn run_aside(self: Arc<Self>, mut job: Job) {
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

    fn run_blocking(&self, job: Job) {
        // One that may wait always ends.
        let _ = self.answer(&job, Waiting::Blocking(Handle::current()));
    }

    /// Runs a request and sends its answer. If it may not wait, it has only the time of a trial.
    ///
    /// # Errors
    /// If that is not enough: then nothing was sent or counted.
    fn answer(&self, job: &Job, waiting: Waiting) -> Result<(), NotAtOnce> {
        let Job { principal, evaluation, operation, envelope, outlet, turn, cancelled, .. } = job;
        let source = evaluation.code.source();
        let mut envelope = envelope.clone();
        envelope.source = source;
        let is_trial = matches!(waiting, Waiting::Never);
        let mut answer = Answer::new(envelope, outlet.clone(), evaluation.settings, waiting.clone());
        if is_trial {
            answer = answer.within(TRIAL_TIME);
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
        let ended = catch_unwind(AssertUnwindSafe(|| {
            evaluate(&place, &evaluation.code, &mut variables, &mut answer)?;
            answer.finish()
        }));
        if let Some(turn) = turn {
            *lock(&turn.variables) = variables;
        }
        let ended = ended.unwrap_or(Err(Fault::Panicked));
        if is_trial && matches!(ended, Err(Fault::Timeout { .. } | Fault::Run(RunError::Graph(GraphError::MustWait)))) {
            return Err(NotAtOnce);
        }
        let code = match ended {
            Ok(code) => code,
            Err(fault) if cancelled.load(Ordering::Relaxed) => fault.status(source).code,
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
        self.record(*operation, code, &answer.envelope);
        Ok(())
    }
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
