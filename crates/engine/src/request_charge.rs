//! What an operation costs in request units.
//!
//! A deterministic model, calibrated on the service's published figures: a point read of 1 KB costs 1 RU and one of 100 KB
//! about 10; writing 1 KB with default indexing costs 5 to 7, 100 KB about 50; replacing costs about twice as much as reading
//! and indexing anew. The real service charges by CPU, memory and I/O that clients cannot see, so figures agree in size, not
//! to the digit.

/// Cheapest query page: planning and one index seek.
const QUERY_BASE_RU: f64 = 2.2;
/// Each item that a query loads.
const QUERY_ITEM_RU: f64 = 0.03;
/// Each KB that a query loads.
const QUERY_KB_RU: f64 = 0.25;
const READ_BASE_RU: f64 = 1.0;
const READ_KB_RU: f64 = 0.09;
const CREATE_BASE_RU: f64 = 4.0;
const CREATE_KB_RU: f64 = 0.35;
const TERM_RU: f64 = 0.06;
const REPLACE_BASE_RU: f64 = 8.4;
const DELETE_RU: f64 = 5.0;

/// Reading a control-plane resource, or an item that is not there.
pub const METADATA_RU: f64 = 1.0;
/// Creating, replacing or deleting a control-plane resource.
pub const METADATA_WRITE_RU: f64 = 4.95;

/// A point read of `size_bytes`.
pub fn point_read(size_bytes: usize) -> f64 {
    round(READ_BASE_RU + READ_KB_RU * (kilobytes(size_bytes) - 1.0))
}

/// Creating an item of `size_bytes` with `terms` index entries.
pub fn create(size_bytes: usize, terms: usize) -> f64 {
    round(CREATE_BASE_RU + CREATE_KB_RU * kilobytes(size_bytes) + TERM_RU * terms as f64)
}

/// Replacing an item: the old version's terms are given up and the new one's are written.
pub fn replace(size_bytes: usize, terms: usize) -> f64 {
    round(REPLACE_BASE_RU + CREATE_KB_RU * kilobytes(size_bytes) + TERM_RU * terms as f64)
}

/// Deleting an item.
pub fn delete() -> f64 {
    DELETE_RU
}

/// A write that was refused after its precondition was read.
pub fn refused_write() -> f64 {
    1.24
}

/// What the charge of a page is made of, in request units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageCharge {
    /// Planning, and finding the first item.
    pub base_ru: f64,
    /// Loading items.
    pub items_ru: f64,
    /// Reading their bytes.
    pub bytes_ru: f64,
}

/// The parts of [`page`].
pub fn page_parts(items: usize, size_bytes: usize) -> PageCharge {
    PageCharge {
        base_ru: QUERY_BASE_RU,
        items_ru: QUERY_ITEM_RU * items as f64,
        bytes_ru: QUERY_KB_RU * size_bytes as f64 / 1024.0,
    }
}

/// One page of a query, list or feed that loaded `items` items of `size_bytes` in all.
pub fn page(items: usize, size_bytes: usize) -> f64 {
    let PageCharge { base_ru, items_ru, bytes_ru } = page_parts(items, size_bytes);
    round(base_ru + items_ru + bytes_ru)
}

/// Sizes below one KB cost as much as one.
fn kilobytes(size_bytes: usize) -> f64 {
    (size_bytes as f64 / 1024.0).max(1.0)
}

/// The service reports two decimals.
fn round(charge_ru: f64) -> f64 {
    (charge_ru * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_services_published_figures_hold() {
        assert_eq!(point_read(1024), 1.0);
        assert!((9.0..=11.0).contains(&point_read(100 * 1024)));
        assert!((5.0..=7.0).contains(&create(1024, 20)));
        assert!((35.0..=55.0).contains(&create(100 * 1024, 60)));
        assert!(create(1024, 40) > create(1024, 20) && create(4096, 20) > create(1024, 20));
    }
}
