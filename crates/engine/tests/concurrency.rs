//! Many tasks at one item.

use orrery_engine::{Condition, FeedStart, Scope};
use serde_json::json;

use crate::support::{World, by_pk, by_pk_with, check_refused, id_of, if_match, json_of, on_every_store, word};

const TASKS: usize = 16;
const ROUNDS: usize = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn increments_from_many_tasks_add_up() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        items.create(json!({"id": "a", "pk": "x"})).await.unwrap();
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let items = items.clone();
                tokio::spawn(async move {
                    for _ in 0..ROUNDS {
                        let operations = json!([{"op": "incr", "path": "/n", "value": task + 1}]);
                        items.patch(json!(["x"]), "a", operations).await.expect("a patch without a condition succeeds");
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let item = items.read(json!(["x"]), "a").await.unwrap();
        assert_eq!(json_of(&item)["n"], json!(ROUNDS * (1..=TASKS).sum::<usize>()));
        assert_eq!(item.lsn(), (1 + TASKS * ROUNDS) as u64);
        assert_eq!(items.container.usage().bytes, item.text().len() as u64);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_those_who_match_one_version_exactly_one_wins() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let mut current = items.create(json!({"id": "a", "pk": "x"})).await.unwrap();
        for round in 0..ROUNDS {
            let tasks: Vec<_> = (0..TASKS)
                .map(|task| {
                    let (items, condition) = (items.clone(), if_match(&current));
                    let body = json!({"id": "a", "pk": "x", "winner": task, "round": round});
                    tokio::spawn(async move { items.replace_if(body, condition).await })
                })
                .collect();
            let mut winners = Vec::new();
            for task in tasks {
                match task.await.unwrap() {
                    Ok(item) => winners.push(item),
                    refused => check_refused(refused, "PreconditionFailed"),
                }
            }
            assert_eq!(winners.len(), 1);
            let stored = items.read(json!(["x"]), "a").await.unwrap();
            assert_eq!(stored.text(), winners[0].text());
            current = stored;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_those_who_create_one_item_or_bind_one_value_exactly_one_wins() {
    on_every_store(async |world: World| {
        let items =
            world.create(by_pk_with("c", json!({"uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/mail"]}]}}))).await;
        for round in 0..ROUNDS {
            let tasks: Vec<_> = (0..TASKS)
                .map(|task| {
                    let items = items.clone();
                    // Half of them fight for the id, the other half for the value.
                    let id = if task % 2 == 0 { format!("r{round}") } else { format!("r{round}-{task}") };
                    tokio::spawn(async move { items.create(json!({"id": id, "pk": "x", "mail": round})).await })
                })
                .collect();
            let mut words = Vec::new();
            for task in tasks {
                words.push(word(&task.await.unwrap()));
            }
            assert_eq!(words.iter().filter(|word| *word == "ok").count(), 1, "{words:?}");
            assert!(
                words.iter().all(|word| ["ok", "Conflict", "UniqueKeyViolation"].contains(&word.as_str())),
                "{words:?}"
            );
        }
        assert_eq!(items.container.usage().items, ROUNDS as u64);
    })
    .await;
}

/// Transactions may report their counters out of order; the newest must win.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn usage_and_head_are_exact_when_many_tasks_have_written() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for round in 0..ROUNDS {
            let tasks: Vec<_> = (0..TASKS)
                .map(|task| {
                    let items = items.clone();
                    tokio::spawn(async move {
                        items
                            .upsert(json!({"id": format!("t{task}"), "pk": task, "pad": "p".repeat(round)}))
                            .await
                            .map(|item| item.lsn())
                    })
                })
                .collect();
            for task in tasks {
                let lsn = task.await.unwrap().unwrap();
                assert!(items.container.head() >= lsn, "an acknowledged write is behind the head");
            }
            let all = items.list(&Scope::Container, 100).await;
            let usage = items.container.usage();
            assert_eq!(usage.items, TASKS as u64);
            assert_eq!(usage.bytes, all.iter().map(|item| item.text().len() as u64).sum::<u64>());
            assert_eq!(items.container.head(), ((round + 1) * TASKS) as u64);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_purge_beside_writers_removes_nothing_that_was_written_anew() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk_with("c", json!({"defaultTtl": 10}))).await;
        for n in 0..200 {
            items.create(json!({"id": format!("i{n}"), "pk": n})).await.unwrap();
        }
        world.clock.advance(10);
        let purger = {
            let engine = world.engine.clone();
            tokio::spawn(async move { engine.purge_expired().await })
        };
        for n in (0..200).rev() {
            items.upsert(json!({"id": format!("i{n}"), "pk": n, "new": true})).await.unwrap();
        }
        purger.await.unwrap().unwrap();
        assert_eq!(world.engine.purge_expired().await.unwrap(), 0);
        assert_eq!(items.list(&Scope::Container, 1000).await.len(), 200);
        assert_eq!(
            (items.container.usage().items, items.feed(&Scope::Container, FeedStart::Beginning, 64).await.0.len()),
            (200, 200)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_those_who_create_one_container_exactly_one_wins() {
    on_every_store(async |world: World| {
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let engine = world.engine.clone();
                tokio::spawn(async move {
                    let database = engine.database("db")?;
                    engine.create_container(&database, &crate::support::map(by_pk("c")), None).await
                })
            })
            .collect();
        let mut created = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(_) => created += 1,
                refused => check_refused(refused, "Conflict"),
            }
        }
        assert_eq!(created, 1);
        let items = world.items("c");
        let item = items.create(json!({"id": "a", "pk": 1})).await.unwrap();
        assert_eq!(id_of(&item), "a");
        check_refused(
            items.upsert_if(json!({"id": "a", "pk": 1}), Condition::IfNoneMatch("*".into())).await,
            "PreconditionFailed",
        );
    })
    .await;
}
