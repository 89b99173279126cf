//! Random writes, jumps of the clock and changes of the default, against a model that looks at every item each time.

use std::collections::BTreeMap;

use orrery_engine::{FeedStart, Scope};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::support::{Items, START, StoreKind, World, block_on, by_pk, id_of, word};

#[derive(Clone, Debug)]
enum Step {
    Write { how: How, id: usize, ttl: Option<i64> },
    Advance(u64),
    Default(Option<i64>),
    Purge,
    Reopen,
    Look,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Create,
    Upsert,
    Replace,
    Delete,
}

fn ttl() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![3 => Just(None), 1 => Just(Some(-1)), 3 => (1i64..20).prop_map(Some)]
}

fn step() -> impl Strategy<Value = Step> {
    let how = prop_oneof![Just(How::Create), Just(How::Upsert), Just(How::Replace), Just(How::Delete)];
    prop_oneof![
        8 => (how, 0..8usize, ttl()).prop_map(|(how, id, ttl)| Step::Write { how, id, ttl }),
        4 => (1u64..15).prop_map(Step::Advance),
        1 => ttl().prop_map(Step::Default),
        1 => Just(Step::Purge),
        1 => Just(Step::Reopen),
        3 => Just(Step::Look),
    ]
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    own: Option<i64>,
    written: u64,
    number: u64,
}

/// Items by id, those that expired and are not purged yet included.
#[derive(Debug)]
struct Model {
    items: BTreeMap<String, Entry>,
    default: Option<i64>,
    now: u64,
    head: u64,
}

impl Model {
    fn is_expired(&self, entry: &Entry) -> bool {
        let Some(default) = self.default else { return false };
        let seconds = entry.own.unwrap_or(default);
        seconds >= 0 && entry.written + seconds as u64 <= self.now
    }

    fn write(&mut self, how: How, id: &str, own: Option<i64>) -> &'static str {
        let current = self.items.get(id).copied();
        let living = current.is_some_and(|entry| !self.is_expired(&entry));
        match (how, living) {
            (How::Create, true) => return "Conflict",
            (How::Replace | How::Delete, false) => return "NotFound",
            (How::Delete, true) => {
                self.items.remove(id);
                self.head += 1;
                return "ok";
            }
            _ => {}
        }
        // Taking the expired item out is a version of its own.
        self.head += if current.is_some() && !living { 2 } else { 1 };
        self.items.insert(id.into(), Entry { own, written: self.now, number: self.head });
        "ok"
    }

    fn purge(&mut self) -> u64 {
        let expired: Vec<String> =
            self.items.iter().filter(|(_, entry)| self.is_expired(entry)).map(|(id, _)| id.clone()).collect();
        self.items.retain(|id, _| !expired.contains(id));
        self.head += expired.len() as u64;
        expired.len() as u64
    }

    /// The ids of living items in the order of writing.
    fn living(&self) -> Vec<String> {
        let mut living: Vec<_> = self.items.iter().filter(|(_, entry)| !self.is_expired(entry)).collect();
        living.sort_by_key(|(_, entry)| entry.number);
        living.into_iter().map(|(id, _)| id.clone()).collect()
    }
}

async fn look(items: &Items, model: &Model) {
    let mut living = model.living();
    let (changes, position) = items.feed(&Scope::Container, FeedStart::Beginning, 3).await;
    assert_eq!(changes.iter().map(id_of).collect::<Vec<_>>(), living);
    assert_eq!(position, model.head);
    living.sort();
    let mut listed: Vec<_> = items.list(&Scope::Container, 2).await.iter().map(id_of).collect();
    listed.sort();
    assert_eq!(listed, living);
    for id in model.items.keys() {
        assert_eq!(items.read(json!(["x"]), id).await.is_some(), living.contains(id), "{id}");
    }
}

async fn run(store: StoreKind, steps: Vec<Step>) {
    let mut world = World::new(store).await;
    let mut items = world.create(by_pk("c")).await;
    let mut model = Model { items: BTreeMap::new(), default: None, now: START, head: 0 };
    for step in steps {
        match step {
            Step::Write { how, id, ttl } => {
                let id = format!("i{id}");
                let mut body = json!({"id": id, "pk": "x"});
                if let Some(ttl) = ttl {
                    body["ttl"] = json!(ttl);
                }
                let result = match how {
                    How::Create => items.create(body).await.map(drop),
                    How::Upsert => items.upsert(body).await.map(drop),
                    How::Replace => items.replace(body).await.map(drop),
                    How::Delete => items.delete(json!(["x"]), &id).await,
                };
                assert_eq!(word(&result), model.write(how, &id, ttl), "{how:?} {id}");
            }
            Step::Advance(seconds) => {
                world.clock.advance(seconds);
                model.now += seconds;
            }
            Step::Default(default) => {
                items
                    .change_settings(json!({"defaultTtl": default.map_or(Json::Null, Json::from)}))
                    .await
                    .expect("a good default");
                model.default = default;
            }
            Step::Purge => assert_eq!(world.engine.purge_expired().await.expect("the store works"), model.purge()),
            Step::Reopen => {
                drop(items);
                world = world.reopen().await;
                items = world.items("c");
            }
            Step::Look => look(&items, &model).await,
        }
        assert_eq!((items.container.usage().items, items.container.head()), (model.items.len() as u64, model.head));
    }
    items.change_settings(json!({"defaultTtl": 1})).await.expect("a good default");
    model.default = Some(1);
    assert_eq!(world.engine.purge_expired().await.expect("the store works"), model.purge());
    look(&items, &model).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn in_memory_items_live_exactly_as_long_as_they_should(steps in prop::collection::vec(step(), 1..60)) {
        block_on(run(StoreKind::Memory, steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn in_a_folder_items_live_exactly_as_long_as_they_should(steps in prop::collection::vec(step(), 1..60)) {
        block_on(run(StoreKind::Fjall, steps));
    }
}
