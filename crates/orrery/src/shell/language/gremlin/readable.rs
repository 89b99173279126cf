//! Results for people: elements as rows of their properties, paths as lines with arrows.

use serde_json::{Map, Value as Json};

/// What a `profile()` gives: an object of a duration and metrics.
pub(super) fn is_profile(result: &Json) -> bool {
    result.get("metrics").is_some_and(Json::is_array) && result.get("dur").is_some()
}

/// A result as it is shown in a table.
pub(super) fn readable(result: &Json) -> Json {
    if let Some(objects) = result.get("objects").and_then(Json::as_array).filter(|_| result.get("labels").is_some()) {
        return Map::from_iter([("path".to_owned(), path(objects).into())]).into();
    }
    match kind(result) {
        Some("vertex") => element(result, &[]),
        Some("edge") => element(result, &[("from", "outV"), ("to", "inV")]),
        _ => result.clone(),
    }
}

fn kind(result: &Json) -> Option<&str> {
    result.get("type")?.as_str().filter(|_| result.get("id").is_some() && result.get("label").is_some())
}

/// Id, label, ends, and each property; one of several values is a list.
fn element(result: &Json, ends: &[(&str, &str)]) -> Json {
    let mut row = Map::new();
    for (shown, member) in [("id", "id"), ("label", "label")].iter().chain(ends) {
        row.insert((*shown).to_owned(), result.get(*member).cloned().unwrap_or_default());
    }
    for (name, value) in result.get("properties").and_then(Json::as_object).into_iter().flatten() {
        row.insert(name.clone(), property(value));
    }
    row.into()
}

/// The value of a property: those of vertices are lists of objects with a value.
fn property(value: &Json) -> Json {
    let Some(values) = value.as_array().filter(|values| values.iter().all(|one| one.get("value").is_some())) else {
        return value.clone();
    };
    let mut values: Vec<Json> = values.iter().filter_map(|one| one.get("value").cloned()).collect();
    if values.len() == 1 { values.remove(0) } else { values.into() }
}

/// `1 -knows→ 2 → "a text"`
fn path(objects: &[Json]) -> String {
    let mut line = String::new();
    let mut is_after_edge = true;
    for object in objects {
        if kind(object) == Some("edge") {
            let label = object.get("label").and_then(Json::as_str).unwrap_or_default();
            line.push_str(&format!(" -{label}→ "));
            is_after_edge = true;
            continue;
        }
        if !is_after_edge {
            line.push_str(" → ");
        }
        line.push_str(&short(object));
        is_after_edge = false;
    }
    line.trim().to_owned()
}

fn short(object: &Json) -> String {
    let shown = if kind(object).is_some() { object.get("id").unwrap_or(object) } else { object };
    shown.as_str().map_or_else(|| shown.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn elements_are_rows_of_their_properties() {
        let vertex = json!({"id": "1", "label": "person", "type": "vertex",
            "properties": {"name": [{"id": "a", "value": "marko"}], "age": [{"id": "b", "value": 1}, {"id": "c", "value": 2}]}});
        assert_eq!(readable(&vertex), json!({"id": "1", "label": "person", "name": "marko", "age": [1, 2]}));
        let edge =
            json!({"id": "e", "label": "knows", "type": "edge", "inV": "2", "outV": "1", "properties": {"w": 0.5}});
        assert_eq!(readable(&edge), json!({"id": "e", "label": "knows", "from": "1", "to": "2", "w": 0.5}));
        assert_eq!(readable(&json!({"type": "vertex"})), json!({"type": "vertex"}));
    }

    #[test]
    fn paths_are_lines() {
        let vertex = |id: &str| json!({"id": id, "label": "person", "type": "vertex"});
        let edge = json!({"id": "e", "label": "knows", "type": "edge", "inV": "2", "outV": "1"});
        let path = json!({"labels": [[], [], [], []], "objects": [vertex("1"), edge, vertex("2"), "marko", 5]});
        assert_eq!(readable(&path), json!({"path": "1 -knows→ 2 → marko → 5"}));
    }

    #[test]
    fn profiles_are_told_from_maps() {
        assert!(is_profile(&json!({"dur": 1.5, "metrics": []})));
        assert!(!is_profile(&json!({"metrics": 5})));
    }
}
