//! Records on their way: one thread reads and checks, workers write.
//!
//! Memory is bounded by a budget of bytes that every record on its way takes its share of; the reading thread waits for it. A record's
//! worker follows from its partition key, so that records of one logical partition are written in the order of the file.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use anyhow::Context;
use orrery_value::PartitionKeyDefinition;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::destination::{Destination, MAX_BATCH_RECORDS, Writer};
use super::entry::Position;
use super::graph::Made;
use super::record::{Record, RecordKind, prepare};
use super::source::Source;
use super::tally::Tally;
use crate::transfer::Progress;

/// Bytes of records that are read and not yet written.
const MAX_BUFFERED_BYTES: usize = 64 * 1024 * 1024;
/// Counted on top of a record's text.
const RECORD_OVERHEAD_BYTES: usize = 256;
/// Records that wait for one worker: one batch while another is being written.
const QUEUE_RECORDS: usize = 2 * MAX_BATCH_RECORDS;

/// Writes every record of `sources` to `destination`, with `concurrency` writes at a time.
///
/// # Errors
/// If a file cannot be read or the destination not be written. What is wrong with single records goes to the tally.
pub(super) async fn run(
    sources: Vec<Source>,
    destination: &Destination,
    mut kind: RecordKind,
    concurrency: usize,
    tally: Arc<Tally>,
    progress: Progress,
) -> anyhow::Result<()> {
    let mut workers = JoinSet::new();
    let mut queues = Vec::with_capacity(concurrency);
    for _ in 0..concurrency {
        let (sender, receiver) = mpsc::channel(QUEUE_RECORDS);
        queues.push(sender);
        workers.spawn(work(destination.writer(), receiver, tally.clone()));
    }
    let partition_key = destination.partition_key();
    let runtime = Handle::current();
    let memory = Arc::new(Semaphore::new(MAX_BUFFERED_BYTES));
    let reading = tokio::task::spawn_blocking(move || {
        let feeder = Feeder { queues, memory, runtime, tally, hasher: BuildHasherDefault::default() };
        for source in sources {
            let mut reader = source.open(&progress).with_context(|| format!("cannot read {}", source.name()))?;
            let (file, unit) = (source.name(), reader.unit());
            while let Some(entry) = reader.next().with_context(|| format!("cannot read {}", source.name()))? {
                let position = Position { file: file.clone(), unit, number: entry.number };
                let goes_on = match (entry.content, &mut kind) {
                    (Ok(text), RecordKind::Element(builder)) => {
                        let documents = builder.documents(&text, &position)?;
                        feeder.feed_elements(documents, &text, &partition_key, &kind)?
                    }
                    (Ok(text), _) => feeder.feed(position, text, &partition_key, &kind)?,
                    (Err(reason), _) => feeder.reject(&position, &reason, None),
                };
                if !goes_on {
                    return Ok(());
                }
            }
        }
        if let RecordKind::Element(builder) = &mut kind {
            let mut waiting = builder.waiting()?;
            while let Some(made) = waiting.next(builder)? {
                if !feeder.feed_elements(vec![made], b"", &partition_key, &RecordKind::Item { id_field: None })? {
                    return Ok(());
                }
            }
        }
        anyhow::Ok(())
    });
    let mut outcome = Ok(());
    while let Some(ended) = workers.join_next().await {
        outcome = outcome.and(ended.context("a worker ended by a panic").and_then(|result| result));
    }
    outcome.and(reading.await.context("reading ended by a panic")?)
}

/// Hands prepared records to the workers.
struct Feeder {
    queues: Vec<mpsc::Sender<Record>>,
    memory: Arc<Semaphore>,
    runtime: Handle,
    tally: Arc<Tally>,
    hasher: BuildHasherDefault<DefaultHasher>,
}

impl Feeder {
    /// False if the record's worker has ended: its error says why.
    fn feed(
        &self,
        position: Position,
        text: Vec<u8>,
        partition_key: &PartitionKeyDefinition,
        kind: &RecordKind,
    ) -> anyhow::Result<bool> {
        let prepared = match prepare(&text, partition_key, kind) {
            Ok(prepared) => prepared,
            Err(reason) => return Ok(self.reject(&position, &reason, Some(&text))),
        };
        let text = prepared.rewritten.unwrap_or(text);
        let bytes = u32::try_from((text.len() + RECORD_OVERHEAD_BYTES).min(MAX_BUFFERED_BYTES))?;
        let memory = self.runtime.block_on(self.memory.clone().acquire_many_owned(bytes))?;
        if prepared.id_generated {
            self.tally.id_generated();
        }
        let worker = self.hasher.hash_one(&prepared.key) as usize % self.queues.len();
        let record = Record { position, text, key: prepared.key, _memory: memory };
        Ok(self.queues[worker].blocking_send(record).is_ok())
    }

    /// Feeds what a record of a graph has become.
    fn feed_elements(
        &self,
        elements: Vec<Made>,
        text: &[u8],
        partition_key: &PartitionKeyDefinition,
        kind: &RecordKind,
    ) -> anyhow::Result<bool> {
        for Made { position, document } in elements {
            let goes_on = match document {
                Ok(document) => self.feed(position, document, partition_key, kind)?,
                Err(reason) => self.reject(&position, &reason, (!text.is_empty()).then_some(text)),
            };
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn reject(&self, position: &Position, reason: &str, text: Option<&[u8]>) -> bool {
        self.tally.reject(position, reason, text);
        true
    }
}

async fn work(mut writer: Writer, mut queue: mpsc::Receiver<Record>, tally: Arc<Tally>) -> anyhow::Result<()> {
    let mut records = Vec::with_capacity(MAX_BATCH_RECORDS);
    while queue.recv_many(&mut records, MAX_BATCH_RECORDS).await > 0 {
        let reasons = writer.upsert(&records).await?;
        let imported = reasons.iter().filter(|reason| reason.is_none()).count();
        for (record, reason) in records.drain(..).zip(reasons) {
            if let Some(reason) = reason {
                tally.reject(&record.position, &reason, Some(&record.text));
            }
        }
        tally.imported(imported as u64);
    }
    Ok(())
}
