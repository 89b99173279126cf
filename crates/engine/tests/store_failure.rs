//! A store that refuses to write from some point on.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use orrery_engine::{Condition, Engine, FeedStart, FixedClock, Parent, ResourceKind, Scope, Throughput};
use orrery_store::{Error as StoreError, MemoryStore, Run, Snapshot, Space, Store, StoreStats, Transaction};
use orrery_value::Epk;
use serde_json::json;

use crate::support::{Items, START, by_pk, by_pk_with, check_refused, id_of, map, open_engine};

/// Commits as many transactions as it is told to, then none; reads always.
struct Failing {
    inner: MemoryStore,
    commits_left: AtomicI64,
}

impl Failing {
    fn after(commits: i64) -> Arc<Failing> {
        Arc::new(Failing { inner: MemoryStore::new(), commits_left: AtomicI64::new(commits) })
    }

    fn commits(&self, commits: i64) {
        self.commits_left.store(commits, Ordering::SeqCst);
    }
}

#[async_trait]
impl Store for Failing {
    async fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.inner.get(space, key).await
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.inner.snapshot()
    }

    async fn commit(&self, transaction: Box<dyn Transaction>) -> Result<Box<dyn Transaction>, StoreError> {
        if self.commits_left.fetch_sub(1, Ordering::SeqCst) > 0 {
            return self.inner.commit(transaction).await;
        }
        Err(StoreError::Unavailable { reason: "no space left on device".into() })
    }

    async fn ingest(&self, run: Run) -> Result<(), StoreError> {
        if self.commits_left.load(Ordering::SeqCst) > 0 {
            return self.inner.ingest(run).await;
        }
        Err(StoreError::Unavailable { reason: "no space left on device".into() })
    }

    fn retain(&self, live: Box<dyn Fn(u32) -> bool + Send + Sync>) {
        self.inner.retain(live);
    }

    fn reclaim(&self, container: u32) {
        self.inner.reclaim(container);
    }

    fn stats(&self) -> StoreStats {
        self.inner.stats()
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.inner.close().await
    }
}

const UNAVAILABLE: &str = "Unavailable";

/// A container with a time to live and one item, on a store that can still commit.
async fn opened(store: &Arc<Failing>) -> (Engine, Items, Arc<FixedClock>) {
    let clock = Arc::new(FixedClock::new(START));
    let engine = open_engine(store.clone(), clock.clone()).await;
    let database = engine.create_database("db", None).await.unwrap();
    let container =
        engine.create_container(&database, &map(by_pk_with("c", json!({"defaultTtl": -1}))), None).await.unwrap();
    let items = Items { engine: engine.clone(), container };
    items.create(json!({"id": "first", "pk": "x"})).await.unwrap();
    (engine, items, clock)
}

#[tokio::test]
async fn what_was_acknowledged_before_the_failure_stays_and_nothing_else() {
    for commits in 0..12 {
        let store = Failing::after(i64::MAX);
        let (engine, items, clock) = opened(&store).await;
        store.commits(commits);
        let mut acknowledged = vec!["first".to_owned()];
        for n in 0..12 {
            let id = format!("i{n}");
            match items.create(json!({"id": id, "pk": "x"})).await {
                Ok(_) => acknowledged.push(id),
                refused => check_refused(refused, UNAVAILABLE),
            }
            let visible = items.feed_ids(&Scope::Container, FeedStart::Beginning).await;
            assert_eq!(visible, acknowledged, "reads go on");
            assert_eq!(items.container.usage().items, acknowledged.len() as u64);
        }
        assert_eq!(acknowledged.len() as i64, 1 + commits);
        drop((engine, items));
        store.commits(i64::MAX);
        let engine = open_engine(store.clone(), clock).await;
        let items = Items { container: engine.container("db", "c").unwrap(), engine };
        assert_eq!(items.feed_ids(&Scope::Container, FeedStart::Beginning).await, acknowledged);
        assert_eq!(items.container.head(), acknowledged.len() as u64);
        assert_eq!(id_of(&items.create(json!({"id": "after", "pk": "x"})).await.unwrap()), "after");
    }
}

#[tokio::test]
async fn every_write_says_that_the_store_is_unavailable_and_shows_no_effect() {
    let store = Failing::after(i64::MAX);
    let (engine, items, clock) = opened(&store).await;
    items.create(json!({"id": "short", "pk": "x", "ttl": 5})).await.unwrap();
    let database = engine.database("db").unwrap();
    let (container, rid) = (items.container.clone(), engine.offers()[0].rid());
    let before = (container.to_json(), container.usage(), container.head());
    store.commits(0);
    check_refused(items.upsert(json!({"id": "first", "pk": "x"})).await, UNAVAILABLE);
    check_refused(items.replace(json!({"id": "first", "pk": "x"})).await, UNAVAILABLE);
    check_refused(
        items.patch(json!(["x"]), "first", json!([{"op": "incr", "path": "/n", "value": 1}])).await,
        UNAVAILABLE,
    );
    check_refused(items.delete(json!(["x"]), "first").await, UNAVAILABLE);
    check_refused(engine.delete_partition(&container, &crate::support::partition(&json!(["x"]))).await, UNAVAILABLE);
    check_refused(engine.create_database("other", None).await, UNAVAILABLE);
    check_refused(engine.create_container(&database, &map(by_pk("d")), None).await, UNAVAILABLE);
    check_refused(items.change_settings(json!({"defaultTtl": 5})).await, UNAVAILABLE);
    check_refused(engine.split_partition(&container, 0, Epk::parse("10").unwrap()).await, UNAVAILABLE);
    check_refused(engine.replace_offer(&rid, Throughput::Manual(500), &Condition::None).await, UNAVAILABLE);
    let script =
        engine.create_resource(&Parent::container(&container), ResourceKind::Trigger, &map(json!({"id": "t"}))).await;
    check_refused(script, UNAVAILABLE);
    check_refused(engine.delete_container(&container, &Condition::None).await, UNAVAILABLE);
    check_refused(engine.delete_database(&database, &Condition::None).await, UNAVAILABLE);
    clock.advance(5);
    check_refused(engine.purge_expired().await, UNAVAILABLE);
    assert_eq!((container.to_json(), container.usage(), container.head()), before);
    assert_eq!((engine.databases().len(), engine.containers(&database).len(), engine.offers().len()), (1, 1, 1));
    assert_eq!(engine.offer(&rid).unwrap().throughput(), Throughput::Manual(400));
    assert_eq!(container.partitions().ranges().len(), 1);
    assert_eq!(items.list_ids(&Scope::Container).await, ["first"], "expired items are invisible all the same");
    store.commits(i64::MAX);
    assert_eq!(engine.purge_expired().await.unwrap(), 1);
    engine.create_container(&database, &map(by_pk("d")), None).await.unwrap();
    engine.create_database("other", None).await.unwrap();
}
