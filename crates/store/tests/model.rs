//! Random transactions, reads and reopenings against an ordered map that is clearly right.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{
    Durability, Error, FjallOptions, FjallStore, KeyRange, MemoryStore, Scan, Snapshot, Space, Store, Verdict, scan,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::support::{Collect, act};

type Map = BTreeMap<(Space, Vec<u8>), Vec<u8>>;

#[derive(Clone, Debug)]
enum Step {
    Transact { writes: Vec<(Space, Vec<u8>, Option<Vec<u8>>)>, end: End },
    Ingest(BTreeMap<Vec<u8>, Vec<u8>>),
    Scan { space: Space, range: KeyRange, reverse: bool, limit: usize },
    OpenSnapshot,
    CheckSnapshot(usize),
    CloseSnapshot(usize),
    Flush,
    Reopen,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Commit,
    Abort,
    Fail,
}

fn space() -> impl Strategy<Value = Space> {
    prop::sample::select(&Space::COMMITTED[..])
}

/// Few keys, so that they meet often; some end in bytes that make prefixes interesting.
fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(prop::sample::select(&[0u8, 1, 7, 0xFF][..]), 1..4)
}

fn range() -> impl Strategy<Value = KeyRange> {
    let free = (prop::option::of(key()), prop::option::of(key()))
        .prop_map(|(start, end)| KeyRange { start: start.unwrap_or_default(), end });
    prop_oneof![free, key().prop_map(|prefix| KeyRange::prefix(&prefix))]
}

fn step() -> impl Strategy<Value = Step> {
    let value = prop::option::weighted(0.7, vec(any::<u8>(), 0..40));
    let end = prop_oneof![4 => Just(End::Commit), 1 => Just(End::Abort), 1 => Just(End::Fail)];
    prop_oneof![
        12 => (vec((space(), key(), value), 0..8), end).prop_map(|(writes, end)| Step::Transact { writes, end }),
        4 => btree_map(key(), vec(any::<u8>(), 0..40), 0..8).prop_map(Step::Ingest),
        6 => (prop::sample::select(&Space::ALL[..]), range(), any::<bool>(), 0usize..20).prop_map(|(space, range, reverse, limit)| Step::Scan { space, range, reverse, limit }),
        2 => Just(Step::OpenSnapshot),
        3 => any::<prop::sample::Index>().prop_map(|index| Step::CheckSnapshot(index.index(8))),
        1 => any::<prop::sample::Index>().prop_map(|index| Step::CloseSnapshot(index.index(8))),
        1 => Just(Step::Flush),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_in_a_folder_is_an_ordered_map(steps in vec(step(), 1..60)) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        run(Subject::Fjall(Arc::new(open(folder.path()))), Some(folder.path()), steps)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_in_memory_is_an_ordered_map(steps in vec(step(), 1..80)) {
        run(Subject::Memory(Arc::new(MemoryStore::new())), None, steps)?;
    }
}

enum Subject {
    Memory(Arc<MemoryStore>),
    Fjall(Arc<FjallStore>),
}

impl Subject {
    fn store(&self) -> &dyn Store {
        match self {
            Subject::Memory(store) => &**store,
            Subject::Fjall(store) => &**store,
        }
    }
}

fn open(folder: &Path) -> FjallStore {
    let options = FjallOptions { durability: Durability::Buffered, ..FjallOptions::default() };
    FjallStore::open(folder, options).expect("the store opens")
}

fn run(mut subject: Subject, folder: Option<&Path>, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let mut model = Map::new();
    let mut snapshots: Vec<(Arc<dyn Snapshot>, Map)> = Vec::new();
    for step in steps {
        match step {
            Step::Transact { writes, end } => {
                runtime.block_on(check_transaction(subject.store(), &mut model, writes, end))
            }
            Step::Ingest(rows) => {
                let run: Vec<(Bytes, Bytes)> =
                    rows.iter().map(|(key, value)| (key.clone().into(), value.clone().into())).collect();
                runtime.block_on(subject.store().ingest(Box::new(run.into_iter()))).expect("it is ingested");
                model.extend(rows.into_iter().map(|(key, value)| ((Space::Index, key), value)));
            }
            Step::Scan { space, range, reverse, limit } => {
                runtime.block_on(check_scan(
                    &*subject.store().snapshot(),
                    &model,
                    Scan { space, range, reverse },
                    limit,
                ))?;
            }
            Step::OpenSnapshot => snapshots.push((subject.store().snapshot(), model.clone())),
            Step::CheckSnapshot(index) => {
                if let Some((snapshot, then)) = snapshots.get(index) {
                    runtime.block_on(check_everything(&**snapshot, then))?;
                }
            }
            Step::CloseSnapshot(index) if index < snapshots.len() => drop(snapshots.remove(index)),
            Step::CloseSnapshot(_) => {}
            Step::Flush => {
                if let Subject::Fjall(store) = &subject {
                    runtime.block_on(store.flush()).expect("it flushes");
                }
            }
            Step::Reopen => {
                if let Some(folder) = folder {
                    snapshots.clear();
                    drop(subject);
                    subject = Subject::Fjall(Arc::new(open(folder)));
                }
            }
        }
        runtime.block_on(check_everything(&*subject.store().snapshot(), &model))?;
    }
    Ok(())
}

/// Runs a transaction that checks what it sees before each of its writes.
async fn check_transaction(
    store: &dyn Store,
    model: &mut Map,
    writes: Vec<(Space, Vec<u8>, Option<Vec<u8>>)>,
    end: End,
) {
    let mut after = model.clone();
    for (space, key, value) in &writes {
        match value {
            Some(value) => after.insert((*space, key.clone()), value.clone()),
            None => after.remove(&(*space, key.clone())),
        };
    }
    let mut seen = model.clone();
    let outcome = act(store, move |view| {
        for (space, key, value) in &writes {
            let expected = seen.get(&(*space, key.clone())).cloned().map(Bytes::from);
            assert_eq!(view.get(*space, key)?, expected);
            match value {
                Some(value) => {
                    view.put(*space, key.clone(), value.clone().into());
                    seen.insert((*space, key.clone()), value.clone());
                }
                None => {
                    view.remove(*space, key.clone());
                    seen.remove(&(*space, key.clone()));
                }
            }
            let range = KeyRange::prefix(&key[..1]);
            let rows = view.range(*space, &range, 3)?.into_iter().map(|(key, value)| (key.to_vec(), value.to_vec()));
            assert_eq!(rows.collect::<Vec<_>>(), model_rows(&seen, *space, &range, false, 3));
        }
        match end {
            End::Commit => Ok(Verdict::Commit),
            End::Abort => Ok(Verdict::Abort),
            End::Fail => Err(Error::Damaged { reason: "on purpose".into() }),
        }
    })
    .await;
    match outcome {
        Err(Error::Damaged { .. }) => assert_eq!(end, End::Fail),
        other => other.expect("the transaction saw what it should"),
    }
    if end == End::Commit {
        *model = after;
    }
}

fn model_rows(model: &Map, space: Space, range: &KeyRange, reverse: bool, limit: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let inside = |key: &[u8]| key >= &range.start[..] && range.end.as_ref().is_none_or(|end| key < &end[..]);
    let rows = model.iter().filter(|((in_space, key), _)| *in_space == space && inside(key));
    let mut rows: Vec<_> = rows.map(|((_, key), value)| (key.clone(), value.clone())).collect();
    if reverse {
        rows.reverse();
    }
    rows.truncate(limit);
    rows
}

async fn check_scan(snapshot: &dyn Snapshot, model: &Map, what: Scan, limit: usize) -> Result<(), TestCaseError> {
    // A visitor is asked after each row, so that it has one at least.
    let limit = limit.max(1);
    let expected = model_rows(model, what.space, &what.range, what.reverse, limit);
    let visitor = Collect { limit: Some(limit), ..Collect::default() };
    prop_assert_eq!(scan(snapshot, what, visitor).await.expect("the scan succeeds").rows, expected);
    Ok(())
}

async fn check_everything(snapshot: &dyn Snapshot, model: &Map) -> Result<(), TestCaseError> {
    for space in Space::ALL {
        let all = KeyRange::prefix(b"");
        let rows = scan(snapshot, Scan { space, range: all.clone(), reverse: false }, Collect::default())
            .await
            .expect("the scan succeeds")
            .rows;
        prop_assert_eq!(&rows, &model_rows(model, space, &all, false, usize::MAX));
        for (key, value) in rows {
            prop_assert_eq!(snapshot.get(space, &key).await.expect("the get succeeds"), Some(value.into()));
        }
    }
    Ok(())
}
