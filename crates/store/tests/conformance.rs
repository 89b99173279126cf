//! The contract, on both backends.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use orrery_store::{Error, KeyRange, MAX_KEY_LEN, Scan, Space, Store, Verdict, View, Visit, scan, transact};

use crate::support::{Act, Collect, Look, act, all_rows, both, put, rows};

/// Runs `check` on a new store of each kind.
async fn on_both<F: Future<Output = ()>>(check: impl Fn(Arc<dyn Store>) -> F) {
    let (stores, _folder) = both();
    for store in stores {
        check(store).await;
    }
}

fn row(key: &str, value: &str) -> (Vec<u8>, Vec<u8>) {
    (key.into(), value.into())
}

fn key(number: usize) -> Vec<u8> {
    format!("{number:06}").into_bytes()
}

async fn fill(store: &dyn Store, count: usize) {
    let run = move |view: &mut dyn View| {
        for number in 0..count {
            view.put(Space::Items, key(number), Bytes::from(number.to_string()));
        }
        Ok(Verdict::Commit)
    };
    act(store, run).await.expect("filling commits");
}

#[tokio::test]
async fn a_committed_value_is_read_back_in_its_space_only() {
    on_both(|store| async move {
        put(&*store, Space::Items, "k", "v").await;
        assert_eq!(store.get(Space::Items, b"k").await.unwrap(), Some("v".into()));
        assert_eq!(store.get(Space::Feed, b"k").await.unwrap(), None);
        assert_eq!(store.snapshot().get(Space::Items, b"k").await.unwrap(), Some("v".into()));
    })
    .await;
}

#[tokio::test]
async fn an_aborted_transaction_leaves_nothing_and_comes_back() {
    struct Counted(usize);
    impl orrery_store::Transaction for Counted {
        fn run(&mut self, view: &mut dyn View) -> Result<Verdict, Error> {
            self.0 += 1;
            view.put(Space::Items, b"k".to_vec(), "new".into());
            view.remove(Space::Items, b"old".to_vec());
            Ok(Verdict::Abort)
        }
    }
    on_both(|store| async move {
        put(&*store, Space::Items, "old", "v").await;
        let done = transact(&*store, Counted(0)).await.expect("an abort is no error");
        assert_eq!(done.0, 1);
        assert_eq!(all_rows(&*store, Space::Items).await, [row("old", "v")]);
    })
    .await;
}

#[tokio::test]
async fn a_failing_transaction_leaves_nothing_and_harms_no_other() {
    on_both(|store| async move {
        let failed = act(&*store, |view| {
            view.put(Space::Items, b"k".to_vec(), "v".into());
            Err(Error::Damaged { reason: "on purpose".into() })
        });
        assert!(matches!(failed.await, Err(Error::Damaged { .. })));
        put(&*store, Space::Items, "other", "v").await;
        assert_eq!(all_rows(&*store, Space::Items).await, [row("other", "v")]);
    })
    .await;
}

#[tokio::test]
async fn a_panicking_transaction_leaves_nothing_and_harms_no_other() {
    on_both(|store| async move {
        let failed = act(&*store, |view| {
            view.put(Space::Items, b"k".to_vec(), "v".into());
            panic!("on purpose")
        });
        let error = failed.await.expect_err("a panic is an error");
        assert_eq!(error.to_string(), "a transaction panicked: on purpose");
        put(&*store, Space::Items, "other", "v").await;
        assert_eq!(all_rows(&*store, Space::Items).await, [row("other", "v")]);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_sees_its_own_writes() {
    on_both(|store| async move {
        for name in ["a", "b", "d", "e"] {
            put(&*store, Space::Side, name, "old").await;
        }
        put(&*store, Space::Items, "b", "another space").await;
        act(&*store, |view| {
            view.put(Space::Side, b"c".to_vec(), "new".into());
            view.remove(Space::Side, b"b".to_vec());
            view.put(Space::Side, b"d".to_vec(), "new".into());
            assert_eq!(view.get(Space::Side, b"b")?, None);
            assert_eq!(view.get(Space::Side, b"c")?, Some("new".into()));
            assert_eq!(view.get(Space::Items, b"b")?, Some("another space".into()));
            let range = KeyRange { start: b"a".to_vec(), end: Some(b"e".to_vec()) };
            let expected: [(Bytes, Bytes); 3] =
                [("a".into(), "old".into()), ("c".into(), "new".into()), ("d".into(), "new".into())];
            assert_eq!(view.range(Space::Side, &range, 10)?, expected);
            assert_eq!(view.range(Space::Side, &range, 2)?, expected[..2]);
            assert_eq!(view.range(Space::Side, &range, 0)?, []);
            let empty = KeyRange { start: b"b".to_vec(), end: Some(b"b".to_vec()) };
            assert_eq!(view.range(Space::Side, &empty, 10)?, []);
            Ok(Verdict::Commit)
        })
        .await
        .expect("what it saw was right");
        let expected = [row("a", "old"), row("c", "new"), row("d", "new"), row("e", "old")];
        assert_eq!(all_rows(&*store, Space::Side).await, expected);
    })
    .await;
}

#[tokio::test]
async fn the_last_of_several_writes_of_a_key_wins() {
    on_both(|store| async move {
        act(&*store, |view| {
            view.put(Space::Items, b"a".to_vec(), "1".into());
            view.remove(Space::Items, b"a".to_vec());
            view.put(Space::Items, b"b".to_vec(), "1".into());
            view.put(Space::Items, b"b".to_vec(), "2".into());
            view.remove(Space::Items, b"c".to_vec());
            view.put(Space::Items, b"c".to_vec(), "3".into());
            Ok(Verdict::Commit)
        })
        .await
        .expect("it commits");
        assert_eq!(all_rows(&*store, Space::Items).await, [row("b", "2"), row("c", "3")]);
    })
    .await;
}

#[tokio::test]
async fn a_snapshot_keeps_its_moment() {
    on_both(|store| async move {
        fill(&*store, 300).await;
        let before = store.snapshot();
        put(&*store, Space::Items, key(7), "changed").await;
        act(&*store, |view| {
            view.remove(Space::Items, key(8));
            view.put(Space::Items, b"zzz".to_vec(), "new".into());
            Ok(Verdict::Commit)
        })
        .await
        .expect("it commits");
        let between = store.snapshot();
        put(&*store, Space::Items, key(7), "changed again").await;

        assert_eq!(before.get(Space::Items, &key(7)).await.unwrap(), Some("7".into()));
        assert_eq!(before.get(Space::Items, &key(8)).await.unwrap(), Some("8".into()));
        assert_eq!(before.get(Space::Items, b"zzz").await.unwrap(), None);
        assert_eq!(rows(&*before, Space::Items, KeyRange::prefix(b""), false).await.len(), 300);
        assert_eq!(between.get(Space::Items, &key(7)).await.unwrap(), Some("changed".into()));
        assert_eq!(between.get(Space::Items, &key(8)).await.unwrap(), None);
        assert_eq!(store.get(Space::Items, &key(7)).await.unwrap(), Some("changed again".into()));
        // A snapshot outlives the store.
        drop(store);
        assert_eq!(before.get(Space::Items, &key(7)).await.unwrap(), Some("7".into()));
    })
    .await;
}

#[tokio::test]
async fn multi_get_answers_in_the_order_asked_for() {
    on_both(|store| async move {
        fill(&*store, 100).await;
        let snapshot = store.snapshot();
        for count in [0, 3, 60] {
            let asked: Vec<usize> = (0..count).map(|n| (n * 37) % 200).collect();
            let found = snapshot.multi_get(Space::Items, asked.iter().map(|n| key(*n)).collect()).await.unwrap();
            let expected: Vec<Option<Bytes>> = asked.iter().map(|n| (*n < 100).then(|| n.to_string().into())).collect();
            assert_eq!(found, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn scans_are_ordered_half_open_and_stop_when_told() {
    on_both(|store| async move {
        fill(&*store, 1000).await;
        let snapshot = store.snapshot();
        // Shorter and longer than what runs on the caller's thread.
        for (from, to) in [(0, 1000), (10, 20), (10, 500), (999, 1000), (5, 5), (9, 3)] {
            let range = KeyRange { start: key(from), end: Some(key(to)) };
            let mut expected: Vec<_> = (from..to).map(|n| (key(n), n.to_string().into_bytes())).collect();
            assert_eq!(rows(&*snapshot, Space::Items, range.clone(), false).await, expected, "{from}..{to}");
            expected.reverse();
            assert_eq!(rows(&*snapshot, Space::Items, range.clone(), true).await, expected, "{from}..{to} in reverse");
            for limit in [1, 64, 65, 128, 129, 300] {
                let visitor = Collect { limit: Some(limit), ..Collect::default() };
                let found =
                    scan(&*snapshot, Scan { space: Space::Items, range: range.clone(), reverse: true }, visitor)
                        .await
                        .unwrap();
                assert_eq!(found.rows, expected[..limit.min(expected.len())]);
            }
        }
        let open_ended = KeyRange { start: key(990), end: None };
        assert_eq!(rows(&*snapshot, Space::Items, open_ended, false).await.len(), 10);
    })
    .await;
}

#[tokio::test]
async fn a_panicking_visitor_is_an_error() {
    on_both(|store| async move {
        fill(&*store, 500).await;
        for at in [3, 400] {
            let mut seen = 0;
            let visitor = Look(move |_: &[u8], _: &Bytes| {
                seen += 1;
                assert!(seen < at, "on purpose");
                Visit::Continue
            });
            let all = Scan { space: Space::Items, range: KeyRange::prefix(b""), reverse: false };
            let outcome = scan(&*store.snapshot(), all, visitor).await;
            assert!(matches!(outcome, Err(Error::Panicked { what: "visitor", .. })));
        }
        assert_eq!(all_rows(&*store, Space::Items).await.len(), 500);
    })
    .await;
}

#[tokio::test]
async fn dropping_a_scan_stops_it() {
    on_both(|store| async move {
        fill(&*store, 5000).await;
        let visited = Arc::new(AtomicUsize::new(0));
        let counter = visited.clone();
        let visitor = Look(move |_: &[u8], _: &Bytes| {
            counter.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(1));
            Visit::Continue
        });
        let all = Scan { space: Space::Items, range: KeyRange::prefix(b""), reverse: false };
        let snapshot = store.snapshot();
        let abandoned = tokio::time::timeout(Duration::from_millis(100), scan(&*snapshot, all, visitor)).await;
        assert!(abandoned.is_err(), "the scan takes five seconds");
        // It has stopped once its visitor is dropped, and with it the other handle of the counter.
        let stopped = async {
            while Arc::strong_count(&visited) > 1 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(2), stopped).await.expect("the scan stops soon");
        assert!(visited.load(Ordering::SeqCst) < 2000);
    })
    .await;
}

#[tokio::test]
async fn many_scans_at_once_all_finish() {
    on_both(|store| async move {
        fill(&*store, 3000).await;
        let scans: Vec<_> = (0..40)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { all_rows(&*store, Space::Items).await.len() })
            })
            .collect();
        for scan in scans {
            assert_eq!(scan.await.unwrap(), 3000);
        }
    })
    .await;
}

#[tokio::test]
async fn sizes_out_of_bounds_fail_the_transaction_and_read_as_absent() {
    on_both(|store| async move {
        for bad in [Vec::new(), vec![b'x'; MAX_KEY_LEN + 1]] {
            let key = bad.clone();
            let outcome = act(&*store, move |view| {
                view.put(Space::Items, b"fine".to_vec(), "v".into());
                view.put(Space::Items, key.clone(), "v".into());
                Ok(Verdict::Commit)
            });
            assert!(matches!(outcome.await, Err(Error::Size { what: "key", .. })));
            assert_eq!(store.get(Space::Items, &bad).await.unwrap(), None);
        }
        assert_eq!(all_rows(&*store, Space::Items).await, []);
        put(&*store, Space::Items, vec![b'x'; MAX_KEY_LEN], "longest").await;
        assert_eq!(store.get(Space::Items, &[b'x'; MAX_KEY_LEN]).await.unwrap(), Some("longest".into()));
    })
    .await;
}

#[tokio::test]
async fn range_bounds_may_be_longer_than_keys() {
    on_both(|store| async move {
        let longest = vec![b'x'; MAX_KEY_LEN];
        let beyond = vec![b'x'; MAX_KEY_LEN + 7];
        put(&*store, Space::Items, longest.clone(), "1").await;
        put(&*store, Space::Items, "y", "2").await;
        let snapshot = store.snapshot();
        let after = KeyRange { start: beyond.clone(), end: None };
        assert_eq!(rows(&*snapshot, Space::Items, after, false).await, [row("y", "2")]);
        let before = KeyRange { start: Vec::new(), end: Some(beyond.clone()) };
        assert_eq!(rows(&*snapshot, Space::Items, before.clone(), true).await, [(longest.clone(), b"1".to_vec())]);
        act(&*store, move |view| {
            assert_eq!(view.range(Space::Items, &before, 9)?.len(), 1);
            Ok(Verdict::Abort)
        })
        .await
        .expect("the range was right");
    })
    .await;
}

#[tokio::test]
async fn a_closed_store_takes_no_commits_and_can_be_closed_again() {
    on_both(|store| async move {
        put(&*store, Space::Items, "k", "v").await;
        store.close().await.expect("it closes");
        let refused = act(&*store, |_| Ok(Verdict::Commit)).await;
        assert!(matches!(refused, Err(Error::Closed)));
        assert_eq!(store.get(Space::Items, b"k").await.unwrap(), Some("v".into()));
        store.close().await.expect("closing twice is no error");
    })
    .await;
}

#[tokio::test]
async fn closing_finishes_what_was_queued() {
    on_both(|store| async move {
        let commits: Vec<_> = (0..200)
            .map(|number| {
                let store = store.clone();
                tokio::spawn(async move {
                    act(&*store, move |view| {
                        view.put(Space::Items, key(number), "v".into());
                        Ok(Verdict::Commit)
                    })
                    .await
                })
            })
            .collect();
        tokio::task::yield_now().await;
        store.close().await.expect("it closes");
        let mut acknowledged = 0;
        for commit in commits {
            match commit.await.unwrap() {
                Ok(()) => acknowledged += 1,
                Err(error) => assert!(matches!(error, Error::Closed), "{error}"),
            }
        }
        assert_eq!(all_rows(&*store, Space::Items).await.len(), acknowledged);
    })
    .await;
}

#[tokio::test]
async fn stats_count_commits() {
    on_both(|store| async move {
        let before = store.stats();
        put(&*store, Space::Items, "k", vec![7; 10_000]).await;
        act(&*store, |_| Ok(Verdict::Abort)).await.unwrap();
        let after = store.stats();
        assert_eq!(after.commits - before.commits, 1);
        assert!(after.commit_groups > before.commit_groups);
        assert!(after.size_bytes > before.size_bytes, "{before:?} {after:?}");
    })
    .await;
}

#[tokio::test]
async fn a_transaction_may_hold_the_last_handle_of_its_store() {
    let (stores, _folder) = both();
    for store in stores {
        let held = store.clone();
        let transaction = Act(move |view: &mut dyn View| {
            view.put(Space::Items, b"k".to_vec(), "v".into());
            assert!(Arc::strong_count(&held) > 0);
            Ok(Verdict::Commit)
        });
        let commit = tokio::spawn(async move { store.commit(Box::new(transaction)).await.map(drop) });
        commit.await.unwrap().expect("it commits");
    }
}
