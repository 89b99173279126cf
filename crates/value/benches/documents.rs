//! What the stored document's index costs and brings: three depths of it, and parsing the text into a tree for comparison.
//!
//! Run with `cargo bench -p orrery-value`. The shared data sets are read from ORRERY_SHARED_DIR (by default a folder `shared`
//! beside the repository) and left out where that is absent. Figures are the fastest of several rounds, per document.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on should fail")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use orrery_value::{Document, IndexDepth, NewDocument, Node, SystemProperties, Value};

const ROUNDS: usize = 40;
const ROUND_TIME: Duration = Duration::from_millis(4);

const SYSTEM: SystemProperties<'_> = SystemProperties {
    rid: "36ZyAPW+uN8NAAAAAAAAAA==",
    container_self: "dbs/36ZyAA==/colls/36ZyAPW+uN8=",
    etag: "01234567-89ab-cdef-0123-456789abcdef",
    ts: 1_700_000_000,
};

/// Documents of one shape, and what to look up in them.
struct DataSet {
    name: &'static str,
    bodies: Vec<Vec<u8>>,
    root_property: &'static str,
    /// Names and array indexes, from the root down.
    nested: Vec<Step>,
}

enum Step {
    Name(&'static str),
    Element(usize),
}

fn main() {
    println!(
        "{:<22} {:<12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10}",
        "data", "layout", "encode", "root", "nested", "missing", "copy out", "bytes"
    );
    println!("{:<35} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10}", "", "us", "ns", "ns", "ns", "ns", "over text");
    for data in data_sets() {
        measure_layout(&data, "A text", IndexDepth::Nothing);
        measure_layout(&data, "B root", IndexDepth::Root);
        measure_layout(&data, "C nested", IndexDepth::Nested);
        measure_tree(&data);
    }
}

fn measure_layout(data: &DataSet, layout: &str, depth: IndexDepth) {
    let encode = time(&data.bodies, |body| {
        let mut document = NewDocument::from_json_indexed(body, 24, depth).unwrap();
        document.stamp(&SYSTEM).unwrap();
        document
    });
    let stored: Vec<Vec<u8>> = data
        .bodies
        .iter()
        .map(|body| {
            let mut document = NewDocument::from_json_indexed(body, 0, depth).unwrap();
            document.stamp(&SYSTEM).unwrap();
            document.into_bytes()
        })
        .collect();
    let root = time(&stored, |bytes| open(bytes).get(data.root_property).map(|node| node.kind()));
    let nested = time(&stored, |bytes| follow(open(bytes).root(), &data.nested).map(|node| node.kind()));
    let missing = time(&stored, |bytes| open(bytes).get("thisIsMissing").is_some());
    let render = time(&stored, |bytes| open(bytes).text().to_vec());
    let text: usize = stored.iter().map(|bytes| open(bytes).text().len()).sum();
    let all: usize = stored.iter().map(Vec::len).sum();
    let over = (all - text) as f64 / stored.len() as f64;
    let share = 100.0 * (all - text) as f64 / text as f64;
    print_row(data.name, layout, [encode, root, nested, missing, render], &format!("{over:.0} {share:.1}%"));
}

fn measure_tree(data: &DataSet) {
    let own = time(&data.bodies, |body| Value::parse(body).unwrap());
    let parse = |body: &Vec<u8>| serde_json::from_slice::<serde_json::Value>(body).unwrap();
    let tree = time(&data.bodies, parse);
    let root = time(&data.bodies, |body| parse(body).get(data.root_property).is_some());
    let nested = time(&data.bodies, |body| data.nested.iter().try_fold(&parse(body), tree_step).is_some());
    let missing = time(&data.bodies, |body| parse(body).get("thisIsMissing").is_some());
    let trees: Vec<_> = data.bodies.iter().map(parse).collect();
    let render = time(&trees, |tree| serde_json::to_vec(tree).unwrap());
    print_row(data.name, "serde_json", [tree, root, nested, missing, render], "-");
    println!("{:<22} {:<12} {:>8.2}", data.name, "Value::parse", own / 1000.0);
}

fn print_row(data: &str, layout: &str, [encode, root, nested, missing, render]: [f64; 5], size: &str) {
    let encode_us = encode / 1000.0;
    println!(
        "{data:<22} {layout:<12} {encode_us:>8.2} {root:>8.0} {nested:>8.0} {missing:>8.0} {render:>8.0} {size:>10}"
    );
}

fn open(bytes: &[u8]) -> Document<'_> {
    Document::new(bytes).unwrap()
}

fn follow<'a>(root: Node<'a>, steps: &[Step]) -> Option<Node<'a>> {
    steps.iter().try_fold(root, |node, step| match step {
        Step::Name(name) => node.get(name),
        Step::Element(index) => node.at(*index),
    })
}

fn tree_step<'a>(value: &'a serde_json::Value, step: &Step) -> Option<&'a serde_json::Value> {
    match step {
        Step::Name(name) => value.get(name),
        Step::Element(index) => value.get(index),
    }
}

/// Nanoseconds that `work` takes on one input, in the fastest round.
fn time<I, O>(inputs: &[I], work: impl Fn(&I) -> O) -> f64 {
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut done = 0usize;
        while start.elapsed() < ROUND_TIME {
            for input in inputs {
                black_box(work(black_box(input)));
            }
            done += inputs.len();
        }
        fastest = fastest.min(start.elapsed().as_nanos() as f64 / done as f64);
    }
    fastest
}

fn data_sets() -> Vec<DataSet> {
    let mut sets = vec![
        DataSet {
            name: "1 KB, 20 properties",
            bodies: (0..1000).map(one_kilobyte).collect(),
            root_property: "rating",
            nested: vec![Step::Name("address"), Step::Name("city")],
        },
        DataSet {
            name: "38 KB, 100 nested",
            bodies: (0..40).map(large).collect(),
            root_property: "part 70",
            nested: vec![Step::Name("part 70"), Step::Name("address"), Step::Name("city")],
        },
    ];
    let volcanoes = vec![Step::Name("Location"), Step::Name("coordinates"), Step::Element(1)];
    sets.extend(shared("volcanoes", "data/volcanoes.json", "Status", volcanoes));
    let products = vec![Step::Name("tags"), Step::Element(0), Step::Name("name")];
    sets.extend(shared("cosmicworks-products", "data/cosmicworks-products.json", "price", products));
    sets
}

fn shared(name: &'static str, file: &str, root_property: &'static str, nested: Vec<Step>) -> Option<DataSet> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = std::env::var_os("ORRERY_SHARED_DIR").map_or_else(beside, PathBuf::from).join(file);
    let Ok(text) = std::fs::read(&path) else {
        eprintln!("NOTICE: left out, cannot read {} (set ORRERY_SHARED_DIR)", path.display());
        return None;
    };
    let items: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    let bodies = items.iter().map(|item| serde_json::to_vec(item).unwrap()).collect();
    Some(DataSet { name, bodies, root_property, nested })
}

/// Four long unique strings, numbers, short strings, Booleans, one small object, one small array: 20 properties.
fn one_kilobyte(i: usize) -> Vec<u8> {
    let hash = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let text = |seed: usize, len: usize| {
        let letters = (0..len).map(|k| char::from(b'a' + ((seed.rotate_left(k as u32 * 5) ^ k) % 26) as u8));
        letters.collect::<String>()
    };
    let mut json = String::new();
    write!(
        json,
        r#"{{"id":"{}","tenantId":"tenant-{}","email":"{}@example.com","#,
        text(hash, 36),
        hash % 1000,
        text(hash, 16)
    )
    .unwrap();
    write!(
        json,
        r#""name":"{}","description":"{}","notes":"{}","#,
        text(!hash, 20),
        text(hash ^ 7, 180),
        text(hash ^ 9, 220)
    )
    .unwrap();
    write!(
        json,
        r#""createdAt":{},"updatedAt":{},"price":{}.25,"#,
        1_600_000_000 + i,
        1_650_000_000 + i,
        hash % 10_000
    )
    .unwrap();
    write!(json, r#""stock":{},"status":"active","category":"category-{}","#, hash % 512, hash % 20).unwrap();
    write!(json, r#""brand":"brand-{}","country":"NO","currency":"NOK","active":true,"featured":false,"#, hash % 100)
        .unwrap();
    write!(
        json,
        r#""address":{{"street":"{}","city":"city-{}","zip":"{}"}},"#,
        text(hash, 24),
        hash % 300,
        hash % 9999
    )
    .unwrap();
    write!(json, r#""tags":["red","green","{}","large","summer"],"rating":{}.5}}"#, text(hash, 8), hash % 5).unwrap();
    json.into_bytes()
}

/// A hundred objects of a third of a kilobyte in one.
fn large(i: usize) -> Vec<u8> {
    let part = |k: usize| {
        format!(
            r#""part {k}":{{"name":"{}","description":"{}","address":{{"street":"street {i}","zip":"{k}","country":"Norway","city":"city {k}"}},"price":{k}.5}}"#,
            "n".repeat(20 + i),
            "d".repeat(200)
        )
    };
    let parts: Vec<String> = (0..100).map(part).collect();
    format!("{{{}}}", parts.join(",")).into_bytes()
}
