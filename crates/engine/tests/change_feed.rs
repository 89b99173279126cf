//! The change feed: each item once, newest version, in the order of writing, from any start, in any scope.

use orrery_engine::{FeedStart, Item, Scope};
use orrery_value::PartitionKey;
use serde_json::json;

use crate::support::{Items, START, World, by_pk, check_refused, id_of, on_every_store, partition};

async fn put(items: &Items, id: &str, pk: &str) -> Item {
    items.upsert(json!({"id": id, "pk": pk})).await.unwrap()
}

async fn ids(items: &Items, start: FeedStart) -> Vec<String> {
    items.feed_ids(&Scope::Container, start).await
}

#[tokio::test]
async fn an_item_appears_once_where_it_was_last_written() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        assert!(ids(&items, FeedStart::Beginning).await.is_empty());
        for id in ["a", "b", "c", "a", "d", "b"] {
            put(&items, id, "x").await;
        }
        items.delete(json!(["x"]), "d").await.unwrap();
        assert_eq!(ids(&items, FeedStart::Beginning).await, ["c", "a", "b"]);
        assert_eq!(items.container.head(), 7);
    })
    .await;
}

#[tokio::test]
async fn now_shows_what_comes_afterwards() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        put(&items, "a", "x").await;
        let now = items.engine.change_feed(&items.container, &Scope::Container, FeedStart::Now, 10).await.unwrap();
        assert!(now.items.is_empty());
        put(&items, "b", "x").await;
        put(&items, "a", "x").await;
        assert_eq!(ids(&items, FeedStart::After(now.position)).await, ["b", "a"]);
    })
    .await;
}

#[tokio::test]
async fn a_position_beyond_the_head_shows_nothing_and_comes_back_to_it() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        put(&items, "a", "x").await;
        let page = items
            .engine
            .change_feed(&items.container, &Scope::Container, FeedStart::After(u64::MAX), 10)
            .await
            .unwrap();
        assert!(page.items.is_empty());
        assert_eq!(page.position, items.container.head());
    })
    .await;
}

#[tokio::test]
async fn the_search_by_time_is_exact_at_every_boundary() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let mut written = Vec::new();
        // Bursts within a second, gaps between them, and versions that are gone again.
        for (burst, gap) in [(3, 1), (1, 5), (4, 1), (2, 100), (1, 1)] {
            for _ in 0..burst {
                let id = format!("i{}", written.len());
                written.push((put(&items, &id, "x").await.ts(), id));
            }
            put(&items, "overwritten", "x").await;
            world.clock.advance(gap);
        }
        items.delete(json!(["x"]), "overwritten").await.unwrap();
        let gone = written.remove(4);
        items.delete(json!(["x"]), &gone.1).await.unwrap();
        for ts in START - 2..START + 112 {
            let expected: Vec<_> = written.iter().filter(|(at, _)| *at >= ts).map(|(_, id)| id.clone()).collect();
            assert_eq!(ids(&items, FeedStart::Time(ts)).await, expected, "from {} on", ts - START);
        }
    })
    .await;
}

#[tokio::test]
async fn pages_of_every_size_give_the_same_changes() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for n in 0..310 {
            put(&items, &format!("i{}", n % 300), &format!("p{}", n % 300 % 7)).await;
        }
        let whole = items.feed(&Scope::Container, FeedStart::Beginning, 1000).await.0;
        assert_eq!(whole.len(), 300);
        assert!(whole.windows(2).all(|pair| pair[0].lsn() < pair[1].lsn()));
        for size in [1, 2, 255, 256, 257, 299, 300, 301] {
            let (paged, position) = items.feed(&Scope::Container, FeedStart::Beginning, size).await;
            assert_eq!(
                paged.iter().map(Item::lsn).collect::<Vec<_>>(),
                whole.iter().map(Item::lsn).collect::<Vec<_>>(),
                "{size} a page"
            );
            assert_eq!(position, items.container.head());
        }
    })
    .await;
}

#[tokio::test]
async fn a_page_ends_when_it_holds_enough_bytes() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for n in 0..5 {
            items.create(json!({"id": format!("i{n}"), "pk": "x", "pad": "p".repeat(1_500_000)})).await.unwrap();
        }
        let page =
            items.engine.change_feed(&items.container, &Scope::Container, FeedStart::Beginning, 100).await.unwrap();
        assert_eq!((page.items.len(), page.position), (3, 3));
        assert_eq!(ids(&items, FeedStart::Beginning).await.len(), 5);
        let request = orrery_engine::PageRequest::new(100, None);
        let listed = items.engine.list_items(&items.container, &Scope::Container, &request).await.unwrap();
        assert_eq!(listed.items.len(), 3);
        let request = orrery_engine::PageRequest::new(100, listed.continuation);
        let rest = items.engine.list_items(&items.container, &Scope::Container, &request).await.unwrap();
        assert_eq!((rest.items.len(), rest.continuation), (2, None));
    })
    .await;
}

#[tokio::test]
async fn a_logical_partition_shows_its_own_changes_only() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for (id, pk) in [("a", "x"), ("a", "y"), ("b", "x"), ("a", "z"), ("a", "x")] {
            put(&items, id, pk).await;
        }
        let of =
            async |pk: &str| items.feed_ids(&Scope::Partition(partition(&json!([pk]))), FeedStart::Beginning).await;
        assert_eq!(of("x").await, ["b", "a"]);
        assert_eq!(of("y").await, ["a"]);
        assert!(of("nobody").await.is_empty());
        let too_long = Scope::Partition(partition(&json!(["x", "y"])));
        check_refused(items.engine.change_feed(&items.container, &too_long, FeedStart::Beginning, 1).await, "Invalid");
    })
    .await;
}

#[tokio::test]
async fn a_prefix_of_a_hierarchical_key_shows_all_that_is_below_it() {
    on_every_store(async |world: World| {
        let items = world
            .create(
                json!({"id": "c", "partitionKey": {"paths": ["/t", "/u", "/s"], "kind": "MultiHash", "version": 2}}),
            )
            .await;
        for (n, (t, u, s)) in
            [("t1", 1, "a"), ("t2", 1, "a"), ("t1", 2, "a"), ("t1", 1, "b"), ("t2", 2, "b")].into_iter().enumerate()
        {
            items.create(json!({"id": n.to_string(), "t": t, "u": u, "s": s})).await.unwrap();
        }
        for (prefix, expected) in [
            (json!([]), &["0", "1", "2", "3", "4"][..]),
            (json!(["t1"]), &["0", "2", "3"]),
            (json!(["t1", 1]), &["0", "3"]),
            (json!(["t1", 1, "b"]), &["3"]),
            (json!(["t1", {}]), &[]),
            (json!(["t"]), &[]),
        ] {
            let scope = Scope::Partition(partition(&prefix));
            assert_eq!(items.feed_ids(&scope, FeedStart::Beginning).await, expected, "{prefix}");
            let mut listed = items.list_ids(&scope).await;
            listed.sort();
            assert_eq!(listed, expected, "{prefix}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_position_taken_before_a_split_goes_on_in_both_children() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for n in 0..40 {
            put(&items, &format!("i{n}"), &format!("p{n}")).await;
        }
        let parent = items.container.partitions().ranges()[0].clone();
        let first = items
            .engine
            .change_feed(&items.container, &Scope::Range(parent.epk), FeedStart::Beginning, 17)
            .await
            .unwrap();
        let at = items.container.settings().partition_key.epk(&PartitionKey::from_iter(["p3"]));
        items.engine.split_partition(&items.container, parent.id, at).await.unwrap();
        put(&items, "i0", "p0").await;
        let mut seen: Vec<Item> = first.items;
        for child in items.container.partitions().ranges() {
            seen.extend(items.feed(&Scope::Range(child.epk.clone()), FeedStart::After(first.position), 4).await.0);
        }
        seen.sort_by_key(Item::lsn);
        let expected: Vec<String> = (0..40).chain([0]).map(|n| format!("i{n}")).collect();
        assert_eq!(seen.iter().map(id_of).collect::<Vec<_>>(), expected);
    })
    .await;
}
