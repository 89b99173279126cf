//! The traversal machine: runs a tree of steps on a [`Graph`].

mod error;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub use error::RunError;

use crate::graph::Graph;
use crate::step::Query;
use crate::value::Traverser;

/// How a traversal runs.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// When it must have ended.
    pub deadline: Option<Instant>,
    /// Set when nobody waits for the answer any more.
    pub cancelled: Arc<AtomicBool>,
    /// Most memory that it may hold.
    pub memory_bytes: usize,
    /// Results in one call of the sink, at the most.
    pub batch_size: usize,
    /// Most rounds of a repetition. `None`: any number.
    pub max_repeat_rounds: Option<u64>,
}

/// Takes results as they come, a batch at a time. Of a broken one no more is wanted.
pub type Sink<'a> = dyn FnMut(Vec<Traverser>) -> ControlFlow<()> + 'a;

/// Runs a traversal to its end, or until the sink breaks. Blocks.
///
/// Equal neighbours among the results are one [`Traverser`] with a bulk.
///
/// # Errors
/// What went wrong; results before it have gone to the sink, and writes before it stay.
pub fn run(query: &Query, graph: &dyn Graph, options: &RunOptions, sink: &mut Sink<'_>) -> Result<(), RunError> {
    let _ = (query, graph, options, sink);
    Err(RunError::Evaluation { message: "there is no traversal machine".to_owned() })
}
