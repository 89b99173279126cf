//! The documents of the query measurements, and a loader that sends them in bulk.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::http::Client;

/// Items of one logical partition.
pub const PER_PARTITION: usize = 100;
/// Items with the same `bucket`.
pub const PER_BUCKET: usize = 10;
/// Different values of `category`.
pub const CATEGORIES: usize = 50;
/// Operations in one bulk request, the most that the service takes.
const PER_REQUEST: usize = 100;
/// Connections that load.
const LOADERS: usize = 8;

/// Document `number` of `total`: 20 properties, about 1 KB. Partitions are runs of numbers; buckets cut across them.
pub fn document(number: usize, total: usize) -> Value {
    let word = |salt: usize| format!("{:016x}", (number * 31 + salt).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut document = json!({"id": id(number), "pk": partition(number), "n": number,
        "price": price(number), "bucket": number % (total / PER_BUCKET), "category": format!("category-{:02}", number % CATEGORIES),
        "active": number.is_multiple_of(2), "tags": ["red", "green", "blue"], "address": {"city": word(1), "zip": word(2)}});
    for field in 0..12 {
        document[format!("field{field:02}")] = json!(word(field) + &word(field + 100) + &word(field + 200)[..8]);
    }
    document
}

/// The id of document `number`.
pub fn id(number: usize) -> String {
    format!("item-{number:08}")
}

/// The partition key of document `number`.
pub fn partition(number: usize) -> String {
    format!("pk-{:06}", number / PER_PARTITION)
}

/// A number that no two documents share and that does not grow with theirs.
fn price(number: usize) -> f64 {
    ((number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as f64 / 100.0
}

/// Creates database `bench`, once.
pub fn create_database(client: &mut Client) -> anyhow::Result<()> {
    let made = client.call("POST", "dbs", "", "dbs", &[], Some(&json!({"id": "bench"})))?;
    anyhow::ensure!(made.status == 201 || made.status == 409, "{} {}", made.status, made.body);
    Ok(())
}

/// Creates a container with the service's default policy, or `policy`, and so much throughput.
pub fn create_container(client: &mut Client, name: &str, throughput: u32, policy: Option<Value>) -> anyhow::Result<()> {
    let mut definition = json!({"id": name, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}});
    if let Some(policy) = policy {
        definition["indexingPolicy"] = policy;
    }
    let throughput = throughput.to_string();
    let headers = [("x-ms-offer-throughput", throughput.as_str())];
    let made = client.call("POST", "colls", "dbs/bench", "dbs/bench/colls", &headers, Some(&definition))?;
    anyhow::ensure!(made.status == 201, "{} {}", made.status, made.body);
    Ok(())
}

/// Writes documents `0..total` in bulk over several connections.
pub fn fill(endpoint: &str, key: &str, container: &str, total: usize) -> anyhow::Result<()> {
    fill_with(endpoint, key, container, total, |number| document(number, total))
}

/// Writes `total` documents of any kind whose partition key is their `pk`, in bulk over several connections.
pub fn fill_with(
    endpoint: &str,
    key: &str,
    container: &str,
    total: usize,
    document: impl Fn(usize) -> Value + Sync,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let loaders: Vec<_> = (0..LOADERS)
            .map(|_| {
                scope.spawn(|| -> anyhow::Result<()> {
                    let mut client = Client::new(endpoint, key)?;
                    loop {
                        let first = next.fetch_add(PER_REQUEST, Ordering::Relaxed);
                        if first >= total {
                            return Ok(());
                        }
                        let numbers = first..(first + PER_REQUEST).min(total);
                        send(&mut client, container, &operations(numbers, &document))?;
                    }
                })
            })
            .collect();
        loaders
            .into_iter()
            .try_for_each(|loader| loader.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a loader panicked"))))
    })
}

/// The bytes of one bulk request.
pub fn bulk_request(
    client: &Client,
    container: &str,
    numbers: std::ops::Range<usize>,
    total: usize,
) -> anyhow::Result<Vec<u8>> {
    let link = format!("dbs/bench/colls/{container}");
    let body = operations(numbers, |number| document(number, total));
    client.request("POST", "docs", &link, &format!("{link}/docs"), &BULK, Some(&body))
}

const BULK: [(&str, &str); 4] = [
    ("x-ms-documentdb-partitionkeyrangeid", "0"),
    ("x-ms-cosmos-is-batch-request", "True"),
    ("x-ms-cosmos-batch-atomic", "False"),
    ("x-ms-cosmos-batch-continue-on-error", "True"),
];

fn operations(numbers: std::ops::Range<usize>, document: impl Fn(usize) -> Value) -> Value {
    let operation = |number: usize| {
        let document = document(number);
        json!({"operationType": "Upsert", "partitionKey": json!([document["pk"]]).to_string(), "resourceBody": document})
    };
    Value::Array(numbers.map(operation).collect())
}

fn send(client: &mut Client, container: &str, operations: &Value) -> anyhow::Result<()> {
    let link = format!("dbs/bench/colls/{container}");
    let reply = client.call("POST", "docs", &link, &format!("{link}/docs"), &BULK, Some(operations))?;
    let failed = reply
        .body
        .as_array()
        .and_then(|results| results.iter().find(|result| !matches!(result["statusCode"].as_u64(), Some(200 | 201))));
    anyhow::ensure!(reply.status == 200 || reply.status == 207, "{} {}", reply.status, reply.body);
    anyhow::ensure!(failed.is_none(), "an operation failed: {failed:?}");
    Ok(())
}

/// One query, all of its pages; returns the rows.
pub fn query(
    client: &mut Client,
    container: &str,
    text: &str,
    parameters: &Value,
    partition: Option<&str>,
) -> anyhow::Result<Vec<Value>> {
    let mut rows = Vec::new();
    pages(client, container, text, parameters, partition, &mut |page| rows.extend(page))?;
    Ok(rows)
}

/// One query, page by page.
pub fn pages(
    client: &mut Client,
    container: &str,
    text: &str,
    parameters: &Value,
    partition: Option<&str>,
    each: &mut dyn FnMut(Vec<Value>),
) -> anyhow::Result<()> {
    let link = format!("dbs/bench/colls/{container}");
    let body = json!({"query": text, "parameters": parameters});
    let key = partition.map(|partition| json!([partition]).to_string());
    let mut continuation: Option<String> = None;
    loop {
        let mut headers = vec![
            ("content-type", "application/query+json"),
            ("x-ms-documentdb-isquery", "True"),
            ("x-ms-documentdb-query-enablecrosspartition", "True"),
            ("x-ms-max-item-count", "1000"),
        ];
        if let Some(key) = &key {
            headers.push(("x-ms-documentdb-partitionkey", key));
        }
        if let Some(continuation) = &continuation {
            headers.push(("x-ms-continuation", continuation));
        }
        let mut reply = client.call("POST", "docs", &link, &format!("{link}/docs"), &headers, Some(&body))?;
        anyhow::ensure!(reply.status == 200, "{text}: {} {}", reply.status, reply.body);
        continuation = reply.header("x-ms-continuation").map(str::to_owned);
        if let Value::Array(page) = reply.body["Documents"].take() {
            each(page);
        }
        if continuation.is_none() {
            return Ok(());
        }
    }
}
