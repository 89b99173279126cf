//! What compiles runs; every error lies within the text and has the service's form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_sql::Context;
use orrery_value::Value;

fuzz_target!(|text: &str| {
    let parameters = [("@p".to_owned(), Value::from(3)), ("@q".to_owned(), Value::from("x"))];
    match within_budget(|| orrery_sql::compile(text, &parameters, &Context::default())) {
        Ok(query) => {
            let row = Value::parse(br#"{"id":"1","a":{"b":[1,"x",null]},"x":-2.5,"s":"text"}"#).expect("it is JSON");
            // A query may be refused for its cost, by name.
            let _ = within_budget(|| query.run_in_memory(&[row, Value::Null]));
        }
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "{error:?}");
            assert!(Value::parse(error.to_service_json().as_bytes()).is_ok(), "{error:?}");
        }
    }
});
