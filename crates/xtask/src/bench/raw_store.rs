//! The ceiling of writes: fjall with one committer that drains a queue into one batch and one fsync, and nothing around it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use anyhow::Context;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// What a write of an item costs in bytes beside its value: its key, its feed record, and the container's counters.
const ITEM_KEY: usize = 4 + 16 + 10 + 13;
const FEED_VALUE: usize = 4 + 16 + 10 + 13;
/// Writes that may wait for the committer.
const MAX_QUEUED: usize = 1024;

struct Write {
    number: u64,
    done: oneshot::Sender<()>,
    /// The runtime of one thread that waits for it, if one does.
    caller: Option<Handle>,
}

/// A store in a folder of its own, which goes with it, and its committer.
pub struct RawStore {
    queue: SyncSender<Write>,
    _folder: tempfile::TempDir,
}

impl RawStore {
    /// A write's items have so many bytes as `values` say.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub fn open(values: &'static [usize]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let database = Database::builder(folder.path()).open()?;
        let spaces = ["items", "feed", "meta"].map(|name| database.keyspace(name, KeyspaceCreateOptions::default));
        let [items, feed, meta] = spaces;
        let spaces = [items?, feed?, meta?];
        let (queue, waiting) = sync_channel(MAX_QUEUED);
        std::thread::spawn(move || {
            commit_all(&database, &spaces, &waiting, values).expect("the bare store takes writes")
        });
        Ok(RawStore { queue, _folder: folder })
    }

    /// Queues a write with a number that no other has. The receiver hears when it is durable.
    ///
    /// # Errors
    /// If the committer has ended.
    pub fn write(&self, number: u64) -> anyhow::Result<oneshot::Receiver<()>> {
        let (done, acknowledged) = oneshot::channel();
        let write = Write { number, done, caller: Handle::try_current().ok() };
        self.queue.send(write).ok().context("the committer has ended")?;
        Ok(acknowledged)
    }
}

fn commit_all(
    database: &Database,
    [items, feed, meta]: &[Keyspace; 3],
    waiting: &Receiver<Write>,
    values: &[usize],
) -> Result<(), fjall::Error> {
    while let Ok(first) = waiting.recv() {
        let group: Vec<Write> = std::iter::once(first).chain(waiting.try_iter()).collect();
        let mut batch = database.batch().durability(Some(PersistMode::SyncData));
        for write in &group {
            for (number, value) in (write.number * values.len() as u64..).zip(values) {
                batch.insert(items, key(number), vec![b'x'; *value]);
                batch.insert(feed, [&[0; 4], number.to_be_bytes().as_slice()].concat(), vec![b'x'; FEED_VALUE]);
            }
        }
        batch.insert(meta, b"n0001", vec![b'x'; 32]);
        batch.commit()?;
        answer(group);
    }
    Ok(())
}

/// Wakes each thread that waits once, however many of its tasks do.
fn answer(group: Vec<Write>) {
    let mut by_caller: Vec<(Handle, Vec<oneshot::Sender<()>>)> = Vec::new();
    for Write { done, caller, .. } in group {
        match caller {
            // Nobody may wait any more when the time is over.
            None => done.send(()).unwrap_or_default(),
            Some(caller) => match by_caller.iter_mut().find(|(other, _)| other.id() == caller.id()) {
                Some((_, waiting)) => waiting.push(done),
                None => by_caller.push((caller, vec![done])),
            },
        }
    }
    for (caller, waiting) in by_caller {
        caller.spawn(async move { waiting.into_iter().for_each(|done| done.send(()).unwrap_or_default()) });
    }
}

/// Durable writes per second of `writers` threads that each wait for their own. One writes items whose values have these many bytes.
///
/// # Errors
/// If the store cannot be opened.
pub fn writes_per_second(writers: usize, seconds: u64, values: &'static [usize]) -> anyhow::Result<f64> {
    let store = Arc::new(RawStore::open(values)?);
    let until = Instant::now() + Duration::from_secs(seconds);
    let threads: Vec<_> = (0..writers as u64)
        .map(|writer| {
            let store = store.clone();
            std::thread::spawn(move || -> anyhow::Result<u64> {
                let mut count = 0_u64;
                while Instant::now() < until {
                    store.write(count * 1_000 + writer)?.blocking_recv()?;
                    count += 1;
                }
                Ok(count)
            })
        })
        .collect();
    let mut total = 0;
    for thread in threads {
        total += thread.join().map_err(|_| anyhow::anyhow!("a writer panicked"))??;
    }
    Ok(total as f64 / seconds as f64)
}

/// Keys as scattered as hashed ones.
fn key(number: u64) -> Vec<u8> {
    let mut key = vec![0; ITEM_KEY];
    key[4..12].copy_from_slice(&number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    key
}
