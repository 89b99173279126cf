//! Elements there and back, and documents that others wrote.

use std::sync::Arc;

use orrery_value::NewDocument;
use proptest::prelude::*;

use super::*;
use crate::graph::PropertyChange;
use crate::value::{
    BigDecimal, BigInt, Cardinality, DateTime, Duration, Edge, Property, Uuid, Vertex, VertexProperty, VertexReference,
};

fn layout() -> Layout {
    Layout::by_property("city")
}

fn document(json: &[u8]) -> NewDocument {
    NewDocument::from_json(json).unwrap()
}

fn vertex_of(layout: &Layout, json: &str) -> Vertex {
    read_vertex(layout, document(json.as_bytes()).document().root())
}

fn change(key: &str, value: impl Into<GValue>, cardinality: Option<Cardinality>) -> PropertyChange {
    PropertyChange { key: key.into(), value: value.into(), cardinality, meta: Vec::new() }
}

fn values(vertex: &Vertex) -> Vec<(String, GValue)> {
    vertex.properties.iter().flatten().map(|one| (one.label.to_string(), one.value.clone())).collect()
}

fn any_scalar() -> impl Strategy<Value = GValue> {
    prop_oneof![
        any::<bool>().prop_map(GValue::Bool),
        any::<i8>().prop_map(GValue::Byte),
        any::<i16>().prop_map(GValue::Short),
        any::<i32>().prop_map(GValue::Int),
        any::<i64>().prop_map(GValue::Long),
        (-100_i64..100).prop_map(GValue::Long),
        any::<i128>().prop_map(|number| GValue::BigInteger(Arc::new(BigInt::from(number) * BigInt::from(number)))),
        any::<u32>().prop_map(|bits| GValue::Float(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| GValue::Double(f64::from_bits(bits))),
        (any::<i64>(), -10_000..10_000_i32).prop_map(|(unscaled, scale)| {
            GValue::BigDecimal(Arc::new(BigDecimal { unscaled: unscaled.into(), scale }))
        }),
        any::<String>().prop_map(GValue::string),
        any::<char>().prop_map(GValue::Char),
        any::<u128>().prop_map(|bits| GValue::Uuid(Uuid::from_u128(bits))),
        any::<i64>().prop_map(GValue::Date),
        (any::<i64>(), 0..1_000_000_000_u32, -64_800..=64_800_i32).prop_map(|(seconds, nanos, offset_seconds)| {
            GValue::DateTime(DateTime { seconds: seconds >> 24, nanos, offset_seconds })
        }),
        (any::<i64>(), 0..1_000_000_000_u32)
            .prop_map(|(seconds, nanos)| GValue::Duration(Duration { seconds: seconds >> 24, nanos })),
        any::<Vec<u8>>().prop_map(|bytes| GValue::Binary(bytes.into())),
    ]
}

/// Scalars and collections, in which null may be too.
fn any_value() -> impl Strategy<Value = GValue> {
    let member = prop_oneof![8 => any_scalar(), 1 => Just(GValue::Null)];
    let text = any::<String>().prop_map(GValue::string);
    let collection = member.prop_recursive(4, 24, 4, move |member| {
        let members = || prop::collection::vec(member.clone(), 0..4);
        let named = (text.clone(), member.clone());
        prop_oneof![
            members().prop_map(GValue::list),
            members().prop_map(GValue::set),
            prop::collection::vec(named, 0..4).prop_map(GValue::map),
            prop::collection::vec((member.clone(), member.clone()), 0..4).prop_map(GValue::map),
        ]
    });
    collection.prop_map(|value| if matches!(value, GValue::Null) { GValue::list([]) } else { value })
}

fn any_key() -> impl Strategy<Value = Arc<str>> {
    prop_oneof!["[a-c]", "\\PC{1,5}"]
        .prop_filter("reserved", |key: &String| check_key(key).is_ok() && key != "city" && key != "ttl")
        .prop_map(Arc::from)
}

fn any_meta() -> impl Strategy<Value = Vec<(Arc<str>, GValue)>> {
    prop::collection::btree_map("[k-n]", any_value(), 0..3)
        .prop_map(|meta| meta.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn property(label: Arc<str>, id: &str, value: GValue, meta: Vec<(Arc<str>, GValue)>) -> Arc<VertexProperty> {
    let properties = meta.into_iter().map(|(key, value)| Arc::new(Property { key, value, element: None })).collect();
    Arc::new(VertexProperty { id: id.into(), label, value, vertex: None, properties: Some(properties) })
}

/// Everything of a vertex but whose its properties are; properties by key, as they come together in the document.
fn facts(vertex: &Vertex) -> String {
    let mut properties: Vec<_> = vertex.properties.iter().flatten().collect();
    properties.sort_by_key(|one| one.label.clone());
    let fact = |one: &&Arc<VertexProperty>| {
        let meta = one.properties.iter().flatten().map(|meta| (&meta.key, exact(&meta.value)));
        format!("{} {} {} {:?};", exact(&one.id), one.label, exact(&one.value), meta.collect::<Vec<_>>())
    };
    let properties: String = properties.iter().map(fact).collect();
    format!("{:?} {} {:?} {properties}", vertex.id, vertex.label, vertex.partition)
}

/// Tells zeros apart, and takes NaNs for the same.
fn exact(value: &GValue) -> String {
    match value {
        GValue::Float(number) => format!("float {number:?}"),
        GValue::Double(number) => format!("double {number:?}"),
        other => format!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn a_vertex_comes_back_as_it_was(
        id in "[^/\\\\?#]{1,8}", label in "[^~].{0,5}", partition in any_scalar(),
        properties in prop::collection::vec((any_key(), any_value(), any_meta()), 0..6),
    ) {
        let mut all = vec![property("city".into(), &format!("{id}|city"), partition.clone(), vec![])];
        let named = properties.into_iter().enumerate();
        all.extend(named.map(|(n, (key, value, meta))| property(key, &format!("p{n}"), value, meta)));
        let vertex = Vertex {
            id: id.as_str().into(), label: label.into(), partition: Some(partition), properties: Some(all),
        };
        let json = vertex_document(&layout(), &vertex).unwrap();
        let stored = document(&json);
        prop_assert_eq!(kind_of(stored.document().root()), Some(ElementKind::Vertex));
        let read = VertexDocument::read(&layout(), stored.document().root());
        prop_assert_eq!(read.to_json().unwrap(), json);
        prop_assert_eq!(facts(&read.into_vertex()), facts(&vertex));
    }

    #[test]
    fn an_edge_comes_back_as_it_was(
        ids in prop::array::uniform3("[^/\\\\?#]{1,8}"), labels in prop::array::uniform3("[^~].{0,5}"),
        partitions in prop::array::uniform2(any_scalar()), shown in any::<bool>(),
        properties in prop::collection::btree_map("[a-e]{1,2}", any_value(), 0..5),
    ) {
        let end = |n: usize| VertexReference {
            id: ids[n].as_str().into(), label: labels[n].as_str().into(), partition: Some(partitions[n].clone()),
        };
        let mut all: Vec<(Arc<str>, GValue)> = Vec::new();
        if shown {
            all.push(("city".into(), partitions[0].clone()));
        }
        all.extend(properties.into_iter().map(|(key, value)| (key.into(), value)));
        let properties = all.iter().map(|(key, value)| {
            Arc::new(Property { key: key.clone(), value: value.clone(), element: None })
        });
        let edge = Edge {
            id: ids[2].as_str().into(), label: labels[2].as_str().into(), out_vertex: end(0), in_vertex: end(1),
            properties: Some(properties.collect()),
        };
        let json = edge_document(&layout(), &edge).unwrap();
        let stored = document(&json);
        prop_assert_eq!(kind_of(stored.document().root()), Some(ElementKind::Edge));
        let read = read_edge(&layout(), stored.document().root()).unwrap();
        let facts = |edge: &Edge| {
            let ends = [&edge.out_vertex, &edge.in_vertex].map(|end| {
                (end.id.clone(), end.label.clone(), end.partition.as_ref().map(exact))
            });
            let properties = edge.properties.iter().flatten().map(|one| (one.key.clone(), exact(&one.value)));
            (edge.id.clone(), edge.label.clone(), ends, properties.collect::<Vec<_>>())
        };
        prop_assert_eq!(facts(&read), facts(&edge));
    }

    #[test]
    fn order_survives_the_plain_form_of_numbers(one in any_scalar(), two in any_scalar()) {
        let order = |value: &GValue| match value {
            GValue::Byte(_) | GValue::Short(_) | GValue::Int(_) | GValue::Long(_) => value.as_i64().map(|n| n as f64),
            GValue::Float(number) => Some(f64::from(*number)),
            GValue::Double(number) => Some(*number),
            GValue::BigDecimal(number) => Some(number.to_f64()),
            _ => None,
        };
        let plain = |value: &GValue| match StoredValue::encode(value).unwrap().plain {
            Plain::Int(number) => number as f64,
            Plain::Float(number) => number,
            _ => f64::NAN,
        };
        if let (Some(a), Some(b)) = (order(&one), order(&two)) && a < b {
            prop_assert!(plain(&one) <= plain(&two));
        }
    }
}

#[test]
fn a_vertex_has_the_services_form() {
    let changes = [
        change("city", "Rome", None),
        PropertyChange { meta: vec![("since".into(), 2009.into())], ..change("name", "a", Some(Cardinality::List)) },
        change("name", "b", Some(Cardinality::List)),
        change("ttl", 60, None),
    ];
    let vertex = VertexDocument::create(&layout(), "1".into(), "person".into(), &changes).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&vertex.to_json().unwrap()).unwrap();
    let ids: Vec<_> = [0, 1].map(|n| json["name"][n]["id"].clone()).into();
    assert_eq!(
        json,
        serde_json::json!({
            "id": "1", "label": "person", "city": "Rome", "ttl": 60,
            "name": [{"id": ids[0], "_value": "a", "_meta": {"since": 2009}}, {"id": ids[1], "_value": "b"}],
        })
    );
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn documents_that_sql_wrote_are_vertices() {
    let vertex = vertex_of(
        &layout(),
        r#"{"id":"x","city":1,"age":29,"tags":["a",2,null,{"b":1}],"address":{"zip":1},"gone":null}"#,
    );
    assert_eq!(&*vertex.label, "vertex");
    assert_eq!(vertex.partition, Some(GValue::Int(1)));
    let expected = [("city", 1.into()), ("age", 29.into()), ("tags", "a".into()), ("tags", 2.into())];
    assert_eq!(values(&vertex), expected.map(|(key, value): (&str, GValue)| (key.to_owned(), value)));
}

#[test]
fn what_sql_wrote_beside_properties_survives_a_change() {
    let json = r#"{"id":"x","city":"Rome","address":{"zip":1},"name":["a",{"no":"value"}],"_sink":"y"}"#;
    let stored = document(json.as_bytes());
    let mut vertex = VertexDocument::read(&layout(), stored.document().root());
    vertex.change(&layout(), &change("name", "b", Some(Cardinality::List))).unwrap();
    vertex.change(&layout(), &change("age", 29_i64, None)).unwrap();
    let changed = String::from_utf8(vertex.to_json().unwrap()).unwrap();
    for kept in [r#""address":{"zip":1}"#, r#"{"no":"value"}"#, r#""_sink":"y""#, r#""_type":"long""#] {
        assert!(changed.contains(kept), "{kept} in {changed}");
    }
}

#[test]
fn collections_stand_where_values_do() {
    let meta = vec![("m".into(), GValue::set([1.into()]))];
    let changes = [
        change("city", "Rome", None),
        PropertyChange { meta, ..change("tags", GValue::list(["a".into(), 2_i64.into()]), None) },
    ];
    let vertex = VertexDocument::create(&layout(), "1".into(), "v".into(), &changes).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&vertex.to_json().unwrap()).unwrap();
    let expected = serde_json::json!([{
        "id": json["tags"][0]["id"], "_value": ["a", 2], "_type": ["list", null, "long"],
        "_meta": {"m": [1]}, "_metaTypes": {"m": "set"},
    }]);
    assert_eq!(json["tags"], expected);
    let written = vertex_of(&layout(), r#"{"id":"x","city":1,"a":[{"_value":{"b":[1]}}]}"#);
    let map = GValue::map([("b".into(), GValue::list([1.into()]))]);
    assert_eq!(values(&written), [("city".to_owned(), 1.into()), ("a".to_owned(), map)]);
}

#[test]
fn a_collection_neither_places_a_vertex_nor_lets_it_expire() {
    let list = || GValue::list([1.into()]);
    let create = |changes: &[PropertyChange]| VertexDocument::create(&layout(), "1".into(), "v".into(), changes);
    assert!(create(&[change("city", list(), None)]).is_err());
    assert!(create(&[change("city", "Rome", None), change("ttl", list(), None)]).is_err());
    assert!(create(&[change("city", "Rome", None), change("tags", list(), None)]).is_ok());
}

#[test]
fn edges_written_by_hand_need_both_ends() {
    let read = |json: &str| read_edge(&layout(), document(json.as_bytes()).document().root());
    let edge =
        read(r#"{"id":"e","city":"Rome","_isEdge":true,"_vertexId":"1","_sink":"2","weight":0.5,"x":{}}"#).unwrap();
    assert_eq!((&*edge.label, &*edge.in_vertex.label), ("edge", "vertex"));
    assert_eq!(edge.in_vertex.partition, Some("Rome".into()));
    let properties: Vec<_> = edge.properties.iter().flatten().map(|one| (&*one.key, one.value.clone())).collect();
    assert_eq!(properties, [("weight", 0.5.into()), ("x", GValue::map([]))]);
    assert!(read(r#"{"id":"e","_isEdge":true,"_vertexId":"1"}"#).is_none());
    assert!(read(r#"{"id":"e","_isEdge":false,"_vertexId":"1","_sink":"2"}"#).is_none());
}

#[test]
fn changes_follow_cardinality() {
    let layout = Layout::by_id();
    let mut vertex = VertexDocument::create(&layout, "1".into(), "v".into(), &[]).unwrap();
    let mut run = |value: GValue, cardinality| {
        vertex.change(&layout, &change("a", value, Some(cardinality))).unwrap();
        values(&vertex.clone().into_vertex()).into_iter().map(|(_, value)| value).collect::<Vec<_>>()
    };
    assert_eq!(run(1.into(), Cardinality::List), [1.into()]);
    assert_eq!(run(1.into(), Cardinality::List), [1.into(), 1.into()]);
    assert_eq!(run(1.into(), Cardinality::Set), [1.into(), 1.into()]);
    assert_eq!(run(2.into(), Cardinality::Set), [1.into(), 1.into(), 2.into()]);
    assert_eq!(run(3.into(), Cardinality::Single), [3.into()]);
    assert_eq!(run(GValue::Null, Cardinality::Single), []);
}

#[test]
fn a_value_is_removed_by_its_id() {
    let layout = layout();
    let json = r#"{"id":"1","city":"Rome","a":1,"b":[{"id":"p","_value":1},{"id":"q","_value":2}]}"#;
    let mut vertex = VertexDocument::read(&layout, document(json.as_bytes()).document().root());
    vertex.remove_value(&layout, "b", "p").unwrap();
    vertex.remove_value(&layout, "a", "another").unwrap();
    assert_eq!(values(&vertex.clone().into_vertex()).len(), 3);
    vertex.remove_value(&layout, "a", "1|a").unwrap();
    vertex.remove_value(&layout, "b", "q").unwrap();
    assert_eq!(values(&vertex.clone().into_vertex()).len(), 1);
    assert!(vertex.remove_value(&layout, "city", "1|city").is_err());
}

#[test]
fn the_partition_property_is_single_and_stays() {
    let create = |changes: &[PropertyChange]| {
        VertexDocument::create(&layout(), "1".into(), "v".into(), changes)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let missing = "Cannot add a vertex where the partition key property has value 'null'";
    assert_eq!(create(&[]), Err(missing.to_owned()));
    assert_eq!(create(&[change("city", GValue::Null, None)]), Err(missing.to_owned()));
    let two = [change("city", "a", None), change("city", "b", Some(Cardinality::List))];
    assert_eq!(create(&two), Err("Partition property must be single-valued".to_owned()));
    let mut vertex = VertexDocument::create(&layout(), "1".into(), "v".into(), &two[..1]).unwrap();
    assert!(vertex.change(&layout(), &two[0]).is_ok());
    assert!(vertex.change(&layout(), &two[1]).is_err());
}

#[test]
fn reserved_names_are_refused() {
    for key in ["id", "label", "_isEdge", "_sink", "_etag", "_ts", "_types", "", "~x"] {
        assert!(check_key(key).is_err(), "{key}");
    }
    assert!(check_key("_value").is_ok());
}
