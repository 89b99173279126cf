//! Numbers that look random: for `coin()`, `sample()` and `order().by(shuffle)`.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

/// A stream of numbers from a seed (SplitMix64, by Steele, Lea and Flood).
#[derive(Debug)]
pub(super) struct Random(Cell<u64>);

impl Random {
    /// The same numbers every time.
    pub fn seeded(seed: i64) -> Self {
        Random(Cell::new(seed as u64))
    }

    /// Others every time.
    pub fn unseeded() -> Self {
        Random(Cell::new(RandomState::new().hash_one(0_u8)))
    }

    fn next(&self) -> u64 {
        self.0.set(self.0.get().wrapping_add(0x9E37_79B9_7F4A_7C15));
        let mut mixed = self.0.get();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to 1, which it never is.
    pub fn fraction(&self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Below a bound; 0 if that is 0.
    pub fn below(&self, bound: usize) -> usize {
        ((self.fraction() * bound as f64) as usize).min(bound.saturating_sub(1))
    }

    /// Puts items in any order.
    pub fn shuffle<T>(&self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
