//! Databases and containers: names, rids, preconditions, and what a reopen finds.

use orrery_engine::{Condition, rid};
use serde_json::{Value as Json, json};

use crate::support::{World, by_pk, by_pk_with, check_invalid, check_refused, map, on_every_store};

#[tokio::test]
async fn databases_and_containers_are_found_by_name_and_by_rid() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let database = world.engine.database("db").unwrap();
        let (db_rid, rid) = (database.rid(), items.container.rid());
        assert_eq!(world.engine.database(db_rid).unwrap().id(), "db");
        for (database, container) in [("db", "c"), (db_rid, rid), (db_rid, "c")] {
            assert_eq!(world.engine.container(database, container).unwrap().number(), items.container.number());
        }
        check_refused(world.engine.container("db", rid), "NotFound");
        check_refused(world.engine.container("db", "C"), "NotFound");
        check_refused(world.engine.container(db_rid, db_rid), "NotFound");
        check_refused(world.engine.container("other", "c"), "OwnerNotFound");
        check_refused(world.engine.database("DB"), "NotFound");
        let bytes = rid::decode(rid).unwrap();
        assert!(bytes.starts_with(&rid::decode(db_rid).unwrap()) && bytes.len() == 8 && bytes[4] & 0x80 != 0);
        assert_eq!(items.container.self_link(), format!("dbs/{db_rid}/colls/{rid}/"));
    })
    .await;
}

#[tokio::test]
async fn a_name_is_taken_once_in_its_place() {
    on_every_store(async |world: World| {
        check_refused(world.engine.create_database("db", None).await, "Conflict");
        world.create(by_pk("c")).await;
        check_refused(world.try_create(by_pk("c")).await, "Conflict");
        let other = world.engine.create_database("other", None).await.unwrap();
        world.engine.create_container(&other, &map(by_pk("c")), None).await.unwrap();
        let first = world.engine.container("db", "c").unwrap();
        assert_ne!(first.rid(), world.engine.container("other", "c").unwrap().rid());
        assert_eq!(
            world.engine.databases().iter().map(|database| database.id().to_owned()).collect::<Vec<_>>(),
            ["db", "other"]
        );
    })
    .await;
}

#[tokio::test]
async fn bad_names_are_refused_for_databases_and_containers() {
    on_every_store(async |world: World| {
        let longest = "ü".repeat(255);
        for (id, reason) in [
            ("", "empty"),
            ("a/b", "'/'"),
            ("a\\b", "contain"),
            ("a?", "'?'"),
            ("a#", "'#'"),
            ("a ", "space"),
            ("a\n", "contain"),
        ] {
            check_invalid(world.engine.create_database(id, None).await, reason);
            check_invalid(world.try_create(by_pk(id)).await, reason);
        }
        check_invalid(world.engine.create_database(&format!("{longest}ü"), None).await, "too long");
        world.engine.create_database(&longest, None).await.unwrap();
        world.create(by_pk(&longest)).await;
    })
    .await;
}

#[tokio::test]
async fn a_dropped_database_takes_its_containers_with_it() {
    on_every_store(async |world: World| {
        world.create(by_pk("c")).await;
        let old = world.engine.database("db").unwrap();
        check_refused(
            world.engine.delete_database(&old, &Condition::IfMatch("\"other\"".into())).await,
            "PreconditionFailed",
        );
        world.engine.delete_database(&old, &Condition::IfMatch(old.etag())).await.unwrap();
        check_refused(world.engine.database("db"), "NotFound");
        check_refused(world.engine.database(old.rid()), "NotFound");
        check_refused(world.engine.container("db", "c"), "OwnerNotFound");
        assert!(world.engine.offers().is_empty(), "the container's offer went too");
        let new = world.engine.create_database("db", None).await.unwrap();
        assert_ne!(old.rid(), new.rid());
        assert!(world.engine.containers(&new).is_empty());
        let world = world.reopen().await;
        assert!(world.engine.containers(&world.engine.database("db").unwrap()).is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_replaced_container_keeps_what_is_fixed() {
    on_every_store(async |world: World| {
        let more = json!({"uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/mail"]}]}});
        let items = world.create(by_pk_with("c", more)).await;
        items.create(json!({"id": "a", "pk": "x"})).await.unwrap();
        let (rid, etag) = (items.container.rid().to_owned(), items.container.etag());
        items.change_settings(json!({"defaultTtl": 60, "indexingPolicy": {"indexingMode": "none"}})).await.unwrap();
        let shown = items.container.to_json();
        assert_eq!((&shown["defaultTtl"], &shown["indexingPolicy"]["indexingMode"]), (&json!(60), &json!("none")));
        assert_eq!((shown["_rid"].as_str(), items.container.usage().items), (Some(rid.as_str()), 1));
        assert_ne!(items.container.etag(), etag);
        for (change, name) in [
            (json!({"id": "d"}), "'id'"),
            (json!({"partitionKey": {"paths": ["/other"], "kind": "Hash", "version": 2}}), "'partitionKey'"),
            (json!({"partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 1}}), "'partitionKey'"),
            (json!({"uniqueKeyPolicy": null}), "'uniqueKeyPolicy'"),
            (json!({"uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/nick"]}]}}), "'uniqueKeyPolicy'"),
            (json!({"defaultTtl": 0}), "'defaultTtl'"),
        ] {
            check_invalid(items.change_settings(change).await, name);
        }
        assert_eq!(items.container.to_json(), shown, "a refused change changes nothing");
        let definition = items.container.settings().body.clone();
        let stale = Condition::IfMatch(format!("\"{etag}\""));
        check_refused(
            world.engine.replace_container(&items.container, &definition, &stale).await,
            "PreconditionFailed",
        );
        check_refused(world.engine.delete_container(&items.container, &stale).await, "PreconditionFailed");
        drop(items);
        let world = world.reopen().await;
        assert_eq!(world.items("c").container.to_json(), shown);
    })
    .await;
}

#[tokio::test]
async fn a_partition_key_may_be_spelled_otherwise_in_a_replacement() {
    on_every_store(async |world: World| {
        let items = world.create(json!({"id": "c", "partitionKey": {"paths": ["/pk"]}})).await;
        items.change_settings(json!({"partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 1}})).await.unwrap();
    })
    .await;
}

/// Everything that a client sees of the catalog.
fn shown(world: &World) -> Json {
    let databases = world.engine.databases();
    let containers = databases.iter().flat_map(|database| world.engine.containers(database));
    let containers: Vec<Json> =
        containers.map(|container| json!([container.to_json(), container.usage().items, container.head()])).collect();
    let databases: Vec<Json> = databases.iter().map(|database| Json::Object(database.to_json())).collect();
    let offers: Vec<Json> = world.engine.offers().iter().map(|offer| Json::Object(offer.to_json())).collect();
    json!([databases, containers, offers])
}

#[tokio::test]
async fn a_reopen_finds_everything_as_it_was_and_gives_no_number_twice() {
    on_every_store(async |world: World| {
        for name in ["b", "a"] {
            let items = world.create(by_pk(name)).await;
            items.create(json!({"id": "i", "pk": name})).await.unwrap();
        }
        let shared = orrery_engine::Throughput::autoscale(4_000, Some(10)).unwrap();
        world.engine.create_database("shared", Some(shared)).await.unwrap();
        let dropped = world.create(by_pk("dropped")).await;
        let highest = dropped.container.number();
        world.engine.delete_container(&dropped.container, &Condition::None).await.unwrap();
        drop(dropped);
        let before = shown(&world);
        let world = world.reopen().await;
        assert_eq!(shown(&world), before);
        assert!(world.create(by_pk("new")).await.container.number() > highest);
    })
    .await;
}
