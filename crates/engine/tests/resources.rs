//! Users, permissions, scripts and keys.

use orrery_engine::{Condition, Parent, ResourceKind, rid};
use serde_json::json;

use crate::support::{World, by_pk, check_invalid, check_refused, map, on_every_store};

const KINDS_OF_CONTAINERS: [ResourceKind; 3] =
    [ResourceKind::StoredProcedure, ResourceKind::Trigger, ResourceKind::UserDefinedFunction];
const KINDS_OF_DATABASES: [ResourceKind; 2] = [ResourceKind::User, ResourceKind::ClientEncryptionKey];

#[tokio::test]
async fn every_kind_is_created_read_replaced_listed_and_deleted() {
    on_every_store(async |world: World| {
        let container = Parent::container(&world.create(by_pk("c")).await.container);
        let database = Parent::database(&world.engine.database("db").unwrap());
        let user =
            world.engine.create_resource(&database, ResourceKind::User, &map(json!({"id": "owner"}))).await.unwrap();
        let user = Parent::user(&user);
        let all = KINDS_OF_CONTAINERS
            .iter()
            .map(|kind| (&container, *kind))
            .chain(KINDS_OF_DATABASES.iter().map(|kind| (&database, *kind)));
        for (parent, kind) in all.chain([(&user, ResourceKind::Permission)]) {
            check_life(&world, parent, kind).await;
        }
    })
    .await;
}

async fn check_life(world: &World, parent: &Parent, kind: ResourceKind) {
    let engine = &world.engine;
    let body = |id: &str, text: &str| map(json!({"id": id, "body": text, "_rid": "ignored", "_etag": "ignored"}));
    let first = engine.create_resource(parent, kind, &body("a", "1")).await.unwrap();
    check_refused(engine.create_resource(parent, kind, &body("a", "2")).await, "Conflict");
    check_invalid(engine.create_resource(parent, kind, &map(json!({"body": "x"}))).await, "'id'");
    check_invalid(engine.create_resource(parent, kind, &body("a/b", "x")).await, "'/'");
    assert_eq!(first.body(), &map(json!({"id": "a", "body": "1"})));
    assert!(first.self_link().ends_with(&format!("/{}/{}/", kind.segment(), first.rid())), "{}", first.self_link());
    assert!([8, 16].contains(&rid::decode(&first.rid()).unwrap().len()));
    for segment in ["a", &first.rid()] {
        assert_eq!(engine.resource(parent, kind, segment).await.unwrap().to_json(), first.to_json());
    }
    let stale = Condition::IfMatch(format!("\"{}\"", first.etag()));
    let second = engine.replace_resource(parent, kind, "a", &body("a", "2"), &stale).await.unwrap();
    assert_eq!((second.rid(), second.body()["body"].as_str()), (first.rid(), Some("2")));
    check_refused(engine.replace_resource(parent, kind, "a", &body("a", "3"), &stale).await, "PreconditionFailed");
    check_refused(engine.delete_resource(parent, kind, "a", &stale).await, "PreconditionFailed");
    check_refused(engine.replace_resource(parent, kind, "b", &body("b", "3"), &Condition::None).await, "NotFound");
    assert!(engine.upsert_resource(parent, kind, &body("b", "3")).await.unwrap().1);
    assert!(!engine.upsert_resource(parent, kind, &body("b", "4")).await.unwrap().1);
    check_refused(engine.replace_resource(parent, kind, "b", &body("a", "5"), &Condition::None).await, "Conflict");
    engine.replace_resource(parent, kind, "b", &body("c", "5"), &Condition::None).await.unwrap();
    let listed = engine.resources(parent, kind).await.unwrap();
    assert!(listed.iter().map(|resource| resource.id()).filter(|id| *id != "owner").eq(["a", "c"]));
    engine.delete_resource(parent, kind, &first.rid(), &Condition::None).await.unwrap();
    check_refused(engine.resource(parent, kind, "a").await, "NotFound");
    check_refused(engine.delete_resource(parent, kind, "a", &Condition::None).await, "NotFound");
    let again = engine.create_resource(parent, kind, &body("a", "1")).await.unwrap();
    assert!(again.rid() != first.rid() && again.etag() != first.etag(), "a recreated {} is another", kind.noun());
}

#[tokio::test]
async fn resources_go_with_their_parents() {
    on_every_store(async |world: World| {
        let engine = &world.engine;
        let items = world.create(by_pk("c")).await;
        let scripts = Parent::container(&items.container);
        let database = engine.database("db").unwrap();
        let users = Parent::database(&database);
        let body = map(json!({"id": "r"}));
        engine.create_resource(&scripts, ResourceKind::Trigger, &body).await.unwrap();
        let user = engine.create_resource(&users, ResourceKind::User, &body).await.unwrap();
        let permissions = Parent::user(&user);
        engine.create_resource(&permissions, ResourceKind::Permission, &body).await.unwrap();
        engine.delete_resource(&users, ResourceKind::User, "r", &Condition::None).await.unwrap();
        assert!(engine.resources(&permissions, ResourceKind::Permission).await.unwrap().is_empty());
        let user = engine.create_resource(&users, ResourceKind::User, &body).await.unwrap();
        let permissions = Parent::user(&user);
        engine.create_resource(&permissions, ResourceKind::Permission, &body).await.unwrap();
        engine.delete_container(&items.container, &Condition::None).await.unwrap();
        assert!(engine.resources(&scripts, ResourceKind::Trigger).await.unwrap().is_empty());
        engine.delete_database(&database, &Condition::None).await.unwrap();
        assert!(engine.resources(&users, ResourceKind::User).await.unwrap().is_empty());
        assert!(engine.resources(&permissions, ResourceKind::Permission).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn resources_survive_a_reopen() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let body = map(json!({"id": "ü", "body": "function () { return \"\\u0000\"; }"}));
        let stored = world
            .engine
            .create_resource(&Parent::container(&items.container), ResourceKind::StoredProcedure, &body)
            .await
            .unwrap();
        drop(items);
        let world = world.reopen().await;
        let parent = Parent::container(&world.items("c").container);
        let found = world.engine.resource(&parent, ResourceKind::StoredProcedure, "ü").await.unwrap();
        assert_eq!(found.to_json(), stored.to_json());
    })
    .await;
}
