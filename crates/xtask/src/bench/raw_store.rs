//! The ceiling of writes: fjall with one committer that drains a queue into one batch and one fsync, and nothing around it.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use fjall::{Database, KeyspaceCreateOptions, PersistMode};

/// What a write of an item costs in bytes beside its value: its key, its feed record, and the container's counters.
const ITEM_KEY: usize = 4 + 16 + 10 + 13;
const FEED_VALUE: usize = 4 + 16 + 10 + 13;

struct Write {
    number: u64,
    done: SyncSender<()>,
}

/// Durable writes per second of `writers` threads that each wait for their own. One writes items whose values have these many bytes.
///
/// # Errors
/// If the store cannot be opened or written.
pub fn writes_per_second(writers: usize, seconds: u64, values: &'static [usize]) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let database = Database::builder(folder.path()).open()?;
    let spaces = ["items", "feed", "meta"].map(|name| database.keyspace(name, KeyspaceCreateOptions::default));
    let [items, feed, meta] = spaces;
    let (items, feed, meta) = (items?, feed?, meta?);
    let (queue, waiting) = sync_channel::<Write>(1024);
    let committer = std::thread::spawn(move || -> anyhow::Result<()> {
        while let Ok(first) = waiting.recv() {
            let group: Vec<Write> = std::iter::once(first).chain(waiting.try_iter()).collect();
            let mut batch = database.batch().durability(Some(PersistMode::SyncData));
            for write in &group {
                for (number, value) in (write.number * values.len() as u64..).zip(values) {
                    batch.insert(&items, key(number), vec![b'x'; *value]);
                    batch.insert(&feed, [&[0; 4], number.to_be_bytes().as_slice()].concat(), vec![b'x'; FEED_VALUE]);
                }
            }
            batch.insert(&meta, b"n0001", vec![b'x'; 32]);
            batch.commit()?;
            for write in group {
                write.done.send(()).ok();
            }
        }
        Ok(())
    });
    let until = Instant::now() + Duration::from_secs(seconds);
    let threads: Vec<_> = (0..writers as u64)
        .map(|writer| {
            let queue = queue.clone();
            std::thread::spawn(move || {
                let (done, acknowledged) = sync_channel(1);
                let mut count = 0_u64;
                while Instant::now() < until {
                    let write = Write { number: count * 1_000 + writer, done: done.clone() };
                    if queue.send(write).is_err() || acknowledged.recv().is_err() {
                        break;
                    }
                    count += 1;
                }
                count
            })
        })
        .collect();
    drop(queue);
    let total: u64 = threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum();
    committer.join().map_err(|_| anyhow::anyhow!("the committer panicked"))??;
    Ok(total as f64 / seconds as f64)
}

/// Keys as scattered as hashed ones.
fn key(number: u64) -> Vec<u8> {
    let mut key = vec![0; ITEM_KEY];
    key[4..12].copy_from_slice(&number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    key
}
