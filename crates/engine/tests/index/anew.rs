//! Indexes made anew: for another policy, and when most of one is dead.

use orrery_engine::index::Coverage;
use orrery_engine::{Condition, Engine};
use serde_json::{Value as Json, json};

use super::naive::{check_view, single};
use super::{Lab, tiny, until};
use crate::support::{Items, StoreKind, by_pk};

fn item(number: usize, version: usize) -> Json {
    json!({"id": format!("i{number}"), "pk": format!("p{}", number % 5), "a": number, "b": {"c": version}})
}

async fn write(items: &Items, count: usize, version: usize) {
    for number in 0..count {
        items.upsert(item(number, version)).await.unwrap();
    }
}

async fn coverage(engine: &Engine, items: &Items, path: &str) -> Coverage {
    engine.index_view(&items.container).await.unwrap().coverage(&single(path))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_old_index_serves_until_the_new_one_is_made_and_its_rows_go() {
    for kind in [StoreKind::Memory, StoreKind::Fjall] {
        let mut lab = Lab::new(kind, tiny()).await;
        let mut items = lab.create(by_pk("c")).await;
        write(&items, 200, 1).await;
        until("there is an index on disk", async || lab.index_rows().await > 0).await;
        let etag = items.container.etag();
        let view = lab.ready(&items, "/b/c").await;

        let policy = json!({"includedPaths": [{"path": "/a/?"}], "excludedPaths": [{"path": "/*"}]});
        items.change_settings(json!({"indexingPolicy": policy})).await.unwrap();
        assert_ne!(items.container.etag(), etag);
        let etag = items.container.etag();
        let writer = items.clone();
        let writing = tokio::spawn(async move { write(&writer, 120, 2).await });
        until("the new policy counts", async || coverage(&lab.engine, &items, "/b/c").await == Coverage::NotIndexed)
            .await;
        // Whoever opened the old index can read on.
        check_view(&view, &items.container, &["/a", "/b/c"], 1).await;
        drop(view);
        writing.await.unwrap();
        assert_eq!(items.container.etag(), etag, "clients see nothing of it");
        let view = lab.ready(&items, "/a").await;
        check_view(&view, &items.container, &["/a", "/id"], 2).await;
        assert_eq!(items.container.index_progress(), 100);
        drop(view);

        drop(items);
        lab = lab.reopen(true).await;
        items = Items { engine: lab.engine.clone(), container: lab.engine.container("db", "c").unwrap() };
        let view = lab.ready(&items, "/a").await;
        assert_eq!(view.coverage(&single("/b/c")), Coverage::NotIndexed);
        check_view(&view, &items.container, &["/a", "/id"], 3).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_of_mostly_dead_versions_is_made_anew() {
    let lab = Lab::new(StoreKind::Memory, tiny()).await;
    let items = lab.create(by_pk("c")).await;
    write(&items, 60, 0).await;
    until("there is an index on disk", async || lab.index_rows().await > 0).await;
    for version in 1..12 {
        write(&items, 60, version).await;
    }
    let one_index = 60 * 8;
    until("the dead are gone", async || {
        write(&items, 4, 99).await;
        lab.index_rows().await < 3 * one_index
    })
    .await;
    let view = lab.ready(&items, "/a").await;
    check_view(&view, &items.container, &["/a", "/b/c"], 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn indexing_can_be_turned_off_and_on() {
    for kind in [StoreKind::Memory, StoreKind::Fjall] {
        let mut lab = Lab::new(kind, tiny()).await;
        let mut items = lab.create(by_pk("c")).await;
        write(&items, 150, 1).await;
        until("there is an index on disk", async || lab.index_rows().await > 0).await;
        items.change_settings(json!({"indexingPolicy": {"indexingMode": "none"}})).await.unwrap();
        assert_eq!(coverage(&lab.engine, &items, "/a").await, Coverage::NotIndexed);
        if kind == StoreKind::Memory {
            until("its rows are gone", async || lab.index_rows().await == 0).await;
        }
        write(&items, 20, 2).await;
        drop(items);
        lab = lab.reopen(false).await;
        items = Items { engine: lab.engine.clone(), container: lab.engine.container("db", "c").unwrap() };
        assert_eq!(coverage(&lab.engine, &items, "/a").await, Coverage::NotIndexed);
        items.change_settings(json!({"indexingPolicy": {"indexingMode": "consistent"}})).await.unwrap();
        let view = lab.ready(&items, "/a").await;
        check_view(&view, &items.container, &["/a", "/b/c"], 3).await;
    }
}

/// Stopped at any moment, the next server goes on where the rows end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn making_an_index_goes_on_after_a_stop() {
    for close in [false, true] {
        let mut lab = Lab::new(StoreKind::Fjall, tiny()).await;
        let mut items = lab.create(by_pk("c")).await;
        write(&items, 250, 1).await;
        until("there is an index on disk", async || lab.index_rows().await > 0).await;
        for round in 0..6 {
            let path = if round % 2 == 0 { "/a/?" } else { "/b/*" };
            let policy = json!({"includedPaths": [{"path": path}], "excludedPaths": [{"path": "/*"}]});
            items.change_settings(json!({"indexingPolicy": policy})).await.unwrap();
            write(&items, round * 5, round).await;
            drop(items);
            lab = lab.reopen(close).await;
            items = Items { engine: lab.engine.clone(), container: lab.engine.container("db", "c").unwrap() };
        }
        until("the last policy counts", async || coverage(&lab.engine, &items, "/a").await == Coverage::NotIndexed)
            .await;
        let view = lab.ready(&items, "/b/c").await;
        check_view(&view, &items.container, &["/b/c", "/id"], 3).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_container_takes_its_index_along_and_a_new_one_begins_empty() {
    let lab = Lab::new(StoreKind::Memory, tiny()).await;
    let items = lab.create(by_pk("c")).await;
    write(&items, 150, 1).await;
    until("there is an index on disk", async || lab.index_rows().await > 0).await;
    lab.engine.delete_container(&items.container, &Condition::None).await.unwrap();
    let again = lab.create(by_pk("c")).await;
    write(&again, 10, 3).await;
    let view = lab.ready(&again, "/a").await;
    check_view(&view, &again.container, &["/a", "/b/c"], 3).await;
    until("its rows are gone", async || lab.index_rows().await == 0).await;
}
