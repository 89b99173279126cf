//! One client that writes until its connection breaks, and remembers what was acknowledged and what hangs in the air.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{CONTAINER, Random};
use crate::http::Client;

/// Logical partitions that the items are spread over.
const PARTITIONS: u64 = 8;
/// Ids that each writer uses over and over.
const IDS: u64 = 60;

/// An item's partition and id.
pub type Name = (String, String);

/// What clients know of the items.
#[derive(Default)]
pub struct Model {
    /// The version (property `n`) that was acknowledged last; `None` once the item was deleted.
    pub known: BTreeMap<Name, Option<u64>>,
    /// Operations sent and not answered: for each item the version it would have. All of one operation, or none.
    pub pending: Vec<Vec<(Name, Option<u64>)>>,
    /// Counts writes up, so that each has its own version.
    pub next: u64,
}

impl Model {
    /// Hands each writer the items that are its own.
    pub fn divide(self, parts: u64) -> Vec<Model> {
        let mut divided: Vec<Model> = (0..parts).map(|_| Model { next: self.next, ..Model::default() }).collect();
        for (name, version) in self.known {
            let owner = name.1.split('-').next().and_then(|owner| owner.parse::<usize>().ok()).unwrap_or(0);
            divided[owner].known.insert(name, version);
        }
        divided
    }

    /// Takes them back.
    pub fn join(parts: Vec<Model>) -> Model {
        let mut joined = Model::default();
        for part in parts {
            joined.known.extend(part.known);
            joined.pending.extend(part.pending);
            joined.next = joined.next.max(part.next);
        }
        joined
    }

    /// Writes acknowledged so far, roughly.
    pub fn acknowledged(&self) -> u64 {
        self.next
    }
}

/// A client of its own.
pub struct Writer {
    number: u64,
    client: Client,
    random: Random,
}

impl Writer {
    /// `number` tells its items from those of others.
    pub fn new(number: u64, client: Client, random: Random) -> Self {
        Writer { number, client, random }
    }

    /// Writes until `stop`, or until the server is gone.
    pub fn write_until(mut self, model: &mut Model, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) && self.write(model) {}
    }

    /// One operation; false once the server is gone.
    fn write(&mut self, model: &mut Model) -> bool {
        let partition = self.random.below(PARTITIONS);
        let name = |id: u64| (format!("p{partition}"), format!("{}-{partition}-{id}", self.number));
        let first = self.random.below(IDS);
        model.next += 1;
        let version = model.next;
        let (names, kind) = match self.random.below(10) {
            0..=1 => (vec![name(first)], None),
            2..=3 => ((0..3).map(|more| name((first + more) % IDS)).collect(), Some("batch")),
            _ => (vec![name(first)], Some("upsert")),
        };
        let change: Vec<(Name, Option<u64>)> = names.iter().map(|name| (name.clone(), kind.map(|_| version))).collect();
        if kind.is_none() && !matches!(model.known.get(&names[0]), Some(Some(_))) {
            return true;
        }
        let header = json!([names[0].0]).to_string();
        let key = ("x-ms-documentdb-partitionkey", header.as_str());
        let docs = format!("{CONTAINER}/docs");
        let reply = match kind {
            None => {
                let link = format!("{docs}/{}", names[0].1);
                self.client.call("DELETE", "docs", &link, &link, &[key], None)
            }
            Some("batch") => {
                let operations: Vec<Value> = names
                    .iter()
                    .map(|name| json!({"operationType": "Upsert", "resourceBody": document(name, version)}))
                    .collect();
                let headers = [key, ("x-ms-cosmos-is-batch-request", "True"), ("x-ms-cosmos-batch-atomic", "True")];
                self.client.call("POST", "docs", CONTAINER, &docs, &headers, Some(&json!(operations)))
            }
            Some(_) => {
                let headers = [key, ("x-ms-documentdb-is-upsert", "True")];
                self.client.call("POST", "docs", CONTAINER, &docs, &headers, Some(&document(&names[0], version)))
            }
        };
        match reply {
            Ok(reply) if (200..300).contains(&reply.status) && reply.status != 207 => {
                model.known.extend(change);
                true
            }
            Ok(reply) => {
                // Nothing in these operations may be refused; the audit reports what it finds instead.
                println!("unexpected {} for {names:?}: {}", reply.status, reply.body);
                true
            }
            Err(_) => {
                model.pending.push(change);
                false
            }
        }
    }
}

/// An item's content; its unique value changes with every version.
pub fn document(name: &Name, version: u64) -> Value {
    json!({"id": name.1, "pk": name.0, "n": version, "email": email(name, version), "pad": "x".repeat((version % 700) as usize)})
}

/// The unique value of a version.
pub fn email(name: &Name, version: u64) -> String {
    format!("{}@{version}", name.1)
}
