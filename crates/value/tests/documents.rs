//! Stored documents: reading through the index gives what reading the whole text gives.

use orrery_value::{
    DocumentError, IndexDepth, JsonErrorKind, MAX_DOCUMENT_BYTES, NewDocument, Node, NodeKind, Object, PropertyPath,
    SystemProperties, Value,
};
use proptest::prelude::*;

use crate::{shared_data, strategies};

pub const SYSTEM: SystemProperties<'_> = SystemProperties {
    rid: "36ZyAPW+uN8NAAAAAAAAAA==",
    container_self: "dbs/36ZyAA==/colls/36ZyAPW+uN8=",
    etag: "01234567-89ab-cdef-0123-456789abcdef",
    ts: 1_700_000_000,
};

const SUFFIX: &str = r#""_rid":"36ZyAPW+uN8NAAAAAAAAAA==","_self":"dbs/36ZyAA==/colls/36ZyAPW+uN8=/docs/36ZyAPW+uN8NAAAAAAAAAA==/","_etag":"\"01234567-89ab-cdef-0123-456789abcdef\"","_attachments":"attachments/","_ts":1700000000}"#;

const DEPTHS: [IndexDepth; 3] = [IndexDepth::Nothing, IndexDepth::Root, IndexDepth::Nested];

fn stamped(body: &str) -> NewDocument {
    let mut document = NewDocument::from_json(body.as_bytes()).unwrap();
    document.stamp(&SYSTEM).unwrap();
    document
}

fn check_text(body: &str, expected_before_suffix: &str) {
    let document = stamped(body);
    let text = String::from_utf8(document.document().text().to_vec()).unwrap();
    assert_eq!(text, format!("{expected_before_suffix}{SUFFIX}"), "{body}");
    assert_eq!(document.values(), 1 + commas(&text), "{body}");
}

/// Those between members and between elements.
fn commas(text: &str) -> usize {
    let (mut count, mut is_string, mut is_escaped) = (0, false, false);
    for c in text.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_string = !is_string,
            ',' if !is_string => count += 1,
            _ => {}
        }
    }
    count
}

#[test]
fn the_clients_text_is_kept_and_system_properties_follow() {
    check_text("{}", "{");
    check_text(" { } \n", "{");
    check_text(r#"{"b":1.50,"a":"\u0041\/"}"#, r#"{"b":1.50,"a":"\u0041\/","#);
    check_text(" {\t\"b\" : [ 1 , { \"c\" : null } ] ,\r\n\"a b\" : \" x \" }", r#"{"b":[1,{"c":null}],"a b":" x ","#);
}

#[test]
fn system_properties_of_the_body_are_dropped_at_the_root_only() {
    check_text(r#"{"_ts":1}"#, "{");
    check_text(r#"{"_ts":[1,2,{"a":1,"b":[]}]}"#, "{");
    check_text(r#"{"_rid":{"a":[1,2]},"id":"x"}"#, r#"{"id":"x","#);
    check_text(r#"{"id":"x","_etag":"\"e\""}"#, r#"{"id":"x","#);
    check_text(r#"{"a":1,"_lsn":5 , "_self":[],"b":2, "_attachments":"","_ts":1 }"#, r#"{"a":1,"b":2,"#);
    check_text(r#"{"\u005fts":1,"_tsx":2,"x":{"_ts":3}}"#, r#"{"_tsx":2,"x":{"_ts":3},"#);
}

#[test]
fn system_properties_read_like_others() {
    let document = stamped(r#"{"id":"x","_rid":"mine"}"#);
    let document = document.document();
    assert_eq!(document.rid().unwrap(), SYSTEM.rid);
    assert_eq!(document.etag().unwrap(), SYSTEM.etag);
    assert_eq!(document.ts().unwrap(), SYSTEM.ts);
    assert!(document.get("_rid").unwrap().eq_str(SYSTEM.rid));
    assert_eq!(document.get("_etag").unwrap().as_str().unwrap(), format!("\"{}\"", SYSTEM.etag));
    assert_eq!(document.get("_ts").unwrap().as_number().unwrap().as_i64(), Some(1_700_000_000));
    assert!(document.get("_self").unwrap().as_str().unwrap().ends_with("=/docs/36ZyAPW+uN8NAAAAAAAAAA==/"));
    assert!(document.get("_attachments").unwrap().eq_str("attachments/"));
    assert!(document.get("_lsn").is_none());
}

#[test]
fn bodies_that_are_no_items_are_refused() {
    let error = |body: &str| NewDocument::from_json(body.as_bytes()).unwrap_err();
    assert_eq!(error("[1]"), DocumentError::NotAnObject);
    assert_eq!(error(" \"x\""), DocumentError::NotAnObject);
    assert!(matches!(error("[1"), DocumentError::Json(_)));
    assert!(matches!(error(""), DocumentError::Json(_)));
    assert!(matches!(error("{} {}"), DocumentError::Json(_)));
    assert!(matches!(error(&"[".repeat(1000)), DocumentError::Json(_)));
    let duplicate = |body: &str| match error(body) {
        DocumentError::Json(error) => match error.kind {
            JsonErrorKind::DuplicateProperty { name } => name,
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    };
    assert_eq!(duplicate(r#"{"a":1,"b":2,"a":3}"#), "a");
    assert_eq!(duplicate(r#"{"x":[{"a b":1, "c":2 ,"a\u0020b":3}]}"#), "a b");
    assert_eq!(duplicate(r#"{"_ts":1,"_ts":2}"#), "_ts");
    assert_eq!(duplicate(r#"{"_ts":{"a":1,"a":1}}"#), "a");
}

#[test]
fn the_size_limit_is_on_the_body() {
    let body = |padding: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(padding));
    let overhead = body(0).len();
    let largest = NewDocument::from_json(body(MAX_DOCUMENT_BYTES - overhead).as_bytes()).unwrap();
    assert_eq!(largest.document().get("a").unwrap().text().len(), MAX_DOCUMENT_BYTES - overhead + 2);
    assert_eq!(
        NewDocument::from_json(body(MAX_DOCUMENT_BYTES - overhead + 1).as_bytes()).unwrap_err(),
        DocumentError::TooLarge { size_bytes: MAX_DOCUMENT_BYTES + 1 }
    );
}

#[test]
fn the_callers_room_stays_free() {
    let mut document = NewDocument::from_json_with_room(br#"{"a":[1,2]}"#, 24).unwrap();
    document.stamp(&SYSTEM).unwrap();
    document.room_mut().copy_from_slice(&[7; 24]);
    assert_eq!(document.document().get("a").unwrap().text(), b"[1,2]");
    let bytes = document.into_bytes();
    assert_eq!(bytes[..24], [7; 24]);
    assert_eq!(bytes[24..], *stamped(r#"{"a":[1,2]}"#).as_bytes());
}

#[test]
fn a_zero_keeps_its_sign_when_a_value_is_stored() {
    let value = Value::parse(br#"{"pk":-0.0,"a":[-0]}"#).unwrap();
    let document = NewDocument::from_value(&value).unwrap();
    assert_eq!(document.document().get("pk").unwrap().text(), b"-0.0");
    assert!(document.document().get("a").unwrap().at(0).unwrap().as_number().unwrap().as_f64().is_sign_negative());
    // What queries answer is printed as JavaScript does.
    assert_eq!(value.to_json(), br#"{"pk":0,"a":[0]}"#);
}

#[test]
fn wide_documents_are_indexed_too() {
    let members: Vec<String> = (0..5000).map(|i| format!(r#""property {i}":{{"n":{i},"tags":["a","b"]}}"#)).collect();
    let list: Vec<String> = (0..10_000).map(|i| i.to_string()).collect();
    let body = format!(r#"{{{},"list":[{}]}}"#, members.join(","), list.join(","));
    let document = stamped(&body);
    let document = document.document();
    for i in [0, 1, 2500, 4999] {
        let path = PropertyPath::from_iter([format!("property {i}"), "n".to_owned()]);
        assert_eq!(document.root().at_path(&path).unwrap().text(), i.to_string().as_bytes());
    }
    let list = document.get("list").unwrap();
    for i in [0, 7, 8, 9, 4321, 9999] {
        assert_eq!(list.at(i).unwrap().text(), i.to_string().as_bytes());
    }
    assert!(list.at(10_000).is_none());
    assert_eq!(list.element_count(), Some(10_000));
    assert!(document.get("property 5000").is_none());
}

#[test]
fn deep_nesting_does_not_blow_up_the_index() {
    // Every level is large enough for a table, and every one has two members.
    let inner = format!("\"{}\"", "x".repeat(100));
    let body = (0..127).fold(inner, |inner, _| format!(r#"{{"":0,"a":{inner}}}"#));
    let stored = NewDocument::from_json(body.as_bytes()).unwrap().into_bytes();
    assert!(stored.len() < 4 * body.len(), "{} bytes of JSON, stored in {}", body.len(), stored.len());
    let path = PropertyPath::from_iter(std::iter::repeat_n("a", 127));
    let document = NewDocument::from_json(body.as_bytes()).unwrap();
    assert!(document.document().root().at_path(&path).unwrap().eq_str(&"x".repeat(100)));
}

/// Compares every way of reading `node` with `value`.
fn check_node(node: Node<'_>, value: &Value) {
    match value {
        Value::Null => assert!(node.is_null()),
        Value::Bool(bool) => assert_eq!(node.as_bool(), Some(*bool)),
        Value::Number(number) => assert_eq!(node.as_number(), Some(*number)),
        Value::String(string) => {
            assert_eq!(node.as_str().unwrap(), *string);
            assert!(node.eq_str(string) && !node.eq_str(&format!("{string}x")));
        }
        Value::Array(elements) => {
            assert_eq!((node.kind(), node.element_count()), (NodeKind::Array, Some(elements.len())));
            assert_eq!(node.elements().count(), elements.len());
            for (i, (walked, element)) in node.elements().zip(elements).enumerate() {
                check_node(walked, element);
                assert_eq!(node.at(i).unwrap().text(), walked.text());
            }
            assert!(node.at(elements.len()).is_none() && node.get("a").is_none());
        }
        Value::Object(object) => check_members(node, object),
        Value::Undefined => panic!("undefined is not stored"),
    }
    assert_eq!(node.text(), value.to_json());
    assert_eq!(node.to_value().as_ref(), Some(value));
}

fn check_members(node: Node<'_>, object: &Object) {
    assert_eq!(node.kind(), NodeKind::Object);
    let names: Vec<String> = node.entries().map(|(name, _)| name.into_owned()).collect();
    assert_eq!(names, object.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>());
    for (name, value) in object.iter() {
        check_node(node.get(name).unwrap(), value);
    }
    for absent in ["absent", "", "a", "b", "a\"b", "a\":", "_rid"] {
        assert_eq!(node.get(absent).is_some(), object.get(absent).is_some(), "{absent:?}");
    }
    assert!(node.at(0).is_none() && node.elements().next().is_none());
}

/// The item as it should be stored: without the system properties of the client, with those of the server.
fn expected_item(object: &Object) -> Object {
    let server = Value::parse(format!("{{{SUFFIX}").as_bytes()).unwrap();
    let mut item = object.clone();
    for name in ["_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"] {
        item.remove(name);
    }
    for (name, value) in server.as_object().unwrap().iter() {
        item.push(name, value.clone());
    }
    item
}

fn check_item(object: &Object) {
    let expected = expected_item(object);
    let body = Value::from(object.clone()).to_json();
    for depth in DEPTHS {
        let mut document = NewDocument::from_json_indexed(&body, 3, depth).unwrap();
        document.stamp(&SYSTEM).unwrap();
        check_members(document.document().root(), &expected);
        assert_eq!(document.document().text().last(), Some(&b'}'));
    }
    let from_value = NewDocument::from_value(&Value::from(object.clone())).unwrap();
    assert_eq!(from_value.as_bytes(), NewDocument::from_json(&body).unwrap().as_bytes());
}

proptest! {
    #[test]
    fn reading_through_the_index_agrees_with_the_value(object in strategies::item()) {
        check_item(&object);
    }

    #[test]
    fn white_space_makes_no_difference(object in strategies::item()) {
        let body = Value::from(object).to_json();
        let reference: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let pretty = serde_json::to_vec_pretty(&reference).unwrap();
        let compact = serde_json::to_vec(&reference).unwrap();
        let (pretty, compact) = (NewDocument::from_json(&pretty).unwrap(), NewDocument::from_json(&compact).unwrap());
        prop_assert_eq!(pretty.as_bytes(), compact.as_bytes());
    }

    #[test]
    fn bodies_are_accepted_exactly_as_values_are(text in "\\{[\\[\\]{}:,\"a0-2.eE+\\\\u -]{0,24}") {
        let as_value = Value::parse(text.as_bytes());
        match NewDocument::from_json(text.as_bytes()) {
            Ok(_) => prop_assert!(as_value.is_ok()),
            Err(DocumentError::Json(error)) => prop_assert_eq!(error.at, as_value.unwrap_err().at),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn real_items_read_through_the_index() {
    for file in ["data/volcanoes.json", "data/cosmicworks-products.json"] {
        let Some(text) = shared_data::read(file) else {
            continue;
        };
        let Value::Array(items) = Value::parse(&text).unwrap() else { panic!("{file} is not an array") };
        for item in items {
            check_item(item.as_object().unwrap());
        }
    }
}
