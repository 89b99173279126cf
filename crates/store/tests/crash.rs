//! Killing the process in the middle of writing.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use orrery_store::{
    Durability, Error, FjallOptions, FjallStore, KeyRange, Space, Store, Transaction, Verdict, View, transact,
};

use crate::support::{CHILD_FOLDER, child, open, rows};

const ROUNDS: u64 = 6;
const TASKS: usize = 8;

/// Items each transaction writes, beside a feed record and the counter.
const ITEMS: u8 = 4;

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill_and_no_transaction_is_half_there() {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
    println!("seed {seed}");
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = BTreeSet::new();
    for round in 0..ROUNDS {
        // From almost no time up to where memtables have been flushed.
        let run_ms = (u64::from(seed) >> (round * 4)) % 400 * (round + 1) / 2;
        acknowledged.extend(write_until_killed(folder.path(), Duration::from_millis(run_ms)));
        check(folder.path(), &acknowledged).await;
    }
    assert!(!acknowledged.is_empty(), "at least one child came to write");
}

fn write_until_killed(folder: &Path, run: Duration) -> Vec<u64> {
    let mut writer = child("crash::child_writes_until_killed", folder, "").spawn().unwrap();
    let output = writer.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let numbers = BufReader::new(output).lines().map_while(Result::ok);
        numbers.filter_map(|line| line.strip_prefix("done ")?.strip_suffix('.')?.parse().ok()).collect()
    });
    std::thread::sleep(run);
    writer.kill().unwrap();
    writer.wait().unwrap();
    reader.join().unwrap()
}

async fn check(folder: &Path, acknowledged: &BTreeSet<u64>) {
    let store = open(folder);
    let snapshot = store.snapshot();
    let counter = snapshot.get(Space::Meta, b"counter").await.unwrap().map_or(0, number);
    let all = KeyRange::prefix(b"");
    let feed: Vec<u64> = rows(&*snapshot, Space::Feed, all.clone(), false)
        .await
        .into_iter()
        .map(|(key, _)| number(key.into()))
        .collect();
    let expected: Vec<u64> = (1..=counter).collect();
    assert_eq!(feed, expected, "each transaction up to the counter, and none beyond it");
    let items: Vec<Vec<u8>> =
        rows(&*snapshot, Space::Items, all, false).await.into_iter().map(|(key, _)| key).collect();
    let expected: Vec<Vec<u8>> =
        expected.iter().flat_map(|number| (0..ITEMS).map(move |item| item_key(*number, item))).collect();
    assert!(items == expected, "{} items of {counter} transactions", items.len());
    let newest = acknowledged.last().copied().unwrap_or(0);
    assert!(newest <= counter, "transaction {newest} was acknowledged, the newest there is {counter}");
}

/// Not a test of its own: the process that is killed.
#[test]
fn child_writes_until_killed() {
    let Some(folder) = std::env::var_os(CHILD_FOLDER) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let options = FjallOptions { durability: Durability::Buffered, ..FjallOptions::default() };
    let store = Arc::new(FjallStore::open(folder, options).unwrap());
    let tasks = (0..TASKS).map(|_| runtime.spawn(write_forever(store.clone()))).collect::<Vec<_>>();
    for task in tasks {
        runtime.block_on(task).unwrap();
    }
}

async fn write_forever(store: Arc<FjallStore>) {
    loop {
        let done = transact(&*store, Numbered(0)).await.unwrap();
        // The full stop tells a whole number from one cut short.
        println!("done {}.", done.0);
    }
}

/// Takes the next number and writes rows of it to several spaces.
struct Numbered(u64);

impl Transaction for Numbered {
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, Error> {
        self.0 = view.get(Space::Meta, b"counter")?.map_or(0, number) + 1;
        view.put(Space::Meta, b"counter".to_vec(), self.0.to_be_bytes().to_vec().into());
        for item in 0..ITEMS {
            view.put(Space::Items, item_key(self.0, item), Bytes::from_static(&[7; 2000]));
        }
        view.put(Space::Feed, self.0.to_be_bytes().to_vec(), Bytes::new());
        Ok(Verdict::Commit)
    }
}

fn item_key(number: u64, item: u8) -> Vec<u8> {
    [&number.to_be_bytes()[..], &[item]].concat()
}

fn number(bytes: Bytes) -> u64 {
    u64::from_be_bytes(bytes[..].try_into().expect("eight bytes"))
}
