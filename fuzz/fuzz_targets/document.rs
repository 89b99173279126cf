//! A stored document reads as the value that it was made of, through its index and in order; a damaged one is read to an end.
//!
//! The input is JSON; what follows its first NUL is damage to the stored bytes, three bytes each: place (two) and new byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_value::document::is_system_property;
use orrery_value::{Document, IndexDepth, NewDocument, Node, NodeKind, Object, SystemProperties, Value};

const SYSTEM: SystemProperties<'_> = SystemProperties {
    rid: "36ZyAPW+uN8NAAAAAAAAAA==",
    container_self: "dbs/36ZyAA==/colls/36ZyAPW+uN8=",
    etag: "01234567-89ab-cdef-0123-456789abcdef",
    ts: 1_700_000_000,
};
/// Nodes of a damaged document that are visited: its index may show one place many times.
const MAX_NODES: usize = 2_000;

fuzz_target!(|input: &[u8]| {
    let (json, damage) = match input.iter().position(|byte| *byte == 0) {
        Some(nul) => (&input[..nul], &input[nul + 1..]),
        None => (input, &[][..]),
    };
    let value = Value::parse(json);
    for depth in [IndexDepth::Nothing, IndexDepth::Root, IndexDepth::Nested] {
        match NewDocument::from_json_indexed(json, 0, depth) {
            Ok(mut document) => {
                document.stamp(&SYSTEM).expect("the widths are right");
                let value = value.as_ref().expect("items are JSON").as_object().expect("items are objects");
                check_item(document.document(), value);
                within_budget(|| read_damaged(document.into_bytes(), damage));
            }
            Err(_) => assert!(!value.as_ref().is_ok_and(|value| value.as_object().is_some())),
        }
    }
    within_budget(|| read_everything(input));
});

fn check_item(document: Document<'_>, expected: &Object) {
    assert_eq!(document.rid().expect("it is stamped"), SYSTEM.rid);
    assert_eq!(document.etag().expect("it is stamped"), SYSTEM.etag);
    assert_eq!(document.ts().expect("it is stamped"), SYSTEM.ts);
    let mut entries = document.root().entries();
    for (name, value) in expected.iter().filter(|(name, _)| !is_system_property(name)) {
        let (found, node) = entries.next().expect("each member is there");
        assert_eq!(found, name);
        check_node(node, value);
        check_node(document.get(name).expect("each member is found by its name"), value);
    }
    assert!(entries.all(|(name, _)| is_system_property(&name)));
    let whole = Value::parse(document.text()).expect("the stored text is JSON");
    assert_eq!(document.root().to_value(), Some(whole));
}

fn check_node(node: Node<'_>, expected: &Value) {
    assert_eq!(node.to_value().as_ref(), Some(expected));
    match expected {
        Value::Array(elements) => {
            assert_eq!(node.element_count(), Some(elements.len()));
            assert!(node.at(elements.len()).is_none());
            let mut walked = node.elements();
            for (i, element) in elements.iter().enumerate() {
                check_node(walked.next().expect("each element is there"), element);
                check_node(node.at(i).expect("each element is found by its place"), element);
            }
            assert!(walked.next().is_none());
        }
        Value::Object(members) => {
            let mut walked = node.entries();
            for (name, value) in members.iter() {
                assert_eq!(walked.next().expect("each member is there").0, name);
                check_node(node.get(name).expect("each member is found by its name"), value);
            }
            assert!(walked.next().is_none());
            assert_eq!(node.get("absent").is_some(), members.get("absent").is_some());
        }
        Value::String(string) => assert!(node.eq_str(string) && node.kind() == NodeKind::String),
        Value::Number(number) => assert_eq!(node.as_number(), Some(*number)),
        Value::Bool(bool) => assert_eq!(node.as_bool(), Some(*bool)),
        Value::Null => assert!(node.is_null()),
        Value::Undefined => panic!("undefined has no JSON"),
    }
}

fn read_damaged(mut bytes: Vec<u8>, damage: &[u8]) {
    for [high, low, byte] in damage.as_chunks::<3>().0 {
        let place = usize::from(u16::from_be_bytes([*high, *low])) % bytes.len();
        bytes[place] = *byte;
    }
    read_everything(&bytes);
}

/// Reads what may be a stored document in every way there is.
fn read_everything(bytes: &[u8]) {
    let Ok(document) = Document::new(bytes) else { return };
    let _ = (document.rid(), document.etag(), document.ts());
    let mut left = vec![document.root()];
    for _ in 0..MAX_NODES {
        let Some(node) = left.pop() else { return };
        let _ = (node.text(), node.as_bool(), node.as_number(), node.as_str(), node.eq_str("x"), node.to_value());
        let _ = (node.get("a"), node.get("_ts"), node.get(""), node.at(0), node.at(8), node.at(usize::MAX));
        left.extend(node.elements().take(MAX_NODES));
        left.extend(node.entries().take(MAX_NODES).map(|(_, value)| value));
        let _ = node.element_count();
    }
}
