//! Instructions as text.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::lex::is_word;
use crate::value::{Bytecode, Constant, DateTime, GValue, Instruction, P, Strategy};

/// A text that parses to these instructions, on one line and with everything spelled out: `__.` before nested traversals, enumerations
/// before their constants, suffixes of numbers.
///
/// The language has no form for some values. A date without offset is printed as one in UTC, a character as a string, an edge or
/// property as its id or value, and what is left by its kind.
pub fn print(bytecode: &Bytecode) -> String {
    let mut out = String::from("g");
    for instruction in &bytecode.source {
        out.push('.');
        match (&*instruction.name, &instruction.arguments[..]) {
            ("tx", [GValue::String(command)]) => {
                out.push_str("tx().");
                out.push_str(command);
                out.push_str("()");
            }
            _ => call(&mut out, instruction),
        }
    }
    for step in &bytecode.steps {
        out.push('.');
        call(&mut out, step);
    }
    out
}

fn call(out: &mut String, instruction: &Instruction) {
    out.push_str(&instruction.name);
    out.push('(');
    list(out, &instruction.arguments);
    out.push(')');
}

fn list<'v>(out: &mut String, values: impl IntoIterator<Item = &'v GValue>) {
    for (place, value) in values.into_iter().enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        print_value(out, value);
    }
}

fn print_value(out: &mut String, value: &GValue) {
    match value {
        GValue::Null => out.push_str("null"),
        GValue::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        GValue::Byte(number) => put(out, format_args!("{number}b")),
        GValue::Short(number) => put(out, format_args!("{number}s")),
        GValue::Int(number) => put(out, format_args!("{number}")),
        GValue::Long(number) => put(out, format_args!("{number}L")),
        GValue::BigInteger(number) => put(out, format_args!("{number}n")),
        GValue::Float(number) if number.is_finite() => put(out, format_args!("{number:?}f")),
        GValue::Float(number) => double(out, f64::from(*number)),
        GValue::Double(number) => double(out, *number),
        GValue::BigDecimal(number) => put(out, format_args!("{number}m")),
        GValue::String(text) => string(out, text),
        GValue::Char(c) => string(out, c.encode_utf8(&mut [0; 4])),
        GValue::Uuid(id) => put(out, format_args!("UUID(\"{id}\")")),
        GValue::Date(ms) => put(out, format_args!("datetime(\"{}\")", DateTime::from_ms(*ms))),
        GValue::DateTime(time) => put(out, format_args!("datetime(\"{time}\")")),
        GValue::Duration(duration) => put(out, format_args!("Duration(\"{duration}\")")),
        GValue::Binary(bytes) => put(out, format_args!("Binary(\"{}\")", STANDARD.encode(bytes))),
        GValue::List(items) => between(out, '[', items.iter(), ']'),
        GValue::Set(members) => between(out, '{', members.iter(), '}'),
        GValue::Map(entries) => map(out, entries.iter()),
        GValue::Entry(entry) => map(out, std::iter::once((&entry.0, &entry.1))),
        GValue::BulkSet(set) => between(out, '[', set.items.iter().map(|(item, _)| item), ']'),
        GValue::Vertex(vertex) => {
            out.push_str("new ReferenceVertex(");
            print_value(out, &vertex.id);
            out.push_str(", ");
            string(out, &vertex.label);
            out.push(')');
        }
        GValue::Edge(edge) => print_value(out, &edge.id),
        GValue::VertexProperty(property) => print_value(out, &property.value),
        GValue::Property(property) => print_value(out, &property.value),
        GValue::Constant(constant) => print_constant(out, *constant),
        GValue::Class(name) => out.push_str(name),
        GValue::Predicate(predicate) => print_predicate(out, predicate),
        GValue::CardinalityValue(cardinality, value) => {
            put(out, format_args!("Cardinality.{}(", cardinality.name()));
            print_value(out, value);
            out.push(')');
        }
        GValue::Bytecode(bytecode) => nested(out, bytecode),
        GValue::Binding(binding) => print_value(out, &binding.value),
        GValue::Strategy(strategy) => print_strategy(out, strategy),
        GValue::Traverser(traverser) => print_value(out, &traverser.value),
        GValue::Path(_)
        | GValue::Tree(_)
        | GValue::Graph(_)
        | GValue::Lambda(_)
        | GValue::Metrics(_)
        | GValue::TraversalMetrics(_) => string(out, value.kind()),
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A string takes everything.
    let _ = out.write_fmt(text);
}

/// With a point or an exponent, which makes it a double.
fn double(out: &mut String, number: f64) {
    match number {
        f64::INFINITY => out.push_str("Infinity"),
        f64::NEG_INFINITY => out.push_str("-Infinity"),
        number => put(out, format_args!("{number:?}")),
    }
}

/// In double quotes, with escapes for what would end the string or is not seen.
fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => put(out, format_args!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn between<'v>(out: &mut String, open: char, values: impl Iterator<Item = &'v GValue>, close: char) {
    out.push(open);
    list(out, values);
    out.push(close);
}

/// Keys other than strings stand in parentheses, so that no word among them is taken for a string.
fn map<'v>(out: &mut String, entries: impl ExactSizeIterator<Item = (&'v GValue, &'v GValue)>) {
    if entries.len() == 0 {
        return out.push_str("[:]");
    }
    for (place, (key, value)) in entries.enumerate() {
        out.push_str(if place == 0 { "[" } else { ", " });
        match key {
            GValue::String(text) => string(out, text),
            key => between(out, '(', std::iter::once(key), ')'),
        }
        out.push(':');
        print_value(out, value);
    }
    out.push(']');
}

fn print_constant(out: &mut String, constant: Constant) {
    put(out, format_args!("{}.{}", constant.enumeration(), constant.name()));
}

/// With its anonymous source. A value with cardinality comes as a traversal from some clients.
fn nested(out: &mut String, bytecode: &Bytecode) {
    if let [Instruction { arguments, .. }] = &bytecode.source[..]
        && let [GValue::Constant(Constant::Cardinality(cardinality)), value] = &arguments[..]
    {
        put(out, format_args!("Cardinality.{}(", cardinality.name()));
        print_value(out, value);
        return out.push(')');
    }
    out.push_str("__");
    if bytecode.steps.is_empty() {
        out.push_str(".identity()");
    }
    for step in &bytecode.steps {
        out.push('.');
        call(out, step);
    }
}

fn print_strategy(out: &mut String, strategy: &Strategy) {
    put(out, format_args!("new {}(", strategy.name));
    for (place, (key, value)) in strategy.configuration.iter().enumerate() {
        out.push_str(if place == 0 { "" } else { ", " });
        if is_word(key) {
            out.push_str(key)
        } else {
            string(out, key)
        }
        out.push_str(": ");
        print_value(out, value);
    }
    out.push(')');
}

fn print_predicate(out: &mut String, predicate: &P) {
    let (class, operands) = match predicate {
        P::And(parts) => return connected(out, "and", parts),
        P::Or(parts) => return connected(out, "or", parts),
        P::Not(inner) => {
            out.push_str("P.not(");
            print_predicate(out, inner);
            return out.push(')');
        }
        P::Within(members) | P::Without(members) => {
            put(out, format_args!("P.{}(", predicate.name()));
            between(out, '[', members.iter(), ']');
            return out.push(')');
        }
        P::TypeOf(gtype) => return put(out, format_args!("P.typeOf(GType.{})", gtype.name())),
        P::Compare(_, operand) => ("P", vec![operand]),
        P::Interval(_, low, high) => ("P", vec![low, high]),
        P::Text(_, operand) => ("TextP", vec![operand]),
    };
    put(out, format_args!("{class}.{}(", predicate.name()));
    list(out, operands);
    out.push(')');
}

/// The first part, and the others one after the other behind it.
fn connected(out: &mut String, connective: &str, parts: &[P]) {
    for (place, part) in parts.iter().enumerate() {
        if place == 0 {
            print_predicate(out, part);
            continue;
        }
        put(out, format_args!(".{connective}("));
        print_predicate(out, part);
        out.push(')');
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::value::{Binding, Cardinality, Comparison, GMap};

    fn printed(value: GValue) -> String {
        print(&Bytecode { source: Vec::new(), steps: vec![Instruction::new("inject", vec![value])] })
    }

    fn step(name: &str) -> Instruction {
        Instruction::new(name, Vec::new())
    }

    #[test]
    fn values_without_a_form_of_their_own_are_printed_as_others() {
        let binding = Binding { key: "x".into(), value: 1.into() };
        for (value, text) in [
            (GValue::Date(0), "datetime(\"1970-01-01T00:00Z\")"),
            (GValue::Char('"'), r#""\"""#),
            (GValue::Float(f32::NEG_INFINITY), "-Infinity"),
            (GValue::Binding(Arc::new(binding)), "1"),
            (GValue::Path(Arc::default()), "\"a path\""),
        ] {
            assert_eq!(printed(value), format!("g.inject({text})"));
        }
    }

    #[test]
    fn traversals_of_bytecode_are_printed_as_their_texts() {
        let cardinality = Instruction::new("CardinalityValueTraversal", vec![Cardinality::Set.into(), 1.into()]);
        let cardinality = Bytecode { source: vec![cardinality], steps: Vec::new() };
        assert_eq!(printed(GValue::Bytecode(Arc::new(cardinality))), "g.inject(Cardinality.set(1))");
        assert_eq!(printed(GValue::Bytecode(Arc::default())), "g.inject(__.identity())");
        let transaction = Instruction::new("tx", vec![GValue::from("commit")]);
        assert_eq!(print(&Bytecode { source: vec![transaction], steps: Vec::new() }), "g.tx().commit()");
    }

    #[test]
    fn strings_of_all_characters_read_back() {
        for text in ["", "a'b\"c\\d", "\n\r\t\u{8}\0\u{85}", "é😀 $x ${y}", "\"\"\""] {
            let read = super::super::parse(&printed(GValue::from(text)), &GMap::new(), &GMap::new());
            let Ok([super::super::Statement { expression, .. }]) = read.as_ref().map(|script| &script.statements[..])
            else {
                panic!("{read:?}");
            };
            let super::super::Expression::Traversal { .. } = expression else { panic!("{expression:?}") };
            assert!(format!("{expression:?}").contains(&format!("String({text:?})")), "{expression:?}");
        }
    }

    #[test]
    fn conditions_of_texts_name_their_class() {
        let condition = P::And(vec![
            P::Compare(Comparison::Greater, 1.into()),
            P::Not(Box::new(P::Text(crate::value::TextComparison::Regex, "a".into()))),
        ]);
        let text = "g.V().is(P.gt(1).and(P.not(TextP.regex(\"a\"))))";
        let is = Instruction::new("is", vec![GValue::Predicate(Arc::new(condition))]);
        assert_eq!(print(&Bytecode { source: Vec::new(), steps: vec![step("V"), is] }), text);
    }
}
