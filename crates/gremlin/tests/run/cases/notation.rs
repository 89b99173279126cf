//! Values as the scenarios write them.

use orrery_gremlin::value::{BigDecimal, BigInt, DateTime, Direction, Merge, T, Uuid};
use orrery_gremlin::{GValue, value::GMap};
use serde_json::Value;

/// A value that may name elements.
#[derive(Clone, Debug)]
pub enum Written {
    Plain(GValue),
    List(Vec<Written>),
    Set(Vec<Written>),
    Map(Vec<(Written, Written)>),
    Path(Vec<Written>),
    /// Kind (`v`, `e`, `vp`), name, and what of it: empty, `id` or `sid`.
    Element(String, String, String),
}

pub fn parse(value: &Value) -> Written {
    match value {
        Value::String(text) => parse_text(text),
        Value::Null => Written::Plain(GValue::Null),
        Value::Bool(truth) => Written::Plain(GValue::Bool(*truth)),
        Value::Number(number) if number.is_i64() => {
            Written::Plain(GValue::Int(i32::try_from(number.as_i64().unwrap()).unwrap()))
        }
        Value::Number(number) => Written::Plain(GValue::Double(number.as_f64().unwrap())),
        Value::Array(items) => Written::List(items.iter().map(parse).collect()),
        Value::Object(entries) => {
            Written::Map(entries.iter().map(|(key, value)| (parse_text(key), parse(value))).collect())
        }
    }
}

pub fn parse_text(text: &str) -> Written {
    let plain = || Written::Plain(text.into());
    match text {
        "null" => return Written::Plain(GValue::Null),
        "true" => return Written::Plain(true.into()),
        "false" => return Written::Plain(false.into()),
        _ => {}
    }
    let Some((tag, rest)) = text.split_once('[') else { return plain() };
    if !["m", "l", "s", "p", "str", "dt", "uuid", "v", "e", "vp", "t", "D", "M", "d"].contains(&tag) {
        return plain();
    }
    let Some((body, suffix)) = rest.rsplit_once(']') else { return plain() };
    let suffix = suffix.strip_prefix('.').unwrap_or(suffix);
    if !suffix.is_empty() && !["d", "v", "e"].contains(&tag) {
        return plain();
    }
    let items = || split(body).iter().map(|part| parse_text(part)).collect();
    match tag {
        "m" => parse(&serde_json::from_str(body).unwrap()),
        "l" => Written::List(items()),
        "s" => Written::Set(items()),
        "p" => Written::Path(items()),
        "str" => Written::Plain(body.into()),
        "dt" => Written::Plain(GValue::DateTime(DateTime::parse(body).unwrap())),
        "uuid" => Written::Plain(GValue::Uuid(Uuid::parse_str(body).unwrap())),
        "v" | "e" | "vp" => Written::Element(tag.to_owned(), body.to_owned(), suffix.to_owned()),
        "t" => Written::Plain(T::parse(body).unwrap().into()),
        "D" => Written::Plain(match body {
            "from" => Direction::Out.into(),
            "to" => Direction::In.into(),
            _ => Direction::parse(body).unwrap().into(),
        }),
        "M" => Written::Plain(Merge::parse(body).unwrap().into()),
        _ => Written::Plain(number(body, suffix)),
    }
}

pub fn number(body: &str, kind: &str) -> GValue {
    match (body, kind) {
        ("NaN", _) => GValue::Double(f64::NAN),
        ("Infinity", _) => GValue::Double(f64::INFINITY),
        ("-Infinity", _) => GValue::Double(f64::NEG_INFINITY),
        (_, "b") => GValue::Byte(body.parse().unwrap()),
        (_, "s") => GValue::Short(body.parse().unwrap()),
        (_, "i") => GValue::Int(body.parse().unwrap()),
        (_, "l") => GValue::Long(body.parse().unwrap()),
        (_, "n") => GValue::BigInteger(std::sync::Arc::new(body.parse::<BigInt>().unwrap())),
        (_, "f") => GValue::Float(body.parse().unwrap()),
        (_, "m") => GValue::BigDecimal(std::sync::Arc::new(BigDecimal::parse(body).unwrap())),
        _ => GValue::Double(body.parse().unwrap()),
    }
}

/// At commas outside brackets.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut part) = (Vec::new(), 0, String::new());
    for character in text.chars() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if character == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part).trim().to_owned());
        } else {
            part.push(character);
        }
    }
    if !part.is_empty() {
        parts.push(part.trim().to_owned());
    }
    parts
}

impl Written {
    /// As a value, elements looked up by `find`.
    pub fn resolve(&self, find: &dyn Fn(&str, &str) -> GValue) -> GValue {
        let all = |items: &[Written]| items.iter().map(|item| item.resolve(find)).collect::<Vec<_>>();
        match self {
            Written::Plain(value) => value.clone(),
            Written::List(items) | Written::Path(items) => GValue::list(all(items)),
            Written::Set(items) => GValue::set(all(items)),
            Written::Map(entries) => GValue::map(
                entries.iter().map(|(key, value)| (key.resolve(find), value.resolve(find))).collect::<GMap>(),
            ),
            Written::Element(kind, name, part) => {
                let element = find(kind, name);
                if part.is_empty() {
                    return element;
                }
                match element {
                    GValue::Vertex(vertex) => vertex.id.clone(),
                    GValue::Edge(edge) => edge.id.clone(),
                    other => other,
                }
            }
        }
    }
}
