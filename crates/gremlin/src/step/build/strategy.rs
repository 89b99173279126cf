//! Strategies and their settings.

use std::sync::Arc;

use super::Arguments;
use super::arguments::bound;
use crate::GremlinError;
use crate::step::{Traversal, TraversalStrategy};
use crate::value::{GValue, Strategy};

/// Strategies that arrange how a traversal runs, or check what cannot be wrong here.
pub(crate) const NEUTRAL: &[&str] = &[
    "AdjacentToIncidentStrategy",
    "ByModulatorOptimizationStrategy",
    "ComputerFinalizationStrategy",
    "ComputerVerificationStrategy",
    "ConnectiveStrategy",
    "CountStrategy",
    "EarlyLimitStrategy",
    "EventStrategy",
    "FilterRankingStrategy",
    "GraphFilterStrategy",
    "HaltedTraverserStrategy",
    "IdentityRemovalStrategy",
    "IncidentToAdjacentStrategy",
    "InlineFilterStrategy",
    "LambdaRestrictionStrategy",
    "LazyBarrierStrategy",
    "MatchAlgorithmStrategy",
    "MatchPredicateStrategy",
    "MessagePassingReductionStrategy",
    "OrderLimitStrategy",
    "PathProcessorStrategy",
    "PathRetractionStrategy",
    "ProfileStrategy",
    "ReferenceElementStrategy",
    "RepeatUnrollStrategy",
    "RequirementsStrategy",
    "SackStrategy",
    "SideEffectStrategy",
    "SparqlStrategy",
    "StandardVerificationStrategy",
    "TinkerGraphCountStrategy",
    "TinkerGraphStepStrategy",
    "TinkerMergeEVStepStrategy",
    "VertexProgramRestrictionStrategy",
];

/// Strategies with a meaning of their own.
const MEANINGFUL: &[&str] = &[
    "EdgeLabelVerificationStrategy",
    "ElementIdStrategy",
    "OptionsStrategy",
    "PartitionStrategy",
    "ProductiveByStrategy",
    "ProjectionStrategy",
    "ReadOnlyStrategy",
    "ReservedKeysVerificationStrategy",
    "SeedStrategy",
    "SubgraphStrategy",
];

/// A strategy's name without its package, which is known.
pub(super) fn name(arguments: &mut Arguments<'_>) -> Result<Arc<str>, GremlinError> {
    let wanted = "strategies";
    let name = match arguments.any(wanted)? {
        GValue::Class(name) | GValue::String(name) => name,
        GValue::Strategy(strategy) => Arc::clone(&strategy.name),
        other => return Err(arguments.refuse(wanted, &other)),
    };
    let short = name.rsplit('.').next().unwrap_or_default();
    let all = [NEUTRAL, MEANINGFUL, &["VertexProgramStrategy"]].concat();
    if !all.contains(&short) {
        return Err(arguments.error(format!("{}() has '{short}', which is no known strategy", arguments.name())));
    }
    Ok(Arc::from(short))
}

pub(super) fn strategy(arguments: &mut Arguments<'_>) -> Result<TraversalStrategy, GremlinError> {
    let given = arguments.peek().cloned();
    let name = name(arguments)?;
    let configuration = match given {
        Some(GValue::Strategy(strategy)) => strategy.configuration.clone(),
        _ => Vec::new(),
    };
    let settings = Settings { strategy: Strategy { name: Arc::clone(&name), configuration }, arguments };
    Ok(match &*name {
        "SubgraphStrategy" => TraversalStrategy::Subgraph {
            vertices: settings.traversal("vertices")?,
            edges: settings.traversal("edges")?,
            vertex_properties: settings.traversal("vertexProperties")?,
            checks_adjacent_vertices: settings.boolean("checkAdjacentVertices", true)?,
        },
        "PartitionStrategy" => TraversalStrategy::Partition {
            key: settings.string("partitionKey")?.ok_or_else(|| settings.error("partitionKey"))?,
            write: settings.string("writePartition")?,
            read: settings.strings("readPartitions")?,
            includes_meta_properties: settings.boolean("includeMetaProperties", false)?,
        },
        "ReadOnlyStrategy" => TraversalStrategy::ReadOnly,
        "SeedStrategy" => {
            let seed = settings.get("seed").and_then(GValue::as_i64);
            TraversalStrategy::Seed(seed.ok_or_else(|| settings.error("seed"))?)
        }
        "ProductiveByStrategy" => TraversalStrategy::ProductiveBy(settings.strings("productiveKeys")?),
        "OptionsStrategy" => TraversalStrategy::Options(settings.strategy.configuration.clone()),
        "ReservedKeysVerificationStrategy" => TraversalStrategy::ReservedKeys {
            keys: match settings.get("keys") {
                Some(_) => settings.strings("keys")?,
                None => vec![Arc::from("id"), Arc::from("label")],
            },
            throws: settings.boolean("throwException", false)?,
            logs: settings.boolean("logWarning", false)?,
        },
        "EdgeLabelVerificationStrategy" => TraversalStrategy::EdgeLabels {
            throws: settings.boolean("throwException", false)?,
            logs: settings.boolean("logWarning", false)?,
        },
        "ElementIdStrategy" => {
            TraversalStrategy::ElementId { key: settings.string("idPropertyKey")?.unwrap_or_else(|| Arc::from("__id")) }
        }
        "ProjectionStrategy" => TraversalStrategy::Projection(settings.strings("IncludeSystemProperties")?),
        "VertexProgramStrategy" => {
            let at = settings.arguments.at();
            return Err(GremlinError::Unsupported { what: "graph computers are".to_owned(), at });
        }
        _ => TraversalStrategy::Neutral(name),
    })
}

/// The settings of a strategy by name.
struct Settings<'s, 'a> {
    strategy: Strategy,
    arguments: &'s Arguments<'a>,
}

impl Settings<'_, '_> {
    /// Null is the same as nothing.
    fn get(&self, key: &str) -> Option<&GValue> {
        let found = self.strategy.configuration.iter().rev().find(|(name, _)| &**name == key);
        found.map(|(_, value)| bound(value)).filter(|value| !matches!(value, GValue::Null))
    }

    fn error(&self, key: &str) -> GremlinError {
        let found = self.get(key).map_or("missing", GValue::kind);
        self.arguments.error(format!("{} has a setting '{key}' that is {found}", self.strategy.name))
    }

    fn traversal(&self, key: &str) -> Result<Option<Traversal>, GremlinError> {
        match self.get(key) {
            None => Ok(None),
            Some(GValue::Bytecode(bytecode)) => self.arguments.nested(bytecode).map(Some),
            Some(_) => Err(self.error(key)),
        }
    }

    fn boolean(&self, key: &str, default: bool) -> Result<bool, GremlinError> {
        match self.get(key) {
            None => Ok(default),
            Some(GValue::Bool(value)) => Ok(*value),
            Some(_) => Err(self.error(key)),
        }
    }

    fn string(&self, key: &str) -> Result<Option<Arc<str>>, GremlinError> {
        match self.get(key) {
            None => Ok(None),
            Some(GValue::String(text)) => Ok(Some(Arc::clone(text))),
            Some(_) => Err(self.error(key)),
        }
    }

    /// Of a list or set, or one by itself.
    fn strings(&self, key: &str) -> Result<Vec<Arc<str>>, GremlinError> {
        let items: Vec<&GValue> = match self.get(key) {
            None => Vec::new(),
            Some(GValue::List(items)) => items.iter().collect(),
            Some(GValue::Set(members)) => members.iter().collect(),
            Some(one) => vec![one],
        };
        let strings = items.into_iter().map(|item| match item {
            GValue::String(text) => Ok(Arc::clone(text)),
            _ => Err(self.error(key)),
        });
        strings.collect()
    }
}
