//! Time to live: expired items are invisible at once, and a purge removes all traces of them.

use orrery_engine::{Condition, FeedStart, OperationKind, Scope, Target};
use serde_json::{Value as Json, json};

use crate::support::{
    Items, START, World, body_of, by_pk, by_pk_with, check_invalid, check_refused, on_every_store, partition, rid_of,
};

fn with_default(seconds: i64) -> Json {
    by_pk_with("c", json!({"defaultTtl": seconds}))
}

fn item(id: &str, ttl: Json) -> Json {
    let mut body = json!({"id": id, "pk": "x"});
    if !ttl.is_null() {
        body["ttl"] = ttl;
    }
    body
}

/// The ids that are visible, which must be the same for reads, lists and the feed.
async fn visible(items: &Items, ids: &[&str]) -> Vec<String> {
    let mut read = Vec::new();
    for id in ids {
        if items.read(json!(["x"]), id).await.is_some() {
            read.push((*id).to_owned());
        }
    }
    let mut listed = items.list_ids(&Scope::Container).await;
    let mut fed = items.feed_ids(&Scope::Container, FeedStart::Beginning).await;
    read.sort();
    listed.sort();
    fed.sort();
    assert_eq!((&read, &read), (&listed, &fed));
    read
}

#[tokio::test]
async fn the_containers_default_and_the_items_own_time_decide_when_it_ends() {
    const IDS: [&str; 4] = ["default", "short", "long", "forever"];
    on_every_store(async |world: World| {
        let items = world.create(with_default(10)).await;
        for (id, ttl) in IDS.iter().zip([Json::Null, json!(3), json!(30), json!(-1)]) {
            items.create(item(id, ttl)).await.unwrap();
        }
        for (seconds, expected) in [(2, 4), (1, 3), (6, 3), (1, 2), (19, 2), (1, 1), (1_000_000, 1)] {
            world.clock.advance(seconds);
            assert_eq!(visible(&items, &IDS).await.len(), expected, "{seconds} seconds later");
        }
        assert_eq!(visible(&items, &IDS).await, ["forever"]);
        assert_eq!(items.container.usage().items, 4, "nothing is purged yet");
        assert_eq!(world.engine.purge_expired().await.unwrap(), 3);
        assert_eq!(items.container.usage().items, 1);
    })
    .await;
}

#[tokio::test]
async fn a_write_starts_the_time_anew() {
    on_every_store(async |world: World| {
        let items = world.create(with_default(10)).await;
        items.create(item("a", Json::Null)).await.unwrap();
        world.clock.advance(9);
        items.replace(item("a", Json::Null)).await.unwrap();
        world.clock.advance(9);
        items.patch(json!(["x"]), "a", json!([{"op": "set", "path": "/ttl", "value": 5}])).await.unwrap();
        world.clock.advance(4);
        assert_eq!(world.engine.purge_expired().await.unwrap(), 0);
        assert_eq!(visible(&items, &["a"]).await, ["a"]);
        world.clock.advance(1);
        assert!(visible(&items, &["a"]).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_expired_item_is_absent_for_every_write() {
    on_every_store(async |world: World| {
        let items = world.create(with_default(10)).await;
        let old = items.create(item("a", Json::Null)).await.unwrap();
        world.clock.advance(10);
        check_refused(items.replace(item("a", Json::Null)).await, "NotFound");
        check_refused(
            items.patch(json!(["x"]), "a", json!([{"op": "set", "path": "/n", "value": 1}])).await,
            "NotFound",
        );
        check_refused(items.delete(json!(["x"]), "a").await, "NotFound");
        check_refused(
            items.upsert_if(item("a", Json::Null), Condition::IfMatch("*".into())).await,
            "PreconditionFailed",
        );
        let by_rid = Target::Rid(rid_of(&old));
        assert!(items.read_target(&partition(&json!(["x"])), &by_rid).await.is_none());
        let read = items.write(OperationKind::Read { target: by_rid }, partition(&json!(["x"])), Condition::None).await;
        check_refused(read, "NotFound");
        let new = items.create_if(item("a", Json::Null), Condition::IfNoneMatch("*".into())).await.unwrap();
        assert_ne!(rid_of(&old), rid_of(&new));
        world.clock.advance(10);
        let newest = items.upsert(item("a", Json::Null)).await.unwrap();
        assert_ne!(rid_of(&new), rid_of(&newest));
        assert_eq!((items.container.usage().items, items.container.usage().bytes), (1, newest.text().len() as u64));
    })
    .await;
}

#[tokio::test]
async fn a_purge_removes_items_feed_records_side_records_and_their_counts() {
    on_every_store(async |world: World| {
        let more = json!({"defaultTtl": 10, "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/mail"]}]}});
        let items = world.create(by_pk_with("c", more)).await;
        let kept = items.create(item("kept", json!(-1))).await.unwrap();
        // More than one purge takes in one transaction, by default and by their own time, some of them replaced.
        for n in 0..600 {
            let ttl = if n % 2 == 0 { json!(5) } else { Json::Null };
            let mut body = item(&format!("i{n}"), ttl);
            body["mail"] = json!(n);
            items.create(body.clone()).await.unwrap();
            if n % 3 == 0 {
                items.replace(body).await.unwrap();
            }
        }
        assert_eq!(world.records(items.container.number()).await, [601, 601, 601 + 300 + 200]);
        world.clock.advance(10);
        assert_eq!(world.engine.purge_expired().await.unwrap(), 600);
        assert_eq!(world.records(items.container.number()).await, [1, 1, 1]);
        assert_eq!((items.container.usage().items, items.container.usage().bytes), (1, kept.text().len() as u64));
        assert_eq!(world.engine.purge_expired().await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn without_a_default_the_items_own_time_is_kept_but_does_not_count() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for (id, ttl) in [("a", json!(5)), ("b", json!("nonsense")), ("c", json!(0)), ("d", Json::Null)] {
            let stored = items.create(item(id, ttl.clone())).await.unwrap();
            assert_eq!(body_of(&stored), item(id, ttl));
        }
        world.clock.advance(1_000);
        assert_eq!(world.engine.purge_expired().await.unwrap(), 0);
        assert_eq!(visible(&items, &["a", "b", "c", "d"]).await.len(), 4);
        items.change_settings(json!({"defaultTtl": -1})).await.unwrap();
        assert_eq!(visible(&items, &["a", "b", "c", "d"]).await, ["b", "c", "d"]);
        items.change_settings(json!({"defaultTtl": 1_500})).await.unwrap();
        world.clock.advance(500);
        assert!(visible(&items, &["a", "b", "c", "d"]).await.is_empty());
        items.change_settings(json!({"defaultTtl": null})).await.unwrap();
        assert_eq!(visible(&items, &["a", "b", "c", "d"]).await.len(), 4, "not purged, so they are back");
        items.change_settings(json!({"defaultTtl": 1})).await.unwrap();
        assert_eq!(world.engine.purge_expired().await.unwrap(), 4);
        assert_eq!(world.records(items.container.number()).await, [0, 0, 0]);
    })
    .await;
}

#[tokio::test]
async fn a_time_to_live_that_counts_must_be_valid() {
    on_every_store(async |world: World| {
        let items = world.create(with_default(-1)).await;
        for wrong in [json!(0), json!(-2), json!(1.5), json!("5"), json!(true), json!(2_147_483_648u64), json!([1])] {
            check_invalid(items.create(item("a", wrong)).await, "ttl");
        }
        for good in [json!(1), json!(-1), json!(2_147_483_647), json!(7.0)] {
            items.upsert(item("a", good)).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn time_in_a_container_never_runs_backwards() {
    let store: std::sync::Arc<dyn orrery_store::Store> = std::sync::Arc::new(orrery_store::MemoryStore::new());
    let ahead = std::sync::Arc::new(orrery_engine::FixedClock::new(START + 100));
    let engine = crate::support::open_engine(store.clone(), ahead).await;
    let database = engine.create_database("db", None).await.unwrap();
    engine.create_container(&database, &crate::support::map(by_pk("c")), None).await.unwrap();
    let items = |engine: &orrery_engine::Engine| Items {
        engine: engine.clone(),
        container: engine.container("db", "c").unwrap(),
    };
    let first = items(&engine).create(item("a", Json::Null)).await.unwrap();
    drop(engine);
    let behind = std::sync::Arc::new(orrery_engine::FixedClock::new(START));
    let engine = crate::support::open_engine(store, behind).await;
    let second = items(&engine).create(item("b", Json::Null)).await.unwrap();
    assert_eq!((first.ts(), second.ts()), (START + 100, START + 100));
}
