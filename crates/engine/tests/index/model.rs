//! Random writes, snapshots and stops; after each few the index must say what a scan of the same snapshot says.

use std::sync::Arc;

use orrery_engine::Container;
use orrery_engine::index::{Coverage, IndexView};
use orrery_store::Snapshot;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::naive::{check_view, single};
use super::{Lab, tiny, until};
use crate::support::{Items, StoreKind, block_on, map};

const PATHS: [&str; 9] = ["/id", "/pk", "/n", "/s", "/b", "/o/x", "/tags", "/tags/[]", "/list/[]/k"];

#[derive(Clone, Debug)]
enum Step {
    Upsert(u8, Json),
    Delete(u8),
    /// Several at once, which gives chunks and runs something to hold.
    Many(u8, Json),
    Check(usize),
    /// A snapshot for later.
    Keep,
    CheckKept(usize),
    Reopen {
        close: bool,
    },
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![
        3 => (-4i64..4).prop_map(Json::from),
        1 => prop::sample::select(vec![(1i64 << 53) - 1, 1 << 53, (1 << 53) + 1, i64::MAX]).prop_map(Json::from),
        2 => (-2.0f64..2.0).prop_map(Json::from),
        3 => "[ab\u{0}é]{0,3}".prop_map(Json::from),
        1 => "[ab]{0,2}".prop_map(|end| Json::from("x".repeat(99) + &end)),
        1 => any::<bool>().prop_map(Json::from),
        1 => Just(Json::Null),
    ]
}

fn body() -> impl Strategy<Value = Json> {
    let optional = || prop::option::weighted(0.8, scalar());
    let lists = (vec(scalar(), 0..4), vec(scalar(), 0..3));
    (optional(), optional(), optional(), optional(), lists).prop_map(|(n, s, b, x, (tags, list))| {
        let list: Vec<Json> = list.into_iter().map(|k| json!({"k": k})).collect();
        let mut body = map(json!({"tags": tags, "list": list}));
        for (name, value) in [("n", n), ("s", s), ("b", b)] {
            body.extend(value.map(|value| (name.to_owned(), value)));
        }
        body.insert("o".into(), x.map_or(json!([1]), |x| json!({"x": x})));
        Json::Object(body)
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (any::<u8>(), body()).prop_map(|(id, body)| Step::Upsert(id % 30, body)),
        4 => any::<u8>().prop_map(|id| Step::Delete(id % 30)),
        3 => (any::<u8>(), body()).prop_map(|(id, body)| Step::Many(id, body)),
        5 => any::<usize>().prop_map(|seed| Step::Check(seed % 1000)),
        2 => Just(Step::Keep),
        2 => any::<usize>().prop_map(|index| Step::CheckKept(index % 4)),
        1 => any::<bool>().prop_map(|close| Step::Reopen { close }),
    ]
}

fn definition() -> impl Strategy<Value = Json> {
    let keys = prop::sample::select(vec![
        json!({"paths": ["/pk"], "kind": "Hash", "version": 2}),
        json!({"paths": ["/pk"], "kind": "Hash", "version": 1}),
        json!({"paths": ["/pk", "/id"], "kind": "MultiHash", "version": 2}),
    ]);
    keys.prop_map(|key| json!({"id": "c", "partitionKey": key}))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_index_in_memory_answers_like_a_scan(definition in definition(), steps in vec(step(), 5..70)) {
        block_on(run(StoreKind::Memory, definition, steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_index_on_disk_answers_like_a_scan(definition in definition(), steps in vec(step(), 5..70)) {
        block_on(run(StoreKind::Fjall, definition, steps));
    }
}

async fn run(kind: StoreKind, definition: Json, steps: Vec<Step>) {
    let mut lab = Lab::new(kind, tiny()).await;
    let database = lab.engine.database("db").unwrap();
    lab.engine.create_container(&database, &map(definition), None).await.unwrap();
    drop(database);
    let mut kept: Vec<Arc<dyn Snapshot>> = Vec::new();
    for step in steps {
        let container = lab.engine.container("db", "c").unwrap();
        let items = Items { engine: lab.engine.clone(), container: container.clone() };
        match step {
            Step::Upsert(id, body) => upsert(&items, id, body).await,
            Step::Delete(id) => drop(items.delete(key_of(&container, id), &name(id)).await),
            Step::Many(from, body) => {
                for id in from..from.saturating_add(25) {
                    upsert(&items, id, body.clone()).await;
                }
            }
            Step::Check(seed) => check_now(&lab, &container, seed).await,
            Step::Keep => kept.push(lab.store.snapshot()),
            Step::CheckKept(index) => {
                if let Some(snapshot) = kept.get(index) {
                    check_kept(&lab, &container, snapshot.clone(), index).await;
                }
            }
            Step::Reopen { close } => {
                kept.clear();
                drop((items, container));
                lab = lab.reopen(close).await;
            }
        }
    }
    let container = lab.engine.container("db", "c").unwrap();
    check_now(&lab, &container, 1).await;
}

async fn check_now(lab: &Lab, container: &Arc<Container>, seed: usize) {
    until("the index is made", async || is_ready(&lab.engine.index_view(container).await.unwrap())).await;
    let view = lab.engine.index_view(container).await.unwrap();
    check_view(&view, container, &PATHS, seed).await;
}

async fn check_kept(lab: &Lab, container: &Arc<Container>, snapshot: Arc<dyn Snapshot>, seed: usize) {
    let view = lab.engine.index_view_at(container, snapshot).await.unwrap();
    // If the index has gone on by much since then, a scan would answer.
    if is_ready(&view) {
        check_view(&view, container, &PATHS, seed).await;
    }
}

fn is_ready(view: &IndexView) -> bool {
    view.coverage(&single("/n")) == Coverage::Ready
}

fn name(id: u8) -> String {
    format!("item{id}")
}

fn key_of(container: &Container, id: u8) -> Json {
    let pk = format!("p{}", id % 7);
    match container.settings().partition_key.paths.len() {
        1 => json!([pk]),
        _ => json!([pk, name(id)]),
    }
}

async fn upsert(items: &Items, id: u8, body: Json) {
    let mut body = map(body);
    body.insert("id".into(), name(id).into());
    body.insert("pk".into(), format!("p{}", id % 7).into());
    items.upsert(Json::Object(body)).await.expect("it is written");
}
