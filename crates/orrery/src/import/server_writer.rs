//! Items written to a server: in bulk requests, one for each partition key range that a batch touches.

use std::time::Duration;

use orrery_value::PartitionKeyDefinition;

use super::record::Record;
use crate::remote::{BulkItem, BulkOutcome, Connection, ContainerLink, Ranges, RemoteError, Retry};

/// Bytes of items in one request, below the limit of 2 MiB by more than what surrounds them takes. A larger item goes alone.
const MAX_REQUEST_BYTES: usize = 1_500_000;

/// Writes over one connection.
pub(super) struct ServerWriter {
    connection: Connection,
    link: ContainerLink,
    partition_key: PartitionKeyDefinition,
    ranges: Option<Ranges>,
}

impl ServerWriter {
    pub fn new(connection: Connection, link: ContainerLink, partition_key: PartitionKeyDefinition) -> ServerWriter {
        ServerWriter { connection, link, partition_key, ranges: None }
    }

    /// Creates or replaces an item for each record; for each, in order, the reason if it was rejected.
    ///
    /// # Errors
    /// [`RemoteError`]; a part may have been written then.
    pub async fn upsert(&mut self, records: &[Record]) -> Result<Vec<Option<String>>, RemoteError> {
        let keys: Vec<String> = records.iter().map(|record| record.key.to_json()).collect();
        let item = |index: usize| BulkItem { text: &records[index].text, key: &keys[index] };
        let mut reasons = vec![None; records.len()];
        let mut pending: Vec<usize> = (0..records.len()).collect();
        let mut retry = Retry::default();
        loop {
            let mut later = Vec::new();
            let mut pause: Option<Duration> = None;
            for (range, group) in self.groups(records, &pending).await? {
                let items: Vec<BulkItem<'_>> = group.iter().map(|&index| item(index)).collect();
                let outcomes = match self.connection.bulk_upsert(&self.link, &range, &items).await {
                    Err(error) if error.is_range_gone() => vec![BulkOutcome::Later(None); group.len()],
                    outcomes => outcomes?,
                };
                for (index, outcome) in group.into_iter().zip(outcomes) {
                    match outcome {
                        BulkOutcome::Done => {}
                        BulkOutcome::Rejected(reason) => reasons[index] = Some(reason),
                        BulkOutcome::Later(asked) => {
                            pause = pause.max(asked);
                            later.push(index);
                        }
                    }
                }
            }
            if later.is_empty() {
                return Ok(reasons);
            }
            if !retry.pause(pause).await {
                let status = http::StatusCode::TOO_MANY_REQUESTS;
                return Err(RemoteError::Busy { status, waited_s: retry.waited().as_secs() });
            }
            // A partition may have been split meanwhile.
            self.ranges = None;
            pending = later;
        }
    }

    /// The pending records by the request they go with. Order is kept within a range, so that of two records with one id the later wins.
    async fn groups(
        &mut self,
        records: &[Record],
        pending: &[usize],
    ) -> Result<Vec<(String, Vec<usize>)>, RemoteError> {
        let ranges = match self.ranges.take() {
            Some(ranges) => ranges,
            None => self.connection.ranges(&self.link).await?,
        };
        let mut groups: Vec<(String, Vec<usize>, usize)> = Vec::new();
        for &index in pending {
            let range = ranges.id_of(&self.partition_key, &records[index].key);
            let bytes = records[index].text.len();
            match groups.iter_mut().rev().find(|(id, _, _)| id == range) {
                Some((_, group, total)) if *total + bytes <= MAX_REQUEST_BYTES => {
                    group.push(index);
                    *total += bytes;
                }
                _ => groups.push((range.to_owned(), vec![index], bytes)),
            }
        }
        self.ranges = Some(ranges);
        Ok(groups.into_iter().map(|(range, group, _)| (range, group)).collect())
    }
}
