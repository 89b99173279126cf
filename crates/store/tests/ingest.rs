//! Runs of the index space: whole or absent, in every snapshot and after every crash.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use orrery_store::{Durability, Error, FjallOptions, FjallStore, KeyRange, MAX_KEY_LEN, Space, Store, Verdict};

use crate::support::{CHILD_FOLDER, act, all_rows, both, child, noise, open, put, rows};

/// Keys of every run below; its value is the number of the run.
const KEYS: u32 = 500;

fn run(number: u64) -> orrery_store::Run {
    Box::new((0..KEYS).map(move |key| (key_of(key), number.to_be_bytes().to_vec().into())))
}

fn key_of(key: u32) -> Bytes {
    [&[0, 0, 0, 1], &key.to_be_bytes()[..]].concat().into()
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().expect("eight bytes"))
}

#[tokio::test]
async fn a_run_shows_in_later_snapshots_only_and_replaces_earlier_rows() {
    let (stores, _folder) = both();
    for store in stores {
        let before = store.snapshot();
        store.ingest(run(1)).await.unwrap();
        let first = store.snapshot();
        store.ingest(Box::new([(key_of(7), Bytes::from_static(b"new"))].into_iter())).await.unwrap();
        assert_eq!(before.get(Space::Index, &key_of(7)).await.unwrap(), None);
        assert_eq!(first.get(Space::Index, &key_of(7)).await.unwrap().as_deref(), Some(&1u64.to_be_bytes()[..]));
        assert_eq!(store.get(Space::Index, &key_of(7)).await.unwrap().as_deref(), Some(&b"new"[..]));
        assert_eq!(all_rows(&*store, Space::Index).await.len(), KEYS as usize);
        assert!(all_rows(&*store, Space::Items).await.is_empty());
    }
}

#[tokio::test]
async fn an_empty_run_is_nothing() {
    let (stores, _folder) = both();
    for store in stores {
        store.ingest(Box::new(std::iter::empty())).await.unwrap();
        assert!(all_rows(&*store, Space::Index).await.is_empty());
    }
}

#[tokio::test]
async fn a_run_that_cannot_be_taken_leaves_nothing_and_harms_no_other() {
    let (stores, _folder) = both();
    for store in stores {
        let twice = vec![(key_of(2), Bytes::new()), (key_of(2), Bytes::new())];
        assert!(matches!(store.ingest(Box::new(twice.into_iter())).await, Err(Error::Misused { .. })));
        let falling = vec![(key_of(2), Bytes::new()), (key_of(1), Bytes::new())];
        assert!(matches!(store.ingest(Box::new(falling.into_iter())).await, Err(Error::Misused { .. })));
        let long = vec![(key_of(1), Bytes::new()), (vec![1; MAX_KEY_LEN + 1].into(), Bytes::new())];
        assert!(matches!(store.ingest(Box::new(long.into_iter())).await, Err(Error::Size { what: "key", .. })));
        let panicking = (0..10).map(|key| if key < 5 { (key_of(key), Bytes::new()) } else { panic!("on purpose") });
        assert!(matches!(store.ingest(Box::new(panicking)).await, Err(Error::Panicked { .. })));
        assert!(all_rows(&*store, Space::Index).await.is_empty());
        store.ingest(run(1)).await.unwrap();
        put(&*store, Space::Items, "k", "v").await;
        assert_eq!(all_rows(&*store, Space::Index).await.len(), KEYS as usize);
    }
}

#[tokio::test]
async fn transactions_do_not_write_to_indexes() {
    let (stores, _folder) = both();
    for store in stores {
        let outcome = act(&*store, |view| {
            view.put(Space::Items, b"k".to_vec(), Bytes::new());
            view.put(Space::Index, b"k".to_vec(), Bytes::new());
            Ok(Verdict::Commit)
        })
        .await;
        assert!(matches!(outcome, Err(Error::Misused { .. })));
        assert!(all_rows(&*store, Space::Items).await.is_empty());
    }
}

#[tokio::test]
async fn a_closed_store_takes_no_runs() {
    let (stores, _folder) = both();
    for store in stores {
        store.ingest(run(1)).await.unwrap();
        store.close().await.unwrap();
        assert!(matches!(store.ingest(run(2)).await, Err(Error::Closed)));
        assert_eq!(store.get(Space::Index, &key_of(0)).await.unwrap().as_deref(), Some(&1u64.to_be_bytes()[..]));
    }
}

/// A transaction raises a number, then a run with that number follows: no snapshot may see half of the run, nor a run that is
/// ahead of the transaction, nor go back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snapshots_never_see_half_a_run_while_transactions_commit() {
    const RUNS: u64 = 60;
    let (stores, _folder) = both();
    for store in stores {
        let done = Arc::new(AtomicBool::new(false));
        let (watched, stop) = (store.clone(), done.clone());
        let watcher = tokio::spawn(async move {
            let mut newest = 0;
            while !stop.load(Ordering::SeqCst) {
                newest = check_one_moment(&*watched, newest).await;
            }
        });
        let (busy, stop) = (store.clone(), done.clone());
        let writer = tokio::spawn(async move {
            let mut rounds = 0u64;
            while !stop.load(Ordering::SeqCst) {
                rounds += 1;
                put(&*busy, Space::Items, rounds.to_be_bytes(), noise(rounds, 2000)).await;
            }
        });
        for round in 1..=RUNS {
            put(&*store, Space::Meta, "number", round.to_be_bytes()).await;
            store.ingest(run(round)).await.unwrap();
            let seen = store.snapshot().get(Space::Index, &key_of(3)).await.unwrap();
            assert_eq!(number(&seen.expect("it was ingested")), round, "a run shows when it was taken");
        }
        done.store(true, Ordering::SeqCst);
        watcher.await.expect("every snapshot is whole");
        writer.await.unwrap();
    }
}

async fn check_one_moment(store: &dyn Store, newest: u64) -> u64 {
    let snapshot = store.snapshot();
    let seen = rows(&*snapshot, Space::Index, KeyRange::prefix(b""), false).await;
    let Some((_, first)) = seen.first() else { return newest };
    assert_eq!(seen.len(), KEYS as usize);
    assert!(seen.iter().all(|(_, value)| value == first), "one snapshot, two runs");
    let committed = snapshot.get(Space::Meta, b"number").await.unwrap().expect("it was committed first");
    assert!(number(&committed) >= number(first), "the run is ahead of the transactions");
    assert!(number(first) >= newest, "from run {newest} back to {}", number(first));
    number(first)
}

const ROUNDS: u64 = 5;
/// Rounds until one child has come to ingest.
const MAX_ROUNDS: u64 = 40;
/// Keys of the runs that are cut short: some megabytes each.
const LARGE_KEYS: u32 = 3000;

#[tokio::test]
async fn a_kill_leaves_a_run_whole_or_absent_and_never_ahead_of_its_transactions() {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
    println!("seed {seed}");
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    // On a busy machine a child may be killed before it came to anything; later ones live longer.
    for round in 0..MAX_ROUNDS {
        if round >= ROUNDS && acknowledged > 0 {
            break;
        }
        let run_ms = (u64::from(seed) >> (round % ROUNDS * 4)) % 300 + 50 * (round + 1);
        acknowledged = acknowledged.max(ingest_until_killed(folder.path(), Duration::from_millis(run_ms)));
        check(folder.path(), acknowledged).await;
    }
    assert!(acknowledged > 0, "at least one child came to ingest");
}

fn ingest_until_killed(folder: &Path, run: Duration) -> u64 {
    let mut writer = child("ingest::child_ingests_until_killed", folder, "").spawn().unwrap();
    let output = writer.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        lines.filter_map(|line| line.strip_prefix("done ")?.strip_suffix('.')?.parse().ok()).max()
    });
    std::thread::sleep(run);
    writer.kill().unwrap();
    writer.wait().unwrap();
    reader.join().unwrap().unwrap_or(0)
}

async fn check(folder: &Path, acknowledged: u64) {
    let store = open(folder);
    let snapshot = store.snapshot();
    let committed = snapshot.get(Space::Meta, b"number").await.unwrap().map_or(0, |bytes| number(&bytes));
    let found = rows(&*snapshot, Space::Index, KeyRange::prefix(b""), false).await;
    let newest = found.first().map_or(0, |(_, value)| number(&value[..8]));
    assert!(found.len() == LARGE_KEYS as usize || newest == 0, "{} rows of a run", found.len());
    assert!(found.iter().all(|(_, value)| number(&value[..8]) == newest), "half a run");
    assert!((acknowledged..=committed).contains(&newest), "run {newest} of {committed}, {acknowledged} acknowledged");
}

/// Not a test of its own: the process that is killed.
#[test]
fn child_ingests_until_killed() {
    let Some(folder) = std::env::var_os(CHILD_FOLDER) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let options = FjallOptions { durability: Durability::Buffered, ..FjallOptions::default() };
    let store = FjallStore::open(folder, options).unwrap();
    runtime.block_on(async {
        let last = store.get(Space::Meta, b"number").await.unwrap().map_or(0, |bytes| number(&bytes));
        for next in last + 1.. {
            put(&store, Space::Meta, "number", next.to_be_bytes()).await;
            let rows = (0..LARGE_KEYS).map(move |key| {
                let value = [&next.to_be_bytes()[..], &noise(u64::from(key), 1000)].concat();
                (key_of(key), Bytes::from(value))
            });
            store.ingest(Box::new(rows)).await.unwrap();
            // The full stop tells a whole number from one cut short.
            println!("done {next}.");
        }
    });
}
