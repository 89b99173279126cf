//! The context of queries, from a container's definition.

use orrery_engine::JsonMap;
use orrery_engine::query::VectorMetric;
use orrery_value::PropertyPath;
use serde_json::Value as Json;

use crate::{ComputedProperty, Context, SqlError, VectorEmbedding, check_computed_properties};

impl Context {
    /// The context of queries over a container. What is not well formed is left out: [`check_definition`] saw it when it came.
    pub fn of_definition(definition: &JsonMap) -> Context {
        Context {
            computed_properties: computed_properties(definition),
            vectors: vectors(definition),
            is_flat: is_flat(definition),
        }
    }
}

/// Checks the parts of a new definition that are queries.
///
/// # Errors
/// The compiler's findings.
pub fn check_definition(definition: &JsonMap) -> Result<(), SqlError> {
    check_computed_properties(&computed_properties(definition))
}

fn computed_properties(definition: &JsonMap) -> Vec<ComputedProperty> {
    let property = |property: &Json| {
        let text = |name| property.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(ComputedProperty { name: text("name")?, query: text("query")? })
    };
    list(definition.get("computedProperties")).iter().filter_map(property).collect()
}

fn vectors(definition: &JsonMap) -> Vec<VectorEmbedding> {
    let vector = |vector: &Json| {
        let path = PropertyPath::parse(vector.get("path")?.as_str()?).ok()?;
        let metric = match vector.get("distanceFunction").and_then(Json::as_str) {
            Some(name) => VectorMetric::named(name)?,
            None => VectorMetric::Cosine,
        };
        Some(VectorEmbedding { path, metric })
    };
    let policy = definition.get("vectorEmbeddingPolicy");
    list(policy.and_then(|policy| policy.get("vectorEmbeddings"))).iter().filter_map(vector).collect()
}

fn is_flat(definition: &JsonMap) -> bool {
    let kind = definition.get("geospatialConfig").and_then(|config| config.get("type"));
    kind.and_then(Json::as_str) == Some("Geometry")
}

fn list(value: Option<&Json>) -> &[Json] {
    value.and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(text: &str) -> JsonMap {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_queries_rely_on_is_read() {
        let context = Context::of_definition(&definition(
            r#"{"computedProperties":[{"name":"lower","query":"SELECT VALUE LOWER(c.name) FROM c"}],
                "geospatialConfig":{"type":"Geometry"},
                "vectorEmbeddingPolicy":{"vectorEmbeddings":[{"path":"/a/v","distanceFunction":"Euclidean","dimensions":3}]}}"#,
        ));
        assert_eq!(context.computed_properties[0].name, "lower");
        assert_eq!(context.vectors[0].path.to_string(), "/a/v");
        assert_eq!(context.vectors[0].metric, VectorMetric::Euclidean);
        assert!(context.is_flat);
        let geography = Context::of_definition(&definition(r#"{"geospatialConfig":{"type":"Geography"}}"#));
        assert_eq!(geography, Context::default());
        assert_eq!(Context::of_definition(&JsonMap::new()), Context::default());
    }

    #[test]
    fn a_definition_that_does_not_compile_is_refused() {
        let bad = definition(r#"{"computedProperties":[{"name":"n","query":"SELECT VALUE NOPE(c.name) FROM c"}]}"#);
        let error = check_definition(&bad).unwrap_err();
        assert!(error.message.contains("'NOPE' is not a recognized"), "{error}");
    }
}
