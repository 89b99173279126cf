//! What a container counts: written in the same batch as the items.

use bytes::Bytes;

/// The counters of one container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The number given last: the container's newest LSN.
    pub last_number: u64,
    /// The time given last, in ticks: no two versions have the same, and time never runs backwards in the feed.
    pub last_ticks: u64,
    /// Items, including those that expired and are not purged yet.
    pub items: u64,
    /// Bytes of their JSON texts.
    pub bytes: u64,
}

impl Counters {
    /// 32 bytes, big-endian, in the order of the fields.
    pub(crate) fn encode(&self) -> Bytes {
        let mut bytes = Vec::with_capacity(32);
        for number in [self.last_number, self.last_ticks, self.items, self.bytes] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.into()
    }

    /// Reads what [`Counters::encode`] wrote; what is cut off counts as zero.
    pub(crate) fn decode(bytes: &[u8]) -> Self {
        let field = |index: usize| {
            let field = bytes.get(index * 8..index * 8 + 8);
            field.and_then(|field| field.try_into().ok()).map_or(0, u64::from_be_bytes)
        };
        Counters { last_number: field(0), last_ticks: field(1), items: field(2), bytes: field(3) }
    }
}
