//! What is read as JSON prints to the same value, in bounded time; what is JSON is decided as `serde_json` decides it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::{same, within_budget};
use orrery_value::{JsonErrorKind, Value};

fuzz_target!(|text: &[u8]| {
    let parsed = within_budget(|| Value::parse(text));
    let reference = serde_json::from_slice::<serde_json::Value>(text);
    match parsed {
        Ok(value) => {
            let printed = value.to_json();
            let again = Value::parse(&printed).expect("what is printed is JSON");
            assert!(same(&value, &again), "{}", String::from_utf8_lossy(&printed));
            assert_eq!(again.to_json(), printed);
            // The reference stops one level earlier.
            assert!(reference.is_ok() || is_deep(text), "only the reference refuses it: {reference:?}");
        }
        Err(error) => {
            assert!(error.at <= text.len());
            let may_differ = matches!(error.kind, JsonErrorKind::DuplicateProperty { .. } | JsonErrorKind::TooDeep);
            assert!(reference.is_err() || may_differ, "only the reference accepts it: {error}");
        }
    }
});

fn is_deep(text: &[u8]) -> bool {
    text.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() >= 100
}
