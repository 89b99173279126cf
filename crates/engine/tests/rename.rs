//! Replacing an item under another id: it stays the same item.

use orrery_engine::{Condition, Error, FeedStart, Item, OperationKind, Scope, Target};
use serde_json::{Value as Json, json};

use crate::support::{Items, World, by_pk, by_pk_with, check_refused, id_of, on_every_store, partition, rid_of};

async fn rename(items: &Items, from: &str, body: Json) -> Result<Item, Error> {
    let (key, item) = items.new_item(&body)?;
    items.write(OperationKind::Replace { target: Target::Id(from.into()), item }, key, Condition::None).await
}

#[tokio::test]
async fn a_renamed_item_keeps_its_rid_and_leaves_its_old_id_free() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let key = partition(&json!(["x"]));
        for replaced_before in [false, true] {
            let first = items.create(json!({"id": "a", "pk": "x"})).await.unwrap();
            if replaced_before {
                items.replace(json!({"id": "a", "pk": "x"})).await.unwrap();
            }
            let renamed = rename(&items, "a", json!({"id": "b", "pk": "x", "n": 1})).await.unwrap();
            assert_eq!(rid_of(&renamed), rid_of(&first));
            assert!(items.read(json!(["x"]), "a").await.is_none());
            let by_rid = Target::Rid(rid_of(&first));
            assert_eq!(id_of(&items.read_target(&key, &by_rid).await.unwrap()), "b");
            items.replace(json!({"id": "b", "pk": "x", "n": 2})).await.unwrap();
            assert_eq!(id_of(&items.read_target(&key, &by_rid).await.unwrap()), "b");
            assert_eq!(items.feed_ids(&Scope::Container, FeedStart::Beginning).await, ["b"]);
            assert_eq!(items.container.usage().items, 1);
            let other = items.create(json!({"id": "a", "pk": "x"})).await.unwrap();
            assert_ne!(rid_of(&other), rid_of(&first));
            check_refused(rename(&items, "b", json!({"id": "a", "pk": "x"})).await, "Conflict");
            items.delete(json!(["x"]), "a").await.unwrap();
            items.delete(json!(["x"]), "b").await.unwrap();
            assert_eq!(world.records(items.container.number()).await, [0, 0, 0]);
            assert_eq!((items.container.usage().items, items.container.usage().bytes), (0, 0));
        }
    })
    .await;
}

#[tokio::test]
async fn a_renamed_item_still_holds_its_unique_values() {
    on_every_store(async |world: World| {
        let more = json!({"uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/mail"]}]}, "defaultTtl": -1});
        let items = world.create(by_pk_with("c", more)).await;
        items.create(json!({"id": "a", "pk": "x", "mail": "m"})).await.unwrap();
        rename(&items, "a", json!({"id": "b", "pk": "x", "mail": "m"})).await.unwrap();
        check_refused(items.create(json!({"id": "a", "pk": "x", "mail": "m"})).await, "UniqueKeyViolation");
        rename(&items, "b", json!({"id": "c", "pk": "x", "mail": "n", "ttl": 5})).await.unwrap();
        items.create(json!({"id": "a", "pk": "x", "mail": "m"})).await.unwrap();
        check_refused(rename(&items, "a", json!({"id": "b", "pk": "x", "mail": "n"})).await, "UniqueKeyViolation");
        world.clock.advance(5);
        rename(&items, "a", json!({"id": "c", "pk": "x", "mail": "n"})).await.unwrap();
        assert_eq!(items.list_ids(&Scope::Container).await, ["c"]);
        // The item, its forwarding record and its one value.
        assert_eq!(world.records(items.container.number()).await, [1, 1, 2]);
        items.delete(json!(["x"]), "c").await.unwrap();
        assert_eq!(world.records(items.container.number()).await, [0, 0, 0]);
    })
    .await;
}
