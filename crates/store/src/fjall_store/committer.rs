//! Group commit: one thread runs all transactions, and writes those that queue up while it syncs as one batch.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use fjall::PersistMode;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::Shared;
use super::answers::Answers;
use super::errors::writing;
use super::gathering::Gathering;
use super::journal_room::JournalRoom;
use super::options::Durability;
use super::pressure::Pressure;
use super::queue::{Closed, Queue};
use crate::guarded::{message_of, run_transaction};
use crate::overlay::Overlay;
use crate::{Error, Space, Transaction, Verdict};

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

/// The handle of the committing thread.
pub(super) struct Committer {
    queue: Arc<Queue<Message>>,
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
    /// Where the caller waits.
    caller: Option<Handle>,
}

impl Committer {
    pub(super) fn start(shared: Arc<Shared>, durability: Durability) -> io::Result<Self> {
        let queue = Arc::new(Queue::new(MAX_QUEUED_TRANSACTIONS));
        let worker = Worker::new(shared, queue.clone(), durability);
        let thread = std::thread::Builder::new().name("store-commit".into()).spawn(move || worker.run())?;
        Ok(Committer { queue, thread: Mutex::new(Some(thread)) })
    }

    pub(super) async fn commit(&self, transaction: Box<dyn Transaction>) -> Result<Box<dyn Transaction>, Error> {
        let (reply, answer) = oneshot::channel();
        let caller = Handle::try_current().ok();
        self.queue.push(Message::Run(Job { transaction, reply, caller })).await.map_err(|Closed| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Returns when all that was queued is durable; at once if the store is closed already.
    pub(super) async fn close(&self) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        if self.queue.push(Message::Close(reply)).await.is_err() {
            return Ok(());
        }
        answer.await.unwrap_or(Ok(()))
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.queue.close();
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
    queue: Arc<Queue<Message>>,
    mode: PersistMode,
    overlay: Overlay,
    group: Vec<Ran>,
    gathering: Gathering,
    pressure: Pressure,
    /// `None`: nothing is synced.
    room: Option<JournalRoom>,
    /// Who waits for the end.
    closing: Vec<oneshot::Sender<Result<(), Error>>>,
    /// Why nothing can be written any more.
    failure: Option<Error>,
}

/// A transaction of the group that waits for the group to be durable.
struct Ran {
    job: Job,
    outcome: Result<Verdict, Error>,
}

impl Worker {
    fn new(shared: Arc<Shared>, queue: Arc<Queue<Message>>, durability: Durability) -> Self {
        let mode = match durability {
            Durability::Durable => PersistMode::SyncData,
            Durability::Buffered => PersistMode::Buffer,
        };
        let room = (durability == Durability::Durable).then(|| JournalRoom::new(&shared.database_path));
        Worker {
            room,
            shared,
            queue,
            mode,
            overlay: Overlay::new(),
            group: Vec::new(),
            gathering: Gathering::default(),
            pressure: Pressure::default(),
            closing: Vec::new(),
            failure: None,
        }
    }

    fn run(mut self) {
        let mut messages = Vec::new();
        while !messages.is_empty() || self.queue.take(&mut messages) {
            let rest = self.gather(messages);
            self.finish_group();
            messages = rest;
        }
        let outcome = self.persist_all();
        for reply in self.closing {
            let _ = reply.send(outcome.clone());
        }
    }

    /// Runs what is queued, and what comes while it is worth waiting for. Returns what came after the group was full.
    fn gather(&mut self, mut messages: Vec<Message>) -> Vec<Message> {
        let started = Instant::now();
        loop {
            let mut arrived = messages.drain(..);
            while let Some(message) = arrived.next() {
                self.accept(message);
                if self.is_full() {
                    return arrived.collect();
                }
            }
            drop(arrived);
            // Nothing is gained by waiting for more of those that write nothing.
            let missing = self.gathering.missing(self.group.len()).filter(|_| !self.overlay.is_empty());
            let (missing, patience) = missing.unwrap_or_default();
            if !self.queue.take_until(&mut messages, missing, started + patience) {
                return messages;
            }
        }
    }

    fn accept(&mut self, message: Message) {
        match message {
            Message::Run(job) => self.run_job(job),
            Message::Close(reply) => {
                self.queue.close();
                self.closing.push(reply);
            }
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
        if !self.overlay.is_empty() {
            let started = Instant::now();
            if let Err(failure) = self.write_group() {
                self.fail(failure);
                return;
            }
            self.gathering.note(self.group.len(), self.queue.len(), started.elapsed());
        }
        let committed = self.group.iter().filter(|ran| matches!(ran.outcome, Ok(Verdict::Commit))).count();
        self.shared.counters.commits.fetch_add(committed as u64, Ordering::Relaxed);
        let mut answers = Answers::default();
        for Ran { job, outcome } in self.group.drain(..) {
            let caller = job.caller.clone();
            answers.add(caller, move || job.answer(outcome.map(drop)));
        }
        answers.give();
    }

    fn write_group(&mut self) -> Result<(), Error> {
        let (shared, mode) = (&self.shared, self.mode);
        let (overlay, pressure) = (&mut self.overlay, &mut self.pressure);
        let room = &mut self.room;
        let written = catch_unwind(AssertUnwindSafe(|| {
            let (spaces, rows) = (&shared.spaces, &shared.rows);
            pressure.wait(spaces, overlay.size_bytes())?;
            let most = overlay.mark();
            if let Some(room) = room {
                room.prepare(most, overlay.size_bytes());
            }
            let items = overlay.writes().filter(|write| write.space == Space::Items);
            let buckets: Vec<usize> = items.map(|write| rows.begin_write(&write.key)).collect();
            shared.published.after(spaces, || spaces.write(overlay.drain(), most, mode))?;
            // After a failed write these stay closed: the store writes nothing any more.
            buckets.into_iter().for_each(|bucket| rows.end_write(bucket));
            Ok(())
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
