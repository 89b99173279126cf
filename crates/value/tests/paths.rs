//! Property paths, printed and read.

use orrery_value::PropertyPath;
use proptest::prelude::*;

use crate::strategies;

proptest! {
    #[test]
    fn a_printed_path_reads_as_the_same_path(names in prop::collection::vec(strategies::name(), 1..5)) {
        let path = PropertyPath::from_iter(names);
        prop_assert_eq!(PropertyPath::parse(&path.to_string()).unwrap(), path);
    }

    #[test]
    fn any_text_is_answered(text in "[/\"'\\\\a b]{0,16}") {
        if let Ok(path) = PropertyPath::parse(&text)
            && !path.is_root()
        {
            prop_assert_eq!(PropertyPath::parse(&path.to_string()).unwrap(), path);
        }
    }
}
