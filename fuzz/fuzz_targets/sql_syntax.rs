//! A query's tree prints as a text of the same tree, which prints as itself; every error lies within the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_sql::{MAX_QUERY_BYTES, parse};

fuzz_target!(|text: &str| {
    match within_budget(|| parse(text)) {
        Ok(tree) => {
            let printed = within_budget(|| tree.to_string());
            // Parentheses and indentation make a text longer, at worst than a query may be.
            if printed.len() > MAX_QUERY_BYTES {
                return;
            }
            match within_budget(|| parse(&printed)) {
                Ok(again) => {
                    assert_eq!(format!("{tree:?}"), format!("{again:?}"), "{printed}");
                    assert_eq!(again.to_string(), printed);
                }
                Err(error) => panic!("{error}: {printed}"),
            }
        }
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "{error:?}");
            assert!(!error.message.is_empty(), "{error:?}");
        }
    }
});
