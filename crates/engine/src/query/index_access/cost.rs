//! What it costs to find items, in nanoseconds: measured figures of a warm cache, rounded to the side of caution.

/// Reading one item of a scan and applying a filter to it.
pub(super) const SCANNED_ITEM: f64 = 1_000.0;

/// Finding the item of a posting, loading it, and applying a filter to it.
pub(super) const HIT: f64 = 10_000.0;

/// Finding out only whether a posting's version lives.
pub(super) const LIVE_HIT: f64 = 3_000.0;

/// Going to one value of one path.
pub(super) const LOOK_UP: f64 = 30_000.0;

/// Reading a posting of a value that has others beside it.
const POSTING: f64 = 30.0;

/// Reading a posting of a range, where each value may have a block of its own.
const RANGE_POSTING: f64 = 400.0;

/// Fewer items than this are read sooner than an index is asked.
pub(super) const MIN_ITEMS: u64 = 500;

/// Within logical partitions, whose items lie side by side, the index is worth it only if it is so many times cheaper.
pub(super) const PARTITION_MARGIN: f64 = 2.0;

/// Reading the postings of a look-up.
pub(super) fn reading(postings: f64, ranges: usize, is_equality: bool) -> f64 {
    let each = if is_equality { POSTING } else { RANGE_POSTING };
    LOOK_UP * ranges as f64 + each * postings
}
