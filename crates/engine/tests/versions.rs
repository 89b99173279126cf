//! The living versions of a container at one moment.

use orrery_engine::Versions;
use serde_json::json;

use crate::support::{Items, World, by_pk, on_every_store};

async fn at_once(items: &Items) -> Versions {
    items.engine.versions(&items.container).await.unwrap()
}

async fn numbers(versions: &Versions) -> Vec<u64> {
    let mut numbers: Vec<u64> = versions.numbers().await.unwrap().into_iter().collect();
    numbers.sort_unstable();
    assert_eq!(numbers.len() as u64, versions.count());
    let pages = versions.behind(0, 2).await.unwrap();
    assert!(pages.iter().map(|item| item.lsn()).eq(numbers.iter().copied().take(2)));
    numbers
}

#[tokio::test]
async fn versions_that_died_are_known_and_those_that_live_are_counted() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for id in ["a", "b", "c", "d"] {
            items.create(json!({"id": id, "pk": "x"})).await.unwrap();
        }
        let before = at_once(&items).await;
        assert_eq!((numbers(&before).await, before.head()), (vec![1, 2, 3, 4], 4));
        items.upsert(json!({"id": "b", "pk": "x", "n": 1})).await.unwrap();
        items.delete(json!(["x"]), "c").await.unwrap();
        items.create(json!({"id": "e", "pk": "x"})).await.unwrap();
        items.delete(json!(["x"]), "e").await.unwrap();
        let after = at_once(&items).await;
        assert_eq!((numbers(&after).await, after.head()), (vec![1, 4, 5], 8));
        let mut dead = after.died_since(4).await.unwrap();
        dead.sort_unstable();
        assert_eq!(dead, [2, 3]);
        // What a moment shows does not change, and what dies later is alive in it.
        items.delete(json!(["x"]), "a").await.unwrap();
        assert_eq!(numbers(&after).await, [1, 4, 5]);
        assert_eq!(after.died_since(4).await.unwrap().len(), 2);
        assert_eq!(after.behind(4, 10).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn new_items_are_at_hand_as_long_as_nothing_else_comes() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let new = async |id: &str| {
            items.create(json!({"id": id, "pk": "x"})).await.unwrap();
        };
        let behind = |after: u64| {
            let found = items.container.new_items_behind(after)?;
            assert!(found.iter().map(|item| item.lsn()).eq(after + 1..=items.container.head()));
            Some(found.len())
        };
        new("a").await;
        assert_eq!(behind(0), None, "nobody asked for them");
        let _ = at_once(&items).await;
        new("b").await;
        new("c").await;
        assert_eq!([behind(0), behind(1), behind(2), behind(3)], [None, Some(2), Some(1), Some(0)]);
        assert!(items.create(json!({"id": "c", "pk": "x"})).await.is_err());
        assert_eq!(behind(1), Some(2));
        items.upsert(json!({"id": "b", "pk": "x", "n": 1})).await.unwrap();
        new("d").await;
        assert_eq!([behind(2), behind(3), behind(4)], [None, None, Some(1)]);
        items.delete(json!(["x"]), "d").await.unwrap();
        assert_eq!([behind(4), behind(5), behind(6)], [None, None, Some(0)]);
        let long = "x".repeat(50_000);
        for n in 0..8 {
            items.create(json!({"id": n.to_string(), "pk": "x", "long": long})).await.unwrap();
        }
        assert_eq!([behind(6), behind(8), behind(9)], [None, None, Some(5)], "256 KiB of them");
    })
    .await;
}

#[tokio::test]
async fn items_are_read_in_the_order_of_their_keys() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for (id, pk) in [("a", "x"), ("a", "y"), ("b", "x")] {
            items.create(json!({"id": id, "pk": pk})).await.unwrap();
        }
        let key = |pk: &str| orrery_value::PartitionKey(vec![pk.into()]);
        let keys = [(key("y"), "a"), (key("y"), "b"), (key("x"), "b"), (key("x"), "a")];
        let found = items.engine.read_items(&items.container, &keys).await.unwrap();
        let numbers: Vec<_> = found.iter().map(|item| item.as_ref().map(|item| item.lsn())).collect();
        assert_eq!(numbers, [Some(2), None, Some(3), Some(1)]);
    })
    .await;
}
