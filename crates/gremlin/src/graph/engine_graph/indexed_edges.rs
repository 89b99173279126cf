//! Edges of vertices by the property index: one look-up for many vertices, whatever their partitions.

use std::collections::HashMap;
use std::sync::Arc;

use orrery_engine::query::{Expr, InList};
use orrery_value::PartitionKey;

use super::adjacency::End;
use super::condition::{is_one_of, item, of_kind};
use super::edges::ends;
use super::elements::IDS_PER_QUERY;
use super::{EngineGraph, GraphError};
use crate::graph::document::DEFAULT_EDGE_LABEL;
use crate::graph::{EdgeRequest, ElementKind, id_text};
use crate::value::{Edge, GValue, VertexReference};

/// Which vertices of a request are the same: where each one stands.
type Places = HashMap<(Option<PartitionKey>, Arc<str>), Vec<usize>>;

impl EngineGraph {
    pub(super) fn indexed_edges(
        &self,
        vertices: &[VertexReference],
        request: &EdgeRequest<'_>,
    ) -> Result<Vec<Vec<Arc<Edge>>>, GraphError> {
        let mut places = Places::new();
        for (at, vertex) in vertices.iter().enumerate() {
            places.entry(self.end_key(vertex)?).or_default().push(at);
        }
        let keys: Vec<_> = places.keys().cloned().collect();
        let mut lists = vec![Vec::new(); vertices.len()];
        for end in ends(request.direction) {
            for batch in keys.chunks(IDS_PER_QUERY) {
                self.each_item(self.edges_at(*end, batch, request.labels), |stored| {
                    let Some(GValue::Edge(edge)) = self.element_of(ElementKind::Edge, stored) else { return Ok(()) };
                    let vertex = match end {
                        End::Leaving => &edge.out_vertex,
                        End::Entering => &edge.in_vertex,
                    };
                    let is_wanted = request.labels.is_none_or(|labels| labels.contains(&edge.label));
                    if is_wanted && let Some(mine) = places.get(&self.end_key(vertex)?) {
                        mine.iter()
                            .filter_map(|at| lists.get_mut(*at).map(|list: &mut Vec<_>| list.push(edge.clone())))
                            .count();
                    }
                    Ok(())
                })?;
            }
        }
        Ok(lists)
    }

    fn end_key(&self, vertex: &VertexReference) -> Result<(Option<PartitionKey>, Arc<str>), GraphError> {
        let id = id_text(&vertex.id).unwrap_or_default();
        let partition = match self.layout.partition_property() {
            Some(_) => self.layout.partition_key(&id, vertex.partition.as_ref())?,
            None => None,
        };
        Ok((partition, id))
    }

    /// Edges with an end among these vertices.
    fn edges_at(&self, end: End, keys: &[(Option<PartitionKey>, Arc<str>)], labels: Option<&[Arc<str>]>) -> Expr {
        let name = match end {
            End::Leaving => "_vertexId",
            End::Entering => "_sink",
        };
        let mut all = vec![is_one_of(item(name), keys.iter().map(|(_, id)| &**id)), of_kind(ElementKind::Edge)];
        // An edge lies with the vertex that it leaves.
        if let (End::Leaving, Some(property)) = (end, self.layout.partition_property()) {
            let partitions: Option<Vec<Expr>> = keys
                .iter()
                .map(|(partition, _)| {
                    let component = partition.as_ref()?.components().first()?.to_value();
                    (!component.is_undefined()).then_some(Expr::Constant(component))
                })
                .collect();
            all.extend(
                partitions
                    .map(|partitions| Expr::In { needle: Box::new(item(property)), list: InList::new(partitions) }),
            );
        }
        if let Some(labels) = labels.filter(|labels| labels.iter().all(|label| &**label != DEFAULT_EDGE_LABEL)) {
            all.push(is_one_of(item("label"), labels.iter().map(|label| &**label)));
        }
        Expr::And(all)
    }
}
