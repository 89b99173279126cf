//! Random writes under unique keys, against a model that compares each item with all others.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::support::{Items, StoreKind, World, block_on, body_of, by_pk_with, word};

const CONSTRAINTS: [&[&str]; 2] = [&["/a"], &["/b", "/c"]];

#[derive(Clone, Debug)]
enum Step {
    Put { how: How, id: usize, pk: usize, values: [usize; 3], ttl: bool },
    Delete { id: usize, pk: usize },
    Advance(u64),
    Purge,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Create,
    Upsert,
    Replace,
    Patch,
}

const LIFE_SECONDS: u64 = 10;

fn step() -> impl Strategy<Value = Step> {
    let how = prop_oneof![Just(How::Create), Just(How::Upsert), Just(How::Replace), Just(How::Patch)];
    prop_oneof![
        12 => (how, 0..4usize, 0..2usize, [0..5usize, 0..3usize, 0..3usize], any::<bool>())
            .prop_map(|(how, id, pk, values, ttl)| Step::Put { how, id, pk, values, ttl }),
        2 => (0..4usize, 0..2usize).prop_map(|(id, pk)| Step::Delete { id, pk }),
        1 => (1..LIFE_SECONDS).prop_map(Step::Advance),
        1 => Just(Step::Purge),
    ]
}

/// Null stands for absent too; the long ones differ in their last character.
fn value(index: usize) -> Json {
    match index {
        0 => Json::Null,
        1 => json!(1),
        2 => json!("1"),
        3 => json!(format!("{}1", "long".repeat(60))),
        _ => json!(format!("{}2", "long".repeat(60))),
    }
}

#[derive(Clone)]
struct Entry {
    body: Json,
    ends: Option<u64>,
}

#[derive(Default)]
struct Model {
    now: u64,
    /// By partition and id; expired items stay until something stumbles over them.
    items: BTreeMap<(String, String), Entry>,
}

impl Model {
    fn living(&self) -> impl Iterator<Item = (&(String, String), &Entry)> {
        self.items.iter().filter(|(_, entry)| entry.ends.is_none_or(|ends| ends > self.now))
    }

    fn put(&mut self, how: How, body: &Json) -> &'static str {
        let place = place_of(body);
        let exists = self.living().any(|(other, _)| *other == place);
        match (how, exists) {
            (How::Create, true) => return "Conflict",
            (How::Replace | How::Patch, false) => return "NotFound",
            _ => {}
        }
        let taken = |(other, entry): (&(String, String), &Entry)| {
            other.0 == place.0 && *other != place && CONSTRAINTS.iter().any(|paths| same(paths, &entry.body, body))
        };
        if self.living().any(taken) {
            return "UniqueKeyViolation";
        }
        let ends = body.get("ttl").map(|ttl| self.now + ttl.as_u64().expect("a small number"));
        self.items.insert(place, Entry { body: body.clone(), ends });
        "ok"
    }

    fn delete(&mut self, place: &(String, String)) -> &'static str {
        if !self.living().any(|(other, _)| other == place) {
            return "NotFound";
        }
        self.items.remove(place);
        "ok"
    }
}

fn place_of(body: &Json) -> (String, String) {
    (body["pk"].to_string(), body["id"].to_string())
}

fn same(paths: &[&str], a: &Json, b: &Json) -> bool {
    paths.iter().all(|path| a.pointer(path).unwrap_or(&Json::Null) == b.pointer(path).unwrap_or(&Json::Null))
}

fn body(id: usize, pk: usize, values: [usize; 3], ttl: bool) -> Json {
    let mut body = json!({"id": format!("i{id}"), "pk": pk});
    for (name, index) in ["a", "b", "c"].into_iter().zip(values) {
        // Absent and null are one value.
        if index > 0 || id.is_multiple_of(2) {
            body[name] = value(index);
        }
    }
    if ttl {
        body["ttl"] = json!(LIFE_SECONDS);
    }
    body
}

/// A patch that makes the item's content that of `body`.
async fn patch(items: &Items, body: &Json) -> Result<(), orrery_engine::Error> {
    let (pk, id) = (json!([body["pk"]]), body["id"].as_str().expect("an id"));
    let set = |name: &str, absent: Json| json!({"op": "set", "path": format!("/{name}"), "value": body.get(name).cloned().unwrap_or(absent)});
    let set = [set("a", Json::Null), set("b", Json::Null), set("c", Json::Null), set("ttl", json!(-1))];
    items.patch(pk, id, Json::from(set.to_vec())).await.map(drop)
}

async fn run(store: StoreKind, steps: Vec<Step>) {
    let world = World::new(store).await;
    let keys: Vec<Json> = CONSTRAINTS.iter().map(|paths| json!({"paths": paths})).collect();
    let items = world.create(by_pk_with("c", json!({"uniqueKeyPolicy": {"uniqueKeys": keys}, "defaultTtl": -1}))).await;
    let mut model = Model { now: crate::support::START, ..Model::default() };
    for step in steps {
        match step {
            Step::Put { how, id, pk, values, ttl } => {
                let body = body(id, pk, values, ttl);
                let result = match how {
                    How::Create => items.create(body.clone()).await.map(drop),
                    How::Upsert => items.upsert(body.clone()).await.map(drop),
                    How::Replace => items.replace(body.clone()).await.map(drop),
                    How::Patch => patch(&items, &body).await,
                };
                assert_eq!(word(&result), model.put(how, &body), "{how:?} {body} {result:?}");
            }
            Step::Delete { id, pk } => {
                let result = items.delete(json!([pk]), &format!("i{id}")).await;
                assert_eq!(word(&result), model.delete(&place_of(&body(id, pk, [0; 3], false))));
            }
            Step::Advance(seconds) => {
                world.clock.advance(seconds);
                model.now += seconds;
            }
            Step::Purge => drop(world.engine.purge_expired().await.expect("the store works")),
        }
    }
    check_end(&world, &items, &model).await;
}

/// Each living item is there, and after a purge nothing is bound but for them.
async fn check_end(world: &World, items: &Items, model: &Model) {
    world.engine.purge_expired().await.expect("the store works");
    let living: Vec<&Entry> = model.living().map(|(_, entry)| entry).collect();
    let found: BTreeMap<_, _> = items
        .list(&orrery_engine::Scope::Container, 3)
        .await
        .iter()
        .map(|item| (place_of(&body_of(item)), item.clone()))
        .collect();
    assert_eq!(found.len(), living.len());
    assert_eq!(items.container.usage().items, living.len() as u64);
    let replaced = found.values().filter(|item| item.lsn() != item.document_number()).count();
    let due = living.iter().filter(|entry| entry.ends.is_some()).count();
    let bound = living.len() * CONSTRAINTS.len();
    assert_eq!(world.records(items.container.number()).await, [living.len(), living.len(), replaced + due + bound]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn in_memory_no_value_is_ever_taken_twice(steps in prop::collection::vec(step(), 1..60)) {
        block_on(run(StoreKind::Memory, steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn in_a_folder_no_value_is_ever_taken_twice(steps in prop::collection::vec(step(), 1..60)) {
        block_on(run(StoreKind::Fjall, steps));
    }
}
