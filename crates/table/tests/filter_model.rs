//! Compiled filters on documents against the evaluation of the tree on entities.

use std::ops::Bound;

use orrery_engine::query::Predicate;
use orrery_table::{CompiledFilter, Filter, KeyRange, not_after, not_before};
use proptest::prelude::*;

use crate::strategies::{conditions, entities};
use crate::support::Stored;

fn contains(range: &KeyRange, key: &str) -> bool {
    let above = match &range.lower {
        Bound::Included(lower) => key >= lower.as_str(),
        Bound::Excluded(lower) => key > lower.as_str(),
        Bound::Unbounded => true,
    };
    let below = match &range.upper {
        Bound::Included(upper) => key <= upper.as_str(),
        Bound::Excluded(upper) => key < upper.as_str(),
        Bound::Unbounded => true,
    };
    above && below && !range.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_compiled_filter_keeps_what_the_tree_keeps(condition in conditions(), entities in prop::collection::vec(entities(), 1..4)) {
        let filter = Filter::parse(&condition.to_string()).unwrap().unwrap();
        prop_assert_eq!(filter.condition(), &condition);
        let CompiledFilter { expr, is_exact, keys } = filter.compile();
        let predicate = Predicate::new(expr);
        for entity in entities {
            let stored = Stored::of(&entity);
            prop_assert_eq!(&stored.entity(), &entity);
            let (kept, passed) = (filter.keeps(&entity), predicate.holds(stored.document()));
            prop_assert!(passed || !kept, "{} loses {:?}", filter, entity);
            prop_assert!(kept || !passed || !is_exact, "{} does not drop {:?}", filter, entity);
            if kept {
                prop_assert!(contains(&keys.partition_key, &entity.key.partition_key), "{filter} {keys:?}");
                prop_assert!(contains(&keys.row_key, &entity.key.row_key), "{filter} {keys:?}");
                prop_assert!(!keys.is_empty());
            }
        }
    }

    #[test]
    fn places_in_the_order_of_keys_divide_entities(entity in entities(), place in entities(), whole in any::<bool>()) {
        let row = (!whole).then_some(place.key.row_key.as_str());
        let stored = Stored::of(&entity);
        let holds = |expr| Predicate::new(expr).holds(stored.document());
        let partition = place.key.partition_key.as_str();
        let of_partition = entity.key.partition_key.as_str().cmp(partition);
        let order = of_partition.then_with(|| row.map_or(std::cmp::Ordering::Equal, |row| entity.key.row_key.as_str().cmp(row)));
        prop_assert_eq!(holds(not_before(partition, row)), order.is_ge());
        prop_assert_eq!(holds(not_after(partition, row)), order.is_le());
    }
}
