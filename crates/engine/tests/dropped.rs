//! What a dropped container or database takes with it, and what no longer succeeds below it.

use orrery_engine::{Condition, Parent, ResourceKind};
use orrery_store::{MemoryStore, Space, Store};
use serde_json::json;

use crate::support::{START, World, by_pk, check_refused, map, on_every_store};

#[tokio::test]
async fn a_write_to_a_container_that_was_dropped_meanwhile_is_refused() {
    on_every_store(async |world: World| {
        for with_database in [false, true] {
            let items = world.create(by_pk("c")).await;
            items.create(json!({"id": "a", "pk": "x"})).await.unwrap();
            if with_database {
                let database = world.engine.database("db").unwrap();
                world.engine.delete_database(&database, &Condition::None).await.unwrap();
            } else {
                world.engine.delete_container(&items.container, &Condition::None).await.unwrap();
            }
            check_refused(items.create(json!({"id": "b", "pk": "x"})).await, "OwnerNotFound");
            check_refused(items.replace(json!({"id": "a", "pk": "x"})).await, "OwnerNotFound");
            check_refused(items.change_settings(json!({"defaultTtl": 5})).await, "NotFound");
            check_refused(world.engine.delete_container(&items.container, &Condition::None).await, "NotFound");
            let at = orrery_value::Epk::parse("10").unwrap();
            check_refused(world.engine.split_partition(&items.container, 0, at).await, "NotFound");
            let counters = [&b"n"[..], &items.container.number().to_be_bytes()].concat();
            assert!(world.store.get(Space::Meta, &counters).await.unwrap().is_none(), "counters were left behind");
        }
    })
    .await;
}

#[tokio::test]
async fn nothing_is_created_below_a_parent_that_was_dropped_meanwhile() {
    on_every_store(async |world: World| {
        let engine = &world.engine;
        let body = map(json!({"id": "r", "body": "function () {}"}));
        let items = world.create(by_pk("c")).await;
        let database = engine.database("db").unwrap();
        let user = engine
            .create_resource(&Parent::database(&database), ResourceKind::User, &map(json!({"id": "u"})))
            .await
            .unwrap();
        engine.delete_container(&items.container, &Condition::None).await.unwrap();
        engine.delete_resource(&Parent::database(&database), ResourceKind::User, "u", &Condition::None).await.unwrap();
        let script =
            engine.create_resource(&Parent::container(&items.container), ResourceKind::StoredProcedure, &body).await;
        check_refused(script, "OwnerNotFound");
        check_refused(
            engine.create_resource(&Parent::user(&user), ResourceKind::Permission, &body).await,
            "OwnerNotFound",
        );
        engine.delete_database(&database, &Condition::None).await.unwrap();
        check_refused(
            engine.create_resource(&Parent::database(&database), ResourceKind::User, &body).await,
            "OwnerNotFound",
        );
        check_refused(engine.create_container(&database, &map(by_pk("d")), None).await, "OwnerNotFound");
        check_refused(engine.delete_database(&database, &Condition::None).await, "NotFound");
    })
    .await;
}

/// The rid of a dropped database may be the name of another one.
#[tokio::test]
async fn a_dropped_database_is_not_mistaken_for_one_that_has_its_rid_as_name() {
    on_every_store(async |world: World| {
        let old = world.engine.create_database("old", None).await.unwrap();
        world.engine.delete_database(&old, &Condition::None).await.unwrap();
        let impostor = world.engine.create_database(old.rid(), None).await.unwrap();
        check_refused(world.engine.create_container(&old, &map(by_pk("c")), None).await, "OwnerNotFound");
        check_refused(world.engine.delete_database(&old, &Condition::None).await, "NotFound");
        assert!(world.engine.containers(&impostor).is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_recreated_container_is_another_and_empty() {
    on_every_store(async |world: World| {
        let old = world.create(by_pk("c")).await;
        old.create(json!({"id": "a", "pk": "x"})).await.unwrap();
        world.engine.delete_container(&old.container, &Condition::None).await.unwrap();
        let new = world.create(by_pk("c")).await;
        assert_ne!(old.container.rid(), new.container.rid());
        assert_ne!(old.container.number(), new.container.number());
        assert!(new.read(json!(["x"]), "a").await.is_none());
        assert_eq!(new.container.usage().items, 0);
        new.create(json!({"id": "a", "pk": "x"})).await.unwrap();
        drop((old, new));
        let world = world.reopen().await;
        assert_eq!(world.items("c").container.usage().items, 1);
    })
    .await;
}

/// A client still holds session tokens of the old one, under the same name.
#[tokio::test]
async fn the_numbers_of_a_new_container_begin_behind_those_of_dropped_ones() {
    on_every_store(async |world: World| {
        let old = world.create(by_pk("c")).await;
        for id in ["a", "b", "c"] {
            old.create(json!({"id": id, "pk": "x"})).await.unwrap();
        }
        let seen = old.container.head();
        world.engine.delete_container(&old.container, &Condition::None).await.unwrap();
        drop(old);
        let world = world.reopen().await;
        let new = world.create(by_pk("c")).await;
        assert!(new.container.head() >= seen, "{} < {seen}", new.container.head());
        new.create(json!({"id": "a", "pk": "x"})).await.unwrap();
        assert!(new.container.head() > seen);
        let database = world.engine.databases()[0].clone();
        world.engine.delete_database(&database, &Condition::None).await.unwrap();
        let seen = new.container.head();
        drop(new);
        let database = world.engine.create_database(database.id(), None).await.unwrap();
        let newest = world.engine.create_container(&database, &map(by_pk("c")), None).await.unwrap();
        assert!(newest.head() >= seen, "{} < {seen}", newest.head());
    })
    .await;
}

/// Also of containers that were created since the engine was opened.
#[tokio::test]
async fn the_space_of_a_dropped_container_is_reclaimed_in_the_same_session() {
    let store = std::sync::Arc::new(MemoryStore::new());
    let clock = std::sync::Arc::new(orrery_engine::FixedClock::new(START));
    let engine = crate::support::open_engine(store.clone(), clock).await;
    let database = engine.create_database("db", None).await.unwrap();
    let container = engine.create_container(&database, &map(by_pk("c")), None).await.unwrap();
    let items = crate::support::Items { engine: engine.clone(), container };
    for n in 0..100 {
        items.create(json!({"id": format!("i{n}"), "pk": n, "pad": "p".repeat(1_000)})).await.unwrap();
    }
    assert!(store.stats().size_bytes > 100_000);
    engine.delete_container(&items.container, &Condition::None).await.unwrap();
    store.wait_for_reclaim();
    assert!(store.stats().size_bytes < 10_000, "{} bytes are left", store.stats().size_bytes);
}
