//! Many containers, limits of memory, and writers that are faster than the index.

use std::sync::Arc;

use orrery_engine::index::IndexOptions;
use serde_json::json;

use super::naive::check_view;
use super::{Lab, asleep, tiny, until};
use crate::support::{Items, StoreKind, by_pk};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_containers_that_nobody_queries_cost_nothing() {
    let options = IndexOptions { follow_rows: 20, ..tiny() };
    let lab = Lab::new(StoreKind::Memory, options).await;
    for container in 0..150 {
        let items = lab.create(by_pk(&format!("c{container}"))).await;
        for number in 0..5 {
            items.create(json!({"id": format!("i{number}"), "pk": "x", "n": container})).await.unwrap();
        }
    }
    assert_eq!((lab.engine.index_memory_bytes(), lab.index_rows().await), (0, 0));
}

/// Each container is asked in turn, with far less memory than all of them would take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_stays_within_its_limit_and_answers_stay_right() {
    let options = IndexOptions { max_memory_bytes: 40_000, seal_min_rows: 25, ..tiny() };
    let lab = Lab::new(StoreKind::Fjall, options.clone()).await;
    let mut all: Vec<Items> = Vec::new();
    for container in 0..12 {
        let items = lab.create(by_pk(&format!("c{container}"))).await;
        for number in 0..(10 + container * 4) {
            items.create(json!({"id": format!("i{number}"), "pk": number % 3, "n": number % 7})).await.unwrap();
        }
        all.push(items);
    }
    for round in 0..3 {
        for items in &all {
            let view = lab.ready(items, "/n").await;
            check_view(&view, &items.container, &["/n", "/id"], round).await;
            items.create(json!({"id": format!("r{round}"), "pk": 1, "n": round})).await.unwrap();
        }
    }
    until("memory is freed", async || lab.engine.index_memory_bytes() <= options.max_memory_bytes).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_wait_for_an_index_that_is_far_behind() {
    let lab = Lab::new(StoreKind::Memory, tiny()).await;
    let items = Arc::new(lab.create(by_pk("c")).await);
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let items = items.clone();
            tokio::spawn(async move {
                for number in 0..120 {
                    items
                        .create(json!({"id": format!("w{writer}-{number}"), "pk": number, "n": number}))
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let view = lab.ready(&items, "/n").await;
    check_view(&view, &items.container, &["/n"], 1).await;
}

/// The follower cannot write, but nobody waits for it for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_is_made_from_the_feed_by_the_query_if_need_be() {
    let lab = Lab::new(StoreKind::Memory, asleep()).await;
    let items = lab.create(by_pk("c")).await;
    for number in 0..200 {
        items.create(json!({"id": format!("i{number}"), "pk": number % 3, "n": number % 7})).await.unwrap();
        if number % 20 == 0 {
            let view = lab.engine.index_view(&items.container).await.unwrap();
            check_view(&view, &items.container, &["/n"], number).await;
        }
    }
}
