//! The edges of `mergeE()`: their ends, and where they are looked for.

use std::sync::Arc;

use super::super::write::{check_label, vertex_of};
use super::super::{Context, RunError, Traverser, evaluation};
use super::merge::{Argument, Parts, fits, is_id, look_up};
use crate::graph::{EdgeRequest, ElementKind, NewEdge, id_text};
use crate::step::Merging;
use crate::value::{Direction, GMap, GValue, Merge, T, VertexReference};

/// One `mergeE()`.
pub(super) struct EdgeMerge<'r> {
    cx: &'r Context<'r>,
    parts: Parts<'r>,
    out_vertex: Option<Argument<'r>>,
    in_vertex: Option<Argument<'r>>,
}

impl<'r> EdgeMerge<'r> {
    pub fn new(cx: &'r Context<'r>, merging: &'r Merging) -> Result<Self, RunError> {
        let ready = |argument| Argument::new(cx, argument);
        Ok(EdgeMerge {
            cx,
            parts: Parts::new(cx, merging, ElementKind::Edge)?,
            out_vertex: merging.out_vertex.as_ref().map(ready).transpose()?,
            in_vertex: merging.in_vertex.as_ref().map(ready).transpose()?,
        })
    }

    /// The edges that were found, changed, or else the one that was created.
    pub fn merge(&mut self, traverser: &Traverser) -> Result<Vec<GValue>, RunError> {
        let criterion = self.parts.criterion(traverser)?;
        let resolved = self.resolved(traverser, criterion.clone())?;
        let found = self.found(&resolved)?;
        if !found.is_empty() {
            return self.parts.change_all(self.cx, traverser, found);
        }
        let wanted = self.parts.map_to_create(traverser, &criterion)?;
        let wanted = self.resolved(traverser, wanted)?;
        let out_vertex = self.end(&wanted, Direction::Out, "Out")?;
        let in_vertex = self.end(&wanted, Direction::In, "In")?;
        let mut edge = NewEdge { id: None, label: Arc::from("edge"), out_vertex, in_vertex, properties: Vec::new() };
        for (key, value) in &wanted {
            match key {
                GValue::String(name) if is_id(self.cx, name) => edge.id = Some(value.clone()),
                GValue::String(_) if matches!(value, GValue::Null) => {}
                GValue::String(name) => edge.properties.push((Arc::clone(name), value.clone())),
                GValue::Constant(token) if *token == T::Label.into() => edge.label = check_label(value)?,
                GValue::Constant(token) if *token == T::Id.into() => edge.id = Some(value.clone()),
                _ => {}
            }
        }
        let added = GValue::Edge(self.cx.graph.add_edge(edge)?);
        self.cx.elements.wrote(&added);
        Ok(vec![added])
    }

    /// The map with the vertices that stand-ins stand for.
    fn resolved(&mut self, traverser: &Traverser, mut map: GMap) -> Result<GMap, RunError> {
        let ends =
            [(Direction::Out, Merge::OutV, &mut self.out_vertex), (Direction::In, Merge::InV, &mut self.in_vertex)];
        for (direction, stand_in, argument) in ends {
            let Some(value) = map.get_mut(&GValue::from(direction)) else { continue };
            if *value != stand_in.into() {
                continue;
            }
            let name = stand_in.name();
            let Some(argument) = argument else {
                let direction = direction.name();
                return Err(evaluation(format!("option({name}) must be specified if it is used for {direction}")));
            };
            *value = match argument.value(traverser)? {
                vertex @ GValue::Vertex(_) => vertex,
                GValue::Map(criterion) => {
                    let found = look_up(self.cx, ElementKind::Vertex, &criterion)?.into_iter().next();
                    found.ok_or_else(|| evaluation(format!("Could not resolve vertex for option({name})")))?
                }
                other => {
                    let shown = crate::io::text::of(&other);
                    return Err(evaluation(format!("Vertex could not be resolved from mergeE: {shown}")));
                }
            };
        }
        Ok(map)
    }

    /// Edges with all of the map; with an end they are looked for there.
    fn found(&self, map: &GMap) -> Result<Vec<GValue>, RunError> {
        let end = |direction: Direction| map.get(&GValue::from(direction));
        let (out_vertex, in_vertex) = (end(Direction::Out), end(Direction::In));
        let has_id = map.contains_key(&GValue::from(T::Id));
        let mut found = match (out_vertex, in_vertex) {
            (Some(vertex), _) if !has_id => self.edges_of(vertex, Direction::Out, map)?,
            (None, Some(vertex)) if !has_id => self.edges_of(vertex, Direction::In, map)?,
            _ => {
                let mut others = map.clone();
                others.retain(|key, _| *key != Direction::Out.into() && *key != Direction::In.into());
                look_up(self.cx, ElementKind::Edge, &others)?
            }
        };
        found.retain(|element| match element {
            GValue::Edge(edge) => {
                out_vertex.is_none_or(|vertex| is_end(vertex, &edge.out_vertex))
                    && in_vertex.is_none_or(|vertex| is_end(vertex, &edge.in_vertex))
            }
            _ => false,
        });
        // Only now, for a vertex may have many edges.
        self.cx.elements.load(&mut found)?;
        found.retain(|edge| fits(self.cx, edge, map));
        Ok(found)
    }

    fn edges_of(&self, vertex: &GValue, direction: Direction, map: &GMap) -> Result<Vec<GValue>, RunError> {
        let Some(vertex) = vertex_of(self.cx, vertex)? else { return Ok(Vec::new()) };
        let label = match map.get(&GValue::from(T::Label)) {
            Some(GValue::String(label)) => Some([Arc::clone(label)]),
            _ => None,
        };
        let vertices = [vertex];
        let labels = label.as_ref().map(|labels| &labels[..]);
        let request = EdgeRequest { vertices: &vertices, direction, labels, with_properties: false };
        Ok(self.cx.graph.edges(&request)?.into_iter().flatten().map(GValue::Edge).collect())
    }

    /// An end of a new edge.
    fn end(&self, map: &GMap, direction: Direction, name: &str) -> Result<VertexReference, RunError> {
        let Some(value) = map.get(&GValue::from(direction)) else {
            return Err(evaluation(format!("{name} Vertex not specified in onCreate - edge cannot be created")));
        };
        if let GValue::Vertex(vertex) = value {
            return Ok(vertex.reference());
        }
        vertex_of(self.cx, value)?.ok_or_else(|| {
            let shown = crate::io::text::of(value);
            evaluation(format!("Vertex id could not be resolved from mergeE: {shown}"))
        })
    }
}

/// Whether a vertex, or the one of an id, is this one.
fn is_end(vertex: &GValue, end: &VertexReference) -> bool {
    let is_placed_alike = match vertex {
        GValue::Vertex(vertex) => match (&vertex.partition, &end.partition) {
            (Some(one), Some(two)) => crate::function::order::equals(one, two),
            _ => true,
        },
        _ => true,
    };
    let id = match vertex {
        // Partition and id.
        GValue::List(parts) => parts.last().and_then(id_text),
        other => id_text(other),
    };
    is_placed_alike && id.is_some() && id == id_text(&end.id)
}
