//! A filter's tree prints as a text of the same tree; every error lies within the text; the compiled filter keeps what the tree keeps.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_engine::Predicate;
use orrery_fuzz::within_budget;
use orrery_table::{DateTime, Dialect, Entity, EntityBody, Filter, TableFilter};
use orrery_value::NewDocument;

/// A property of each type, as a body of an insert.
const BODY: &[u8] =
    br#"{"PartitionKey":"p","RowKey":"r","S":"a","I":1,"D":1.5,"B":true,"L":"5","L@odata.type":"Edm.Int64","N":"NaN",
    "N@odata.type":"Edm.Double","G":"00000000-0000-0000-0000-000000000001","G@odata.type":"Edm.Guid","T":"2020-01-01",
    "T@odata.type":"Edm.DateTime","X":"AAE=","X@odata.type":"Edm.Binary"}"#;

fuzz_target!(|text: &str| {
    let filter = match within_budget(|| Filter::parse(text)) {
        Ok(Some(filter)) => filter,
        Ok(None) => return,
        Err(error) => {
            assert!(error.at.is_none_or(|at| text.is_char_boundary(at)), "{error:?}");
            return;
        }
    };
    let printed = filter.to_string();
    match Filter::parse(&printed) {
        Ok(again) => assert_eq!(again.as_ref(), Some(&filter), "{printed}"),
        // The text of a short literal, such as X'' for binary'', may be longer.
        Err(_) => assert!(printed.len() > text.len(), "{printed}"),
    }
    if let Ok(Some(tables)) = TableFilter::parse(text) {
        tables.keeps("name");
    }
    let mut body = EntityBody::parse(BODY, Dialect::Storage).expect("it is an entity");
    let key = body.take_key(Dialect::Storage).expect("it has keys");
    let json = body.to_document(&key, Dialect::Storage).expect("it is small");
    let document = NewDocument::from_json(&json).expect("it is JSON");
    // Written in 1970, as an unstamped document says of itself.
    let entity = Entity::from_document(document.document(), DateTime::from_unix_ticks(0));
    let compiled = within_budget(|| filter.compile());
    let (kept, passed) = (filter.keeps(&entity), Predicate::new(compiled.expr).holds(document.document()));
    assert!(if compiled.is_exact { kept == passed } else { kept <= passed }, "{filter}: {kept} {passed}");
    assert!(!kept || !compiled.keys.is_empty(), "{filter}");
});
