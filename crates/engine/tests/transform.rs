//! Writes that make an item from its current version, under rules of another API.

use std::sync::Arc;

use orrery_engine::{Condition, Error, Item, ItemTest, NewItem, Operation, OperationKind, Transform, WriteMode};
use serde_json::json;

use crate::support::{Items, World, by_pk, on_every_store, partition, word};

/// Counts up `n` of the item, or starts at 0; refuses to start unless `may_create`.
fn count_up(items: &Items, id: &str, may_create: bool, condition: Condition) -> Operation {
    let (container, name) = (items.container.clone(), id.to_owned());
    let transform = move |current: Option<&Item>| {
        let n = match current {
            Some(item) => item.document().get("n").and_then(|n| n.as_number()).map_or(0.0, |n| n.as_f64()) + 1.0,
            None if may_create => 0.0,
            None => return Err(Error::NotFound { kind: "item", id: name.clone() }),
        };
        let body = json!({"id": name, "pk": "x", "n": n}).to_string();
        NewItem::parse_with(&container, body.as_bytes(), None, |_| Ok(()))
    };
    let kind = OperationKind::Transform { id: id.to_owned(), transform: Transform(Box::new(transform)) };
    Operation { kind, key: partition(&json!(["x"])), condition }
}

#[tokio::test]
async fn a_transform_sees_the_current_version_and_its_condition_is_checked() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let run = async |operation| word(&items.batch(vec![operation], WriteMode::Independent).await[0]);
        assert_eq!(run(count_up(&items, "", false, Condition::None)).await, "NotFound");
        assert_eq!(run(count_up(&items, "", true, Condition::None)).await, "ok");
        let first = items.read(json!(["x"]), "").await.unwrap();
        assert_eq!(run(count_up(&items, "", true, Condition::None)).await, "ok");
        let second = items.read(json!(["x"]), "").await.unwrap();
        assert!(second.ticks() > first.ticks(), "{} then {}", first.ticks(), second.ticks());
        let version = |ticks| Condition::If(ItemTest(Arc::new(move |item: &Item| item.ticks() == ticks)));
        assert_eq!(run(count_up(&items, "", true, version(first.ticks()))).await, "PreconditionFailed");
        assert_eq!(run(count_up(&items, "", true, version(second.ticks()))).await, "ok");
        let third = items.read(json!(["x"]), "").await.unwrap();
        assert_eq!(third.document().get("n").unwrap().text(), b"2.0");
    })
    .await;
}
