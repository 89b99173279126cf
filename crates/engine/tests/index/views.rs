//! Views in situations of their own.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orrery_engine::index::{
    Composite, Coverage, Direction, IndexPath, MAX_PATH_STEPS, MAX_PATHS, PathKey, ValueRange, Window, encode,
};
use orrery_value::{Value, total_order};
use serde_json::{Value as Json, json};

use super::naive::{check_view, items_of, single, values_at, whole};
use super::{Lab, asleep, tiny};
use crate::support::{StoreKind, by_pk, by_pk_with, map};

fn item(number: usize, more: Json) -> Json {
    let mut body = map(json!({"id": format!("i{number:04}"), "pk": format!("p{}", number % 11)}));
    body.extend(map(more));
    Json::Object(body)
}

/// What was superseded before the tail came by is not in it, so that a snapshot from before needs the feed that it saw itself.
#[tokio::test]
async fn a_snapshot_from_before_the_tail_sees_what_was_superseded_since() {
    for kind in [StoreKind::Memory, StoreKind::Fjall] {
        let lab = Lab::new(kind, asleep()).await;
        let items = lab.create(by_pk("c")).await;
        for number in 0..30 {
            items.create(item(number, json!({"n": number}))).await.unwrap();
        }
        let before = lab.store.snapshot();
        items.upsert(item(20, json!({"n": -1}))).await.unwrap();
        items.delete(json!(["p7"]), "i0007").await.unwrap();
        let after = lab.engine.index_view(&items.container).await.unwrap();
        check_view(&after, &items.container, &["/n"], 1).await;
        let view = lab.engine.index_view_at(&items.container, before).await.unwrap();
        check_view(&view, &items.container, &["/n", "/id"], 3).await;
        assert_eq!(view.item_count(), 30);
    }
}

/// New items are indexed as they come, not as a snapshot shows them: what is newer than a snapshot is in the tail that answers it.
#[tokio::test]
async fn a_snapshot_from_before_the_tail_sees_no_later_items() {
    for kind in [StoreKind::Memory, StoreKind::Fjall] {
        let lab = Lab::new(kind, asleep()).await;
        let items = lab.create(by_pk("c")).await;
        items.create(item(0, json!({"n": 0}))).await.unwrap();
        lab.engine.index_view(&items.container).await.unwrap();
        let mut snapshots = Vec::new();
        for number in 1..40 {
            snapshots.push((number, lab.store.snapshot()));
            items.create(item(number, json!({"n": number % 5}))).await.unwrap();
            lab.engine.index_view(&items.container).await.unwrap();
        }
        for (count, snapshot) in snapshots {
            let view = lab.engine.index_view_at(&items.container, snapshot).await.unwrap();
            check_view(&view, &items.container, &["/n", "/id"], 3).await;
            assert_eq!(view.item_count(), count as u64);
        }
    }
}

#[tokio::test]
async fn a_view_says_what_it_cannot_answer() {
    let lab = Lab::new(StoreKind::Memory, asleep()).await;
    let policy =
        json!({"indexingPolicy": {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/secret/*"}]}});
    let items = lab.create(by_pk_with("c", policy)).await;
    items.create(item(1, json!({"secret": {"a": 1}, "open": 1}))).await.unwrap();
    let deep = single(&"/a".repeat(MAX_PATH_STEPS + 1));
    let view = lab.engine.index_view(&items.container).await.unwrap();
    for (key, expected) in [
        (single("/secret"), Coverage::NotIndexed),
        (single("/secret/a"), Coverage::NotIndexed),
        (single("/_etag"), Coverage::NotIndexed),
        (deep.clone(), Coverage::NotIndexed),
        (single("/open"), Coverage::Ready),
        (single("/never"), Coverage::Ready),
    ] {
        assert_eq!(view.coverage(&key), expected, "{key:?}");
    }
    let all = ValueRange::defined();
    assert_eq!(view.hits(&single("/secret/a"), &all, Window::ALL, 9).await.unwrap(), Some(Vec::new()));

    let wide: serde_json::Map<String, Json> = (0..MAX_PATHS).map(|number| (format!("q{number}"), 1.into())).collect();
    items.create(item(2, Json::Object(wide))).await.unwrap();
    let view = lab.engine.index_view(&items.container).await.unwrap();
    assert_eq!(view.coverage(&single("/open")), Coverage::Ready);
    assert_eq!(view.coverage(&single("/q1")), Coverage::Ready);
    assert_eq!(view.coverage(&single(&format!("/q{}", MAX_PATHS - 1))), Coverage::Incomplete);
    assert_eq!(view.coverage(&single("/never")), Coverage::Incomplete);

    let none = lab.create(by_pk_with("none", json!({"indexingPolicy": {"indexingMode": "none"}}))).await;
    none.create(item(1, json!({}))).await.unwrap();
    let view = lab.engine.index_view(&none.container).await.unwrap();
    assert_eq!(view.coverage(&single("/id")), Coverage::NotIndexed);
    assert_eq!(none.container.index_progress(), 100);
}

#[tokio::test]
async fn what_is_far_behind_is_left_to_the_follower() {
    let lab = Lab::new(StoreKind::Memory, asleep()).await;
    let items = lab.create(by_pk("c")).await;
    for number in 0..60 {
        items.create(item(number, json!({"n": number}))).await.unwrap();
    }
    assert_eq!(lab.engine.index_memory_bytes(), 0, "nobody asked");
    assert!(items.container.index_progress() < 100);
    let view = lab.engine.index_view(&items.container).await.unwrap();
    assert_eq!(view.coverage(&single("/n")), Coverage::Building);
}

/// A value that very many items have is read piece by piece, and the values around it come in their places.
#[tokio::test]
async fn a_value_of_many_items_comes_in_pieces_and_in_order() {
    for kind in [StoreKind::Memory, StoreKind::Fjall] {
        let mut lab = Lab::new(kind, tiny()).await;
        let mut items = lab.create(by_pk("c")).await;
        for number in 0..300 {
            let b = if number % 50 == 3 { json!(number) } else { json!(7) };
            // Far apart, so that each has a block of its own.
            items.create(item(number, json!({"pk": number, "b": b, "n": number % 3}))).await.unwrap();
        }
        lab.ready(&items, "/b").await;
        for number in [400, 401] {
            items.create(item(number, json!({"b": number - 395}))).await.unwrap();
        }
        let view = lab.ready(&items, "/b").await;
        check_view(&view, &items.container, &["/b", "/n", "/id"], 5).await;
        let mut pieces = 0;
        let mut ordered = view.ordered(&single("/b"), Direction::Forward, &ValueRange::defined(), Window::ALL);
        while let Some(group) = ordered.next().await.unwrap() {
            pieces += usize::from(group.goes_on);
        }
        assert!(pieces > 0, "the value was read whole");
        // And from the middle on.
        let mut seven = Vec::new();
        encode(&Value::from(7i64), &mut seven);
        for (direction, expected) in [(Direction::Forward, [false, true]), (Direction::Backward, [true, false])] {
            let ordered = view.ordered(&single("/b"), direction, &ValueRange::defined(), Window::ALL);
            let mut ordered = ordered.begin_at(&seven);
            let mut sides = [false, false];
            assert_eq!(ordered.next().await.unwrap().unwrap().value, seven);
            while let Some(group) = ordered.next().await.unwrap() {
                sides[0] |= group.value < seven;
                sides[1] |= group.value > seven;
            }
            assert_eq!(sides, expected);
        }
        drop((view, ordered, items));
        lab = lab.reopen(true).await;
        let container = lab.engine.container("db", "c").unwrap();
        items = crate::support::Items { engine: lab.engine.clone(), container };
        let view = lab.ready(&items, "/b").await;
        check_view(&view, &items.container, &["/b", "/n", "/id"], 5).await;
    }
}

#[tokio::test]
async fn a_composite_index_has_every_item_in_its_order() {
    let policy = json!({"indexingPolicy": {"includedPaths": [{"path": "/*"}], "compositeIndexes": [
        [{"path": "/a", "order": "ascending"}, {"path": "/b", "order": "descending"}],
    ]}});
    let path = |name| IndexPath::of_names([name]);
    let key = PathKey::Composite(Composite { paths: vec![(path("a"), false), (path("b"), true)] });
    for kind in [StoreKind::Memory, StoreKind::Fjall] {
        let lab = Lab::new(kind, tiny()).await;
        let items = lab.create(by_pk_with("c", policy.clone())).await;
        for number in 0..120usize {
            let a = [json!(null), json!(1), json!("x".repeat(101 + number % 3)), json!("y")][number % 4].clone();
            let more = if number % 7 == 0 { json!({"a": a}) } else { json!({"a": a, "b": number % 5}) };
            items.upsert(item(number % 90, more)).await.unwrap();
        }
        let view = lab.ready(&items, "/a").await;
        assert_eq!(view.coverage(&key), Coverage::Ready);
        assert!(view.is_always_defined(&key) && !view.is_always_defined(&single("/b")));
        let all = items_of(&**view.snapshot(), &items.container).await;
        for direction in [Direction::Forward, Direction::Backward] {
            let mut found = Vec::new();
            let mut ordered = view.ordered(&key, direction, &ValueRange::everything(), Window::ALL);
            let mut class: Option<(Vec<u8>, (Value, Value))> = None;
            while let Some(group) = ordered.next().await.unwrap() {
                for located in view.resolve(&group.postings, &whole(&items.container)).await.unwrap() {
                    let at = |name: &str| {
                        let PathKey::Single(path) = single(name) else { unreachable!() };
                        values_at(&all[&located.item_key], path.steps())
                            .first()
                            .map_or(Value::Undefined, |v| (*v).clone())
                    };
                    let pair = (at("/a"), at("/b"));
                    if let Some((before, last)) = &class
                        && before != group.class()
                    {
                        let order = total_order(&last.0, &pair.0).then(total_order(&last.1, &pair.1).reverse());
                        let order = if direction == Direction::Forward { order } else { order.reverse() };
                        assert!(order.is_lt(), "{last:?} before {pair:?}");
                    }
                    class = Some((group.class().to_vec(), pair));
                    found.push(located.item_key);
                }
            }
            found.sort();
            assert!(found.iter().eq(all.keys()), "each item once");
        }
        let (one, low) = (Value::from(1i64), Value::from(2i64));
        let range = ValueRange::composite(&[false, true], &[one], Bound::Excluded(&low), Bound::Unbounded);
        let hits = view.hits(&key, &range, Window::ALL, 1000).await.unwrap().unwrap();
        let found = view.resolve(&hits, &whole(&items.container)).await.unwrap();
        let wanted = all.iter().filter(|(_, item)| {
            let Value::Object(item) = item else { return false };
            item.get("a") == Some(&Value::from(1i64)) && item.get("b").is_some_and(|b| total_order(b, &low).is_gt())
        });
        assert!(range.is_exact());
        assert!(found.iter().map(|located| &located.item_key).eq(wanted.map(|(key, _)| key)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_are_exact_while_items_are_written() {
    for kind in [StoreKind::Memory, StoreKind::Fjall] {
        let lab = Lab::new(kind, tiny()).await;
        let items = lab.create(by_pk("c")).await;
        let done = Arc::new(AtomicBool::new(false));
        let writers: Vec<_> = (0..3usize)
            .map(|writer| {
                let (items, done) = (items.clone(), done.clone());
                tokio::spawn(async move {
                    let mut round = writer;
                    while !done.load(Ordering::SeqCst) {
                        round += 3;
                        // A store in memory never waits, which would leave the follower no turn.
                        tokio::task::yield_now().await;
                        let number = round * 7 % 80;
                        if round % 5 == 0 {
                            let key = json!([format!("p{}", number % 11)]);
                            drop(items.delete(key, &format!("i{number:04}")).await);
                        } else {
                            let more =
                                json!({"n": round % 9, "tags": [round % 4, round % 3], "s": format!("s{round}")});
                            items.upsert(item(number, more)).await.unwrap();
                        }
                    }
                })
            })
            .collect();
        for seed in 0..25 {
            let view = lab.ready(&items, "/n").await;
            check_view(&view, &items.container, &["/n", "/tags/[]", "/s", "/id"], seed).await;
        }
        done.store(true, Ordering::SeqCst);
        for writer in writers {
            writer.await.unwrap();
        }
    }
}
