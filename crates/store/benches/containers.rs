//! Many small containers and a large one in the same keyspaces, told apart by the first bytes of their keys.
//!
//! `cargo bench -p orrery-store --bench containers -- [folder]`. Prints what each step took, and the memory of the process after it
//! (on Linux).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use orrery_store::{
    Durability, Error, FjallOptions, FjallStore, KeyRange, Scan, Space, Store, Transaction, Verdict, View, Visit,
    Visitor, scan, transact,
};

const SMALL: u32 = 5_000;
const ITEMS_EACH: u32 = 20;
const LARGE: u32 = SMALL / 2;
const LARGE_ITEMS: u32 = 1_000_000;
const CLIENTS: u32 = 32;
const ITEM_BYTES: usize = 1024;
const READ_TIME: Duration = Duration::from_secs(2);

fn main() {
    let folder = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(folder).expect("a temporary folder");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build().expect("a runtime");
    let store = open("create the store", folder.path());
    let small = (0..SMALL * ITEMS_EACH).map(|number| (container_of(number), number / SMALL)).collect();
    runtime.block_on(write("5,000 containers of 20 items of 1 KB", &store, small));
    runtime.block_on(read("  small containers alone", &store));
    let store = reopen(store, folder.path());
    runtime.block_on(read("  after reopening", &store));

    let large = (0..LARGE_ITEMS).map(|item| (LARGE, item.wrapping_mul(0x9E37_79B1))).collect();
    runtime.block_on(write("1 M items of 1 KB in one more", &store, large));
    runtime.block_on(store.flush()).expect("it flushes");
    runtime.block_on(read("  small containers beside it", &store));
    let store = reopen(store, folder.path());
    runtime.block_on(read("  after reopening", &store));

    // One more small write, so that the newest table is not the large container's.
    runtime.block_on(write("a few more", &store, vec![(1, 1), (SMALL, 1)]));
    runtime.block_on(store.flush()).expect("it flushes");
    drop_large(&store);
    runtime.block_on(read("  after dropping it", &store));
    let started = Instant::now();
    runtime.block_on(store.close()).expect("it closes");
    drop(store);
    println!("{:<42} {:>8.1} ms", "close", started.elapsed().as_secs_f64() * 1e3);
}

/// Spreads consecutive writes over the small containers, leaving out the number of the large one.
fn container_of(number: u32) -> u32 {
    let container = number.wrapping_mul(7919) % SMALL;
    if container < LARGE { container } else { container + 1 }
}

fn open(what: &str, folder: &Path) -> Arc<FjallStore> {
    let started = Instant::now();
    let options = FjallOptions { durability: Durability::Durable, ..FjallOptions::default() };
    let store = FjallStore::open(folder, options).expect("the store opens");
    println!("{what:<42} {:>8.1} ms   {}", started.elapsed().as_secs_f64() * 1e3, memory());
    Arc::new(store)
}

fn reopen(store: Arc<FjallStore>, folder: &Path) -> Arc<FjallStore> {
    drop(store);
    open("reopen", folder)
}

fn drop_large(store: &FjallStore) {
    let before = store.stats().size_bytes;
    let dead = Arc::new(RwLock::new(BTreeSet::new()));
    let known = dead.clone();
    store.retain(Box::new(move |container| !known.read().expect("nothing panics").contains(&container)));
    dead.write().expect("nothing panics").insert(LARGE);
    let started = Instant::now();
    store.reclaim(LARGE);
    let asked = started.elapsed();
    store.wait_for_reclaim();
    let after = store.stats().size_bytes;
    println!(
        "{:<42} {:>8.1} ms, {:.3} ms of it the caller's; {} -> {} MiB on disk",
        "drop the large container",
        started.elapsed().as_secs_f64() * 1e3,
        asked.as_secs_f64() * 1e3,
        before >> 20,
        after >> 20
    );
}

struct Put {
    key: Vec<u8>,
    value: Bytes,
}

impl Transaction for Put {
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, Error> {
        if view.get(Space::Items, &self.key)?.is_some() {
            return Ok(Verdict::Abort);
        }
        view.put(Space::Items, std::mem::take(&mut self.key), self.value.clone());
        Ok(Verdict::Commit)
    }
}

fn key(container: u32, item: u32) -> Vec<u8> {
    let hash = item.wrapping_mul(0x85EB_CA6B);
    [&container.to_be_bytes()[..], &hash.to_be_bytes(), format!("pk|id{item:010}").as_bytes()].concat()
}

fn document(seed: u32) -> Bytes {
    let mut state = u64::from(seed) << 1 | 1;
    let bytes = (0..ITEM_BYTES).map(|at| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if at % 2 == 0 { b'"' } else { (state >> 40) as u8 }
    });
    bytes.collect::<Vec<u8>>().into()
}

async fn write(what: &str, store: &Arc<FjallStore>, items: Vec<(u32, u32)>) {
    let (items, next) = (Arc::new(items), Arc::new(AtomicU32::new(0)));
    let started = Instant::now();
    let tasks: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (store, items, next) = (store.clone(), items.clone(), next.clone());
            tokio::spawn(async move {
                while let Some((container, item)) = items.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                    let put = Put { key: key(*container, *item), value: document(*item) };
                    transact(&*store, put).await.expect("it commits");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("a client goes on");
    }
    let rate = items.len() as f64 / started.elapsed().as_secs_f64();
    println!(
        "{what:<42} {rate:>8.0} commits/s, durable, 32 clients   {}   {} MiB on disk",
        memory(),
        store.stats().size_bytes >> 20
    );
}

struct Count(u64);

impl Visitor for Count {
    fn visit(&mut self, _: &[u8], _: &Bytes) -> Visit {
        self.0 += 1;
        Visit::Continue
    }
}

async fn read(what: &str, store: &FjallStore) {
    let started = Instant::now();
    let mut gets = 0u32;
    while started.elapsed() < READ_TIME {
        gets += 1;
        let number = gets.wrapping_mul(48_271) % (SMALL * ITEMS_EACH);
        let found = store.get(Space::Items, &key(container_of(number), number / SMALL)).await.expect("the store reads");
        assert!(found.is_some(), "item {number} is there");
    }
    let gets = f64::from(gets) / started.elapsed().as_secs_f64();
    let started = Instant::now();
    let mut scans = 0u32;
    while started.elapsed() < READ_TIME {
        scans += 1;
        let container = container_of(scans.wrapping_mul(48_271) % SMALL);
        let range = KeyRange::prefix(&container.to_be_bytes());
        let rows = scan(&*store.snapshot(), Scan { space: Space::Items, range, reverse: false }, Count(0))
            .await
            .expect("the store reads");
        assert!(rows.0 >= u64::from(ITEMS_EACH), "container {container} is whole");
    }
    let scans = f64::from(scans) / started.elapsed().as_secs_f64();
    println!("{what:<42} {gets:>8.0} random gets/s, {scans:.0} scans of a small container/s   {}", memory());
}

/// The resident memory of this process, where the system tells.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    resident.map_or_else(|| "memory unknown".to_owned(), |kib| format!("{} MiB resident", kib / 1024))
}
