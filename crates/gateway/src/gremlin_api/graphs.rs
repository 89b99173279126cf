//! The graphs that a request may use: what its sources stand for, opened when first used.

use std::collections::HashMap;
use std::sync::Arc;

use orrery_engine::Engine;
use orrery_gremlin::graph::{Adjacencies, EngineGraph, Unwritten, Waiting};
use orrery_gremlin::run::RunError;

use super::command::shorten;
use super::credentials::Principal;
use super::fault::Fault;
use super::graph_name::GraphName;

/// The source that every text has.
const DEFAULT_SOURCE: &str = "g";

/// The graphs of one request.
pub(super) struct Graphs<'a> {
    engine: &'a Engine,
    adjacencies: &'a Adjacencies,
    principal: &'a Principal,
    aliases: &'a [(Arc<str>, Arc<str>)],
    is_strict: bool,
    waiting: &'a Waiting,
    open: HashMap<GraphName, Arc<EngineGraph>>,
}

impl<'a> Graphs<'a> {
    pub fn new(
        engine: &'a Engine,
        adjacencies: &'a Adjacencies,
        principal: &'a Principal,
        aliases: &'a [(Arc<str>, Arc<str>)],
        is_strict: bool,
        waiting: &'a Waiting,
    ) -> Graphs<'a> {
        Graphs { engine, adjacencies, principal, aliases, is_strict, waiting, open: HashMap::new() }
    }

    /// The graph of a source of traversals.
    ///
    /// # Errors
    /// If the source stands for none, there is no such container, or it is not the client's to use.
    pub fn of_source(&mut self, source: &str) -> Result<Arc<EngineGraph>, Fault> {
        let name = self.name_of(source)?;
        if let Some(graph) = self.open.get(&name) {
            return Ok(graph.clone());
        }
        let container = name.find(self.engine).ok_or_else(|| Fault::OwnerNotFound {
            message: format!("Owner resource does not exist: /dbs/{}/colls/{}", name.database, name.graph),
        })?;
        self.principal.check(&container)?;
        let graph = EngineGraph::new(self.engine.clone(), container, self.adjacencies, self.waiting.clone());
        let graph = graph.map_err(|error| Fault::Run(RunError::Graph(error)))?;
        let graph = Arc::new(if self.is_strict { graph.strict() } else { graph });
        self.open.insert(name, graph.clone());
        Ok(graph)
    }

    /// What graphs that may not wait have left to be written.
    pub fn take_unwritten(&self) -> Vec<Unwritten> {
        self.open.values().filter_map(|graph| graph.take_unwritten()).collect()
    }

    fn name_of(&self, source: &str) -> Result<GraphName, Fault> {
        let alias = self.aliases.iter().find(|(name, _)| &**name == source).map(|(_, target)| &**target);
        match alias {
            Some(target) if target != DEFAULT_SOURCE => {
                GraphName::from_alias(target, self.engine).ok_or_else(|| {
                    let target = shorten(target);
                    Fault::invalid(format!(
                        "Could not alias [{source}] to [{target}] as [{target}] is no graph; name one as /dbs/<database>/colls/<graph>"
                    ))
                })
            }
            None if source != DEFAULT_SOURCE => {
                Err(Fault::invalid(format!("[{}] is no source of traversals; 'g' is, and aliases are", shorten(source))))
            }
            _ => self.principal.graph.clone().ok_or_else(|| {
                Fault::invalid("'g' is no graph: log in as /dbs/<database>/colls/<graph>, or alias 'g' to that")
            }),
        }
    }
}
