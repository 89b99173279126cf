//! What filters mean, which are refused, and where they are wrong.

use orrery_engine::query::Predicate;
use orrery_table::filter::{MAX_COMPARISONS, MAX_FILTER_BYTES, MAX_NESTING};
use orrery_table::{Entity, ErrorCode, Filter, TableFilter};

use crate::support::{Stored, inserted};

/// Entities that are told apart by their RowKeys.
fn entities() -> Vec<Entity> {
    [
        r#"{"PartitionKey":"a","RowKey":"1","S":"apple","I":1,"L":"10000000000","L@odata.type":"Edm.Int64","D":1.5,"B":true,
            "G":"00000000-0000-0000-0000-000000000001","G@odata.type":"Edm.Guid","T":"2020-01-01T00:00:00Z",
            "T@odata.type":"Edm.DateTime","X":"AAEC","X@odata.type":"Edm.Binary"}"#,
        r#"{"PartitionKey":"a","RowKey":"2","S":"it's","I":-3,"L":"5","L@odata.type":"Edm.Int64","D":"Infinity",
            "D@odata.type":"Edm.Double","B":false,"G":"FF000000-0000-0000-0000-000000000001","G@odata.type":"Edm.Guid",
            "T":"1999-12-31T23:59:59.9999999Z","T@odata.type":"Edm.DateTime","X":"/w==","X@odata.type":"Edm.Binary"}"#,
        r#"{"PartitionKey":"b","RowKey":"3","S":"","D":"NaN","D@odata.type":"Edm.Double","I":5.0}"#,
        r#"{"PartitionKey":"b","RowKey":"4","Other":"x","T":"2020-01-01T00:00:00Z","X":"AAEC","D":"1.5","id":"mine"}"#,
    ]
    .map(inserted)
    .into()
}

/// RowKeys of those that pass.
fn kept(text: &str) -> String {
    let filter = Filter::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let Some(filter) = filter else { return "1234".into() };
    let compiled = filter.compile();
    let predicate = Predicate::new(compiled.expr);
    let mut rows = String::new();
    for entity in entities() {
        let (keeps, passes) = (filter.keeps(&entity), predicate.holds(Stored::of(&entity).document()));
        assert!(if compiled.is_exact { passes == keeps } else { passes >= keeps }, "{text} on {entity:?}");
        rows += if keeps { entity.key.row_key.as_str() } else { "" };
    }
    rows
}

#[test]
fn properties_compare_with_constants_of_their_type() {
    for (text, rows) in [
        ("", "1234"),
        ("  ", "1234"),
        ("S eq 'apple'", "1"),
        ("S eq 'it''s'", "2"),
        ("S ne 'apple'", "23"),
        ("S lt 'b'", "13"),
        ("s eq 'apple'", ""),
        ("I eq 1", "1"),
        ("I gt 0", "13"),
        ("I eq 5L", "3"),
        ("5 ge I", "123"),
        ("5 gt I", "12"),
        ("I eq '1'", ""),
        ("L eq 10000000000", "1"),
        ("L lt 10000000000L", "2"),
        ("L gt 4.5", "12"),
        ("D gt 1", "12"),
        ("D ge 1.5", "12"),
        ("D le 1.5", "1"),
        ("D eq Infinity", "2"),
        ("D lt Infinity", "1"),
        ("D ne 1.5", "23"),
        ("D eq NaN", ""),
        ("D ne NaN", "123"),
        ("D eq 'NaN'", ""),
        ("D eq '1.5'", "4"),
        ("B eq true", "1"),
        ("B", "1"),
        ("not B", "234"),
        ("B lt True", "2"),
        ("G eq guid'FF000000-0000-0000-0000-000000000001'", "2"),
        ("G gt guid'00000000-0000-0000-0000-000000000001'", "2"),
        ("T eq datetime'2020-01-01T01:00:00+01:00'", "1"),
        ("T lt datetime'2000-01-01'", "2"),
        ("T eq '2020-01-01T00:00:00Z'", "4"),
        ("X eq binary'000102'", "1"),
        ("X gt X'0001'", "12"),
        ("X gt X'0002'", "2"),
        ("not (X gt X'0002')", "134"),
        ("X eq 'AAEC'", "4"),
        ("id eq 'mine'", "4"),
        ("id ne '4'", "4"),
    ] {
        assert_eq!(kept(text), rows, "{text}");
    }
}

#[test]
fn absent_properties_make_comparisons_false_and_negations_true() {
    for (text, rows) in [
        ("Missing eq 1", ""),
        ("Missing ne 1", ""),
        ("not (Missing eq 1)", "1234"),
        ("not (I eq 1)", "234"),
        ("not Missing eq 1 and I eq 1", "1"),
        ("not not (I eq 1)", "1"),
        ("Other eq 'x' or S eq ''", "34"),
        ("not (Other eq 'x' or S eq '')", "12"),
        ("PartitionKey eq 'a' and I eq 1 or PartitionKey eq 'b' and S eq ''", "13"),
        ("PartitionKey eq 'a' and (I eq 1 or PartitionKey eq 'b')", "1"),
        ("PartitionKey ne 'a'", "34"),
        ("RowKey gt '1' and RowKey lt '4'", "23"),
        ("PartitionKey eq 1", ""),
        ("not (RowKey eq 1)", "1234"),
        ("true", "1234"),
        ("false or I eq 1", "1"),
        ("(I eq 1) eq false", "234"),
        ("true eq (I eq 1)", "1"),
        ("((I)) eq (1)", "1"),
    ] {
        assert_eq!(kept(text), rows, "{text}");
    }
}

#[test]
fn timestamps_compare_exactly() {
    // All were written at half a second past noon.
    for (text, passes) in [
        ("Timestamp eq datetime'2020-06-15T12:00:00.5Z'", true),
        ("Timestamp eq datetime'2020-06-15T12:00:00Z'", false),
        ("Timestamp ne datetime'2020-06-15T12:00:00.5Z'", false),
        ("Timestamp gt datetime'2020-06-15T12:00:00Z'", true),
        ("Timestamp gt datetime'2020-06-15T12:00:00.5Z'", false),
        ("Timestamp ge datetime'2020-06-15T12:00:00.5Z'", true),
        ("Timestamp lt datetime'2020-06-15T12:00:00.5000001Z'", true),
        ("Timestamp lt datetime'2020-06-15T12:00:00Z'", false),
        ("Timestamp le datetime'2020-06-15T12:00:00.4Z'", false),
        ("not (Timestamp le datetime'2020-06-15T12:00:00.4Z')", true),
        ("not (Timestamp gt datetime'2020-06-15T12:00:00.6Z')", true),
        ("Timestamp eq 1", false),
    ] {
        assert_eq!(kept(text), if passes { "1234" } else { "" }, "{text}");
    }
    let exact = |text: &str| Filter::parse(text).unwrap().unwrap().compile().is_exact;
    assert!(exact("Timestamp ge datetime'2020-01-01' and not (Timestamp lt datetime'2020-01-01')"));
    assert!(!exact("Timestamp gt datetime'2020-01-01'") && !exact("not (X lt X'00')") && exact("X ne X'00'"));
}

#[test]
fn conditions_on_keys_bound_what_is_read() {
    let bounds = |text: &str| {
        let keys = Filter::parse(text).unwrap().unwrap().compile().keys;
        let show = |range: &orrery_table::KeyRange| format!("{:?} to {:?}", range.lower, range.upper);
        if keys.is_empty() {
            "nothing".to_owned()
        } else {
            format!("{}; {}", show(&keys.partition_key), show(&keys.row_key))
        }
    };
    for (text, expected) in [
        (
            "PartitionKey eq 'a' and RowKey eq 'b' and I eq 1",
            r#"Included("a") to Included("a"); Included("b") to Included("b")"#,
        ),
        (
            "PartitionKey eq 'a' and (RowKey ge 'ab' and RowKey lt 'ac')",
            r#"Included("a") to Included("a"); Included("ab") to Excluded("ac")"#,
        ),
        ("'a' lt PartitionKey and PartitionKey ge 'a'", r#"Excluded("a") to Unbounded; Unbounded to Unbounded"#),
        (
            "PartitionKey ge 'a' and PartitionKey gt 'a' and PartitionKey le 'b'",
            r#"Excluded("a") to Included("b"); Unbounded to Unbounded"#,
        ),
        ("PartitionKey eq 'a' or RowKey eq 'b'", "Unbounded to Unbounded; Unbounded to Unbounded"),
        ("not (PartitionKey eq 'a')", "Unbounded to Unbounded; Unbounded to Unbounded"),
        ("PartitionKey eq 'a' and PartitionKey eq 'b'", "nothing"),
        ("RowKey gt 'a' and RowKey lt 'a'", "nothing"),
        ("RowKey eq 5", "nothing"),
        ("false", "nothing"),
    ] {
        assert_eq!(bounds(text), expected, "{text}");
    }
}

#[test]
fn malformed_filters_are_refused_at_their_place() {
    for (text, at) in [
        ("S eq", 4),
        ("S foo 'x'", 2),
        ("S eq 'x", 5),
        ("S eq 'a')", 8),
        ("(S eq 'a'", 9),
        ("S eq 'a' and", 12),
        ("eq eq eq", 0),
        ("G eq guid'zzz'", 5),
        ("T eq datetime'2020-13-01'", 5),
        ("X eq X'0'", 5),
        ("X eq hex'00'", 5),
        ("I add 1 eq 2", 2),
        ("this-is-not-a-query", 4),
        ("I eq 99999999999999999999", 5),
        ("I eq 1e999", 5),
        ("I eq 5l", 6),
        ("S eq'x'", 2),
        ("'x'eq S", 3),
        ("I eq I", 2),
        ("1 eq 1", 2),
        ("I eq 1 eq 1", 7),
        ("'x'", 3),
        ("I eq null", 5),
        ("S EQ 'x'", 2),
        ("S eq \"x\"", 5),
        ("frobnicate(S)", 0),
        ("é = 1", 3),
    ] {
        let error = Filter::parse(text).unwrap_err();
        assert_eq!((error.code, error.at), (ErrorCode::InvalidInput, Some(at)), "{text}: {error}");
    }
    let error = Filter::parse("startswith(S,'a')").unwrap_err();
    assert_eq!((error.code, error.at), (ErrorCode::NotImplemented, Some(0)));
}

#[test]
fn filters_are_bounded() {
    let many = |count: usize| vec!["I eq 1"; count].join(" or ");
    assert_eq!(kept(&many(MAX_COMPARISONS)), "1");
    assert!(Filter::parse(&many(MAX_COMPARISONS + 1)).is_err());
    let nested = |depth: usize| format!("{}I eq 1{}", "not (".repeat(depth), ")".repeat(depth));
    assert_eq!(kept(&nested(MAX_NESTING)), "1");
    assert!(Filter::parse(&nested(MAX_NESTING + 1)).is_err());
    assert_eq!(kept(&format!("{}B", "not ".repeat(8_001))), "234");
    let long = |length: usize| format!("S eq '{}'", "x".repeat(length - 7));
    assert_eq!(kept(&long(MAX_FILTER_BYTES)), "");
    assert!(Filter::parse(&long(MAX_FILTER_BYTES + 1)).is_err());
}

#[test]
fn tables_are_filtered_by_their_names_only() {
    let keeps = |text: &str, name: &str| TableFilter::parse(text).unwrap().is_none_or(|filter| filter.keeps(name));
    assert!(keeps("", "x") && keeps("TableName eq 'abc'", "abc") && !keeps("TableName eq 'abc'", "abd"));
    assert!(
        keeps("TableName ge 'ab' and TableName lt 'ac'", "abc")
            && !keeps("TableName ge 'ab' and TableName lt 'ac'", "ac")
    );
    assert!(keeps("not (TableName eq 'a')", "b") && !keeps("TableName eq 5", "5"));
    for bad in ["Name eq 'a'", "TableName eq 'a' or PartitionKey eq 'b'", "TableName eq"] {
        assert_eq!(TableFilter::parse(bad).map_err(|error| error.code), Err(ErrorCode::InvalidInput), "{bad}");
    }
}
