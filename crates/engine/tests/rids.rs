//! Items addressed by their resource id.

use orrery_engine::{Condition, OperationKind, Target};
use serde_json::json;

use crate::support::{World, by_pk, check_refused, id_of, on_every_store, parse_patch, partition, rid_of};

#[tokio::test]
async fn a_rid_finds_its_item_before_and_after_it_was_replaced() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let rid = rid_of(&items.create(json!({"id": "a", "pk": "x"})).await.unwrap());
        let (key, target) = (partition(&json!(["x"])), Target::Rid(rid.clone()));
        for n in 0..3 {
            assert_eq!(id_of(&items.read_target(&key, &target).await.unwrap()), "a");
            let replaced = items.replace(json!({"id": "a", "pk": "x", "n": n})).await.unwrap();
            assert_eq!(rid_of(&replaced), rid, "a rid stays with its item");
        }
        let patch = parse_patch(&json!([{"op": "incr", "path": "/n", "value": 40}])).unwrap();
        let patched = items
            .write(OperationKind::Patch { target: target.clone(), patch }, key.clone(), Condition::None)
            .await
            .unwrap();
        assert_eq!(patched.document().get("n").unwrap().as_number().unwrap().as_i64(), Some(42));
        let (_, item) = items.new_item(&json!({"id": "a", "pk": "x", "by": "rid"})).unwrap();
        items
            .write(OperationKind::Replace { target: target.clone(), item }, key.clone(), Condition::None)
            .await
            .unwrap();
        items.write(OperationKind::Read { target: target.clone() }, key, Condition::None).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_rid_does_not_lead_out_of_the_logical_partition_or_container() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let other = world.create(by_pk("d")).await;
        for replaced in [false, true] {
            let item = items.upsert(json!({"id": "a", "pk": "x"})).await.unwrap();
            assert_eq!(item.lsn() != item.document_number(), replaced);
            let target = Target::Rid(rid_of(&item));
            let elsewhere = partition(&json!(["y"]));
            assert!(items.read_target(&elsewhere, &target).await.is_none());
            check_refused(
                items.write(OperationKind::Read { target: target.clone() }, elsewhere, Condition::None).await,
                "NotFound",
            );
            assert!(other.read_target(&partition(&json!(["x"])), &target).await.is_none());
        }
    })
    .await;
}

#[tokio::test]
async fn a_recreated_item_has_a_new_rid_and_the_old_one_finds_nothing() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let key = partition(&json!(["x"]));
        for replaced in [false, true] {
            let old = rid_of(&items.create(json!({"id": "a", "pk": "x"})).await.unwrap());
            if replaced {
                items.replace(json!({"id": "a", "pk": "x"})).await.unwrap();
            }
            items.delete(json!(["x"]), "a").await.unwrap();
            let new = rid_of(&items.create(json!({"id": "a", "pk": "x"})).await.unwrap());
            assert_ne!(old, new);
            assert!(items.read_target(&key, &Target::Rid(old)).await.is_none());
            assert!(items.read_target(&key, &Target::Rid(new)).await.is_some());
            items.delete(json!(["x"]), "a").await.unwrap();
        }
        assert_eq!(world.records(items.container.number()).await, [0, 0, 0]);
    })
    .await;
}

/// The number of a later version has a feed record too, but no rid was ever made of it.
#[tokio::test]
async fn a_rid_that_was_never_given_finds_nothing() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        items.create(json!({"id": "a", "pk": "x"})).await.unwrap();
        let replaced = items.replace(json!({"id": "a", "pk": "x"})).await.unwrap();
        let mut bytes = orrery_engine::rid::decode(items.container.rid()).unwrap();
        bytes.extend_from_slice(&replaced.lsn().to_le_bytes());
        let key = partition(&json!(["x"]));
        for text in [
            orrery_engine::rid::encode(&bytes),
            "a".into(),
            String::new(),
            "=".repeat(24),
            items.container.rid().into(),
        ] {
            let target = Target::Rid(text);
            assert!(items.read_target(&key, &target).await.is_none(), "{target:?}");
            check_refused(items.write(OperationKind::Read { target }, key.clone(), Condition::None).await, "NotFound");
        }
    })
    .await;
}
