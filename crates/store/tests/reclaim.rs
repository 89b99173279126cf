//! The space of dropped containers.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use orrery_store::{FjallStore, KeyRange, MemoryStore, Space, Store, Verdict, View};

use crate::support::{act, noise, open, rows};

const ROWS: u32 = 3000;
const ROW_BYTES: usize = 8 << 10;

fn key(container: u32, row: u32) -> Vec<u8> {
    [container.to_be_bytes(), row.to_be_bytes()].concat()
}

async fn fill(store: &dyn Store, container: u32, count: u32) {
    for first in (0..count).step_by(100) {
        let run = move |view: &mut dyn View| {
            for row in first..(first + 100).min(count) {
                let value = noise(u64::from(row) << 32 | u64::from(container), ROW_BYTES);
                view.put(Space::Items, key(container, row), value);
            }
            Ok(Verdict::Commit)
        };
        act(store, run).await.expect("it commits");
    }
}

async fn count(store: &dyn Store, container: u32) -> usize {
    rows(&*store.snapshot(), Space::Items, KeyRange::prefix(&container.to_be_bytes()), false).await.len()
}

/// The containers that were dropped, as the catalog would tell.
fn retain(store: &dyn Store) -> Arc<Mutex<BTreeSet<u32>>> {
    let dead = Arc::new(Mutex::new(BTreeSet::new()));
    let known = dead.clone();
    store.retain(Box::new(move |container| !known.lock().unwrap().contains(&container)));
    dead
}

#[tokio::test]
async fn tables_of_a_dropped_container_go_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let dead = retain(&store);
    for container in [1, 2, 3] {
        fill(&store, container, ROWS).await;
        store.flush().await.unwrap();
    }
    // The newest table of a space stays, so that the journal can be told what it still has to keep.
    fill(&store, 4, 1).await;
    store.flush().await.unwrap();
    let before = store.stats().size_bytes;
    let old = store.snapshot();
    let reading = old.get(Space::Items, &key(2, 5)).await.unwrap().expect("it is there");

    dead.lock().unwrap().insert(2);
    store.reclaim(2);
    store.wait_for_reclaim();
    assert_eq!(reading.len(), ROW_BYTES);
    drop(old);
    let after = store.stats().size_bytes;
    let dropped = u64::from(ROWS) * ROW_BYTES as u64;
    assert!(before - after > dropped * 8 / 10, "{before} bytes before, {after} after");
    check_living(&store).await;

    drop(store);
    let store = open(folder.path());
    check_living(&store).await;
    fill(&store, 2, 10).await;
    assert!(count(&store, 2).await >= 10, "writing there again does no harm to the store");
}

async fn check_living(store: &FjallStore) {
    for container in [1, 3] {
        assert_eq!(count(store, container).await, ROWS as usize);
    }
    assert_eq!(count(store, 4).await, 1);
}

#[tokio::test]
async fn a_container_is_not_reclaimed_while_it_is_live() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    fill(&store, 1, 300).await;
    store.flush().await.unwrap();
    fill(&store, 2, 300).await;
    store.flush().await.unwrap();
    // Nothing is known yet of what lives.
    store.reclaim(1);
    store.wait_for_reclaim();
    let dead = retain(&store);
    dead.lock().unwrap().insert(3);
    store.reclaim(1);
    store.wait_for_reclaim();
    assert_eq!(count(&store, 1).await, 300);
}

#[tokio::test]
async fn a_panic_in_the_answer_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.retain(Box::new(|_| panic!("on purpose")));
    for container in 1..4 {
        fill(&store, container, 200).await;
        store.flush().await.unwrap();
    }
    store.reclaim(1);
    store.wait_for_reclaim();
    assert_eq!(count(&store, 1).await, 200);
}

/// Small containers share tables with living ones: compaction leaves them out.
#[tokio::test]
async fn compaction_leaves_dead_keys_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let dead = retain(&store);
    fill(&store, 1, 500).await;
    fill(&store, 2, 500).await;
    dead.lock().unwrap().insert(1);
    // Overlapping tables in the first level, which fjall merges at four.
    for round in 0..6 {
        fill(&store, 2, 500).await;
        fill(&store, 1, 1 + round).await;
        store.flush().await.unwrap();
    }
    // Compaction has no end to wait for but this.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while count(&store, 1).await > 100 {
        assert!(std::time::Instant::now() < deadline, "compaction has left {} dead rows", count(&store, 1).await);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(count(&store, 2).await, 500);
}

#[tokio::test]
async fn the_index_of_a_dropped_owner_goes_like_its_items() {
    const ROWS_PER_OWNER: u32 = 400;
    let (stores, _folder) = crate::support::both();
    for store in stores {
        let dead = retain(&*store);
        for owner in [1, 2, 3] {
            let rows = (0..ROWS_PER_OWNER).map(move |row| {
                let value = noise(u64::from(owner) << 32 | u64::from(row), ROW_BYTES);
                (key(owner, row).into(), value)
            });
            store.ingest(Box::new(rows)).await.unwrap();
        }
        let before = store.stats().size_bytes;
        dead.lock().unwrap().insert(2);
        store.reclaim(2);
        let freed = u64::from(ROWS_PER_OWNER) * ROW_BYTES as u64 * 9 / 10;
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while before - store.stats().size_bytes < freed {
            assert!(std::time::Instant::now() < deadline, "{before} bytes before, {} now", store.stats().size_bytes);
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        for owner in [1, 3u32] {
            let left = rows(&*store.snapshot(), Space::Index, KeyRange::prefix(&owner.to_be_bytes()), false).await;
            assert_eq!(left.len(), ROWS_PER_OWNER as usize);
        }
    }
}

#[tokio::test]
async fn memory_is_freed_as_well() {
    let store = MemoryStore::new();
    let dead = retain(&store);
    for container in [1, 2, 3] {
        fill(&store, container, ROWS).await;
    }
    let before = store.stats().size_bytes;
    dead.lock().unwrap().insert(2);
    store.reclaim(1);
    store.reclaim(2);
    store.wait_for_reclaim();
    assert_eq!(before - store.stats().size_bytes, before / 3);
    assert_eq!(
        (count(&store, 1).await, count(&store, 2).await, count(&store, 3).await),
        (ROWS as usize, 0, ROWS as usize)
    );
}
