//! Transactions and snapshots beside each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use orrery_store::{Durability, Error, FjallOptions, FjallStore, KeyRange, Space, Store, Verdict, View};

use crate::support::{act, both, rows};

fn number(value: Option<Bytes>) -> u64 {
    value.map_or(0, |bytes| u64::from_be_bytes(bytes[..].try_into().expect("eight bytes")))
}

fn increment(view: &mut dyn View, space: Space, key: &[u8]) -> Result<u64, Error> {
    let next = number(view.get(space, key)?) + 1;
    view.put(space, key.to_vec(), next.to_be_bytes().to_vec().into());
    Ok(next)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn increments_from_many_tasks_add_up() {
    const TASKS: u64 = 32;
    const ROUNDS: u64 = 50;
    let (stores, _folder) = both();
    for store in stores {
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let store = store.clone();
                tokio::spawn(async move {
                    for round in 0..ROUNDS {
                        act(&*store, move |view| {
                            increment(view, Space::Meta, b"counter")?;
                            // Some of them change their mind, which must not be seen by the others.
                            Ok(if (task + round) % 5 == 0 { Verdict::Abort } else { Verdict::Commit })
                        })
                        .await
                        .expect("it commits");
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let aborted =
            (0..TASKS).flat_map(|task| (0..ROUNDS).map(move |round| task + round)).filter(|sum| sum % 5 == 0).count();
        let counter = number(store.get(Space::Meta, b"counter").await.unwrap());
        assert_eq!(counter, TASKS * ROUNDS - aborted as u64);
        assert_eq!(store.stats().commits, counter);
    }
}

/// Every transaction raises the same number in each space and appends a feed record; whoever sees them differ saw half of one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snapshots_never_see_half_a_transaction() {
    const TRANSACTIONS: u64 = 3000;
    let (stores, _folder) = both();
    for store in stores {
        watch_while(&store, |store| async move {
            for _ in 0..TRANSACTIONS {
                act(&*store, raise_everywhere).await.expect("it commits");
            }
        })
        .await;
    }
}

/// The same while memtables are flushed and compacted: fjall's own snapshots fail this test (see `published.rs`).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snapshots_never_see_half_a_transaction_during_flushes() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(folder.path(), FjallOptions::default()).unwrap());
    watch_while(&store, |store| async move {
        let ballast = Bytes::from(vec![7; 256 << 10]);
        // The feed's memtable holds 16 MiB, so that each of some ten flushes meets several commits.
        for round in 0..640u32 {
            let ballast = ballast.clone();
            act(&*store, move |view| {
                view.put(Space::Feed, [&[0xFF; 4][..], &round.to_be_bytes()].concat(), ballast.clone());
                raise_everywhere(view)
            })
            .await
            .expect("it commits");
        }
    })
    .await;
}

/// Items that are read over and over stay at hand, and no reader may miss a write by that.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn gets_never_go_back_and_never_miss_what_was_acknowledged() {
    const KEYS: u64 = 5;
    let key = |number: u64| [b"\0\0\0\x01".as_slice(), &number.to_be_bytes()].concat();
    let (stores, _folder) = both();
    let small_folder = tempfile::tempdir().unwrap();
    // A cache with one slot, and one for no item at all.
    let small = [1024, 0].map(|cache_size_bytes| {
        let folder = small_folder.path().join(cache_size_bytes.to_string());
        let options = FjallOptions { cache_size_bytes, durability: Durability::Buffered, ..FjallOptions::default() };
        Arc::new(FjallStore::open(folder, options).unwrap()) as Arc<dyn Store>
    });
    for store in stores.into_iter().chain(small) {
        let acknowledged: Arc<[AtomicU64; KEYS as usize]> = Arc::default();
        let done = Arc::new(AtomicBool::new(false));
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let (store, acknowledged, done) = (store.clone(), acknowledged.clone(), done.clone());
                tokio::spawn(async move {
                    let mut seen = [0; KEYS as usize];
                    while !done.load(Ordering::SeqCst) {
                        for at in 0..KEYS {
                            let least = acknowledged[at as usize].load(Ordering::SeqCst).max(seen[at as usize]);
                            let found = number(store.get(Space::Items, &key(at)).await.unwrap());
                            assert!(found >= least, "{found} after {least}");
                            seen[at as usize] = found;
                        }
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        for round in 1..=2_000 {
            let at = round * 7 % KEYS;
            act(&*store, move |view| {
                view.put(Space::Items, key(at), round.to_be_bytes().to_vec().into());
                Ok(Verdict::Commit)
            })
            .await
            .expect("it commits");
            acknowledged[at as usize].store(round, Ordering::SeqCst);
            if round % 16 == 0 {
                assert_eq!(number(store.get(Space::Items, &key(at)).await.unwrap()), round);
            }
        }
        done.store(true, Ordering::SeqCst);
        for reader in readers {
            reader.await.expect("no get went back");
        }
        act(&*store, move |view| {
            view.remove(Space::Items, key(0));
            Ok(Verdict::Commit)
        })
        .await
        .expect("it commits");
        assert_eq!(store.get(Space::Items, &key(0)).await.unwrap(), None);
    }
}

fn raise_everywhere(view: &mut dyn View) -> Result<Verdict, Error> {
    let mut raised = 0;
    for space in Space::COMMITTED {
        raised = increment(view, space, b"\0\0\0\x01number")?;
    }
    view.put(Space::Feed, [b"\0\0\0\x02", &raised.to_be_bytes()[..]].concat(), Bytes::new());
    Ok(Verdict::Commit)
}

async fn watch_while<F: Future<Output = ()>>(store: &Arc<dyn Store>, write: impl FnOnce(Arc<dyn Store>) -> F) {
    let done = Arc::new(AtomicBool::new(false));
    let watcher = {
        let (store, done) = (store.clone(), done.clone());
        tokio::spawn(async move {
            let mut checks = 0;
            while !done.load(Ordering::SeqCst) || checks == 0 {
                check_one_moment(&*store).await;
                checks += 1;
            }
        })
    };
    write(store.clone()).await;
    done.store(true, Ordering::SeqCst);
    watcher.await.expect("every snapshot is whole");
}

async fn check_one_moment(store: &dyn Store) {
    let snapshot = store.snapshot();
    let mut seen = Vec::new();
    for space in Space::COMMITTED {
        seen.push(number(snapshot.get(space, b"\0\0\0\x01number").await.unwrap()));
        tokio::task::yield_now().await;
    }
    let newest = rows(&*snapshot, Space::Feed, KeyRange::prefix(b"\0\0\0\x02"), true).await;
    seen.push(newest.len() as u64);
    seen.push(number(snapshot.get(Space::Meta, b"\0\0\0\x01number").await.unwrap()));
    assert!(seen.iter().all(|number| *number == seen[0]), "one snapshot, several states: {seen:?}");
    for space in [Space::Meta, Space::Items] {
        let later = number(store.get(space, b"\0\0\0\x01number").await.unwrap());
        assert!(later >= seen[0], "a get went back from {} to {later}", seen[0]);
    }
}
