//! What the property index costs and what it saves: `cargo bench -p orrery-engine --bench index [-- DOCUMENTS]`.
//!
//! Documents of about 1 KB with 26 terms are written in batches of 100, once into a container without an index and once into one that
//! indexes everything; then the index is asked. Figures are of one run on whatever machine this is.

#![allow(clippy::unwrap_used, reason = "a failed measurement ends")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use orrery_engine::index::{
    Coverage, Direction, IndexOptions, IndexPath, IndexView, PathKey, ValueRange, Window, place_of,
};
use orrery_engine::{
    Condition, Container, Engine, EngineOptions, NewItem, Operation, OperationKind, SystemClock, WriteMode,
};
use orrery_store::{Durability, FjallOptions, FjallStore, KeyRange, Scan, Space, Store, Visit, Visitor, scan};
use orrery_value::{PartitionKey, Value};
use serde_json::json;

const BATCH: usize = 100;
const PARTITIONS: u64 = 10_000;
const ROUNDS: u64 = 300;

fn main() {
    let documents = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(run(documents));
}

async fn run(documents: u64) {
    let plain = Bench::open(IndexOptions::default(), "none").await;
    plain.fill("without an index", documents).await;
    let plain_bytes = plain.close().await;

    let cold = Bench::open(asleep(), "consistent").await;
    cold.fill("index asleep", documents / 5).await;
    let started = Instant::now();
    drop(cold.engine.index_view(&cold.container).await.unwrap());
    let took = started.elapsed();
    println!(
        "catching up from the feed, reading included: {:.1} us per document, {:.0} B of memory each",
        took.as_secs_f64() * 1e6 / (documents / 5) as f64,
        cold.engine.index_memory_bytes() as f64 / (documents / 5) as f64,
    );
    cold.close().await;

    let bench = Bench::open(IndexOptions::default(), "consistent").await;
    bench.fill("with an index", documents).await;
    let started = Instant::now();
    bench.ready().await;
    println!("  ready {:.2} s after the last write", started.elapsed().as_secs_f64());
    println!("with what is left in memory ({:.1} MiB):", bench.engine.index_memory_bytes() as f64 / 1048576.0);
    bench.ask(documents).await;
    // Idle, it is written to disk.
    tokio::time::sleep(Duration::from_secs(4)).await;
    println!("after a rest ({:.1} MiB in memory):", bench.engine.index_memory_bytes() as f64 / 1048576.0);
    bench.ask(documents).await;
    let (rows, bytes) = bench.index_size().await;
    let documents = documents as f64;
    println!("index: {:.1} rows and {:.0} B per document before compression", rows / documents, bytes / documents);
    let with_bytes = bench.close().await;
    println!("on disk: {:.0} B per document, {:.0} without the index", with_bytes / documents, plain_bytes / documents);
}

fn asleep() -> IndexOptions {
    IndexOptions {
        follow_rows: u64::MAX,
        max_lag_rows: u64::MAX,
        seal_bytes: usize::MAX,
        max_memory_bytes: usize::MAX,
        ..IndexOptions::default()
    }
}

struct Bench {
    engine: Engine,
    store: Arc<dyn Store>,
    container: Arc<Container>,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn open(index: IndexOptions, mode: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let options =
            FjallOptions { durability: Durability::Buffered, cache_size_bytes: 1 << 30, ..FjallOptions::default() };
        let store: Arc<dyn Store> = Arc::new(FjallStore::open(folder.path(), options).unwrap());
        let options = EngineOptions { clock: Arc::new(SystemClock), index, ..EngineOptions::default() };
        let engine = Engine::open(store.clone(), options).await.unwrap();
        let database = engine.create_database("db", None).await.unwrap();
        let definition = json!({
            "id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
            "indexingPolicy": {"indexingMode": mode},
        });
        let container = engine.create_container(&database, definition.as_object().unwrap(), None).await.unwrap();
        Bench { engine, store, container, _folder: folder }
    }

    async fn fill(&self, what: &str, documents: u64) {
        let (mut writing, mut slowest) = (Duration::ZERO, Duration::ZERO);
        let mut bytes = 0;
        for first in (0..documents).step_by(BATCH) {
            let operations = (first..(first + BATCH as u64).min(documents)).map(|number| {
                let (pk, body) = document(number, documents);
                bytes += body.len();
                let key = PartitionKey::parse_header(&format!("[{pk:?}]")).unwrap();
                let item = NewItem::parse(&self.container, body.as_bytes(), Some(&key)).unwrap();
                Operation { kind: OperationKind::Create(item), key, condition: Condition::None }
            });
            let operations: Vec<_> = operations.collect();
            let started = Instant::now();
            let outcomes = self.engine.write(&self.container, operations, WriteMode::Independent).await.unwrap();
            writing += started.elapsed();
            slowest = slowest.max(started.elapsed());
            assert!(outcomes.iter().all(|outcome| outcome.result.is_ok()));
        }
        println!(
            "{what}: {documents} documents of {} B, {:.0} per second while writing, slowest batch {:.0} ms",
            bytes as u64 / documents,
            documents as f64 / writing.as_secs_f64(),
            slowest.as_secs_f64() * 1e3,
        );
    }

    async fn ready(&self) -> IndexView {
        loop {
            let view = self.engine.index_view(&self.container).await.unwrap();
            if view.coverage(&path("n")) == Coverage::Ready {
                return view;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    async fn ask(&self, documents: u64) {
        let view = self.ready().await;
        let mut random = Random(7);
        let mut times: [Vec<f64>; 7] = Default::default();
        let everywhere = KeyRange::prefix(&self.container.number().to_be_bytes());
        for _ in 0..ROUNDS {
            let started = Instant::now();
            let opened = self.engine.index_view(&self.container).await.unwrap();
            times[0].push(micros(started));

            let equal = ValueRange::equal(&Value::from(random.below(documents / 10) as i64));
            times[1].push(fetch(&opened, &path("n"), &equal, Window::ALL, &everywhere).await);

            let low = random.below(1 << 30) as i64;
            let (low, high) = (Value::from(low), Value::from(low + (100 << 30) / documents as i64));
            let range = ValueRange::between(std::ops::Bound::Included(&low), std::ops::Bound::Excluded(&high));
            times[2].push(fetch(&opened, &path("wide"), &range, Window::ALL, &everywhere).await);

            let started = Instant::now();
            let range = ValueRange::between(std::ops::Bound::Included(&low), std::ops::Bound::Unbounded);
            let mut ordered = opened.ordered(&path("wide"), Direction::Forward, &range, Window::ALL);
            let mut top = Vec::new();
            while top.len() < 10
                && let Some(group) = ordered.next().await.unwrap()
            {
                top.extend(view.resolve(&group.postings, &everywhere).await.unwrap());
            }
            read_items(&view, top.into_iter().map(|located| located.item_key).collect()).await;
            times[3].push(micros(started));

            let city = ValueRange::equal(&Value::from(format!("city-{:05}", random.below(50))));
            let pk = format!("user-{}", random.below(PARTITIONS));
            let key = PartitionKey::parse_header(&format!("[{pk:?}]")).unwrap();
            let definition = &self.container.settings().partition_key;
            let place = place_of(definition.kind, definition.epk(&key).as_bytes());
            let window = Window { first: place, last: place };
            times[4].push(fetch(&opened, &path("c50"), &city, window, &everywhere).await);

            let started = Instant::now();
            opened.hits(&path("c50"), &city, Window::ALL, usize::MAX).await.unwrap();
            times[5].push(micros(started));

            let started = Instant::now();
            opened.estimate(&path("wide"), &range, Window::ALL).await.unwrap();
            times[6].push(micros(started));
        }
        let names = [
            "open a view",
            "10 hits by equality, items read",
            "range of 100, items read",
            "top 10 in order, items read",
            "one value in one partition, items read",
            "postings of a value in a fiftieth",
            "estimate of half of all",
        ];
        for (name, times) in names.iter().zip(&mut times) {
            times.sort_by(f64::total_cmp);
            println!("  {name}: {:.0} us median, {:.0} p99", times[times.len() / 2], times[times.len() * 99 / 100]);
        }
    }

    async fn index_size(&self) -> (f64, f64) {
        struct Sum(f64, f64);
        impl Visitor for Sum {
            fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
                self.0 += 1.0;
                self.1 += (key.len() + value.len()) as f64;
                Visit::Continue
            }
        }
        let all = Scan { space: Space::Index, range: KeyRange::prefix(&[]), reverse: false };
        let sum = scan(&*self.store.snapshot(), all, Sum(0.0, 0.0)).await.unwrap();
        (sum.0, sum.1)
    }

    /// Returns the size on disk.
    async fn close(self) -> f64 {
        self.engine.close().await.unwrap();
        self.store.stats().size_bytes as f64
    }
}

async fn fetch(view: &IndexView, key: &PathKey, range: &ValueRange, window: Window, within: &KeyRange) -> f64 {
    let started = Instant::now();
    let hits = view.hits(key, range, window, usize::MAX).await.unwrap().unwrap();
    let located = view.resolve(&hits, within).await.unwrap();
    read_items(view, located.into_iter().map(|located| located.item_key).collect()).await;
    micros(started)
}

async fn read_items(view: &IndexView, keys: Vec<Vec<u8>>) {
    let items = view.snapshot().multi_get(Space::Items, keys).await.unwrap();
    assert!(items.iter().all(Option::is_some));
}

fn path(name: &str) -> PathKey {
    PathKey::Single(IndexPath::of_names([name]))
}

fn micros(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e6
}

/// 26 terms: 5 unique strings, 4 numbers of many values, 6 strings of few, 3 booleans, a nested object of 3, an array of 5.
fn document(number: u64, documents: u64) -> (String, String) {
    let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let pk = format!("user-{}", random.below(PARTITIONS));
    let unique = random.next();
    let cities = [10, 20, 50, 100, 500, 1000].map(|count| format!("\"c{count}\":\"city-{:05}\"", random.below(count)));
    let tags = [0, 1, 2, 3, 4].map(|tag| format!("\"tag-{:03}\"", tag * 60 + random.below(60)));
    let mut body = format!(
        "{{\"id\":\"{unique:016x}{number:04x}\",\"pk\":\"{pk}\",\"guid\":\"{unique:036x}\",\
         \"mail\":\"user{unique:020}@example.com\",\"text\":\"Order {unique:x} shipped from warehouse {:x} to customer\",\
         \"n\":{},\"price\":{}.25,\"wide\":{},\"part\":0.{:09},{},\"f0\":{},\"f1\":{},\"f2\":{},\
         \"address\":{{\"zone\":\"zone-{}\",\"house\":{},\"street\":\"street-{:04}\"}},\"tags\":[{}]",
        random.next(),
        random.below(documents / 10),
        random.below(1_000_000),
        random.below(1 << 30),
        random.below(1_000_000_000),
        cities.join(","),
        random.below(2) == 0,
        random.below(10) == 0,
        random.below(10) != 0,
        random.below(100),
        random.below(1000),
        random.below(200),
        tags.join(","),
    );
    let filler = 1000usize.saturating_sub(body.len());
    // A string over the limit of the index, of which it keeps the beginning and a hash.
    body.push_str(&format!(",\"notes\":\"{}\"}}", "lorem ipsum ".repeat(filler / 12)));
    (pk, body)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) ^ (self.0 << 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 11) % limit.max(1)
    }
}
