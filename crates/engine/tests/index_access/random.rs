//! Random items, policies and plans: the index may change what a query costs, never what it gives.

use orrery_engine::{PageRequest, Scope};
use orrery_value::{PartitionKey, Value};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

use super::plans::{bodies, plans};
use super::world::{World, definition, page, rows_from};
use crate::support::block_on;

#[derive(Clone, Debug)]
enum Step {
    Upsert(u8, Json),
    Delete(u8),
    Wait(u64),
}

fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    let body = (bodies(), option::weighted(0.2, select(vec![2i64, 10, -1])));
    let upsert = (0..60u8, body).prop_map(|(id, (mut body, ttl))| {
        ttl.into_iter().for_each(|ttl| body["ttl"] = json!(ttl));
        Step::Upsert(id, body)
    });
    vec(prop_oneof![12 => upsert, 2 => (0..60u8).prop_map(Step::Delete), 1 => (1..4u64).prop_map(Step::Wait)], 1..count)
}

/// The partition key of an item, which some lack.
fn key_of(id: u8) -> Json {
    match id % 5 {
        0 => json!({}),
        4 => json!(id / 20),
        other => json!(format!("key-{other}")),
    }
}

impl World {
    async fn run(&self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Upsert(id, body) => {
                    let mut body = body.clone();
                    body["id"] = json!(format!("{id:02}"));
                    let key = key_of(*id);
                    if key != json!({}) {
                        body["pk"] = key;
                    }
                    self.items.upsert(body).await.unwrap();
                }
                Step::Delete(id) => {
                    let key = if key_of(*id) == json!({}) { json!([{}]) } else { json!([key_of(*id)]) };
                    // It may not be there.
                    let _ = self.items.delete(key, &format!("{id:02}")).await;
                }
                Step::Wait(seconds) => self.clock.advance(*seconds),
            }
        }
        self.ready().await;
    }
}

fn text_of(value: &Value) -> String {
    String::from_utf8(value.to_json()).unwrap()
}

fn scopes() -> impl Strategy<Value = Scope> {
    let partition = |key: &str| Scope::Partition(PartitionKey::parse_header(key).unwrap());
    let ranges = orrery_value::even_ranges(orrery_value::PartitionKeyKind::HashV2, 3);
    select(vec![
        Scope::Container,
        Scope::Container,
        partition(r#"["key-1"]"#),
        partition("[{}]"),
        Scope::Range(ranges[0].clone()),
        Scope::Range(ranges[2].clone()),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_index_finds_what_a_scan_finds(
        policy in 0..3usize,
        ttl in option::of(select(vec![-1i64, 8])),
        before in steps(120),
        between in steps(12),
        plans in vec((plans(), scopes(), 1..7usize), 8),
    ) {
        block_on(async move {
            let world = World::new(definition(policy, ttl)).await;
            world.run(&before).await;
            let scan = world.without_index().await;
            let mut tokens = Vec::new();
            for (plan, scope, max_items) in &plans {
                let all = rows_from(&scan, scope, plan, 1_000, None).await;
                if *scope == Scope::Container {
                    let model: Vec<String> = world.model(plan).await.iter().map(text_of).collect();
                    prop_assert_eq!(&all, &model, "{:?}", plan);
                }
                prop_assert_eq!(&rows_from(&world.items, scope, plan, 1_000, None).await, &all, "{:?} in {:?}", plan, scope);
                let in_pages = rows_from(&scan, scope, plan, *max_items, None).await;
                prop_assert_eq!(rows_from(&world.items, scope, plan, *max_items, None).await, in_pages, "{:?} in {:?}", plan, scope);
                tokens.push(page(&world.items, scope, plan, &PageRequest::new(*max_items, None)).await.continuation);
            }
            world.run(&between).await;
            let scan = world.without_index().await;
            for ((plan, scope, max_items), token) in plans.iter().zip(tokens) {
                let Some(token) = token else { continue };
                let found = rows_from(&world.items, scope, plan, *max_items, Some(token.clone())).await;
                prop_assert_eq!(found, rows_from(&scan, scope, plan, 1_000, Some(token)).await, "{:?} in {:?}", plan, scope);
            }
            Ok(())
        })?;
    }
}
