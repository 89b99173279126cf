//! Entities from request to document to reply.

use orrery_table::{
    DateTime, Dialect, EdmValue, Entity, EntityBody, EntityWriter, ErrorCode, Guid, Location, MetadataLevel, Property,
    Select, TableWriter,
};
use proptest::prelude::*;

use crate::strategies::entities;
use crate::support::{Stored, inserted, key};

const LOCATION: Location<'_> = Location { base: "http://host/acc", account: "acc", table: "T" };

fn refusal(body: &str, dialect: Dialect) -> Option<ErrorCode> {
    let read = EntityBody::parse(body.as_bytes(), dialect).and_then(|mut body| {
        let key = body.take_key(dialect)?;
        body.to_document(&key, dialect)
    });
    read.err().map(|error| error.code)
}

/// The refusal of an entity with this property.
fn refused(property: &str) -> Option<ErrorCode> {
    let body = format!(r#"{{"PartitionKey":"p","RowKey":"r",{property}}}"#);
    let [storage, cosmos] = [Dialect::Storage, Dialect::Cosmos].map(|dialect| refusal(&body, dialect));
    assert_eq!(storage, cosmos, "{property}");
    storage
}

fn shown(stored: &Stored, level: MetadataLevel, select: &str) -> String {
    let select = Select::parse(select).unwrap();
    let mut out = Vec::new();
    EntityWriter { level, location: LOCATION, select: select.as_ref() }.write_one(
        stored.document(),
        stored.timestamp,
        &mut out,
    );
    String::from_utf8(out).unwrap()
}

#[test]
fn values_have_the_type_that_they_are_spelled_or_annotated_with() {
    let time = |text| EdmValue::DateTime(DateTime::parse(text).unwrap());
    for (property, expected) in [
        (r#""V":"é\u00e9😀\n""#, EdmValue::String("éé😀\n".into())),
        (r#""V":"x","V@odata.type":"Edm.String""#, EdmValue::String("x".into())),
        (r#""V":"2021-05-06T07:08:09Z""#, EdmValue::String("2021-05-06T07:08:09Z".into())),
        (r#""V":1"#, EdmValue::Int32(1)),
        (r#""V":-2147483648"#, EdmValue::Int32(i32::MIN)),
        (r#""V":"5","V@odata.type":"Edm.Int32""#, EdmValue::Int32(5)),
        (r#""V":1.0"#, EdmValue::Double(1.0)),
        (r#""V":1e3"#, EdmValue::Double(1000.0)),
        (r#""V":1,"V@odata.type":"Edm.Double""#, EdmValue::Double(1.0)),
        (r#""V":"1.5","V@odata.type":"Edm.Double""#, EdmValue::Double(1.5)),
        (r#""V":"NaN","V@odata.type":"Edm.Double""#, EdmValue::Double(f64::NAN)),
        (r#""V":"-Infinity","V@odata.type":"Edm.Double""#, EdmValue::Double(f64::NEG_INFINITY)),
        (r#""V":"NaN""#, EdmValue::String("NaN".into())),
        (r#""V":true"#, EdmValue::Boolean(true)),
        (r#""V":"False","V@odata.type":"Edm.Boolean""#, EdmValue::Boolean(false)),
        (r#""V@odata.type":"Edm.Int64","V":"-9223372036854775808""#, EdmValue::Int64(i64::MIN)),
        (r#""V@odata.type":"Edm.Int64","V":5"#, EdmValue::Int64(5)),
        (r#""V@odata.type":"Edm.DateTime","V":"2021-05-06T09:08:09.5+02:00""#, time("2021-05-06T07:08:09.5")),
        (
            r#""V@odata.type":"Edm.Guid","V":"ABCDEF01-2345-6789-abcd-ef0123456789""#,
            EdmValue::Guid(Guid::parse("abcdef01-2345-6789-abcd-ef0123456789").unwrap()),
        ),
        (r#""V@odata.type":"Edm.Binary","V":"AQIDBA==""#, EdmValue::Binary(vec![1, 2, 3, 4])),
        (r#""V@odata.type":"Edm.Binary","V":"""#, EdmValue::Binary(Vec::new())),
    ] {
        let read = inserted(&format!(r#"{{"PartitionKey":"p","RowKey":"r",{property}}}"#));
        assert_eq!(read.properties, [Property { name: "V".into(), value: expected }], "{property}");
        assert_eq!(Stored::of(&read).entity(), read, "{property}");
    }
}

#[test]
fn nulls_and_what_belongs_to_the_server_are_left_out() {
    let read = inserted(
        r#" { "PartitionKey" : "p" , "RowKey":"r","A":null,"B":null,"B@odata.type":"Edm.Int64","C@odata.type":"Edm.Guid","Timestamp":"x",
            "Timestamp@odata.type":"Edm.Nonsense","odata.etag":"W/x","V@odata.other":1,"V":1} "#,
    );
    assert_eq!(read.properties, [Property { name: "V".into(), value: EdmValue::Int32(1) }]);
}

#[test]
fn values_that_are_not_of_their_type_are_refused() {
    for property in [
        r#""V":2147483648"#,
        r#""V":[1]"#,
        r#""V":{}"#,
        r#""V":1e999"#,
        r#""V":"1","V@odata.type":"Edm.Nonsense""#,
        r#""V":"1","V@odata.type":5"#,
        r#""V":1,"V@odata.type":"Edm.String""#,
        r#""V":"2147483648","V@odata.type":"Edm.Int32""#,
        r#""V":1.0,"V@odata.type":"Edm.Int32""#,
        r#""V":"abc","V@odata.type":"Edm.Int64""#,
        r#""V":"9223372036854775808","V@odata.type":"Edm.Int64""#,
        r#""V":" 1","V@odata.type":"Edm.Int64""#,
        r#""V":"1.8e309","V@odata.type":"Edm.Double""#,
        r#""V":"abc","V@odata.type":"Edm.Double""#,
        r#""V":"inf","V@odata.type":"Edm.Double""#,
        r#""V":"maybe","V@odata.type":"Edm.Boolean""#,
        r#""V":1,"V@odata.type":"Edm.Boolean""#,
        r#""V":"","V@odata.type":"Edm.DateTime""#,
        r#""V":"2013-13-45","V@odata.type":"Edm.DateTime""#,
        r#""V":"{00000000-0000-0000-0000-000000000001}","V@odata.type":"Edm.Guid""#,
        r#""V":"***","V@odata.type":"Edm.Binary""#,
        r#""V":"AA","V@odata.type":"Edm.Binary""#,
        r#""V":"\ud800""#,
    ] {
        assert_eq!(refused(property), Some(ErrorCode::InvalidInput), "{property}");
    }
    for body in ["", "5", "[]", "null", "{", r#"{"PartitionKey":"p"} x"#, "{\"A\":\"\u{0}\"}", "{'a':1}"] {
        assert_eq!(refusal(body, Dialect::Storage), Some(ErrorCode::InvalidInput), "{body}");
    }
}

#[test]
fn keys_are_plain_strings_and_given() {
    for (body, code) in [
        (r#"{"PartitionKey":"p"}"#, ErrorCode::PropertiesNeedValue),
        (r#"{"PartitionKey":"p","RowKey":null}"#, ErrorCode::PropertiesNeedValue),
        (r#"{"PartitionKey":"p","RowKey":1}"#, ErrorCode::InvalidInput),
        (
            r#"{"PartitionKey":"2020-01-01","PartitionKey@odata.type":"Edm.DateTime","RowKey":"r"}"#,
            ErrorCode::InvalidInput,
        ),
        (r#"{"PartitionKey":"a/b","RowKey":"r"}"#, ErrorCode::OutOfRangeInput),
    ] {
        assert_eq!(refusal(body, Dialect::Storage), Some(code), "{body}");
    }
    assert_eq!(
        refusal(r#"{"PartitionKey":"p","PartitionKey@odata.type":"Edm.String","RowKey":""}"#, Dialect::Storage),
        None
    );
    assert!(refusal(r#"{"PartitionKey":"p","RowKey":""}"#, Dialect::Cosmos).is_some());
    let typed = br#"{"PartitionKey":5,"RowKey":"2020","RowKey@odata.type":"Edm.DateTime","A":1}"#;
    let change = EntityBody::parse_change(typed, Dialect::Storage).unwrap();
    assert_eq!((&change.partition_key, &change.row_key), (&None, &None));
    let document = change.to_document(&key("p", "r"), Dialect::Storage).unwrap();
    assert_eq!(document, br#"{"id":"r","PartitionKey":"p","A":1}"#);
    assert!(EntityBody::parse_change(typed, Dialect::Cosmos).is_err());
    let keyless = EntityBody::parse(br#"{"A":1}"#, Dialect::Storage).unwrap();
    let document = keyless.to_document(&key("it's", "r"), Dialect::Storage).unwrap();
    assert_eq!(document, br#"{"id":"r","PartitionKey":"it's","A":1}"#);
}

#[test]
fn names_and_sizes_have_limits() {
    let name = |length: usize| format!("\"{}\":1", "n".repeat(length));
    let text = |length: usize| format!("\"V\":\"{}\"", "é".repeat(length));
    let binary = |length: usize| format!("\"V\":\"{}\",\"V@odata.type\":\"Edm.Binary\"", "AAAA".repeat(length / 3));
    for (property, code) in [
        (name(255), None),
        (name(256), Some(ErrorCode::PropertyNameTooLong)),
        (r#""a-b":1"#.into(), Some(ErrorCode::PropertyNameInvalid)),
        (r#""a b":1"#.into(), Some(ErrorCode::PropertyNameInvalid)),
        (r#""1a":null"#.into(), Some(ErrorCode::PropertyNameInvalid)),
        (r#""":1"#.into(), Some(ErrorCode::PropertyNameInvalid)),
        (r#""_ä1":1"#.into(), None),
        (r#""a":1,"A":2"#.into(), None),
        (r#""a":1,"b":2,"a":1"#.into(), Some(ErrorCode::DuplicatePropertiesSpecified)),
        (r#""RowKey":"x""#.into(), Some(ErrorCode::DuplicatePropertiesSpecified)),
        (text(32_768), None),
        (text(32_769), Some(ErrorCode::PropertyValueTooLarge)),
        (binary(65_535), None),
        (binary(65_538), Some(ErrorCode::PropertyValueTooLarge)),
    ] {
        assert_eq!(refused(&property), code, "{property:.60}");
    }
}

#[test]
fn the_number_of_properties_and_the_size_of_all_are_limited_in_the_storage_dialect() {
    let many = |count: usize, value: &str| {
        let properties: Vec<_> = (0..count).map(|n| format!("\"P{n:03}\":{value}")).collect();
        format!(r#"{{"PartitionKey":"p","RowKey":"r",{}}}"#, properties.join(","))
    };
    assert_eq!(refusal(&many(252, "1"), Dialect::Storage), None);
    assert_eq!(refusal(&many(253, "1"), Dialect::Storage), Some(ErrorCode::TooManyProperties));
    assert_eq!(refusal(&many(253, "1"), Dialect::Cosmos), None);
    assert_eq!(refusal(&many(10_000, "1"), Dialect::Cosmos), Some(ErrorCode::TooManyProperties));
    let text = format!("\"{}\"", "x".repeat(32_000));
    // 4 + 2 * 2 + 16 * (8 + 2 * 4 + 4 + 64,000) = 1,024,328 bytes
    assert_eq!(refusal(&many(16, &text), Dialect::Storage), None);
    assert_eq!(refusal(&many(17, &text), Dialect::Storage), Some(ErrorCode::EntityTooLarge));
    assert_eq!(refusal(&many(17, &text), Dialect::Cosmos), None);
}

#[test]
fn any_document_is_an_entity() {
    let stored = Stored::new(
        r#"{"RowKey":"hidden","id":"r","Timestamp":"hidden","odata.x":1,"i":7,"z":-0,"l":2147483648,"big":9223372036854775808,"d":1.50,"e":1E2,
            "s":"\u0041","o":{"a":[1, "x"]},"n":null,"late":5,"late@odata.type":"Edm.Int64","g":"nonsense","g@odata.type":"Edm.Guid",
            "t@odata.type":"Edm.DateTime","t":"2020-01-01","x@odata.type":"Edm.Binary","x":"A","a b\"":true,"$id":1,"$other":2,"PartitionKey":7}"#
            .as_bytes(),
        DateTime::parse("2020-01-01T00:00:00.0000001Z").unwrap(),
    );
    let read = stored.entity();
    assert_eq!(read.key, key("7", "r"));
    let expected = r#"{"odata.metadata":"http://host/acc/$metadata#T/@Element","odata.etag":"W/\"datetime'2020-01-01T00%3A00%3A00.0000001Z'\"","PartitionKey":"7","RowKey":"r","Timestamp":"2020-01-01T00:00:00.0000001Z","i":7,"z":0,"l@odata.type":"Edm.Int64","l":"2147483648","big":9223372036854775808.0,"d":1.50,"e":1E2,"s":"\u0041","o":"{\"a\":[1,\"x\"]}","late@odata.type":"Edm.Int64","late":"5","g":"nonsense","t@odata.type":"Edm.DateTime","t":"2020-01-01T00:00:00Z","x":"A","a b\"":true,"id":1,"$other":2}"#;
    assert_eq!(shown(&stored, MetadataLevel::Minimal, ""), expected);
    let names: Vec<_> = read.properties.iter().map(|property| property.name.as_str()).collect();
    assert_eq!(names, ["i", "z", "l", "big", "d", "e", "s", "o", "late", "g", "t", "x", "a b\"", "id", "$other"]);
    assert_eq!(read.property("z"), Some(&EdmValue::Int32(0)));
    assert_eq!(read.property("late"), Some(&EdmValue::Int64(5)));
}

#[test]
fn replies_say_as_much_as_their_level() {
    let stored = Stored::of(&inserted(
        r#"{"PartitionKey":"it's","RowKey":"a b","S":"x","D":7.0,"N":"NaN","N@odata.type":"Edm.Double","L":"7",
            "L@odata.type":"Edm.Int64"}"#,
    ));
    let address = "T(PartitionKey='it%27%27s',RowKey='a%20b')";
    let etag = r#""odata.etag":"W/\"datetime'2020-06-15T12%3A00%3A00.5000000Z'\"""#;
    let keys = r#""PartitionKey":"it's","RowKey":"a b""#;
    let time = r#""Timestamp":"2020-06-15T12:00:00.5000000Z""#;
    let typed = r#""S":"x","D":7.0,"N@odata.type":"Edm.Double","N":"NaN","L@odata.type":"Edm.Int64","L":"7""#;
    assert_eq!(
        shown(&stored, MetadataLevel::None, "*"),
        format!(r#"{{{keys},{time},"S":"x","D":7.0,"N":"NaN","L":"7"}}"#)
    );
    let metadata = r#""odata.metadata":"http://host/acc/$metadata#T/@Element""#;
    assert_eq!(shown(&stored, MetadataLevel::Minimal, ""), format!("{{{metadata},{etag},{keys},{time},{typed}}}"));
    assert_eq!(
        shown(&stored, MetadataLevel::Full, ""),
        format!(
            r#"{{{metadata},"odata.type":"acc.T","odata.id":"http://host/acc/{address}",{etag},"odata.editLink":"{address}",{keys},"Timestamp@odata.type":"Edm.DateTime",{time},{typed}}}"#
        )
    );
}

#[test]
fn a_selection_shows_what_it_names() {
    let stored =
        Stored::of(&inserted(r#"{"PartitionKey":"p","RowKey":"r","S":"x","I":1,"L":"7","L@odata.type":"Edm.Int64"}"#));
    let none = |select| shown(&stored, MetadataLevel::None, select);
    assert_eq!(none("S, I"), r#"{"S":"x","I":1}"#);
    assert_eq!(none("I,,I,RowKey,Missing,s"), r#"{"RowKey":"r","I":1,"Missing":null,"s":null}"#);
    assert_eq!(none("Timestamp"), r#"{"Timestamp":"2020-06-15T12:00:00.5000000Z"}"#);
    assert!(none("S,*").contains("PartitionKey"));
    let minimal = shown(&stored, MetadataLevel::Minimal, "L");
    assert!(minimal.ends_with(r#"'\"","L@odata.type":"Edm.Int64","L":"7"}"#), "{minimal}");
    assert!(Select::parse(&vec!["a"; 2_000].join(",")).is_err());
}

/// A reply without a selection copies members where it can; one that selects each property looks at all of them.
#[test]
fn members_are_shown_alike_with_and_without_a_selection() {
    let time = DateTime::parse("2020-06-15T12:00:00.5Z").unwrap();
    for members in [
        r#""i":1,"j":-0,"k":0.5,"l":1e2,"m":123456789,"n":1234567890,"o":12345678901,"p":-0.0,"q":1234567890123456789012"#,
        r#""a":"x","b":true,"c":null,"d":[1,"x"],"e":{"f":1},"g":"\u0041\n","\u0041":1,"$id":5,"$x":6,"Price":1"#,
        r#""a@odata.type":"Edm.Int64","a":7,"b@odata.type":"Edm.DateTime","b":"2021-05-06T07:08:09Z","c":"me@example.org""#,
        // Annotations behind their properties, before others, of nothing, and in a value.
        r#""a":7,"a@odata.type":"Edm.Int64","b":1"#,
        r#""b@odata.type":"Edm.Int64","a":1,"b":7"#,
        r#""x@odata.type":"Edm.Int64","a":1"#,
        r#""a":"@odata.type","b":1,"c":"\"@odata.type\":\"","d":2"#,
        r#""a@odata.type":5,"a":1,"odata.b":1,"Timestamp":"t""#,
    ] {
        let document = format!(r#"{{"id":"r","PartitionKey":"p",{members}}}"#);
        let stored = Stored::new(document.as_bytes(), time);
        let names: Vec<String> = stored.entity().properties.into_iter().map(|property| property.name).collect();
        let select = ["PartitionKey,RowKey,Timestamp".to_owned(), names.join(",")].join(",");
        for level in [MetadataLevel::None, MetadataLevel::Minimal, MetadataLevel::Full] {
            assert_eq!(shown(&stored, level, ""), shown(&stored, level, &select), "{members}");
        }
    }
}

#[test]
fn lists_name_their_table_once() {
    let stored = [r#"{"PartitionKey":"p","RowKey":"1"}"#, r#"{"PartitionKey":"p","RowKey":"2","A":1}"#]
        .map(|body| Stored::of(&inserted(body)));
    let list = |level, select: &str, stored: &[Stored]| {
        let select = Select::parse(select).unwrap();
        let mut out = Vec::new();
        let writer = EntityWriter { level, location: LOCATION, select: select.as_ref() };
        writer.write_list(stored.iter().map(|stored| (stored.document(), stored.timestamp)), &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        list(MetadataLevel::None, "RowKey,A", &stored),
        r#"{"value":[{"RowKey":"1","A":null},{"RowKey":"2","A":1}]}"#
    );
    assert_eq!(list(MetadataLevel::None, "", &[]), r#"{"value":[]}"#);
    let minimal = list(MetadataLevel::Minimal, "", &stored);
    assert!(
        minimal.starts_with(r#"{"odata.metadata":"http://host/acc/$metadata#T","value":[{"odata.etag":"W/"#),
        "{minimal}"
    );
    assert_eq!(minimal.matches("odata.metadata").count(), 1);
}

#[test]
fn tables_are_written_and_read() {
    let written = |level| {
        let mut out = Vec::new();
        TableWriter { level, base: "http://host/acc", account: "acc" }.write_one("T", &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(written(MetadataLevel::None), r#"{"TableName":"T"}"#);
    assert_eq!(
        written(MetadataLevel::Full),
        r#"{"odata.metadata":"http://host/acc/$metadata#Tables/@Element","odata.type":"acc.Tables","odata.id":"http://host/acc/Tables('T')","odata.editLink":"Tables('T')","TableName":"T"}"#
    );
    let mut list = Vec::new();
    TableWriter { level: MetadataLevel::Minimal, base: "b", account: "a" }.write_list(["T", "U"], &mut list);
    assert_eq!(list, br#"{"odata.metadata":"b/$metadata#Tables","value":[{"TableName":"T"},{"TableName":"U"}]}"#);
    let code = |body: &str| TableWriter::parse_body(body.as_bytes()).map_err(|error| error.code);
    assert_eq!(code(r#"{"TableName":"abc","odata.metadata":5}"#), Ok("abc".into()));
    assert_eq!(code("{}"), Err(ErrorCode::PropertiesNeedValue));
    assert_eq!(code(r#"{"TableName":5}"#), Err(ErrorCode::InvalidInput));
    assert_eq!(code("[]"), Err(ErrorCode::InvalidInput));
}

/// The entity of a reply, read as a request.
fn reread(reply: &str, of: &Entity) -> Entity {
    Entity { timestamp: of.timestamp, ..inserted(reply) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_entity_survives_the_document_and_the_reply(entity in entities()) {
        let stored = Stored::of(&entity);
        prop_assert_eq!(&stored.entity(), &entity);
        for level in [MetadataLevel::Minimal, MetadataLevel::Full] {
            prop_assert_eq!(&reread(&shown(&stored, level, ""), &entity), &entity);
        }
        let bare = shown(&stored, MetadataLevel::None, "");
        prop_assert!(!bare.contains("odata."), "{}", bare);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&bare).is_ok());
    }

    #[test]
    fn a_merge_gives_what_merging_properties_gives(current in entities(), change in entities()) {
        let mut expected = current.clone();
        for property in &change.properties {
            match expected.properties.iter_mut().find(|own| own.name == property.name) {
                Some(own) => *own = property.clone(),
                None => expected.properties.push(property.clone()),
            }
        }
        let body = EntityBody::of(&change.properties);
        let stored = Stored::of(&current);
        let merged = orrery_table::merge(&current.key, &body, Some(stored.document()), Dialect::Storage).unwrap();
        prop_assert_eq!(Stored::new(&merged, current.timestamp).entity(), expected);
    }
}
