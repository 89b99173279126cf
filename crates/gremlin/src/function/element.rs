//! Parts of elements, and maps of them. Elements must have their properties: a reference has none to show.

use std::sync::Arc;

use super::{class_name, refuse};
use crate::run::RunError;
use crate::step::Tokens;
use crate::value::{Direction, GMap, GValue, Property, T, VertexReference};

/// The id, label, key or value of an element. `None` where it has no such part.
pub fn token(element: &GValue, token: T) -> Option<GValue> {
    let text = |text: &Arc<str>| GValue::String(text.clone());
    Some(match (element, token) {
        (GValue::Vertex(vertex), T::Id) => vertex.id.clone(),
        (GValue::Vertex(vertex), T::Label) => text(&vertex.label),
        (GValue::Edge(edge), T::Id) => edge.id.clone(),
        (GValue::Edge(edge), T::Label) => text(&edge.label),
        (GValue::VertexProperty(property), T::Id) => property.id.clone(),
        (GValue::VertexProperty(property), T::Label | T::Key) => text(&property.label),
        (GValue::VertexProperty(property), T::Value) => property.value.clone(),
        (GValue::Property(property), T::Key) => text(&property.key),
        (GValue::Property(property), T::Value) => property.value.clone(),
        _ => return None,
    })
}

/// The properties of an element, of some keys or all. `None` where the value can have none.
pub fn properties(element: &GValue, keys: Option<&[Option<Arc<str>>]>) -> Option<Vec<GValue>> {
    let is_wanted = |key: &Arc<str>| keys.is_none_or(|keys| keys.iter().any(|wanted| wanted.as_ref() == Some(key)));
    let plain = |properties: &Option<Vec<Arc<Property>>>| {
        let properties = properties.iter().flatten().filter(|property| is_wanted(&property.key));
        properties.cloned().map(GValue::Property).collect()
    };
    match element {
        GValue::Vertex(vertex) => {
            let properties = vertex.properties.iter().flatten().filter(|property| is_wanted(&property.label));
            Some(properties.cloned().map(GValue::VertexProperty).collect())
        }
        GValue::Edge(edge) => Some(plain(&edge.properties)),
        GValue::VertexProperty(property) => Some(plain(&property.properties)),
        _ => None,
    }
}

/// The map of `valueMap()` before its `by()`: tokens first; of vertices lists, of other elements single values.
///
/// # Errors
/// What is no element.
pub fn value_map(element: &GValue, keys: Option<&[Option<Arc<str>>]>, tokens: Tokens) -> Result<GMap, RunError> {
    let mut map = GMap::new();
    let is_property = matches!(element, GValue::VertexProperty(_));
    for (wanted, kind) in [
        (tokens.id, T::Id),
        (tokens.key && is_property, T::Key),
        (tokens.value && is_property, T::Value),
        (tokens.label && !is_property, T::Label),
    ] {
        if let Some(value) = token(element, kind).filter(|_| wanted) {
            map.insert(kind.into(), value);
        }
    }
    let value_of = |property: &GValue| token(property, T::Value).unwrap_or_default();
    add_properties(&mut map, element, keys, value_of)?;
    Ok(map)
}

/// The map of `propertyMap()` before its `by()`.
///
/// # Errors
/// What is no element.
pub fn property_map(element: &GValue, keys: Option<&[Option<Arc<str>>]>) -> Result<GMap, RunError> {
    let mut map = GMap::new();
    add_properties(&mut map, element, keys, GValue::clone)?;
    Ok(map)
}

/// The map of `elementMap()`: tokens, of edges their ends, and one value for each key.
///
/// # Errors
/// What is no element.
pub fn element_map(element: &GValue, keys: Option<&[Option<Arc<str>>]>) -> Result<GMap, RunError> {
    let mut map = GMap::new();
    let kinds: &[T] =
        if let GValue::VertexProperty(_) = element { &[T::Id, T::Key, T::Value] } else { &[T::Id, T::Label] };
    for kind in kinds {
        if let Some(value) = token(element, *kind) {
            map.insert((*kind).into(), value);
        }
    }
    if let GValue::Edge(edge) = element {
        map.insert(Direction::In.into(), vertex_map(&edge.in_vertex));
        map.insert(Direction::Out.into(), vertex_map(&edge.out_vertex));
    }
    for property in properties(element, keys).ok_or_else(|| no_element(element))? {
        if let Some((key, value)) = token(&property, T::Key).zip(token(&property, T::Value)) {
            map.insert(key, value);
        }
    }
    Ok(map)
}

fn vertex_map(vertex: &VertexReference) -> GValue {
    GValue::map([(T::Id.into(), vertex.id.clone()), (T::Label.into(), GValue::String(vertex.label.clone()))])
}

fn add_properties(
    map: &mut GMap,
    element: &GValue,
    keys: Option<&[Option<Arc<str>>]>,
    shape: impl Fn(&GValue) -> GValue,
) -> Result<(), RunError> {
    for property in properties(element, keys).ok_or_else(|| no_element(element))? {
        let Some(key) = token(&property, T::Key) else { continue };
        let value = shape(&property);
        if !matches!(element, GValue::Vertex(_)) {
            map.insert(key, value);
            continue;
        }
        match map.entry(key).or_insert_with(|| GValue::list([])) {
            GValue::List(values) => Arc::make_mut(values).push(value),
            other => *other = value,
        }
    }
    Ok(())
}

fn no_element(value: &GValue) -> RunError {
    refuse(format!("{} cannot be cast to Element", class_name::simple(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Edge, Vertex, VertexProperty};

    fn vertex() -> GValue {
        let property = |id: i32, key: &str, value: i32| {
            Arc::new(VertexProperty {
                id: id.into(),
                label: key.into(),
                value: value.into(),
                vertex: None,
                properties: Some(vec![Arc::new(Property { key: "m".into(), value: 9.into(), element: None })]),
            })
        };
        let properties = Some(vec![property(1, "a", 1), property(2, "a", 2), property(3, "b", 3)]);
        GValue::Vertex(Arc::new(Vertex { id: "v".into(), label: "l".into(), partition: None, properties }))
    }

    fn edge() -> GValue {
        let end = |id: &str| VertexReference { id: id.into(), label: "l".into(), partition: None };
        let properties = Some(vec![Arc::new(Property { key: "w".into(), value: 0.5.into(), element: None })]);
        let (out_vertex, in_vertex) = (end("v"), end("u"));
        GValue::Edge(Arc::new(Edge { id: "e".into(), label: "k".into(), out_vertex, in_vertex, properties }))
    }

    #[test]
    fn maps_of_a_vertex_have_lists_of_values() {
        let list = |values: &[i32]| GValue::list(values.iter().map(|value| GValue::Int(*value)));
        let tokens = Tokens { id: true, label: true, key: true, value: true };
        let map = value_map(&vertex(), None, tokens).unwrap();
        let expected = [
            (T::Id.into(), "v".into()),
            (T::Label.into(), "l".into()),
            ("a".into(), list(&[1, 2])),
            ("b".into(), list(&[3])),
        ];
        assert_eq!(map.into_iter().collect::<Vec<_>>(), expected);
        let keys = [None, Some("b".into())];
        assert_eq!(value_map(&vertex(), Some(&keys), Tokens::default()).unwrap().len(), 1);
    }

    #[test]
    fn an_element_map_has_one_value_of_a_key_and_the_ends_of_an_edge() {
        let map = element_map(&vertex(), None).unwrap();
        assert_eq!(map.get(&GValue::from("a")), Some(&2.into()));
        let map = element_map(&edge(), None).unwrap();
        let keys: Vec<GValue> = map.keys().cloned().collect();
        let expected = [T::Id.into(), T::Label.into(), Direction::In.into(), Direction::Out.into(), GValue::from("w")];
        assert_eq!(keys, expected);
        assert_eq!(
            map.get(&GValue::from(Direction::Out)),
            Some(&GValue::map([(T::Id.into(), "v".into()), (T::Label.into(), "l".into())]))
        );
    }

    #[test]
    fn properties_have_properties_and_other_values_none() {
        let first = properties(&vertex(), None).unwrap().remove(0);
        assert_eq!(value_map(&first, None, Tokens::default()).unwrap().get(&GValue::from("m")), Some(&9.into()));
        let keys: Vec<GValue> = element_map(&first, None).unwrap().keys().cloned().collect();
        assert_eq!(keys, [T::Id.into(), T::Key.into(), T::Value.into(), GValue::from("m")]);
        assert!(property_map(&1.into(), None).is_err());
        assert!(matches!(property_map(&edge(), None).unwrap().get(&GValue::from("w")), Some(GValue::Property(_))));
    }
}
