//! Unique keys: one value per logical partition and constraint.

use orrery_engine::WriteMode;
use serde_json::{Value as Json, json};

use crate::support::{Items, World, by_pk_with, check_refused, on_every_store};

const TAKEN: &str = "UniqueKeyViolation";

fn unique(constraints: &[&[&str]]) -> Json {
    let keys: Vec<Json> = constraints.iter().map(|paths| json!({"paths": paths})).collect();
    by_pk_with("c", json!({"uniqueKeyPolicy": {"uniqueKeys": keys}, "defaultTtl": -1}))
}

fn item(id: &str, mail: &str) -> Json {
    json!({"id": id, "pk": "x", "mail": mail})
}

/// Nothing but what the items there need is bound.
async fn check_bound(world: &World, items: &Items, expected: usize) {
    assert_eq!(world.records(items.container.number()).await[2], expected);
}

#[tokio::test]
async fn a_value_is_taken_once_in_each_logical_partition() {
    on_every_store(async |world: World| {
        let items = world.create(unique(&[&["/mail"]])).await;
        items.create(item("a", "m")).await.unwrap();
        check_refused(items.create(item("b", "m")).await, TAKEN);
        check_refused(items.upsert(item("b", "m")).await, TAKEN);
        items.create(json!({"id": "b", "pk": "y", "mail": "m"})).await.unwrap();
        items.create(item("b", "n")).await.unwrap();
        check_refused(items.replace(item("b", "m")).await, TAKEN);
        check_refused(items.upsert(item("b", "m")).await, TAKEN);
        check_refused(
            items.patch(json!(["x"]), "b", json!([{"op": "set", "path": "/mail", "value": "m"}])).await,
            TAKEN,
        );
        assert_eq!(items.container.usage().items, 3);
        check_bound(&world, &items, 3).await;
    })
    .await;
}

#[tokio::test]
async fn a_value_is_free_again_after_its_item_changed_or_went() {
    on_every_store(async |world: World| {
        let items = world.create(unique(&[&["/mail"]])).await;
        items.create(item("a", "m")).await.unwrap();
        items.replace(item("a", "m")).await.unwrap();
        items.replace(item("a", "n")).await.unwrap();
        items.create(item("b", "m")).await.unwrap();
        items.patch(json!(["x"]), "b", json!([{"op": "set", "path": "/mail", "value": "o"}])).await.unwrap();
        items.create(item("c", "m")).await.unwrap();
        items.delete(json!(["x"]), "c").await.unwrap();
        items.create(item("c", "m")).await.unwrap();
        items.engine.delete_partition(&items.container, &crate::support::partition(&json!(["x"]))).await.unwrap();
        check_bound(&world, &items, 0).await;
        items.create(item("d", "m")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_value_is_free_again_once_its_item_expired() {
    on_every_store(async |world: World| {
        let items = world.create(unique(&[&["/mail"], &["/nick"]])).await;
        let with_ttl = |id: &str| json!({"id": id, "pk": "x", "mail": "m", "nick": "n", "ttl": 10});
        items.create(with_ttl("a")).await.unwrap();
        world.clock.advance(9);
        check_refused(items.create(item("b", "m")).await, TAKEN);
        world.clock.advance(1);
        items.create(json!({"id": "b", "pk": "x", "mail": "m", "nick": "n"})).await.unwrap();
        assert_eq!(items.container.usage().items, 1, "the expired item made way");
        assert_eq!(world.engine.purge_expired().await.unwrap(), 0);
        check_refused(items.create(with_ttl("a")).await, TAKEN);
        items.delete(json!(["x"]), "b").await.unwrap();
        items.create(with_ttl("a")).await.unwrap();
        world.clock.advance(10);
        assert_eq!(world.engine.purge_expired().await.unwrap(), 1);
        check_bound(&world, &items, 0).await;
    })
    .await;
}

#[tokio::test]
async fn an_absent_value_counts_as_null() {
    on_every_store(async |world: World| {
        let items = world.create(unique(&[&["/mail", "/at/nick"]])).await;
        items.create(json!({"id": "a", "pk": "x"})).await.unwrap();
        check_refused(items.create(json!({"id": "b", "pk": "x", "mail": null})).await, TAKEN);
        check_refused(items.create(json!({"id": "b", "pk": "x", "at": {"nick": null}})).await, TAKEN);
        check_refused(items.create(json!({"id": "b", "pk": "x", "at": 5})).await, TAKEN);
        items.create(json!({"id": "b", "pk": "x", "mail": "m"})).await.unwrap();
        items.create(json!({"id": "c", "pk": "x", "at": {"nick": "m"}})).await.unwrap();
        items.create(json!({"id": "d", "pk": "x", "mail": "m", "at": {"nick": "m"}})).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn values_of_different_types_differ_and_equal_numbers_do_not() {
    on_every_store(async |world: World| {
        let items = world.create(unique(&[&["/v"]])).await;
        let long = "long ".repeat(400);
        let other_long = format!("{}!", &long[1..]);
        let values = [
            json!("1"),
            json!(1),
            json!(true),
            json!("true"),
            json!(""),
            json!(1.5),
            json!(long),
            json!(other_long),
            json!("null"),
        ];
        for (n, value) in values.iter().enumerate() {
            items.create(json!({"id": format!("i{n}"), "pk": "x", "v": value})).await.unwrap();
        }
        for value in values.iter().chain(&[json!(1.0), json!(15e-1)]) {
            check_refused(items.create(json!({"id": "again", "pk": "x", "v": value})).await, TAKEN);
        }
    })
    .await;
}

#[tokio::test]
async fn each_of_several_constraints_counts_and_a_refused_write_binds_nothing() {
    on_every_store(async |world: World| {
        let items = world.create(unique(&[&["/a"], &["/b"], &["/c", "/d"]])).await;
        let make =
            |id: &str, a: i64, b: i64, c: i64, d: i64| json!({"id": id, "pk": "x", "a": a, "b": b, "c": c, "d": d});
        items.create(make("1", 1, 1, 1, 1)).await.unwrap();
        check_refused(items.create(make("2", 1, 2, 2, 2)).await, TAKEN);
        check_refused(items.create(make("2", 2, 1, 2, 2)).await, TAKEN);
        check_refused(items.create(make("2", 2, 2, 1, 1)).await, TAKEN);
        check_bound(&world, &items, 3).await;
        items.create(make("2", 2, 2, 1, 2)).await.unwrap();
        check_refused(items.replace(make("2", 3, 3, 1, 1)).await, TAKEN);
        items.create(make("3", 3, 3, 2, 1)).await.unwrap();
        check_bound(&world, &items, 9).await;
    })
    .await;
}

#[tokio::test]
async fn two_items_swap_their_values_in_one_batch_only_by_way_of_a_third_value() {
    on_every_store(async |world: World| {
        let items = world.create(unique(&[&["/mail"]])).await;
        items.create(item("a", "m")).await.unwrap();
        items.create(item("b", "n")).await.unwrap();
        let replace = |body: Json| {
            let (key, new) = items.new_item(&body).unwrap();
            let target = orrery_engine::Target::Id(new.id().to_owned());
            orrery_engine::Operation {
                kind: orrery_engine::OperationKind::Replace { target, item: new },
                key,
                condition: Default::default(),
            }
        };
        let direct = items.batch(vec![replace(item("a", "n")), replace(item("b", "m"))], WriteMode::Atomic).await;
        assert_eq!(crate::support::word(&direct[0]), TAKEN);
        let steps = vec![replace(item("a", "free")), replace(item("b", "m")), replace(item("a", "n"))];
        assert!(items.batch(steps, WriteMode::Atomic).await.iter().all(Result::is_ok));
        check_refused(items.create(item("c", "m")).await, TAKEN);
        check_bound(&world, &items, 4).await;
    })
    .await;
}

#[tokio::test]
async fn unique_values_stay_bound_after_a_reopen() {
    on_every_store(async |world: World| {
        let items = world.create(unique(&[&["/mail"]])).await;
        items.create(item("a", "m")).await.unwrap();
        drop(items);
        let world = world.reopen().await;
        check_refused(world.items("c").create(item("b", "m")).await, TAKEN);
    })
    .await;
}
