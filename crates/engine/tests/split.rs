//! Splits: one catalog write, under whatever load, after which the ranges are as exact as before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orrery_engine::{FeedStart, Item, MAX_PARTITIONS, PageRequest, PartitionMap, Scope};
use orrery_value::{Epk, EpkRange, PartitionKey};
use serde_json::json;

use crate::support::{Items, World, by_pk, check_invalid, check_refused, id_of, json_of, on_every_store};

/// Contiguous from the minimum to the maximum, with ids that are used once.
fn check_map(map: &PartitionMap) {
    let ranges = map.ranges();
    assert_eq!((&ranges[0].epk.min, &ranges[ranges.len() - 1].epk.max), (&Epk::min(), &Epk::max()));
    assert!(ranges.windows(2).all(|pair| pair[0].epk.max == pair[1].epk.min && pair[0].epk.min < pair[0].epk.max));
    let ids: BTreeSet<u32> = ranges.iter().map(|range| range.id).collect();
    assert_eq!(ids.len(), ranges.len());
    for range in ranges {
        assert!(range.parents.iter().all(|parent| !ids.contains(parent)), "a parent of {} still stands", range.id);
        assert_eq!(map.range(&range.id.to_string()).unwrap(), range);
        assert_eq!(map.owner(&range.epk.min).id, range.id);
    }
}

fn epk(hex: &str) -> Epk {
    Epk::parse(hex).unwrap()
}

#[tokio::test]
async fn the_children_of_a_split_name_all_their_ancestors() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let engine = &world.engine;
        let etag = items.container.etag();
        engine.split_partition(&items.container, 0, epk("20")).await.unwrap();
        assert_ne!(items.container.etag(), etag);
        engine.split_partition(&items.container, 2, epk("30")).await.unwrap();
        engine.split_partition(&items.container, 3, epk("28")).await.unwrap();
        drop(items);
        let world = world.reopen().await;
        let map = world.items("c").container.partitions();
        let shown: Vec<_> =
            map.ranges().iter().map(|range| (range.id, range.epk.to_string(), range.parents.clone())).collect();
        let expected = [
            (1, "[,20)", vec![0]),
            (5, "[20,28)", vec![0, 2, 3]),
            (6, "[28,30)", vec![0, 2, 3]),
            (4, "[30,FF)", vec![0, 2]),
        ];
        assert_eq!(shown, expected.map(|(id, range, parents)| (id, range.to_owned(), parents)));
        check_map(&map);
        for gone in ["0", "2", "3", "7", "x", "", "-1", "4294967296"] {
            check_refused(map.range(gone), "RangeGone");
        }
    })
    .await;
}

#[tokio::test]
async fn a_split_must_lie_strictly_inside_a_range_that_stands() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let split = async |range: u32, at: &str| world.engine.split_partition(&items.container, range, epk(at)).await;
        check_invalid(split(0, "").await, "outside");
        check_invalid(split(0, "FF").await, "outside");
        check_refused(split(9, "10").await, "RangeGone");
        split(0, "10").await.unwrap();
        check_refused(split(0, "08").await, "RangeGone");
        check_invalid(split(1, "10").await, "outside");
        check_invalid(split(2, "0F").await, "outside");
        split(2, "10000000").await.unwrap();
        check_map(&items.container.partitions());
    })
    .await;
}

#[tokio::test]
async fn a_container_has_a_largest_number_of_ranges() {
    let world = World::new(crate::support::StoreKind::Memory).await;
    let database = world.engine.database("db").unwrap();
    let most = orrery_engine::Throughput::manual(10_000_000).unwrap();
    let container =
        world.engine.create_container(&database, &crate::support::map(by_pk("c")), Some(most)).await.unwrap();
    assert_eq!(container.partitions().ranges().len(), MAX_PARTITIONS);
    check_map(&container.partitions());
    check_invalid(world.engine.split_partition(&container, 999, epk("3FFFFFFFFF")).await, "1000");
}

#[tokio::test]
async fn throughput_decides_how_many_ranges_a_container_begins_with() {
    on_every_store(async |world: World| {
        let database = world.engine.database("db").unwrap();
        for (ru, ranges) in [(400, 1), (10_000, 1), (10_100, 2), (45_000, 5)] {
            let throughput = orrery_engine::Throughput::manual(ru).unwrap();
            let id = format!("c{ru}");
            let container = world
                .engine
                .create_container(&database, &crate::support::map(by_pk(&id)), Some(throughput))
                .await
                .unwrap();
            assert_eq!(container.partitions().ranges().len(), ranges);
            check_map(&container.partitions());
        }
    })
    .await;
}

/// Writers, of which each owns some items, and how often each wrote them.
const WRITERS: usize = 4;
const ITEMS_PER_WRITER: usize = 40;
const ROUNDS: usize = 6;
const SPLITS: usize = 24;

fn body(writer: usize, item: usize, round: usize) -> serde_json::Value {
    json!({"id": format!("w{writer}-{item}"), "pk": format!("p{}", (writer * ITEMS_PER_WRITER + item) % 97), "round": round})
}

async fn write_all(items: Items, writer: usize) {
    for round in 0..ROUNDS {
        for item in 0..ITEMS_PER_WRITER {
            items.upsert(body(writer, item, round)).await.expect("a split does not disturb a write");
            tokio::task::yield_now().await;
        }
    }
}

/// Divides some range at some item's place until enough were divided.
async fn split_again_and_again(items: Items, writing: Arc<AtomicBool>) {
    let definition = items.container.settings().partition_key.clone();
    let mut splits = 0;
    for pk in (0..97).cycle() {
        let at = definition.epk(&PartitionKey::from_iter([format!("p{pk}")]));
        let map = items.container.partitions();
        let range = map.owner(&at).clone();
        if range.epk.min < at {
            items.engine.split_partition(&items.container, range.id, at).await.expect("it lies inside");
            splits += 1;
            check_map(&items.container.partitions());
            check_refused(items.container.partitions().range(&range.id.to_string()), "RangeGone");
        }
        tokio::task::yield_now().await;
        if splits == SPLITS || !writing.load(Ordering::SeqCst) && splits > 0 {
            return;
        }
    }
}

/// Lists range by range, each as the map has it when its turn comes, a page at a time while ranges divide.
async fn list_while_writing(items: Items, writing: Arc<AtomicBool>) {
    let mut stable = BTreeSet::new();
    loop {
        let last = !writing.load(Ordering::SeqCst);
        let mut seen = BTreeSet::new();
        let mut after = Epk::min();
        while after < Epk::max() {
            let range = items.container.partitions().owner(&after).epk.clone();
            let range = EpkRange { min: after, max: range.max };
            after = range.max.clone();
            for item in items.list(&Scope::Range(range), 7).await {
                assert!(seen.insert(id_of(&item)), "{} is listed twice", id_of(&item));
            }
            tokio::task::yield_now().await;
        }
        assert!(seen.is_superset(&stable), "an item vanished from the list");
        stable = seen;
        if last {
            assert_eq!(stable.len(), WRITERS * ITEMS_PER_WRITER);
            return;
        }
    }
}

/// Follows the feed of every range, going on in the children of those that were divided.
async fn follow_while_writing(items: Items, writing: Arc<AtomicBool>) -> BTreeMap<u32, Vec<(u64, String, i64)>> {
    let mut positions: BTreeMap<u32, u64> = BTreeMap::new();
    let mut seen: BTreeMap<u32, Vec<(u64, String, i64)>> = BTreeMap::new();
    loop {
        let last = !writing.load(Ordering::SeqCst);
        for range in items.container.partitions().ranges() {
            let inherited =
                || range.parents.iter().rev().find_map(|parent| positions.get(parent)).copied().unwrap_or(0);
            let from = positions.get(&range.id).copied().unwrap_or_else(inherited);
            let (changes, position) = items.feed(&Scope::Range(range.epk.clone()), FeedStart::After(from), 5).await;
            assert!(changes.iter().all(|item| item.lsn() > from), "the feed went back");
            positions.insert(range.id, position);
            let lines = changes
                .iter()
                .map(|item| (item.lsn(), id_of(item), json_of(item)["round"].as_i64().expect("a number")));
            seen.entry(range.id).or_default().extend(lines);
            tokio::task::yield_now().await;
        }
        if last {
            return seen;
        }
    }
}

async fn read_while_writing(items: Items, writing: Arc<AtomicBool>) {
    let mut rounds: BTreeMap<String, i64> = BTreeMap::new();
    while writing.load(Ordering::SeqCst) {
        for writer in 0..WRITERS {
            for item in 0..ITEMS_PER_WRITER {
                let body = body(writer, item, 0);
                let id = body["id"].as_str().expect("an id");
                let found = items.read(json!([body["pk"]]), id).await;
                let round = found.map_or(-1, |item| json_of(&item)["round"].as_i64().expect("a number"));
                let before = rounds.insert(id.to_owned(), round).unwrap_or(-1);
                assert!(before <= round, "{id} went back from round {before} to {round}");
                // A read in memory never waits, and a task that never waits starves those behind it.
                tokio::task::yield_now().await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn splits_under_load_lose_double_and_reorder_nothing() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let writing = Arc::new(AtomicBool::new(true));
        let writers: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(write_all(items.clone(), writer))).collect();
        let splitter = tokio::spawn(split_again_and_again(items.clone(), writing.clone()));
        let lister = tokio::spawn(list_while_writing(items.clone(), writing.clone()));
        let reader = tokio::spawn(read_while_writing(items.clone(), writing.clone()));
        let follower = tokio::spawn(follow_while_writing(items.clone(), writing.clone()));
        for writer in writers {
            writer.await.expect("the writer ends well");
        }
        writing.store(false, Ordering::SeqCst);
        splitter.await.expect("the splitter ends well");
        lister.await.expect("the lister ends well");
        reader.await.expect("the reader ends well");
        check_followed(&items, follower.await.expect("the follower ends well"));
        check_at_rest(&items).await;
    })
    .await;
}

/// In each range numbers only rise; every item's last version was seen, and no version twice.
fn check_followed(items: &Items, seen: BTreeMap<u32, Vec<(u64, String, i64)>>) {
    let mut newest: BTreeMap<String, i64> = BTreeMap::new();
    let mut numbers = BTreeSet::new();
    for changes in seen.values() {
        assert!(changes.windows(2).all(|pair| pair[0].0 < pair[1].0), "the feed of a range is out of order");
        for (number, id, round) in changes {
            assert!(numbers.insert(*number), "version {number} was seen twice");
            let round = (*round).max(newest.get(id).copied().unwrap_or(-1));
            newest.insert(id.clone(), round);
        }
    }
    assert_eq!(newest.len(), WRITERS * ITEMS_PER_WRITER);
    assert!(newest.values().all(|round| *round == ROUNDS as i64 - 1), "a last version was missed");
    assert!(numbers.last().is_some_and(|last| *last == items.container.head()));
}

async fn check_at_rest(items: &Items) {
    let ranges = items.container.partitions();
    check_map(&ranges);
    assert!(ranges.ranges().len() > 1);
    let whole: Vec<u64> = items.list(&Scope::Container, 50).await.iter().map(Item::lsn).collect();
    let mut by_range = Vec::new();
    let mut fed = Vec::new();
    for range in ranges.ranges() {
        by_range.extend(items.list(&Scope::Range(range.epk.clone()), 3).await.iter().map(Item::lsn));
        fed.extend(items.feed(&Scope::Range(range.epk.clone()), FeedStart::Beginning, 3).await.0.iter().map(Item::lsn));
    }
    assert_eq!(by_range, whole);
    fed.sort_unstable();
    assert_eq!(
        items.feed(&Scope::Container, FeedStart::Beginning, 50).await.0.iter().map(Item::lsn).collect::<Vec<_>>(),
        fed
    );
    assert_eq!((whole.len(), items.container.usage().items), (fed.len(), fed.len() as u64));
    assert_eq!(items.container.head(), (WRITERS * ITEMS_PER_WRITER * ROUNDS) as u64);
}

#[tokio::test]
async fn a_list_goes_on_with_its_continuation_after_its_range_was_split() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for n in 0..30 {
            items.create(json!({"id": format!("i{n}"), "pk": format!("p{n}")})).await.unwrap();
        }
        let whole = items.list_ids(&Scope::Container).await;
        let mut request = PageRequest::new(11, None);
        let parent = Scope::Range(EpkRange::full());
        let first = items.engine.list_items(&items.container, &parent, &request).await.unwrap();
        request.continuation = first.continuation;
        let at = items.container.settings().partition_key.epk(&PartitionKey::from_iter(["p7"]));
        items.engine.split_partition(&items.container, 0, at).await.unwrap();
        let mut seen: Vec<String> = first.items.iter().map(id_of).collect();
        for child in items.container.partitions().ranges() {
            let request = PageRequest { max_items: 100, ..request.clone() };
            let page =
                items.engine.list_items(&items.container, &Scope::Range(child.epk.clone()), &request).await.unwrap();
            seen.extend(page.items.iter().map(id_of));
        }
        assert_eq!(seen, whole);
    })
    .await;
}
