//! `SubgraphStrategy`: a part of the graph, told by conditions on its elements.

use super::super::RunError;
use super::{filter, replace_steps, traversal};
use crate::step::{Choice, EdgeEnd, RepeatCondition, Step, StepKind, Traversal};
use crate::value::{Direction, GType, P};

/// What belongs to the part.
pub(super) struct Subgraph<'s> {
    pub vertices: Option<&'s Traversal>,
    pub edges: Option<&'s Traversal>,
    pub vertex_properties: Option<&'s Traversal>,
    /// Whether an edge belongs to it only with both of its vertices.
    pub checks_ends: bool,
}

impl Subgraph<'_> {
    pub fn apply(&self, whole: &mut Traversal) -> Result<(), RunError> {
        replace_steps(whole, &mut |step| self.replace(step))
    }

    fn replace(&self, mut step: Step) -> Result<Vec<Step>, RunError> {
        let mut after = Vec::new();
        match &mut step.kind {
            StepKind::V(_) | StepKind::AddV { .. } | StepKind::EdgeVertices(_) => after.extend(self.vertex_filter()),
            StepKind::Vertices { direction, labels } => {
                let Some(edges) = self.edges else {
                    after.extend(self.vertex_filter());
                    return Ok(with_steps(step, after));
                };
                let (direction, labels) = (*direction, std::mem::take(labels));
                let to_vertices = StepKind::EdgeVertices(match direction {
                    Direction::Out => EdgeEnd::In,
                    Direction::In => EdgeEnd::Out,
                    Direction::Both => EdgeEnd::Other,
                });
                step.kind = to_vertices;
                after.extend(self.vertex_filter());
                let reached = with_steps(step, after);
                let to_edges = std::iter::once(StepKind::Edges { direction, labels }).chain(filter(edges));
                return Ok(to_edges.map(Step::from).chain(reached).collect());
            }
            StepKind::AddE { .. } => after.extend(self.edge_filter()),
            StepKind::E(_) => {
                after.extend(self.edge_filter());
                after.extend(self.ends(&[EdgeEnd::In, EdgeEnd::Out]));
            }
            StepKind::Edges { direction, .. } => {
                after.extend(self.edge_filter());
                after.extend(match direction {
                    Direction::Out => self.ends(&[EdgeEnd::In]),
                    Direction::In => self.ends(&[EdgeEnd::Out]),
                    Direction::Both => self.ends(&[EdgeEnd::Other]),
                });
            }
            StepKind::Properties(_) => after.extend(self.property_filter()),
            StepKind::Values(names) => {
                if let Some(filter) = self.property_filter() {
                    let properties = StepKind::Properties(std::mem::take(names)).into();
                    step.kind = StepKind::Value;
                    return Ok(vec![properties, filter.into(), step]);
                }
            }
            StepKind::ValueMap { .. } | StepKind::PropertyMap { .. } if self.vertex_properties.is_some() => {
                let message = "SubgraphStrategy with vertexProperties has no maps of properties; use properties()";
                return Err(RunError::Verification { message: message.to_owned() });
            }
            _ => {}
        }
        Ok(with_steps(step, after))
    }

    fn vertex_filter(&self) -> Vec<StepKind> {
        self.vertices.map(filter).unwrap_or_default()
    }

    fn edge_filter(&self) -> Vec<StepKind> {
        self.edges.map(filter).unwrap_or_default()
    }

    /// Keeps edges with these ends in the part.
    fn ends(&self, ends: &[EdgeEnd]) -> Vec<StepKind> {
        let Some(vertices) = self.vertices.filter(|_| self.checks_ends) else { return Vec::new() };
        let belongs = |end: &EdgeEnd| {
            let to_end = std::iter::once(StepKind::EdgeVertices(*end));
            StepKind::Filter(traversal(to_end.chain(filter(vertices))))
        };
        ends.iter().map(belongs).collect()
    }

    /// Keeps vertex properties of the part, and other properties.
    fn property_filter(&self) -> Option<StepKind> {
        let then = traversal(filter(self.vertex_properties?));
        let condition = RepeatCondition::Predicate(P::TypeOf(GType::VertexProperty));
        Some(StepKind::Choose(Box::new(Choice::If { condition, then, otherwise: None })))
    }
}

/// A step and those behind it; its labels are for what is left at the end.
fn with_steps(mut step: Step, after: Vec<StepKind>) -> Vec<Step> {
    let mut after: Vec<Step> = after.into_iter().map(Step::from).collect();
    if let Some(last) = after.last_mut() {
        last.labels = std::mem::take(&mut step.labels);
    }
    std::iter::once(step).chain(after).collect()
}
