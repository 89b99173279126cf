//! An entity of a request reads the same from its document and from a reply; merged with another it has the properties of both.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_table::{DateTime, Dialect, Entity, EntityBody, EntityKey, EntityWriter, Location, MetadataLevel, merge};
use orrery_value::NewDocument;

fuzz_target!(|input: &[u8]| {
    let mut bodies = input.splitn(2, |byte| *byte == 0);
    let (first, second) = (bodies.next().unwrap_or_default(), bodies.next().unwrap_or_default());
    let Ok(mut body) = within_budget(|| EntityBody::parse(first, Dialect::Storage)) else { return };
    let key = body.take_key(Dialect::Storage).unwrap_or(EntityKey { partition_key: "p".into(), row_key: "r".into() });
    let Ok(json) = body.to_document(&key, Dialect::Storage) else { return };
    let stored = NewDocument::from_json(&json).expect("a document is JSON");
    let time = DateTime::from_unix_ticks(1);
    let entity = Entity::from_document(stored.document(), time);
    assert_eq!(EntityBody::of(&entity.properties).to_document(&key, Dialect::Storage).expect("it was small"), json);
    assert_eq!(entity.key, key);

    let location = Location { base: "http://host", account: "a", table: "T" };
    let mut reply = Vec::new();
    EntityWriter { level: MetadataLevel::Full, location, select: None }.write_one(stored.document(), time, &mut reply);
    let read = EntityBody::parse(&reply, Dialect::Storage).expect("a reply is a body");
    assert_eq!(read.to_document(&key, Dialect::Storage).expect("it was small"), json);

    let Ok(change) = EntityBody::parse(second, Dialect::Storage) else { return };
    let Ok(changed) = change.to_document(&key, Dialect::Storage) else { return };
    let changed = NewDocument::from_json(&changed).expect("a document is JSON");
    let changed = Entity::from_document(changed.document(), time);
    let Ok(merged) = merge(&key, &change, Some(stored.document()), Dialect::Storage) else { return };
    let merged = NewDocument::from_json(&merged).expect("a merged document is JSON");
    let merged = Entity::from_document(merged.document(), time);
    for property in &changed.properties {
        assert_eq!(merged.property(&property.name), Some(&property.value));
    }
    for property in &entity.properties {
        let expected = changed.properties.iter().find(|given| given.name == property.name).unwrap_or(property);
        assert_eq!(merged.property(&property.name), Some(&expected.value));
    }
});
