//! New elements that are not written yet.
//!
//! A traversal that adds a vertex and its edges would wait for the disk once for each. Nothing but the traversal itself can tell whether
//! an element was written when its step ran or a moment later, so new ones are held back and written together: before anything is read
//! that they could change, before anything else is written, before a result leaves, and at the end, however that comes. They are written
//! in their order up to the first that is refused, which leaves what writing one by one would have left.
//!
//! A graph that may not wait writes nothing itself: at the end somebody who may takes what it holds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orrery_engine::{Container, Engine, MAX_BATCH_OPERATIONS, Operation, OperationKind, WriteMode};

use super::error::graph_error;
use super::{EngineGraph, GraphError, Waiting};
use crate::graph::ElementKey;
use crate::value::{GValue, Vertex, VertexReference};

/// Bytes of documents after which no more are held back.
const MAX_HELD_BYTES: usize = 1 << 20;

/// The new elements of one request.
#[derive(Default)]
pub(super) struct Pending(Mutex<Held>);

#[derive(Default)]
struct Held {
    /// In the order of their steps.
    operations: Vec<Operation>,
    /// The vertices among them, without their properties.
    vertices: Vec<Arc<Vertex>>,
    size_bytes: usize,
}

/// New elements of a graph, to be written.
pub struct Unwritten {
    engine: Engine,
    container: Arc<Container>,
    operations: Vec<Operation>,
}

/// What became of new elements.
#[derive(Debug)]
pub struct Done {
    /// Request units.
    pub charge_ru: f64,
    /// How many are written.
    pub written: u64,
    /// Why the one behind these was refused, if there is one; none after it is written.
    pub result: Result<(), GraphError>,
}

impl Unwritten {
    /// Writes them in their order; they are durable when this is done.
    pub async fn write(self) -> Done {
        let mut done = Done { charge_ru: 0.0, written: 0, result: Ok(()) };
        match self.engine.write(&self.container, self.operations, WriteMode::UntilFailure).await {
            Err(error) => done.result = Err(graph_error(error)),
            Ok(outcomes) => {
                for outcome in outcomes {
                    done.charge_ru += outcome.charge_ru;
                    match outcome.result {
                        Ok(_) => done.written += 1,
                        Err(error) => {
                            done.result = Err(graph_error(error));
                            break;
                        }
                    }
                }
            }
        }
        done
    }
}

impl Pending {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Of vertices those that are held back; the others may be in the store.
    pub fn vertices(&self, wanted: &[VertexReference]) -> Vec<Option<Arc<Vertex>>> {
        let held = self.held();
        let is = |vertex: &&Arc<Vertex>, wanted: &VertexReference| {
            vertex.partition == wanted.partition && vertex.id == wanted.id
        };
        wanted.iter().map(|wanted| held.vertices.iter().find(|vertex| is(vertex, wanted)).cloned()).collect()
    }

    /// Whether a key may name what is held back.
    fn concerns(&self, keys: &[ElementKey]) -> bool {
        let held = self.held();
        let is_named = |operation: &Operation| match &operation.kind {
            OperationKind::Create(item) => keys.iter().any(|key| *key.id == *item.id()),
            _ => true,
        };
        held.operations.iter().any(is_named)
    }
}

impl EngineGraph {
    /// Holds a new element back. `element` is what it is.
    pub(super) fn hold(&self, operation: Operation, size_bytes: usize, element: &GValue) -> Result<(), GraphError> {
        let is_full = {
            let mut held = self.pending.held();
            held.operations.push(operation);
            held.size_bytes += size_bytes;
            if let GValue::Vertex(vertex) = element {
                held.vertices.push(Arc::new(vertex.reference().to_vertex()));
            }
            held.operations.len() >= MAX_BATCH_OPERATIONS || held.size_bytes >= MAX_HELD_BYTES
        };
        if is_full { self.write_pending() } else { Ok(()) }
    }

    /// Takes over what is held back; `None` if nothing is.
    pub fn take_unwritten(&self) -> Option<Unwritten> {
        let Held { operations, .. } = std::mem::take(&mut *self.pending.held());
        let (engine, container) = (&self.engine, &self.container);
        (!operations.is_empty()).then(|| Unwritten { engine: engine.clone(), container: container.clone(), operations })
    }

    /// Writes what is held back.
    ///
    /// # Errors
    /// Why one of them was refused; those behind it are not written then.
    pub(super) fn write_pending(&self) -> Result<(), GraphError> {
        let Some(unwritten) = self.take_unwritten() else { return Ok(()) };
        // What may not wait is begun anew as a whole, so that these are not missed then.
        let Done { charge_ru, written, result } = self.waiting.write(unwritten.write())?;
        self.tally.write(charge_ru, written);
        result
    }

    /// Writes what is held back, unless it is not to be waited for: then it stays.
    pub(super) fn settle_pending(&self) -> Result<(), GraphError> {
        match self.waiting {
            Waiting::Blocking(_) => self.write_pending(),
            Waiting::Never => Ok(()),
        }
    }

    /// Writes what is held back if one of the keys may name it.
    pub(super) fn write_pending_of(&self, keys: &[ElementKey]) -> Result<(), GraphError> {
        if self.pending.concerns(keys) { self.write_pending() } else { Ok(()) }
    }
}
