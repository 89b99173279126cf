//! The official client's own serializers: what they wrote is read, and what is written they read (see `tests/python/test_gremlin_wire.py`).

use std::collections::HashMap;
use std::path::PathBuf;

use orrery_gremlin::GValue;
use orrery_gremlin::io::{Format, Named, Request, Response};
use orrery_gremlin::value::{Cardinality, Traverser, Uuid};

use super::values::{self, REQUEST_ID};
use super::{hex, read, shown, unhex, written};

const FORMATS: [(&str, Format); 3] =
    [("graphbinary", Format::GraphBinary), ("graphson2", Format::GraphSon2), ("graphson3", Format::GraphSon3)];

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// The lines of what the client wrote: name, format, bytes.
fn from_client() -> Vec<(String, Format, Vec<u8>)> {
    let text = std::fs::read_to_string(golden("from_client.txt")).unwrap();
    let line = |line: &str| {
        let [name, format, bytes] = <[&str; 3]>::try_from(line.split('\t').collect::<Vec<_>>()).unwrap();
        let (_, format) = FORMATS.into_iter().find(|(name, _)| *name == format).unwrap();
        (name.to_owned(), format, unhex(bytes))
    };
    text.lines().map(line).collect()
}

/// What a format makes of a value on its way from the client.
fn expected(name: &str, value: &GValue, format: Format) -> GValue {
    match (name, format) {
        // Only GraphSON 3 and GraphBinary have keys that are no strings.
        ("set", Format::GraphSon2) => GValue::list(["a".into()]),
        // The client says nothing of the vertex in GraphBinary.
        ("vertex property reference", Format::GraphSon2 | Format::GraphSon3) => match value {
            GValue::VertexProperty(property) => {
                let mut property = property.as_ref().clone();
                let (id, label) = ("v1".into(), "vertex".into());
                property.vertex = Some(orrery_gremlin::value::VertexReference { id, label, partition: None });
                GValue::VertexProperty(property.into())
            }
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

#[test]
fn what_the_client_writes_is_read() {
    let values: HashMap<_, _> = values::both().into_iter().chain(values::from_client()).collect();
    let mut seen = std::collections::HashSet::new();
    for (name, format, bytes) in from_client() {
        let Some(value) = values.get(&*name) else {
            assert!(name.ends_with(" request"), "{name}");
            continue;
        };
        assert_eq!(shown(&read(&bytes, format)), shown(&expected(&name, value, format)), "{name} in {format:?}");
        seen.insert(name);
    }
    assert_eq!(seen.len(), values.len());
}

#[test]
fn requests_of_the_client_are_read() {
    let id = Uuid::parse_str(REQUEST_ID).unwrap();
    let mut count = 0;
    for (name, format, frame) in from_client() {
        let Some(name) = name.strip_suffix(" request") else { continue };
        let (named, message) = Format::split_frame(&frame).unwrap();
        assert_eq!(named.typed(), format);
        let request = Request::read(named, message).unwrap();
        assert_eq!((request.id, &*request.op), (id, name));
        let alias = GValue::map([("g".into(), "g".into())]);
        match name {
            "eval" => {
                assert_eq!(request.processor, "");
                assert_eq!(request.args["gremlin"], "g.V(x)".into());
                assert_eq!(request.args["aliases"], alias);
                let list = GValue::list([true.into(), "a".into()]);
                assert_eq!(request.args["bindings"], GValue::map([("x".into(), 1.into()), ("y".into(), list)]));
            }
            "bytecode" => {
                assert_eq!(request.processor, "traversal");
                let GValue::Bytecode(bytecode) = &request.args["gremlin"] else { panic!("{request:?}") };
                let names: Vec<_> = bytecode.steps.iter().map(|step| &*step.name).collect();
                assert_eq!(names, ["V", "count"]);
                assert_eq!(request.args["aliases"], alias);
            }
            _ => assert_eq!(request.args["sasl"], "AHUAcA==".into()),
        }
        count += 1;
    }
    assert_eq!(count, 9);
}

fn responses() -> [(&'static str, Response); 2] {
    let traverser = Traverser { bulk: 2, value: values::vertex("v1", None) };
    let response = Response {
        request_id: Uuid::parse_str(REQUEST_ID).ok(),
        code: 206,
        message: "wait".into(),
        attributes: Named::from_iter([("x-ms-status-code".into(), 200.into())]),
        data: Some(vec![GValue::Traverser(traverser.into()), GValue::Null]),
        meta: Named::default(),
    };
    let challenge = Response { code: 407, data: None, ..response.clone() };
    [("response", response), ("challenge response", challenge)]
}

/// What the client has to read, as lines of the golden file.
fn to_client() -> String {
    let mut lines = String::new();
    let values = values::both().into_iter().chain(values::to_client());
    for (name, value) in values {
        for (format_name, format) in FORMATS {
            lines += &format!("{name}\t{format_name}\t{}\n", hex(&written(&value, format)));
        }
    }
    for (name, response) in responses() {
        for (format_name, format) in FORMATS {
            let mut bytes = Vec::new();
            response.write(format, &mut bytes).unwrap();
            assert_eq!(Response::read(format, &bytes).unwrap(), response);
            lines += &format!("{name}\t{format_name}\t{}\n", hex(&bytes));
        }
    }
    lines
}

#[test]
fn what_is_written_is_what_the_client_was_seen_to_read() {
    let lines = to_client();
    let path = golden("to_client.txt");
    if std::env::var_os("ORRERY_REWRITE_GOLDEN").is_some() {
        std::fs::write(&path, &lines).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap();
    for (line, wanted) in lines.lines().zip(wanted.lines()) {
        assert_eq!(line, wanted);
    }
    assert_eq!(lines.lines().count(), wanted.lines().count());
}

#[test]
fn a_value_with_cardinality_is_bytecode_on_the_wire() {
    let value = GValue::CardinalityValue(Cardinality::Single, std::sync::Arc::new(1.into()));
    for (_, format) in FORMATS {
        assert_eq!(read(&written(&value, format), format), value);
    }
    let json = r#"{"@type":"g:Bytecode","@value":{"source":[["CardinalityValueTraversal",{"@type":"g:Cardinality","@value":"single"},1]]}}"#;
    assert_eq!(read(json.as_bytes(), Format::GraphSon3), value);
}
