//! Every type in every format.

use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::io::Format;
use orrery_gremlin::value::{BulkSet, Constant, DateTime, GType, Graph, Operator, P, Path, T, Traverser, Tree};

use super::values::{edge, property, traversal_metrics, vertex, vertex_property};
use super::{hex, read, shown, unhex, written};

fn date_time(text: &str) -> GValue {
    GValue::DateTime(DateTime::parse(text).unwrap())
}

/// Reads and writes the same bytes.
fn binary(value: &GValue, bytes: &str) {
    let bytes = unhex(bytes);
    assert_eq!(hex(&written(value, Format::GraphBinary)), hex(&bytes));
    assert_eq!(shown(&read(&bytes, Format::GraphBinary)), shown(value));
}

#[test]
fn scalars_in_graph_binary() {
    for (value, bytes) in [
        (GValue::Null, "fe01"),
        (256.into(), "01 00 00000100"),
        ((-2_i64).into(), "02 00 fffffffffffffffe"),
        ("abc".into(), "03 00 00000003 616263"),
        (GValue::Date(-1), "04 00 ffffffffffffffff"),
        (GValue::Class("a.B".into()), "06 00 00000003 612e42"),
        (0.1.into(), "07 00 3fb999999999999a"),
        (GValue::Float(0.375), "08 00 3ec00000"),
        (GValue::Byte(-1), "24 00 ff"),
        (GValue::Short(258), "26 00 0102"),
        (true.into(), "27 00 01"),
        (GValue::Char('€'), "80 00 e282ac"),
        (GValue::Char('a'), "80 00 61"),
        (GValue::Binary(b"ab"[..].into()), "25 00 00000002 6162"),
        (date_time("2007-12-03T10:15:30+01:00"), "88 00 000007d7 0c 03 000021966f881400 00000e10"),
    ] {
        binary(&value, bytes);
    }
    for (digits, bytes) in [("0", "00"), ("127", "7f"), ("128", "0080"), ("-1", "ff"), ("-128", "80"), ("-129", "ff7f")]
    {
        let value = GValue::BigInteger(Arc::new(digits.parse().unwrap()));
        binary(&value, &format!("23 00 {:08x} {bytes}", bytes.len() / 2));
    }
}

#[test]
fn nulls_and_empty_numbers_of_other_clients_are_read() {
    for code in ["01", "03", "09", "11", "2d", "88"] {
        assert_eq!(read(&unhex(&format!("{code} 01")), Format::GraphBinary), GValue::Null);
    }
    let zero = GValue::BigInteger(Arc::new(0.into()));
    assert_eq!(read(&unhex("23 00 00000000"), Format::GraphBinary), zero);
}

#[test]
fn types_without_a_class_of_their_own_are_read_as_their_texts() {
    for (bytes, name, text) in [
        ("82 00 00000004 7f000001", "InetAddress", "127.0.0.1"),
        ("82 00 00000010 00000000000000000000000000000001", "InetAddress", "::1"),
        ("84 00 000007e0 01 01", "LocalDate", "2016-01-01"),
        ("85 00 000007e0 01 01 000028ed6103d000", "LocalDateTime", "2016-01-01T12:30"),
        ("86 00 000028f7db395200", "LocalTime", "12:30:45"),
        ("87 00 01 0f", "MonthDay", "--01-15"),
        ("89 00 000028f7db395200 ffffeae8", "OffsetTime", "12:30:45-01:30"),
        ("8a 00 00000001 00000006 0000000f", "Period", "P1Y6M15D"),
        ("8b 00 000007e0", "Year", "2016"),
        ("8c 00 000007e0 06", "YearMonth", "2016-06"),
        ("8e 00 00002ba1", "ZoneOffset", "+03:06:09"),
    ] {
        assert_eq!(read(&unhex(bytes), Format::GraphBinary), text.into());
        let json = format!(r#"{{"@type":"gx:{name}","@value":"{text}"}}"#);
        assert_eq!(read(json.as_bytes(), Format::GraphSon3), text.into());
    }
}

#[test]
fn points_in_time_are_read_with_their_offset() {
    let instant = date_time("1970-01-01T00:00:01.000000002Z");
    assert_eq!(read(&unhex("83 00 0000000000000001 00000002"), Format::GraphBinary), instant);
    let zoned = date_time("2016-12-23T12:12:24.000000036+02:00");
    assert_eq!(read(&unhex("8d 00 000007e0 0c 17 000027f782829024 00001c20"), Format::GraphBinary), zoned);
    for (name, text, value) in [
        ("Instant", "1970-01-01T00:00:01.000000002Z", &instant),
        ("ZonedDateTime", "2016-12-23T12:12:24.000000036+02:00[GMT+02:00]", &zoned),
    ] {
        let json = format!(r#"{{"@type":"gx:{name}","@value":"{text}"}}"#);
        assert_eq!(&read(json.as_bytes(), Format::GraphSon2), value);
    }
}

#[test]
fn every_constant_keeps_its_enumeration() {
    for constant in Constant::all() {
        let value = GValue::Constant(constant);
        for format in [Format::GraphBinary, Format::GraphSon2, Format::GraphSon3] {
            assert_eq!(read(&written(&value, format), format), value);
        }
    }
    binary(&T::Id.into(), "20 00 03 00 00000002 6964");
    binary(&GType::Int.into(), "30 00 03 00 00000003 494e54");
    binary(&Operator::Sum.into(), "19 00 03 00 00000003 73756d");
}

#[test]
fn elements_in_graph_binary() {
    binary(&vertex(1, None), "11 00 01 00 00000001 00000006 706572736f6e fe 01");
    binary(
        &vertex(1, Some(vec![vertex_property(0, "a", Some(vec![property("k", 2)]))])),
        "11 00 01 00 00000001 00000006 706572736f6e 09 00 00000001 \
         12 00 02 00 0000000000000000 00000004 6e616d65 03 00 00000001 61 fe 01 09 00 00000001 \
         0f 00 00000001 6b 01 00 00000002 fe 01",
    );
    binary(
        &edge(7, None),
        "0d 00 01 00 00000007 00000005 6b6e6f7773 01 00 00000002 00000003 646f67 \
         01 00 00000001 00000006 706572736f6e fe 01 fe 01",
    );
    let path = Path { labels: vec![vec!["a".into()], vec![]], objects: vec![1.into(), GValue::Null] };
    binary(
        &GValue::Path(Arc::new(path)),
        "0e 00 09 00 00000002 0b 00 00000001 03 00 00000001 61 0b 00 00000000 09 00 00000002 01 00 00000001 fe 01",
    );
}

/// What a graph has of an edge's vertices is ids; their labels stand with them.
#[test]
fn a_graph_in_graph_binary() {
    let of = |value: GValue| match value {
        GValue::Vertex(vertex) => vertex,
        other => panic!("{other:?}"),
    };
    let GValue::Edge(mut edge) = edge(7, Some(vec![property("k", 1)])) else { panic!() };
    Arc::make_mut(&mut edge).in_vertex.label = "vertex".into();
    let vertices = vec![of(vertex(1, Some(vec![vertex_property(0, "a", Some(vec![]))])))];
    binary(
        &GValue::Graph(Arc::new(Graph { vertices, edges: vec![edge] })),
        "10 00 00000001 01 00 00000001 00000006 706572736f6e 00000001 \
         02 00 0000000000000000 00000004 6e616d65 03 00 00000001 61 fe 01 00000000 \
         00000001 01 00 00000007 00000005 6b6e6f7773 01 00 00000002 fe 01 01 00 00000001 fe 01 fe 01 \
         00000001 0f 00 00000001 6b 01 00 00000001 fe 01",
    );
}

#[test]
fn a_list_that_is_compared_is_read_from_spread_operands() {
    let list = GValue::list([1.into(), 2.into()]);
    let bytes = unhex("1e 00 00000002 6571 00000002 01 00 00000001 01 00 00000002");
    assert_eq!(read(&bytes, Format::GraphBinary), GValue::Predicate(Arc::new(P::equal(list.clone()))));
    let json = br#"{"@type":"g:P","@value":{"predicate":"eq","value":[1,2]}}"#;
    assert_eq!(read(json, Format::GraphSon2), GValue::Predicate(Arc::new(P::equal(list))));
}

/// Writes `value` in GraphSON: without types, 2 and 3.
fn json(value: &GValue, texts: [&str; 3]) {
    let formats = [Format::GraphSon1, Format::GraphSon2, Format::GraphSon3];
    for (format, text) in formats.into_iter().zip(texts) {
        assert_eq!(String::from_utf8(written(value, format)).unwrap(), text, "{format:?}");
    }
    assert_eq!(written(value, Format::GraphSon1), written(value, Format::GraphSon2Untyped));
}

fn scalar(value: &GValue, name: &str, text: &str) {
    let typed = format!(r#"{{"@type":"{name}","@value":{text}}}"#);
    json(value, [text, &typed, &typed]);
    assert_eq!(shown(&read(typed.as_bytes(), Format::GraphSon3)), shown(value));
}

#[test]
fn scalars_in_graph_son() {
    for (value, name, text) in [
        (1.into(), "g:Int32", "1"),
        (i64::MIN.into(), "g:Int64", "-9223372036854775808"),
        (1.0.into(), "g:Double", "1.0"),
        (f64::NAN.into(), "g:Double", "\"NaN\""),
        (GValue::Float(0.1), "g:Float", "0.1"),
        (GValue::Float(f32::INFINITY), "g:Float", "\"Infinity\""),
        (GValue::Byte(1), "gx:Byte", "1"),
        (GValue::Short(1), "gx:Int16", "1"),
        (GValue::Char('x'), "gx:Char", "\"x\""),
        (GValue::Date(5), "g:Date", "5"),
        (date_time("2007-12-03T10:15:30+01:00"), "gx:OffsetDateTime", "\"2007-12-03T10:15:30+01:00\""),
        (GValue::Binary(b"some bytes for you"[..].into()), "gx:ByteBuffer", "\"c29tZSBieXRlcyBmb3IgeW91\""),
        (GValue::Class("A".into()), "g:Class", "\"A\""),
        (T::Label.into(), "g:T", "\"label\""),
    ] {
        scalar(&value, name, text);
    }
    let digits = "123456789987654321123456789987654321";
    scalar(&GValue::BigInteger(Arc::new(digits.parse().unwrap())), "gx:BigInteger", digits);
    for text in ["1.50", "1E+3", "123456789987654321123456789987654321.5"] {
        let decimal = orrery_gremlin::value::BigDecimal::parse(text).unwrap();
        scalar(&GValue::BigDecimal(Arc::new(decimal)), "gx:BigDecimal", text);
    }
}

#[test]
fn numbers_without_type_are_of_the_smallest_class_that_holds_them() {
    let big = GValue::BigInteger(Arc::new("9223372036854775808".parse().unwrap()));
    for (text, value) in [
        ("1", 1.into()),
        ("-2147483648", i32::MIN.into()),
        ("2147483648", (1_i64 << 31).into()),
        ("9223372036854775808", big),
        ("1.0", 1.0.into()),
        ("1e2", 100.0.into()),
        ("-0.0", (-0.0).into()),
    ] {
        assert_eq!(read(text.as_bytes(), Format::GraphSon3), value, "{text}");
    }
}

#[test]
fn collections_in_graph_son() {
    let list = GValue::list([1.into(), "a".into()]);
    let one = r#"{"@type":"g:Int32","@value":1}"#;
    json(&list, [r#"[1,"a"]"#, &format!(r#"[{one},"a"]"#), &format!(r#"{{"@type":"g:List","@value":[{one},"a"]}}"#)]);
    json(&GValue::set([1.into()]), ["[1]", &format!("[{one}]"), &format!(r#"{{"@type":"g:Set","@value":[{one}]}}"#)]);
    let map = GValue::map([(1.into(), "x".into()), (T::Id.into(), GValue::Null), (vertex(7, None), true.into())]);
    let seven = r#"{"@type":"g:Vertex","@value":{"id":{"@type":"g:Int32","@value":7},"label":"person"}}"#;
    json(
        &map,
        [
            r#"{"1":"x","id":null,"7":true}"#,
            r#"{"1":"x","id":null,"7":true}"#,
            &format!(r#"{{"@type":"g:Map","@value":[{one},"x",{{"@type":"g:T","@value":"id"}},null,{seven},true]}}"#),
        ],
    );
    let bulk = GValue::BulkSet(Arc::new(BulkSet { items: vec![("a".into(), 2)] }));
    let counted = r#"{"@type":"g:BulkSet","@value":["a",{"@type":"g:Int64","@value":2}]}"#;
    json(&bulk, [r#"["a","a"]"#, r#"["a","a"]"#, counted]);
    let traverser = GValue::Traverser(Arc::new(Traverser { bulk: 2, value: "a".into() }));
    let typed = r#"{"@type":"g:Traverser","@value":{"bulk":{"@type":"g:Int64","@value":2},"value":"a"}}"#;
    json(&traverser, [r#"{"bulk":2,"value":"a"}"#, typed, typed]);
}

#[test]
fn elements_in_graph_son() {
    let reference = r#"{"@type":"g:Vertex","@value":{"id":"1","label":"person"}}"#;
    json(&vertex("1", None), [r#"{"id":"1","label":"person","type":"vertex"}"#, reference, reference]);
    let meta = Some(vec![property("since", "2009")]);
    let whole = vertex("1", Some(vec![vertex_property(0, "a", meta), vertex_property(1, "b", None)]));
    let vertex_property = |id, value, more| {
        format!(
            r#"{{"@type":"g:VertexProperty","@value":{{"id":{{"@type":"g:Int64","@value":{id}}},"value":"{value}","label":"name"{more}}}}}"#
        )
    };
    let [first, second] = [vertex_property(0, "a", r#","properties":{"since":"2009"}"#), vertex_property(1, "b", "")];
    let typed = format!(
        r#"{{"@type":"g:Vertex","@value":{{"id":"1","label":"person","properties":{{"name":[{first},{second}]}}}}}}"#
    );
    json(
        &whole,
        [
            r#"{"id":"1","label":"person","type":"vertex","properties":{"name":[{"id":0,"value":"a","properties":{"since":"2009"}},{"id":1,"value":"b"}]}}"#,
            &typed,
            &typed,
        ],
    );
    let typed = r#"{"@type":"g:Edge","@value":{"id":"7","label":"knows","inVLabel":"dog","outVLabel":"person","inV":{"@type":"g:Int32","@value":2},"outV":{"@type":"g:Int32","@value":1},"properties":{"w":{"@type":"g:Property","@value":{"key":"w","value":"x"}}}}}"#;
    json(
        &edge("7", Some(vec![property("w", "x")])),
        [
            r#"{"id":"7","label":"knows","type":"edge","inVLabel":"dog","outVLabel":"person","inV":2,"outV":1,"properties":{"w":"x"}}"#,
            typed,
            typed,
        ],
    );
}

#[test]
fn paths_trees_and_graphs_in_graph_son() {
    let path = Path { labels: vec![vec!["a".into()], vec![]], objects: vec!["x".into(), "y".into()] };
    json(
        &GValue::Path(Arc::new(path)),
        [
            r#"{"labels":[["a"],[]],"objects":["x","y"]}"#,
            r#"{"@type":"g:Path","@value":{"labels":[["a"],[]],"objects":["x","y"]}}"#,
            r#"{"@type":"g:Path","@value":{"labels":{"@type":"g:List","@value":[{"@type":"g:Set","@value":["a"]},{"@type":"g:Set","@value":[]}]},"objects":{"@type":"g:List","@value":["x","y"]}}}"#,
        ],
    );
    let tree = Tree { branches: vec![("x".into(), Tree { branches: vec![("y".into(), Tree::default())] })] };
    let leaf = r#"{"@type":"g:Tree","@value":[{"key":"y","value":{"@type":"g:Tree","@value":[]}}]}"#;
    let typed = format!(r#"{{"@type":"g:Tree","@value":[{{"key":"x","value":{leaf}}}]}}"#);
    let tree = GValue::Tree(Arc::new(tree));
    json(&tree, [r#"{"x":{"key":"x","value":{"y":{"key":"y","value":{}}}}}"#, &typed, &typed]);
    assert_eq!(read(typed.as_bytes(), Format::GraphSon3), tree);
    let graph = GValue::Graph(Arc::default());
    let typed = r#"{"@type":"tinker:graph","@value":{"vertices":[],"edges":[]}}"#;
    json(&graph, [r#"{"vertices":[],"edges":[]}"#, typed, typed]);
}

#[test]
fn metrics_read_back_in_every_typed_format() {
    for format in [Format::GraphBinary, Format::GraphSon2, Format::GraphSon3] {
        let bytes = written(&traversal_metrics(), format);
        assert_eq!(shown(&read(&bytes, format)), shown(&traversal_metrics()));
    }
}

#[test]
fn a_type_behind_its_value_is_read_all_the_same() {
    let json = br#"{"@value":[{"@value":"1","@type":"g:T"}],"@type":"g:List"}"#;
    assert!(orrery_gremlin::io::read_value(json, Format::GraphSon3).is_err());
    let json = br#"{"@value":[{"@value":"id","@type":"g:T"}],"@type":"g:List"}"#;
    assert_eq!(read(json, Format::GraphSon3), GValue::list([T::Id.into()]));
}
