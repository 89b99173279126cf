//! Bytes that no client would send.

use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::io::{DecodeError, EncodeError, Format, MAX_MESSAGE_BYTES, MAX_VALUES, read_value, write_value};
use orrery_gremlin::value::{BulkSet, MAX_NESTING};

use super::unhex;

fn refuse_binary(bytes: &str, message: &str) {
    let error = read_value(&unhex(bytes), Format::GraphBinary).unwrap_err();
    assert_eq!(error.to_string(), message, "{bytes}");
}

fn refuse_json(text: &str, message: &str) {
    let error = read_value(text.as_bytes(), Format::GraphSon3).unwrap_err();
    assert_eq!(error.to_string(), message, "{text}");
}

#[test]
fn errors_of_graph_binary_say_where_and_what() {
    for (bytes, message) in [
        ("", "expected a type code at offset 0, found the end"),
        ("01", "expected a value's flag at offset 1, found the end"),
        ("01 02", "expected a value's flag at offset 1, found 0x02"),
        ("01 00 0000", "expected an int at offset 2, found the end"),
        ("01 00 00000000 00", "expected the end at offset 6, found byte 0x00"),
        ("fe 00", "expected the flag of null at offset 1, found 0x00"),
        ("31 00", "unknown type 0x31 at offset 0"),
        ("00 00 00000001 61", "unknown type 0x00 at offset 0"),
        ("03 00 00000001 ff", "expected UTF-8 at offset 6, found other bytes"),
        ("27 00 02", "expected a boolean at offset 2, found 0x02"),
        ("80 00 80", "expected a character at offset 2, found other bytes"),
        ("20 00 03 00 00000001 78", "expected the name of a constant at offset 2, found T.x"),
        ("20 00 01 00 00000001", "expected the name of a constant at offset 2, found type 0x01"),
        ("2a 00 00000001 fe 01 ffffffffffffffff", "expected a bulk at offset 8, found -1"),
        ("82 00 00000001 00", "expected an address of 4 or 16 bytes at offset 2, found 1 bytes"),
        ("88 00 000007d7 0d 03 0000000000000000 00000000", "expected a date at offset 2, found 2007-13-3 at offset 0"),
        ("11 00 fe 01 00000000 01 00 00000001", "expected a list or null at offset 8, found an int"),
        ("1e 00 00000001 78 00000000", "expected a predicate and its operands at offset 2, found x"),
        ("22 00 7fffffff 00000000", "number has too many digits at offset 2"),
    ] {
        refuse_binary(bytes, message);
    }
}

#[test]
fn counts_are_checked_before_there_is_room_made_for_them() {
    refuse_binary("09 00 7fffffff", "2147483647 items at offset 2 cannot fit into the 0 bytes that follow");
    refuse_binary("0a 00 00000002 fe01fe01fe01", "2 items at offset 2 cannot fit into the 6 bytes that follow");
    refuse_binary("09 00 ffffffff", "expected a count of values at offset 2, found -1");
    refuse_binary("03 00 7fffffff 61", "2147483647 items at offset 2 cannot fit into the 1 bytes that follow");
    refuse_binary("15 00 00000000 7fffffff", "2147483647 items at offset 6 cannot fit into the 0 bytes that follow");
}

#[test]
fn errors_of_graph_son_say_where_and_what() {
    for (text, message) in [
        (r#"{"@type":"g:Int32"}"#, "expected @value beside @type at offset 0, found none"),
        (r#"[{"@type":"g:Nope","@value":1}]"#, "unknown type g:Nope at offset 1"),
        (r#"{"@type":"g:Int32","@value":2147483648}"#, "expected an int at offset 28, found 2147483648"),
        (r#"{"@type":"g:Int32","@value":1.5}"#, "expected an int at offset 28, found 1.5"),
        (r#"{"@type":"gx:Byte","@value":"1"}"#, "expected a byte at offset 28, found a string"),
        (r#"{"@type":"g:Double","@value":1e999}"#, "expected a double at offset 29, found 1e999"),
        ("1e999", "expected a double at offset 0, found 1e999"),
        (r#"{"@type":"g:Map","@value":["a"]}"#, "expected as many values as keys at offset 26, found an array"),
        (r#"{"@type":"g:T","@value":"x"}"#, "expected the name of a constant at offset 24, found T.x"),
        (r#"{"@type":"gx:Char","@value":"ab"}"#, "expected one character at offset 28, found ab"),
        (r#"{"@type":"gx:ByteBuffer","@value":"a"}"#, "expected bytes in base64 at offset 34, found a"),
        (r#"{"@type":"g:Vertex","@value":{}}"#, "expected the id of a vertex at offset 29, found none"),
        (
            r#"{"@type":"g:P","@value":{"predicate":"x","value":1}}"#,
            "expected a predicate and its operands at offset 37, found x",
        ),
    ] {
        refuse_json(text, message);
    }
    let digits = "1".repeat(3000);
    refuse_json(&digits, "number has too many digits at offset 0");
}

fn nested_list(depth: usize) -> GValue {
    (1..depth).fold(GValue::list([]), |inner, _| GValue::list([inner]))
}

#[test]
fn values_nest_up_to_a_bound() {
    for format in [Format::GraphBinary, Format::GraphSon1, Format::GraphSon3] {
        let mut bytes = Vec::new();
        write_value(&nested_list(MAX_NESTING), format, &mut bytes).unwrap();
        assert_eq!(read_value(&bytes, format).unwrap(), nested_list(MAX_NESTING));
        bytes.clear();
        write_value(&nested_list(MAX_NESTING + 1), format, &mut bytes).unwrap();
        let error = read_value(&bytes, format).unwrap_err();
        assert!(matches!(error, DecodeError::TooDeep { .. }), "{error}");
        let error = write_value(&nested_list(MAX_NESTING + 100), format, &mut bytes).unwrap_err();
        assert_eq!(error, EncodeError::TooDeep);
    }
}

#[test]
fn every_kind_of_nesting_is_bounded() {
    let level = unhex("2b 00 00000001 fe 01");
    let tree: Vec<u8> = [&level[..2], &b"\0\0\0\x01\xfe\x01".repeat(1000), b"\0\0\0\0"].concat();
    let bytecode = unhex("15 00 00000001 00000000 00000001").repeat(1000);
    let predicate = unhex("1e 00 00000003 6e6f74 00000001").repeat(1000);
    let property = unhex("0f 00 00000000").repeat(1000);
    for bytes in [tree, bytecode, predicate, property] {
        let error = read_value(&bytes, Format::GraphBinary).unwrap_err();
        assert!(matches!(error, DecodeError::TooDeep { .. }), "{error}");
    }
    for level in [
        "[",
        "{\"a\":",
        "{\"@type\":\"g:List\",\"@value\":[",
        "{\"@type\":\"g:Tree\",\"@value\":[{\"key\":1,\"value\":",
        "{\"@type\":\"g:Bytecode\",\"@value\":{\"step\":[[\"a\",",
        "{\"@type\":\"g:P\",\"@value\":{\"predicate\":\"not\",\"value\":",
    ] {
        let text = level.repeat(1000);
        let error = read_value(text.as_bytes(), Format::GraphSon3).unwrap_err();
        assert!(matches!(error, DecodeError::TooDeep { .. }), "{error}");
    }
}

#[test]
fn messages_and_their_values_are_bounded() {
    let long = vec![b' '; MAX_MESSAGE_BYTES + 1];
    for format in [Format::GraphBinary, Format::GraphSon3] {
        assert_eq!(read_value(&long, format), Err(DecodeError::TooLong { size_bytes: long.len() }));
    }
    let mut nulls = unhex("09 00");
    nulls.extend_from_slice(&u32::try_from(MAX_VALUES).unwrap().to_be_bytes());
    nulls.extend_from_slice(&b"\xfe\x01".repeat(MAX_VALUES));
    assert!(matches!(read_value(&nulls, Format::GraphBinary), Err(DecodeError::TooManyValues { .. })));
    let zeros = format!("[{}0]", "0,".repeat(MAX_VALUES));
    assert!(matches!(read_value(zeros.as_bytes(), Format::GraphSon3), Err(DecodeError::TooManyValues { .. })));
}

#[test]
fn a_bulk_of_any_size_is_not_written_out() {
    let set = GValue::BulkSet(Arc::new(BulkSet { items: vec![("a".into(), i64::MAX)] }));
    let mut out = Vec::new();
    assert_eq!(write_value(&set, Format::GraphSon1, &mut out), Err(EncodeError::TooLong));
    assert_eq!(write_value(&set, Format::GraphSon3, &mut out), Ok(()));
}

/// A set of values whose hashes were all alike would take hours.
#[test]
fn sets_of_anything_are_read_in_time() {
    const COUNT: u32 = 50_000;
    let set = |members: &dyn Fn(u32) -> String| {
        let members: String = (0..COUNT).map(members).collect();
        let value = read_value(&unhex(&format!("0b 00 {COUNT:08x} {members}")), Format::GraphBinary).unwrap();
        assert!(matches!(value, GValue::Set(set) if set.len() == COUNT as usize));
    };
    let started = std::time::Instant::now();
    let int = |number: u32| format!("0100{number:08x}");
    set(&|number| {
        format!(
            "1d00 00000000 00000004 {:08x} 00000000",
            number & 0x7f | (number & 0x3f80) << 1 | (number & 0x1f_c000) << 2
        )
    });
    set(&|number| format!("2100 {:016x} fe01", number));
    set(&|number| format!("1400 00000000 {}", int(number)));
    set(&|number| format!("1e00 00000002 6571 00000001 {}", int(number)));
    set(&|number| format!("1500 00000001 00000000 00000001 {} 00000000", int(number)));
    set(&|number| format!("2b00 00000001 {} 00000000", int(number)));
    set(&|number| format!("2d00 {:016x} 00000000", number));
    set(&|number| format!("2900 00000000 00000001 0300 00000000 {}", int(number)));
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}
