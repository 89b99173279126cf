//! Settings of the source.

use std::sync::Arc;

use super::writer::{Writer, nested, operand, string, strings};
use crate::step::{Source, Traversal, TraversalStrategy};
use crate::value::{GValue, Instruction, Strategy};

pub(super) fn source(source: &Source) -> Vec<Instruction> {
    let mut writer = Writer::default();
    if !source.strategies.is_empty() {
        writer.put("withStrategies", source.strategies.iter().map(strategy).collect());
    }
    if !source.without_strategies.is_empty() {
        let classes = source.without_strategies.iter().map(|name| GValue::Class(Arc::clone(name)));
        writer.put("withoutStrategies", classes.collect());
    }
    for side_effect in &source.side_effects {
        let mut arguments = vec![string(&side_effect.key), side_effect.initial.clone()];
        arguments.extend(side_effect.operator.map(GValue::from));
        writer.put("withSideEffect", arguments);
    }
    if let Some(sack) = &source.sack {
        let mut arguments = vec![operand(&sack.initial)];
        arguments.extend(sack.merge.map(GValue::from));
        writer.put("withSack", arguments);
    }
    for (key, value) in &source.options {
        writer.put("with", vec![string(key), value.clone()]);
    }
    if !source.bulk {
        writer.put("withBulk", vec![GValue::Bool(false)]);
    }
    if source.path {
        writer.put("withPath", Vec::new());
    }
    writer.instructions
}

fn strategy(strategy: &TraversalStrategy) -> GValue {
    let mut settings = Settings(Vec::new());
    let name = match strategy {
        TraversalStrategy::Subgraph { vertices, edges, vertex_properties, checks_adjacent_vertices } => {
            settings.traversal("vertices", vertices);
            settings.traversal("edges", edges);
            settings.traversal("vertexProperties", vertex_properties);
            settings.add("checkAdjacentVertices", GValue::Bool(*checks_adjacent_vertices));
            "SubgraphStrategy"
        }
        TraversalStrategy::Partition { key, write, read, includes_meta_properties } => {
            settings.add("partitionKey", string(key));
            if let Some(write) = write {
                settings.add("writePartition", string(write));
            }
            settings.list("readPartitions", read);
            settings.add("includeMetaProperties", GValue::Bool(*includes_meta_properties));
            "PartitionStrategy"
        }
        TraversalStrategy::ReadOnly => "ReadOnlyStrategy",
        TraversalStrategy::Seed(seed) => {
            settings.add("seed", GValue::Long(*seed));
            "SeedStrategy"
        }
        TraversalStrategy::ProductiveBy(keys) => {
            settings.list("productiveKeys", keys);
            "ProductiveByStrategy"
        }
        TraversalStrategy::Options(options) => {
            options.iter().for_each(|(key, value)| settings.add(key, value.clone()));
            "OptionsStrategy"
        }
        TraversalStrategy::ReservedKeys { keys, throws, logs } => {
            settings.add("keys", GValue::list(strings(keys)));
            settings.checks(*throws, *logs);
            "ReservedKeysVerificationStrategy"
        }
        TraversalStrategy::EdgeLabels { throws, logs } => {
            settings.checks(*throws, *logs);
            "EdgeLabelVerificationStrategy"
        }
        TraversalStrategy::ElementId { key } => {
            settings.add("idPropertyKey", string(key));
            "ElementIdStrategy"
        }
        TraversalStrategy::Projection(keys) => {
            settings.list("IncludeSystemProperties", keys);
            "ProjectionStrategy"
        }
        TraversalStrategy::Neutral(name) => return GValue::Class(Arc::clone(name)),
    };
    GValue::Strategy(Arc::new(Strategy { name: Arc::from(name), configuration: settings.0 }))
}

struct Settings(Vec<(Arc<str>, GValue)>);

impl Settings {
    fn add(&mut self, key: &str, value: GValue) {
        self.0.push((Arc::from(key), value));
    }

    fn traversal(&mut self, key: &str, traversal: &Option<Traversal>) {
        if let Some(traversal) = traversal {
            self.add(key, nested(traversal));
        }
    }

    /// Left out where it is empty.
    fn list(&mut self, key: &str, items: &[Arc<str>]) {
        if !items.is_empty() {
            self.add(key, GValue::list(strings(items)));
        }
    }

    fn checks(&mut self, throws: bool, logs: bool) {
        self.add("throwException", GValue::Bool(throws));
        self.add("logWarning", GValue::Bool(logs));
    }
}
