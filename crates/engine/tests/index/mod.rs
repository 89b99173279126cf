//! The property index against scans of the same snapshot.

mod anew;
mod many;
mod model;
pub(crate) mod naive;
mod views;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use orrery_engine::index::{Coverage, IndexOptions, IndexView};
use orrery_engine::{Engine, EngineOptions, FixedClock};
use orrery_store::{
    Durability, FjallOptions, FjallStore, KeyRange, MemoryStore, Scan, Space, Store, Visit, Visitor, scan,
};
use tempfile::TempDir;

use crate::support::{Items, START, StoreKind, map};

/// Limits so small that a few items are enough to meet each.
fn tiny() -> IndexOptions {
    IndexOptions {
        batch_rows: 5,
        follow_rows: 3,
        max_lag_rows: 40,
        max_write_wait: Duration::from_secs(30),
        seal_bytes: 6_000,
        max_memory_bytes: 60_000,
        seal_min_rows: 8,
        tick: Duration::from_millis(3),
        rebuild_min_versions: 60,
    }
}

/// [`tiny`], with a follower that does nothing by itself.
fn asleep() -> IndexOptions {
    IndexOptions {
        follow_rows: u64::MAX,
        seal_bytes: usize::MAX,
        max_memory_bytes: usize::MAX,
        tick: Duration::from_secs(1 << 20),
        ..tiny()
    }
}

/// An engine that can be stopped as if it were killed.
struct Lab {
    engine: Engine,
    store: Arc<dyn Store>,
    folder: Option<TempDir>,
    options: IndexOptions,
}

impl Lab {
    async fn new(kind: StoreKind, options: IndexOptions) -> Lab {
        let folder = (kind == StoreKind::Fjall).then(|| tempfile::tempdir().expect("a temporary folder"));
        let store = open_store(folder.as_ref().map(TempDir::path));
        let engine = open_engine(store.clone(), options.clone()).await;
        engine.create_database("db", None).await.expect("the name is free");
        Lab { engine, store, folder, options }
    }

    /// A new container of "db".
    async fn create(&self, definition: serde_json::Value) -> Items {
        let database = self.engine.database("db").unwrap();
        let container = self.engine.create_container(&database, &map(definition), None).await.unwrap();
        Items { engine: self.engine.clone(), container }
    }

    /// Rows of all indexes in the store.
    async fn index_rows(&self) -> usize {
        struct Count(usize);
        impl Visitor for Count {
            fn visit(&mut self, _key: &[u8], _value: &bytes::Bytes) -> Visit {
                self.0 += 1;
                Visit::Continue
            }
        }
        let all = Scan { space: Space::Index, range: KeyRange::prefix(&[]), reverse: false };
        scan(&*self.store.snapshot(), all, Count(0)).await.unwrap().0
    }

    /// Waits until the index of a container can answer for a path.
    async fn ready(&self, items: &Items, path: &str) -> IndexView {
        // The next view may be behind again, if writers are fast.
        let mut ready = None;
        until("the index is made", async || {
            let view = self.engine.index_view(&items.container).await.unwrap();
            ready = (view.coverage(&naive::single(path)) == Coverage::Ready).then_some(view);
            ready.is_some()
        })
        .await;
        ready.expect("it was waited for")
    }

    /// Opens the same data again, after closing or without.
    async fn reopen(self, close: bool) -> Lab {
        let Lab { engine, store, folder, options } = self;
        // A closed store in memory would not open again.
        if close && folder.is_some() {
            engine.close().await.expect("it closes");
        }
        drop(engine);
        // The follower notices at its next tick; a store has one engine at a time.
        while Arc::strong_count(&store) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let store = if let Some(folder) = &folder {
            drop(store);
            open_store(Some(folder.path()))
        } else {
            store
        };
        Lab { engine: open_engine(store.clone(), options.clone()).await, store, folder, options }
    }
}

fn open_store(folder: Option<&Path>) -> Arc<dyn Store> {
    match folder {
        None => Arc::new(MemoryStore::new()),
        Some(folder) => {
            let options =
                FjallOptions { durability: Durability::Buffered, cache_size_bytes: 8 << 20, background_threads: 1 };
            Arc::new(FjallStore::open(folder, options).expect("the store opens"))
        }
    }
}

async fn open_engine(store: Arc<dyn Store>, index: IndexOptions) -> Engine {
    let clock = Arc::new(FixedClock::new(START));
    let options =
        EngineOptions { clock, purge_interval: Duration::from_secs(1 << 20), index, ..EngineOptions::default() };
    Engine::open(store, options).await.expect("the engine opens")
}

/// Waits until something is so.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while !is_so().await {
        assert!(std::time::Instant::now() < deadline, "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
