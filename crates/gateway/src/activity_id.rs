//! Names for requests whose clients gave them none.

use std::cell::Cell;

use uuid::{Builder, Uuid};
use xxhash_rust::xxh3::xxh3_128_with_seed;

thread_local! {
    /// What this thread's ids are derived from: random bytes, and how many were made. Asking the system for randomness for each
    /// request would cost a system call.
    static SOURCE: Cell<(u128, u64)> = Cell::new((Uuid::new_v4().as_u128(), 0));
}

/// A new id in the form of a random UUID. It tells requests apart and keeps no secret.
pub(crate) fn new() -> Uuid {
    let (seed, count) = SOURCE.get();
    SOURCE.set((seed, count.wrapping_add(1)));
    let random = xxh3_128_with_seed(&seed.to_ne_bytes(), count);
    Builder::from_random_bytes(random.to_ne_bytes()).into_uuid()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_uuids_and_differ() {
        let here: HashSet<Uuid> = (0..1000).map(|_| new()).collect();
        let there = std::thread::spawn(|| (0..1000).map(|_| new()).collect::<HashSet<_>>()).join().unwrap();
        assert_eq!(here.union(&there).count(), 2000);
        assert!(here.iter().all(|id| id.get_version_num() == 4));
    }
}
