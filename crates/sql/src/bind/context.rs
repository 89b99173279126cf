//! What binding needs to know of a container.

use orrery_engine::query::VectorMetric;
use orrery_value::PropertyPath;
use xxhash_rust::xxh3::Xxh3;

/// What a query may rely on beside its text: the default knows of nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Properties that are computed where they are used. Taken to have passed [`crate::check_computed_properties`].
    pub computed_properties: Vec<ComputedProperty>,
    /// Where vectors are, and how they are compared.
    pub vectors: Vec<VectorEmbedding>,
    /// Coordinates are those of a plane and not of the earth: what functions of places do not know yet, so that they are refused.
    pub is_flat: bool,
}

/// A property that items do not hold: `c.name` stands for an expression over the item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedProperty {
    /// Its name.
    pub name: String,
    /// Its definition, such as `SELECT VALUE LOWER(c.name) FROM c`.
    pub query: String,
}

/// A place of vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorEmbedding {
    /// Where the vectors are.
    pub path: PropertyPath,
    /// How they are compared.
    pub metric: VectorMetric,
}

impl Context {
    /// The definition of a computed property.
    pub(crate) fn computed_property(&self, name: &str) -> Option<&ComputedProperty> {
        self.computed_properties.iter().find(|property| property.name == name)
    }

    /// How the vectors at a path are compared.
    pub(crate) fn metric(&self, path: &PropertyPath) -> Option<VectorMetric> {
        self.vectors.iter().find(|vector| vector.path == *path).map(|vector| vector.metric)
    }

    /// Adds all of it to a hash. Lengths keep names and texts apart; an empty context adds nothing.
    pub(crate) fn hash(&self, hasher: &mut Xxh3) {
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        for property in &self.computed_properties {
            add("computed");
            add(&property.name);
            add(&property.query);
        }
        for vector in &self.vectors {
            add("vector");
            add(&vector.path.to_string());
            add(metric_name(vector.metric));
        }
        if self.is_flat {
            add("flat");
        }
    }
}

/// The name of a metric, as policies and options have it.
pub(super) fn metric_name(metric: VectorMetric) -> &'static str {
    match metric {
        VectorMetric::Cosine => "cosine",
        VectorMetric::DotProduct => "dotproduct",
        VectorMetric::Euclidean => "euclidean",
    }
}
