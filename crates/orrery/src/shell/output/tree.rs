//! An object of any shape as an indented tree, for people to read.

use serde_json::Value as Json;

/// The tree of a value, a line for each property. Keys lose their camel case; short lists stand on one line.
pub fn tree(json: &Json) -> String {
    let mut out = String::new();
    write(json, 0, &mut out);
    out
}

/// The same as rows of property and value, for programs.
pub fn flat_rows(json: &Json) -> Vec<Json> {
    let mut rows = Vec::new();
    flatten(json, "", &mut rows);
    rows
}

fn write(json: &Json, depth: usize, out: &mut String) {
    match json {
        Json::Object(members) => members.iter().for_each(|(key, value)| entry(&humanised(key), value, depth, out)),
        Json::Array(elements) => {
            for element in elements {
                match element {
                    Json::Object(members) => item(members, depth, out),
                    element => entry("-", element, depth, out),
                }
            }
        }
        scalar => line(depth, &text(scalar), out),
    }
}

/// `key: value` on a line, or the key and what is below it.
fn entry(key: &str, value: &Json, depth: usize, out: &mut String) {
    let colon = if key == "-" { "" } else { ":" };
    match inline(value) {
        Some(value) => line(depth, &format!("{key}{colon} {value}"), out),
        None => {
            line(depth, &format!("{key}{colon}"), out);
            write(value, depth + 1, out);
        }
    }
}

/// An object in a list: a dash in front of its first property, the others below that.
fn item(members: &serde_json::Map<String, Json>, depth: usize, out: &mut String) {
    let mut below = String::new();
    members.iter().for_each(|(key, value)| entry(&humanised(key), value, depth + 1, &mut below));
    match below.split_at_checked(2 * (depth + 1)) {
        Some((_, first)) => out.push_str(&format!("{}- {first}", "  ".repeat(depth))),
        None => line(depth, "- {}", out),
    }
}

fn line(depth: usize, text: &str, out: &mut String) {
    out.push_str(&"  ".repeat(depth));
    out.push_str(text);
    out.push('\n');
}

/// A value that has room beside its key: anything but objects, and lists of scalars.
fn inline(value: &Json) -> Option<String> {
    let is_scalar = |value: &Json| !matches!(value, Json::Object(_) | Json::Array(_));
    match value {
        Json::Object(members) if members.is_empty() => Some("none".into()),
        Json::Array(elements) if elements.is_empty() => Some("none".into()),
        Json::Array(elements) if elements.iter().all(is_scalar) => {
            Some(elements.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        scalar if is_scalar(scalar) => Some(text(scalar)),
        _ => None,
    }
}

fn text(scalar: &Json) -> String {
    match scalar {
        Json::Bool(true) => "yes".into(),
        Json::Bool(false) => "no".into(),
        Json::Null => "none".into(),
        Json::String(text) if text.is_empty() => "\"\"".into(),
        Json::String(text) => text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
        other => other.to_string(),
    }
}

/// `itemsExamined` and `items_examined` as "items examined"; abbreviations such as RU stay.
fn humanised(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    let chars: Vec<char> = key.trim_matches('_').chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let next_is_lower = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        let after_lower = at > 0 && (chars[at - 1].is_lowercase() || chars[at - 1].is_ascii_digit());
        let begins_word =
            c.is_uppercase() && (after_lower || (at > 0 && next_is_lower && chars[at - 1].is_uppercase()));
        if begins_word {
            out.push(' ');
        }
        match c {
            '_' | '-' => out.push(' '),
            c if c.is_control() => out.push(' '),
            c if c.is_uppercase() && next_is_lower && at > 0 => out.extend(c.to_lowercase()),
            c => out.push(c),
        }
    }
    out
}

fn flatten(json: &Json, path: &str, rows: &mut Vec<Json>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match json {
        Json::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, value)| flatten(value, &below(key), rows));
        }
        Json::Array(elements) if !elements.is_empty() => {
            elements.iter().enumerate().for_each(|(at, value)| flatten(value, &below(&at.to_string()), rows));
        }
        value => rows.push(serde_json::json!({ "property": path, "value": value })),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn any_shape_becomes_a_tree() {
        let explanation = json!({
            "partitionsPruned": 3,
            "index_used": true,
            "filter": null,
            "requestChargeRU": 2.5,
            "paths": ["/a", "/b"],
            "steps": [{"name": "Scan", "inner": {"rows": 1}}, {"name": "Sort"}, {}, 5],
            "nested": [[1, 2], [{"x": 1}]],
        });
        let expected = "\
partitions pruned: 3
index used: yes
filter: none
request charge RU: 2.5
paths: /a, /b
steps:
  - name: Scan
    inner:
      rows: 1
  - name: Sort
  - {}
  - 5
nested:
  - 1, 2
  -
    - x: 1
";
        assert_eq!(tree(&explanation), expected);
    }

    #[test]
    fn programs_get_property_and_value() {
        let rows = flat_rows(&json!({"a": {"b": [1, {"c": "x"}]}, "d": []}));
        let row = |property: &str, value: Json| json!({"property": property, "value": value});
        assert_eq!(rows, [row("a.b.0", json!(1)), row("a.b.1.c", json!("x")), row("d", json!([]))]);
    }
}
