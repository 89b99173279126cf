//! One WebSocket: logging in, requests that overlap, and answers that leave in the order they are made.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use orrery_gremlin::io::Request;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Message, Utf8Bytes};

use super::answer::Outlet;
use super::command::{Command, Evaluation};
use super::credentials::Principal;
use super::envelope::{Envelope, Outgoing, Voice};
use super::fault::Fault;
use super::frame::{self, Received};
use super::limits::{
    CLOSE_TIMEOUT, IDLE_TIMEOUT, LOGIN_TIMEOUT, MAX_FAILED_LOGINS, MAX_IN_FLIGHT_PER_CONNECTION,
    MAX_RUNNING_PER_CONNECTION, MAX_WAITING_ANSWERS, MAX_WAITING_BYTES, SESSION_IDLE_TIMEOUT, WRITE_STALL_TIMEOUT,
};
use super::server::{Job, Operation, Server, source_of};
use super::session::Sessions;
use crate::listen::{self, Shutdown};

/// Idle connections and sessions are looked for at this pace.
const TICK: Duration = Duration::from_secs(5);
/// How long a stop waits for requests in flight; less than the listener's own patience.
const STOP_TIMEOUT: Duration = Duration::from_secs(8);

/// Serves a WebSocket to its end. `connection` keeps its place under the port's limit.
pub(super) async fn serve<S>(socket: WebSocketStream<S>, server: Arc<Server>, connection: Arc<listen::Connection>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sink, stream) = socket.split();
    let (out, answers) = mpsc::channel(MAX_WAITING_ANSWERS);
    let writer = tokio::spawn(write_answers(sink, answers));
    let conversation = Conversation {
        host: format!("/{}", connection.peer()).into(),
        cancelled: Arc::default(),
        out,
        in_flight: Arc::new(Semaphore::new(MAX_IN_FLIGHT_PER_CONNECTION)),
        running: Arc::new(Semaphore::new(MAX_RUNNING_PER_CONNECTION)),
        sessions: Sessions::new(server.sessions.clone()),
        login: Login::Wanted { waiting: Vec::new(), waiting_bytes: 0 },
        failed_logins: 0,
        tasks: JoinSet::new(),
        connection,
        server,
    };
    let stop = conversation.connection.shutdown();
    conversation.run(stream, writer, stop).await;
}

/// A connection's state.
struct Conversation {
    server: Arc<Server>,
    connection: Arc<listen::Connection>,
    host: Arc<str>,
    cancelled: Arc<AtomicBool>,
    out: mpsc::Sender<Outgoing>,
    in_flight: Arc<Semaphore>,
    running: Arc<Semaphore>,
    sessions: Sessions,
    login: Login,
    failed_logins: u32,
    tasks: JoinSet<()>,
}

enum Login {
    /// Requests are kept until the client has said who it is. The first one was answered by a challenge.
    Wanted {
        waiting: Vec<(Request, Envelope)>,
        waiting_bytes: usize,
    },
    Done(Arc<Principal>),
}

/// Tells requests that their client is gone, however the connection ends.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Conversation {
    async fn run<S>(
        mut self,
        mut stream: SplitStream<WebSocketStream<S>>,
        mut writer: JoinHandle<()>,
        mut stop: Shutdown,
    ) where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let gone = CancelOnDrop(self.cancelled.clone());
        let opened = Instant::now();
        let mut last_traffic = opened;
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let is_stopping = loop {
            tokio::select! {
                biased;
                () = stop.requested() => break true,
                // The client does not read, or its socket is broken.
                _ = &mut writer => return,
                message = stream.next() => {
                    last_traffic = Instant::now();
                    let Some(Ok(message)) = message else { break false };
                    if self.receive(&message).await.is_break() {
                        break false;
                    }
                }
                Some(_) = self.tasks.join_next() => {}
                now = ticks.tick() => {
                    self.sessions.forget_idle(SESSION_IDLE_TIMEOUT);
                    let is_idle = self.tasks.is_empty() && now - last_traffic >= IDLE_TIMEOUT;
                    let is_stranger = matches!(self.login, Login::Wanted { .. }) && now - opened >= LOGIN_TIMEOUT;
                    if is_idle || is_stranger {
                        break false;
                    }
                }
            }
        };
        if is_stopping {
            let finished = async { while self.tasks.join_next().await.is_some() {} };
            // Whatever runs on is cancelled below.
            let _ = timeout(STOP_TIMEOUT, finished).await;
        }
        drop(gone);
        // The writer closes the socket when nobody can send an answer any more.
        drop(self);
        let _ = timeout(CLOSE_TIMEOUT, writer).await;
    }

    /// Takes a message. Breaks if the connection is to be closed.
    async fn receive(&mut self, message: &Message) -> ControlFlow<()> {
        match frame::read(message) {
            Received::Control => ControlFlow::Continue(()),
            Received::Malformed(fault, voice) => {
                let envelope = Envelope::new(None, voice, self.host.clone());
                self.refuse(envelope, Operation::Other, &fault).await
            }
            Received::Request(request, voice, size_bytes) => self.request(request, voice, size_bytes).await,
        }
    }

    async fn request(&mut self, request: Request, voice: Voice, size_bytes: usize) -> ControlFlow<()> {
        let mut envelope = Envelope::new(Some(request.id), voice, self.host.clone());
        envelope.source = source_of(&request.op);
        if request.op == "authentication" {
            return self.log_in(request, envelope).await;
        }
        match &mut self.login {
            Login::Done(principal) => {
                let principal = principal.clone();
                self.start(request, envelope, principal).await
            }
            Login::Wanted { waiting, waiting_bytes } => {
                *waiting_bytes += size_bytes;
                if waiting.len() >= MAX_IN_FLIGHT_PER_CONNECTION || *waiting_bytes > MAX_WAITING_BYTES {
                    *waiting_bytes -= size_bytes;
                    return self.refuse(envelope, Operation::Other, &Fault::TooManyRequests).await;
                }
                let challenge = waiting.is_empty().then(|| envelope.challenge());
                waiting.push((request, envelope));
                match challenge {
                    Some(challenge) => self.send(challenge).await,
                    None => ControlFlow::Continue(()),
                }
            }
        }
    }

    async fn log_in(&mut self, request: Request, mut envelope: Envelope) -> ControlFlow<()> {
        let principal = match (&self.login, Command::parse(request)) {
            (Login::Done(_), _) => Err(Fault::invalid("this connection has logged in already")),
            (Login::Wanted { .. }, Ok(Command::LogIn { sasl })) => Principal::log_in(&self.server.authenticator, &sasl),
            (Login::Wanted { .. }, Err(fault)) => Err(fault),
            (Login::Wanted { .. }, Ok(_)) => Err(Fault::malformed("this is no login")),
        };
        let principal = match principal {
            Ok(principal) => Arc::new(principal),
            Err(fault) => {
                self.failed_logins += 1;
                let told = self.refuse(envelope, Operation::Authentication, &fault).await;
                return if self.failed_logins >= MAX_FAILED_LOGINS { ControlFlow::Break(()) } else { told };
            }
        };
        self.server.record(Operation::Authentication, 200, &envelope);
        let before = std::mem::replace(&mut self.login, Login::Done(principal.clone()));
        let Login::Wanted { waiting, .. } = before else { return ControlFlow::Continue(()) };
        if waiting.is_empty() {
            // Nothing was asked before, so that nothing else answers this.
            return match envelope.results(204, Vec::new()) {
                Ok(messages) => self.send_all(messages).await,
                Err(_) => ControlFlow::Break(()),
            };
        }
        for (request, envelope) in waiting {
            self.start(request, envelope, principal.clone()).await?;
        }
        ControlFlow::Continue(())
    }

    async fn start(&mut self, request: Request, mut envelope: Envelope, principal: Arc<Principal>) -> ControlFlow<()> {
        match Command::parse(request) {
            Ok(Command::Evaluate(evaluation)) => {
                let operation = Operation::of(&evaluation);
                match self.job(evaluation, operation, envelope.clone(), principal) {
                    Ok(job) => {
                        self.server.start(job, &mut self.tasks);
                        ControlFlow::Continue(())
                    }
                    Err(fault) => self.refuse(envelope, operation, &fault).await,
                }
            }
            Ok(Command::CloseSession { session }) => {
                let (turn, out, server) = (self.sessions.close(&session), self.out.clone(), self.server.clone());
                self.tasks.spawn(async move {
                    if let Some(mut turn) = turn {
                        turn.come().await;
                    }
                    server.record(Operation::SessionClose, 204, &envelope);
                    for message in envelope.results(204, Vec::new()).unwrap_or_default() {
                        // A client that is gone needs no answer.
                        let _ = out.send(message).await;
                    }
                });
                ControlFlow::Continue(())
            }
            Ok(Command::LogIn { .. }) => ControlFlow::Continue(()),
            Err(fault) => self.refuse(envelope, Operation::Other, &fault).await,
        }
    }

    fn job(
        &mut self,
        evaluation: Evaluation,
        operation: Operation,
        envelope: Envelope,
        principal: Arc<Principal>,
    ) -> Result<Box<Job>, Fault> {
        let in_flight = self.server.admit(Some(&self.in_flight))?;
        let turn = evaluation.session.as_ref().map(|name| self.sessions.enter(name)).transpose()?;
        Ok(Box::new(Job {
            principal,
            evaluation,
            operation,
            envelope,
            outlet: Outlet::Messages(self.out.clone()),
            turn,
            _in_flight: in_flight,
            _unanswered: Some(self.connection.request()),
            running: Some(self.running.clone()),
            cancelled: self.cancelled.clone(),
        }))
    }

    async fn refuse(&mut self, mut envelope: Envelope, operation: Operation, fault: &Fault) -> ControlFlow<()> {
        let message = envelope.failure(fault);
        self.server.record(operation, message.code, &envelope);
        self.send(message).await
    }

    async fn send_all(&mut self, messages: Vec<Outgoing>) -> ControlFlow<()> {
        for message in messages {
            self.send(message).await?;
        }
        ControlFlow::Continue(())
    }

    async fn send(&mut self, message: Outgoing) -> ControlFlow<()> {
        match self.out.send(message).await {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// Writes answers until nobody makes any, or the client stops taking them.
async fn write_answers<S>(mut sink: SplitSink<WebSocketStream<S>, Message>, mut answers: mpsc::Receiver<Outgoing>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(answer) = answers.recv().await {
        match timeout(WRITE_STALL_TIMEOUT, sink.send(message_of(answer))).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
        }
    }
    let close = CloseFrame { code: CloseCode::Away, reason: Utf8Bytes::from_static("connection closing") };
    let closed = async {
        // The client may have closed it already.
        let _ = sink.send(Message::Close(Some(close))).await;
        let _ = sink.close().await;
    };
    let _ = timeout(CLOSE_TIMEOUT, closed).await;
}

fn message_of(answer: Outgoing) -> Message {
    let bytes: Bytes = answer.bytes;
    if !answer.is_text {
        return Message::Binary(bytes);
    }
    // JSON is UTF-8; if a defect made it otherwise, the bytes go out as they are.
    match Utf8Bytes::try_from(bytes.clone()) {
        Ok(text) => Message::Text(text),
        Err(_) => Message::Binary(bytes),
    }
}
