//! Group commit: one thread runs all transactions, and writes those that queue up while it syncs as one batch.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use fjall::PersistMode;
use tokio::sync::{mpsc, oneshot};

use super::Shared;
use super::errors::writing;
use super::options::Durability;
use super::pressure::Pressure;
use crate::guarded::{message_of, run_transaction};
use crate::overlay::Overlay;
use crate::{Error, Transaction, Verdict};

/// Transactions that may wait to be run; whoever brings more waits to enter the queue.
const MAX_QUEUED_TRANSACTIONS: usize = 4096;

/// Transactions written as one batch.
const MAX_GROUP_TRANSACTIONS: usize = 1024;

/// Bytes of keys and values after which a group takes no further transaction.
const MAX_GROUP_BYTES: usize = 4 << 20;

/// Counts since the store was opened.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) commits: AtomicU64,
    pub(super) groups: AtomicU64,
}

/// The queue to the committing thread.
pub(super) struct Committer {
    /// Present until this is dropped.
    queue: Option<mpsc::Sender<Message>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Message {
    Run(Job),
    /// Refuse what comes later, finish what came earlier, and make it all durable.
    Close(oneshot::Sender<Result<(), Error>>),
}

struct Job {
    transaction: Box<dyn Transaction>,
    reply: oneshot::Sender<Result<Box<dyn Transaction>, Error>>,
}

impl Committer {
    pub(super) fn start(shared: Arc<Shared>, durability: Durability) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED_TRANSACTIONS);
        let worker = Worker::new(shared, durability);
        let thread = std::thread::Builder::new().name("store-commit".into()).spawn(move || worker.run(receiver))?;
        Ok(Committer { queue: Some(sender), thread: Mutex::new(Some(thread)) })
    }

    pub(super) async fn commit(&self, transaction: Box<dyn Transaction>) -> Result<Box<dyn Transaction>, Error> {
        let (reply, answer) = oneshot::channel();
        self.send(Message::Run(Job { transaction, reply })).await?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Returns when all that was queued is durable; at once if the store is closed already.
    pub(super) async fn close(&self) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        if self.send(Message::Close(reply)).await.is_err() {
            return Ok(());
        }
        answer.await.unwrap_or(Ok(()))
    }

    async fn send(&self, message: Message) -> Result<(), Error> {
        let queue = self.queue.as_ref().ok_or(Error::Closed)?;
        queue.send(message).await.map_err(|_| Error::Closed)
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.queue = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A transaction may have held the last reference to the store, and is dropped on the thread itself.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id())
            && thread.join().is_err()
        {
            tracing::error!("the committing thread panicked");
        }
    }
}

/// The committing thread.
struct Worker {
    shared: Arc<Shared>,
    mode: PersistMode,
    overlay: Overlay,
    group: Vec<Ran>,
    pressure: Pressure,
    /// Why nothing can be written any more.
    failure: Option<Error>,
}

/// A transaction of the group that waits for the group to be durable.
struct Ran {
    job: Job,
    outcome: Result<Verdict, Error>,
}

impl Worker {
    fn new(shared: Arc<Shared>, durability: Durability) -> Self {
        let mode = match durability {
            Durability::Durable => PersistMode::SyncData,
            Durability::Buffered => PersistMode::Buffer,
        };
        Worker {
            shared,
            mode,
            overlay: Overlay::new(),
            group: Vec::new(),
            pressure: Pressure::default(),
            failure: None,
        }
    }

    fn run(mut self, mut queue: mpsc::Receiver<Message>) {
        let mut closing = Vec::new();
        while let Some(message) = queue.blocking_recv() {
            let mut next = Some(message);
            while let Some(message) = next {
                match message {
                    Message::Run(job) => self.run_job(job),
                    Message::Close(reply) => {
                        queue.close();
                        closing.push(reply);
                    }
                }
                next = if self.is_full() { None } else { queue.try_recv().ok() };
            }
            self.finish_group();
        }
        let outcome = self.persist_all();
        for reply in closing {
            let _ = reply.send(outcome.clone());
        }
    }

    fn is_full(&self) -> bool {
        self.group.len() >= MAX_GROUP_TRANSACTIONS || self.overlay.size_bytes() >= MAX_GROUP_BYTES
    }

    fn run_job(&mut self, mut job: Job) {
        if let Some(failure) = &self.failure {
            job.answer(Err(failure.clone()));
            return;
        }
        let outcome = run_transaction(&mut *job.transaction, &mut self.overlay, &self.shared.spaces);
        self.group.push(Ran { job, outcome });
    }

    /// Writes the group and answers its transactions. Those that wrote nothing wait as well: they may have read what an earlier
    /// one of the group wrote, and their callers must not learn of it before it is durable.
    fn finish_group(&mut self) {
        if !self.overlay.is_empty()
            && let Err(failure) = self.write_group()
        {
            self.fail(failure);
            return;
        }
        let committed = self.group.iter().filter(|ran| matches!(ran.outcome, Ok(Verdict::Commit))).count();
        self.shared.counters.commits.fetch_add(committed as u64, Ordering::Relaxed);
        for Ran { job, outcome } in self.group.drain(..) {
            job.answer(outcome.map(drop));
        }
    }

    fn write_group(&mut self) -> Result<(), Error> {
        let (shared, mode) = (&self.shared, self.mode);
        let (overlay, pressure) = (&mut self.overlay, &mut self.pressure);
        let written = catch_unwind(AssertUnwindSafe(|| {
            let spaces = &shared.spaces;
            pressure.wait(spaces, overlay.size_bytes())?;
            let most = overlay.mark();
            shared.published.after(spaces, || spaces.write(overlay.drain(), most, mode))
        }));
        self.shared.counters.groups.fetch_add(1, Ordering::Relaxed);
        match written {
            Ok(outcome) => outcome.map_err(|error| writing(&error)),
            Err(panic) => Err(Error::Unavailable { reason: message_of(&*panic) }),
        }
    }

    /// Answers the whole group with the failure of its batch, and everything that comes later.
    fn fail(&mut self, failure: Error) {
        tracing::error!(%failure, transactions = self.group.len(), "commits fail from now on; reads go on");
        self.overlay.drain().for_each(drop);
        for Ran { job, .. } in self.group.drain(..) {
            job.answer(Err(failure.clone()));
        }
        self.failure = Some(failure);
    }

    fn persist_all(&self) -> Result<(), Error> {
        match &self.failure {
            Some(failure) => Err(failure.clone()),
            None => self.shared.spaces.persist(PersistMode::SyncAll).map_err(|error| writing(&error)),
        }
    }
}

impl Job {
    fn answer(self, outcome: Result<(), Error>) {
        // Nobody may be left to hear it, if the client has gone: then the transaction ends here.
        let _ = self.reply.send(outcome.map(|()| self.transaction));
    }
}
