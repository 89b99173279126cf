//! Commits, gets and scans of the store against fjall used directly.
//!
//! `cargo bench -p orrery-store --bench commit -- [seconds per figure] [folder]`. The folder (by default the system's temporary
//! one) decides which disk is measured. Each pair of figures is taken in turns, three times; the medians are compared. Beside each is
//! the processor time per commit or row in microseconds, clients included (on Linux): it tells more than the rate on a busy machine.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bytes::Bytes;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Readable};
use orrery_store::{
    Durability, Error, FjallOptions, FjallStore, KeyRange, Scan, Space, Store, Transaction, Verdict, View, Visit,
    Visitor, scan, transact,
};

const CLIENTS: u64 = 32;
const ROUNDS: usize = 3;
const CACHE_BYTES: u64 = 128 << 20;
const READ_ITEMS: u64 = 50_000;

fn main() {
    let numbers: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let seconds = numbers.first().and_then(|text| text.parse().ok()).unwrap_or(3.0);
    let folder = numbers.get(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let bench = Bench { time: Duration::from_secs_f64(seconds), folder };
    bench.compare(
        "commits/s, 32 clients, durable",
        |path, time| raw_commits(path, time, PersistMode::SyncData),
        |path, time| store_commits(path, time, Durability::Durable, CLIENTS),
    );
    bench.compare(
        "commits/s, 32 clients, buffered",
        |path, time| raw_commits(path, time, PersistMode::Buffer),
        |path, time| store_commits(path, time, Durability::Buffered, CLIENTS),
    );
    for clients in [1, 128] {
        bench.report(&format!("commits/s, {clients} clients, durable"), |path, time| {
            store_commits(path, time, Durability::Durable, clients)
        });
    }
    bench.compare("gets/s of cached items, one task", raw_gets, store_gets);
    bench.compare(
        "rows/s of scans of 20 rows",
        |path, time| raw_scans(path, time, 20),
        |path, time| store_scans(path, time, 20),
    );
    bench.compare(
        "rows/s of scans of 5,000 rows",
        |path, time| raw_scans(path, time, 5_000),
        |path, time| store_scans(path, time, 5_000),
    );
}

struct Bench {
    time: Duration,
    folder: PathBuf,
}

impl Bench {
    fn compare(&self, what: &str, raw: impl Fn(&Path, Duration) -> Figure, store: impl Fn(&Path, Duration) -> Figure) {
        let (raw, store): (Vec<Figure>, Vec<Figure>) =
            (0..ROUNDS).map(|_| (self.once(&raw), self.once(&store))).unzip();
        let (raw, store) = (median(raw), median(store));
        println!("{what:<36} raw {raw}   store {store}   ratio {:.2}", store.rate / raw.rate);
    }

    fn report(&self, what: &str, store: impl Fn(&Path, Duration) -> Figure) {
        let store = median((0..ROUNDS).map(|_| self.once(&store)).collect());
        println!("{what:<36} {:>24}   store {store}", "");
    }

    fn once(&self, measure: &impl Fn(&Path, Duration) -> Figure) -> Figure {
        let folder = tempfile::tempdir_in(&self.folder).expect("a temporary folder");
        measure(folder.path(), self.time)
    }
}

/// Commits or rows per second, and what one costs.
#[derive(Clone, Copy)]
struct Figure {
    rate: f64,
    cpu_us: f64,
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>9.0}/s {:>6.2} us", self.rate, self.cpu_us)
    }
}

struct Clock {
    started: Instant,
    cpu: Duration,
}

impl Clock {
    fn start() -> Self {
        Clock { started: Instant::now(), cpu: cpu_time() }
    }

    fn figure(&self, count: u64) -> Figure {
        let cpu = cpu_time() - self.cpu;
        Figure {
            rate: count as f64 / self.started.elapsed().as_secs_f64(),
            cpu_us: cpu.as_secs_f64() * 1e6 / count as f64,
        }
    }
}

/// Processor time of this process so far, in the kernel's ticks of 10 ms; zero where it is not told.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    Duration::from_millis(fields.filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() * 10)
}

fn median(mut figures: Vec<Figure>) -> Figure {
    figures.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    figures[figures.len() / 2]
}

/// The rows of one transaction, the same for both sides: an item of 1 KB, a feed record and a counter.
struct Rows {
    item: Vec<u8>,
    feed: Vec<u8>,
    counter: Vec<u8>,
}

/// Keys of items as the engine makes them: container, hash, partition key, id.
fn rows(number: u64) -> Rows {
    let hash = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
    let item = [&[0, 0, 0, 1][..], &hash, &hash, format!("pk{:03}|id{number:08}", number % 1000).as_bytes()].concat();
    Rows { item, feed: [&[0, 0, 0, 1][..], &number.to_be_bytes()].concat(), counter: vec![0, 0, 0, 1] }
}

fn document(number: u64) -> Bytes {
    // Half of it compresses, as JSON does.
    let mut state = number | 1;
    let bytes = (0..1024).map(|at| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if at % 2 == 0 { b'"' } else { state as u8 }
    });
    bytes.collect::<Vec<u8>>().into()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_time().build().expect("a runtime")
}

/// Tells how well commits were grouped, if the environment asks for it.
fn details(side: &str, commits: u64, groups: u64) {
    if std::env::var_os("BENCH_DETAILS").is_some() {
        eprintln!("  {side}: {:.1} commits a group", commits as f64 / groups as f64);
    }
}

// --- commits ---

struct Put {
    number: u64,
    rows: Option<Rows>,
    document: Bytes,
}

impl Transaction for Put {
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, Error> {
        let rows = self.rows.take().expect("a store in good order runs it once");
        if view.get(Space::Items, &rows.item)?.is_some() {
            return Ok(Verdict::Abort);
        }
        view.put(Space::Feed, rows.feed, Bytes::copy_from_slice(&[7; 40]));
        view.put(Space::Meta, rows.counter, Bytes::copy_from_slice(&[self.number as u8; 24]));
        view.put(Space::Items, rows.item, self.document.clone());
        Ok(Verdict::Commit)
    }
}

fn store_commits(path: &Path, time: Duration, durability: Durability, clients: u64) -> Figure {
    let options = FjallOptions { durability, cache_size_bytes: CACHE_BYTES, ..FjallOptions::default() };
    let store = Arc::new(FjallStore::open(path, options).expect("the store opens"));
    let until = Instant::now() + time;
    let clock = Clock::start();
    runtime().block_on(async {
        let tasks: Vec<_> =
            (0..clients).map(|client| tokio::spawn(commit_until(store.clone(), client, until))).collect();
        for task in tasks {
            task.await.expect("a client goes on");
        }
    });
    let stats = store.stats();
    details("store", stats.commits, stats.commit_groups);
    clock.figure(stats.commits)
}

async fn commit_until(store: Arc<FjallStore>, client: u64, until: Instant) {
    let mut number = client << 32;
    while Instant::now() < until {
        number += 1;
        let put = Put { number, rows: Some(rows(number)), document: document(number) };
        transact(&*store, put).await.expect("it commits");
    }
}

/// What the clients of raw fjall send to its one committing thread.
struct RawPut {
    number: u64,
    document: Bytes,
    done: mpsc::SyncSender<()>,
}

fn raw_commits(path: &Path, time: Duration, mode: PersistMode) -> Figure {
    let raw = Raw::open(path);
    let (queue, received) = mpsc::channel::<RawPut>();
    let until = Instant::now() + time;
    let commits = Arc::new(AtomicU64::new(0));
    let clock = Clock::start();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (queue, commits) = (queue.clone(), commits.clone());
            scope.spawn(move || {
                let (done, finished) = mpsc::sync_channel(1);
                let mut number = client << 32;
                while Instant::now() < until {
                    number += 1;
                    queue
                        .send(RawPut { number, document: document(number), done: done.clone() })
                        .expect("the committer listens");
                    finished.recv().expect("the committer answers");
                    commits.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        drop(queue);
        let mut groups = 0u64;
        while let Ok(first) = received.recv() {
            groups += 1;
            let group: Vec<RawPut> = std::iter::once(first).chain(received.try_iter()).collect();
            raw.write(&group, mode);
            for put in group {
                put.done.send(()).expect("the client waits");
            }
        }
        details("raw", commits.load(Ordering::Relaxed), groups);
    });
    clock.figure(commits.load(Ordering::Relaxed))
}

struct Raw {
    database: Database,
    items: Keyspace,
    feed: Keyspace,
    meta: Keyspace,
}

impl Raw {
    fn open(path: &Path) -> Self {
        let database = Database::builder(path).cache_size(CACHE_BYTES).worker_threads(2).open().expect("fjall opens");
        let open = |name| database.keyspace(name, KeyspaceCreateOptions::default).expect("a keyspace opens");
        Raw { items: open("items"), feed: open("feed"), meta: open("meta"), database }
    }

    fn write(&self, group: &[RawPut], mode: PersistMode) {
        let mut batch = OwnedWriteBatch::with_capacity(self.database.clone(), group.len() * 3).durability(Some(mode));
        for put in group {
            let rows = rows(put.number);
            batch.insert(&self.items, rows.item, put.document.clone());
            batch.insert(&self.feed, rows.feed, [7; 40]);
            batch.insert(&self.meta, rows.counter, [put.number as u8; 24]);
        }
        batch.commit().expect("fjall commits");
    }
}

// --- reads ---

fn random_numbers() -> impl Iterator<Item = u64> {
    let mut state = 88_172_645_463_325_252u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % READ_ITEMS
    })
}

/// Repeats `work`, which says how many rows it read, and returns rows per second.
fn rate(time: Duration, mut work: impl FnMut(u64) -> u64) -> Figure {
    let clock = Clock::start();
    let mut rows = 0;
    for number in random_numbers() {
        rows += work(number);
        if clock.started.elapsed() >= time {
            break;
        }
    }
    clock.figure(rows)
}

fn read_key(number: u64) -> Vec<u8> {
    [&[0, 0, 0, 1][..], &number.to_be_bytes()].concat()
}

fn range_of(number: u64, count: u64) -> (Vec<u8>, Vec<u8>) {
    let start = number.min(READ_ITEMS - count);
    (read_key(start), read_key(start + count))
}

fn raw_filled(path: &Path) -> Raw {
    let raw = Raw::open(path);
    for number in 0..READ_ITEMS {
        raw.items.insert(read_key(number), document(number)).expect("fjall inserts");
    }
    raw.items.rotate_memtable_and_wait().expect("fjall flushes");
    raw
}

fn raw_gets(path: &Path, time: Duration) -> Figure {
    let raw = raw_filled(path);
    rate(time, |number| u64::from(black_box(raw.items.get(read_key(number))).expect("fjall reads").is_some()))
}

fn raw_scans(path: &Path, time: Duration, count: u64) -> Figure {
    let raw = raw_filled(path);
    rate(time, |number| {
        let (start, end) = range_of(number, count);
        let rows = raw.database.snapshot().range(&raw.items, start..end).map(|row| {
            black_box(row.into_inner().expect("fjall reads"));
        });
        rows.count() as u64
    })
}

struct Fill(u64);

impl Transaction for Fill {
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, Error> {
        for number in self.0..self.0 + 1000 {
            view.put(Space::Items, read_key(number), document(number));
        }
        Ok(Verdict::Commit)
    }
}

/// A store with its items in tables rather than in memory, like the one it is compared with.
async fn store_filled(path: &Path) -> FjallStore {
    let options =
        FjallOptions { durability: Durability::Buffered, cache_size_bytes: CACHE_BYTES, ..FjallOptions::default() };
    let store = FjallStore::open(path, options).expect("the store opens");
    for first in (0..READ_ITEMS).step_by(1000) {
        transact(&store, Fill(first)).await.expect("it commits");
    }
    store.flush().await.expect("it flushes");
    store
}

fn store_gets(path: &Path, time: Duration) -> Figure {
    let runtime = runtime();
    let store = runtime.block_on(store_filled(path));
    rate(time, |number| {
        let found = runtime.block_on(store.get(Space::Items, &read_key(number)));
        u64::from(black_box(found).expect("the store reads").is_some())
    })
}

struct Count(u64);

impl Visitor for Count {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        black_box((key, value));
        self.0 += 1;
        Visit::Continue
    }
}

fn store_scans(path: &Path, time: Duration, count: u64) -> Figure {
    let runtime = runtime();
    let store = runtime.block_on(store_filled(path));
    rate(time, |number| {
        let (start, end) = range_of(number, count);
        let what = Scan { space: Space::Items, range: KeyRange { start, end: Some(end) }, reverse: false };
        runtime.block_on(scan(&*store.snapshot(), what, Count(0))).expect("the store reads").0
    })
}
