//! From vertices to their edges and neighbours.

use std::sync::Arc;

use orrery_value::PartitionKey;

use super::adjacency::{Current, End, Loaded, Reached};
use super::error::graph_error;
use super::{Alive, EngineGraph, GraphError, Waiting};
use crate::graph::{EdgeRequest, ElementKey, ElementKind, each_once, id_text};
use crate::value::{Direction, Edge, GValue, Vertex, VertexReference};

/// The ends of a direction, in the order in which edges are given.
pub(super) fn ends(direction: Direction) -> &'static [End] {
    match direction {
        Direction::Out => &[End::Leaving],
        Direction::In => &[End::Entering],
        Direction::Both => &[End::Leaving, End::Entering],
    }
}

impl EngineGraph {
    pub(super) fn edges_of(&self, request: &EdgeRequest<'_>) -> Result<Vec<Vec<Arc<Edge>>>, GraphError> {
        let located = self.located(request.vertices)?;
        let vertices = located.as_deref().unwrap_or(request.vertices);
        let Some(current) = self.current()? else { return self.indexed_edges(vertices, request) };
        let labels = request.labels.map(|labels| current.topology().label_numbers(labels));
        let lists = self.in_memory(&current, vertices, request.direction, |topology, node, end, alive, into| {
            topology.edges(node, end, labels.as_deref(), alive, into);
        });
        drop(current);
        if request.with_properties { self.with_properties(lists) } else { Ok(lists) }
    }

    pub(super) fn neighbors_of(&self, request: &EdgeRequest<'_>) -> Result<Vec<Vec<Arc<Vertex>>>, GraphError> {
        let located = self.located(request.vertices)?;
        let vertices = located.as_deref().unwrap_or(request.vertices);
        if let Some(current) = self.current()? {
            let labels = request.labels.map(|labels| current.topology().label_numbers(labels));
            let mut sizes = Vec::new();
            let lists = self.in_memory(&current, vertices, request.direction, |topology, node, end, alive, into| {
                topology.neighbors(node, end, labels.as_deref(), alive, |reference, loaded| {
                    into.push(match loaded.filter(|_| request.with_properties) {
                        None => reference.clone(),
                        Some(Loaded { vertex, size_bytes }) => {
                            sizes.push(Some(*size_bytes));
                            vertex.clone()
                        }
                    });
                });
            });
            self.tally.points(&sizes);
            return Ok(lists);
        }
        let mut lists = vec![Vec::new(); vertices.len()];
        for end in ends(request.direction) {
            let direction = if *end == End::Leaving { Direction::Out } else { Direction::In };
            let edges = self.indexed_edges(vertices, &EdgeRequest { direction, with_properties: false, ..*request })?;
            let other = |edge: &Arc<Edge>| match end {
                End::Leaving => edge.in_vertex.clone(),
                End::Entering => edge.out_vertex.clone(),
            };
            let others: Vec<VertexReference> = edges.iter().flatten().map(other).collect();
            let mut existing = self.existing(&others)?.into_iter();
            for (list, edges) in lists.iter_mut().zip(&edges) {
                list.extend(existing.by_ref().take(edges.len()).flatten());
            }
        }
        Ok(lists)
    }

    pub(super) fn reached_by(
        &self,
        request: &EdgeRequest<'_>,
        counts: &[u64],
    ) -> Result<Vec<(Arc<Vertex>, u64)>, GraphError> {
        let located = self.located(request.vertices)?;
        let vertices = located.as_deref().unwrap_or(request.vertices);
        let Some(current) = self.current()? else {
            return Ok(each_once(self.neighbors_of(&EdgeRequest { vertices, ..*request })?, counts));
        };
        let topology = current.topology();
        let labels = request.labels.map(|labels| topology.label_numbers(labels));
        let settings = self.container.settings();
        let alive = Alive::at(&settings, self.engine.unix_seconds());
        let mut scratch = Vec::new();
        let mut reached = Reached::default();
        for (vertex, count) in vertices.iter().zip(counts) {
            let Some(node) = topology.find(vertex, &mut scratch) else { continue };
            for end in ends(request.direction) {
                topology.reach(node, *count, *end, labels.as_deref(), &alive, &mut reached);
            }
        }
        self.tally.neighbors(vertices.len(), reached.edges());
        Ok(topology.existing(&reached, &alive))
    }

    /// Neighbourhoods as they are now, if they are in memory.
    pub(super) fn current(&self) -> Result<Option<Current<'_>>, GraphError> {
        match &self.waiting {
            Waiting::Blocking(runtime) => {
                self.adjacency.current(&self.engine, &self.container, runtime).map_err(graph_error)
            }
            Waiting::Never if self.adjacency.is_of_use(&self.container) => {
                self.adjacency.at_hand(&self.container).map(Some).ok_or(GraphError::MustWait)
            }
            Waiting::Never => Ok(None),
        }
    }

    /// What a function finds at each end of each vertex.
    fn in_memory<T>(
        &self,
        current: &Current<'_>,
        vertices: &[VertexReference],
        direction: Direction,
        mut find: impl FnMut(&super::adjacency::Topology, u32, End, &Alive<'_>, &mut Vec<T>),
    ) -> Vec<Vec<T>> {
        let settings = self.container.settings();
        let alive = Alive::at(&settings, self.engine.unix_seconds());
        let topology = current.topology();
        let mut scratch = Vec::new();
        let mut found = 0;
        let list = |vertex| {
            let mut list = Vec::new();
            if let Some(node) = topology.find(vertex, &mut scratch) {
                ends(direction).iter().for_each(|end| find(topology, node, *end, &alive, &mut list));
            }
            found += list.len();
            list
        };
        let lists = vertices.iter().map(list).collect();
        self.tally.neighbors(vertices.len(), found);
        lists
    }

    /// The same edges with their properties; those that are gone meanwhile are left out.
    fn with_properties(&self, lists: Vec<Vec<Arc<Edge>>>) -> Result<Vec<Vec<Arc<Edge>>>, GraphError> {
        let keys: Vec<ElementKey> = lists.iter().flatten().map(|edge| edge_key(edge)).collect();
        let mut found = self.elements_of(ElementKind::Edge, &keys)?.into_iter();
        let full = |edges: Vec<Arc<Edge>>| {
            let mine = found.by_ref().take(edges.len()).flatten();
            mine.filter_map(|element| if let GValue::Edge(edge) = element { Some(edge) } else { None }).collect()
        };
        Ok(lists.into_iter().map(full).collect())
    }

    /// The vertices with their partitions, if one is not known of any.
    pub(super) fn located(&self, vertices: &[VertexReference]) -> Result<Option<Vec<VertexReference>>, GraphError> {
        let is_unknown = |vertex: &VertexReference| vertex.partition.is_none();
        if self.layout.partition_property().is_none() || !vertices.iter().any(is_unknown) {
            return Ok(None);
        }
        let mut located = vertices.to_vec();
        let unknown: Vec<usize> =
            located.iter().enumerate().filter(|(_, vertex)| is_unknown(vertex)).map(|(at, _)| at).collect();
        let keys: Vec<ElementKey> = unknown.iter().filter_map(|at| located.get(*at)).map(vertex_key).collect();
        for (at, found) in unknown.into_iter().zip(self.elements_of(ElementKind::Vertex, &keys)?) {
            if let (Some(vertex), Some(GValue::Vertex(found))) = (located.get_mut(at), found) {
                vertex.partition = found.partition.clone();
            }
        }
        Ok(Some(located))
    }

    /// The partition key of an element, which is looked up if it is not known; `None` if there is no such element then.
    pub(super) fn place_of(
        &self,
        kind: ElementKind,
        id: &str,
        partition: Option<&GValue>,
    ) -> Result<Option<PartitionKey>, GraphError> {
        if let Some(key) = self.layout.partition_key(id, partition)? {
            return Ok(Some(key));
        }
        let found = self.elements_of(kind, &[ElementKey { id: id.into(), partition: None }])?;
        let partition = match found.into_iter().next().flatten() {
            Some(GValue::Vertex(vertex)) => vertex.partition.clone(),
            Some(GValue::Edge(edge)) => edge.out_vertex.partition.clone(),
            _ => return Ok(None),
        };
        Ok(self.key_of(id, partition.as_ref()))
    }
}

/// What names a vertex.
pub(super) fn vertex_key(vertex: &VertexReference) -> ElementKey {
    ElementKey { id: id_text(&vertex.id).unwrap_or_default(), partition: vertex.partition.clone() }
}

fn edge_key(edge: &Edge) -> ElementKey {
    ElementKey { id: id_text(&edge.id).unwrap_or_default(), partition: edge.out_vertex.partition.clone() }
}
