//! Computed properties: what they stand for, and which definitions there can be.

use orrery_sql::{ComputedProperty, Context, ErrorCode, MAX_COMPUTED_PROPERTIES, check_computed_properties, compile};
use orrery_value::Value;

fn property(name: &str, query: &str) -> ComputedProperty {
    ComputedProperty { name: name.to_owned(), query: query.to_owned() }
}

fn context() -> Context {
    let computed_properties = vec![
        property("cp_lower", "SELECT VALUE LOWER(c.name) FROM c"),
        property("cp_total", "SELECT VALUE {sum: item.price + item.tax, of: [item.price, item.tax]} FROM root AS item"),
        property("cp_other", "SELECT VALUE c.cp_lower FROM c"),
    ];
    Context { computed_properties, ..Context::default() }
}

fn rows(text: &str) -> String {
    let rows = [
        r#"{"name":"Beta","price":2,"tax":1,"tags":[1]}"#,
        r#"{"name":"ALPHA","price":5,"tax":0.5,"cp_lower":"stored"}"#,
    ];
    let rows: Vec<Value> = rows.iter().map(|row| Value::parse(row.as_bytes()).unwrap()).collect();
    let query = compile(text, &[], &context()).unwrap_or_else(|error| panic!("{text}: {error}"));
    String::from_utf8(Value::Array(query.run_in_memory(&rows).unwrap()).to_json()).unwrap()
}

#[test]
fn a_computed_property_stands_for_its_expression() {
    for (text, expected) in [
        ("SELECT VALUE c.cp_lower FROM c", r#"["beta","alpha"]"#),
        (
            "SELECT x.cp_lower, x['cp_total'].of[0] AS p FROM anything x",
            r#"[{"cp_lower":"beta","p":2},{"cp_lower":"alpha","p":5}]"#,
        ),
        ("SELECT VALUE c.cp_total.sum FROM c WHERE c.cp_lower = 'alpha'", "[5.5]"),
        ("SELECT VALUE c.name FROM c ORDER BY c.cp_lower", r#"["ALPHA","Beta"]"#),
        ("SELECT VALUE c.name FROM c ORDER BY c.cp_total.sum DESC", r#"["ALPHA","Beta"]"#),
        ("SELECT VALUE MAX(c.cp_total.sum) FROM c", "[5.5]"),
        // A definition does not see other definitions.
        ("SELECT VALUE c.cp_other FROM c", r#"["stored"]"#),
        // Neither does what is no item have them, nor does an item show them.
        ("SELECT VALUE c.tags.cp_lower FROM c", "[]"),
        ("SELECT * FROM c WHERE c.price = 2", r#"[{"name":"Beta","price":2,"tax":1,"tags":[1]}]"#),
    ] {
        assert_eq!(rows(text), expected, "{text}");
    }
}

#[test]
fn a_computed_property_is_a_source_and_a_key_too() {
    let compiled = |text| compile(text, &[], &context()).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(compiled("SELECT VALUE p FROM p IN c.cp_total.of").plan().body.sources.len(), 1);
    assert_eq!(
        compiled("SELECT VALUE EXISTS(SELECT VALUE i.cp_lower FROM i IN c.cp_total.of) FROM c").plan().offset,
        0
    );
    let grouped = compiled("SELECT c.cp_lower, COUNT(1) AS n FROM c GROUP BY c.cp_lower ORDER BY c.cp_lower");
    assert_eq!(grouped.plan().body.grouping.as_ref().unwrap().keys.len(), 1);
    assert_eq!(grouped.plan().order.len(), 1);
}

#[test]
fn definitions_of_another_form_are_refused() {
    for (query, expected) in [
        ("SELECT VALUE LOWER(c.a) FROM c", ""),
        ("SELECT VALUE c FROM c", ""),
        ("SELECT LOWER(c.a) AS a FROM c", "the definition must have the form SELECT VALUE <expression> FROM <alias>."),
        ("SELECT VALUE 1", "the definition must have the form"),
        ("SELECT VALUE c.a FROM c WHERE c.b", "the definition must have the form"),
        ("SELECT VALUE c.a FROM c ORDER BY c.b", "the definition must have the form"),
        ("SELECT TOP 1 VALUE c.a FROM c", "the definition must have the form"),
        ("SELECT DISTINCT VALUE c.a FROM c", "the definition must have the form"),
        ("SELECT VALUE c.a FROM c GROUP BY c.a", "the definition must have the form"),
        ("SELECT VALUE t FROM t IN c.a", "the definition must have the form"),
        ("SELECT VALUE c.a FROM c JOIN t IN c.a", "the definition must have the form"),
        ("SELECT VALUE a.b FROM c.a", "the definition must have the form"),
        ("SELECT VALUE [1, ARRAY(SELECT VALUE 1)] FROM c", "the definition cannot have a subquery."),
        ("SELECT VALUE 1 + COUNT(c.a) FROM c", "the definition cannot have an aggregate."),
        ("SELECT VALUE c[@p] FROM c", "the definition cannot have a parameter."),
        ("SELECT VALUE udf.f(c.a) FROM c", "the definition cannot have a user-defined function."),
        ("SELECT VALUE GetCurrentTicks() FROM c", "the definition cannot have a function whose result changes."),
        ("SELECT VALUE ST_DISTANCE(c.a, c.b) FROM c", "the definition cannot have a spatial function."),
        ("SELECT VALUE d.a FROM c", "Identifier 'd' could not be resolved."),
        ("SELECT VALUE LOWER() FROM c", "The LOWER function requires 1 argument(s)."),
        ("SELECT VALUE", "Syntax error, incorrect syntax near end of query."),
    ] {
        let message = match check_computed_properties(&[property("p", query)]) {
            Ok(()) => String::new(),
            Err(error) => error.message,
        };
        let expected =
            if expected.is_empty() { String::new() } else { format!("The computed property 'p': {expected}") };
        assert!(message.starts_with(&expected) && message.is_empty() == expected.is_empty(), "{query}: {message}");
    }
}

#[test]
fn names_and_numbers_of_definitions_are_checked() {
    let refused = |properties: &[ComputedProperty]| check_computed_properties(properties).unwrap_err().message;
    let fine = |name: &str| property(name, "SELECT VALUE c.a FROM c");
    assert!(check_computed_properties(&[fine("a"), fine("b")]).is_ok());
    assert!(refused(&[fine("a"), fine("a")]).contains("two computed properties with the name 'a'"));
    assert!(refused(&[fine("_ts")]).contains("cannot have the name '_ts'"));
    assert!(refused(&[fine("")]).contains("cannot have the name ''"));
    let many: Vec<_> = (0..=MAX_COMPUTED_PROPERTIES).map(|number| fine(&format!("p{number}"))).collect();
    assert!(check_computed_properties(&many[1..]).is_ok());
    assert!(refused(&many).contains("20 computed properties at the most"));
    assert!(
        refused(&[property("p", &format!("SELECT VALUE c{} FROM c", ".a".repeat(10_000)))]).contains("longer than")
    );
}

#[test]
fn copies_of_definitions_are_bounded_in_number_and_depth() {
    let long = format!("SELECT VALUE [{}1] FROM c", "c.a,".repeat(3_000));
    let deep = format!("SELECT VALUE {}c.a{} FROM c", "[".repeat(50), "]".repeat(50));
    let computed_properties = vec![property("long", &long), property("deep", &deep)];
    check_computed_properties(&computed_properties).unwrap();
    let context = Context { computed_properties, ..Context::default() };
    let uses = |times: usize| compile(&format!("SELECT VALUE [{}1] FROM c", "c.long,".repeat(times)), &[], &context);
    assert!(uses(10).is_ok());
    assert_eq!(uses(10_000).unwrap_err().code, ErrorCode::TooLarge);
    let nested = |times: usize| {
        compile(&format!("SELECT VALUE {}c.deep{} FROM c", "[".repeat(times), "]".repeat(times)), &[], &context)
    };
    assert!(nested(20).is_ok());
    assert_eq!(nested(100).unwrap_err().code, ErrorCode::TooLarge);
}
