//! The traversal machine: runs a tree of steps on a [`Graph`].
//!
//! [`run`] readies the query (`strategy/` applies what strategies change), builds a `Pipeline` of stages (`build.rs`) and pulls results out
//! of it. A stage takes a batch of traversers and puts out others (`pipeline.rs`); there is one file per family of steps in `stage/`. What a
//! traverser carries is in `traverser.rs` and `trail.rs`, which of it the query asks for in `needs.rs`, what stages share in `context.rs`.
//! What a traversal begins with becomes one question to the graph: the rules are in `head.rs`.

mod build;
mod by;
mod clock;
mod context;
mod element;
mod elements;
mod error;
mod explain;
mod figures;
mod group;
mod head;
mod lazy;
mod memory;
mod needs;
mod nested;
mod nesting;
mod pipeline;
mod random;
mod result;
mod scope;
mod side_effect;
mod stage;
mod strategy;
mod trail;
mod traverser;
mod tree;
mod walk;
mod write;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use context::Context;
pub use error::RunError;
pub use explain::explain;
use memory::Held;
use traverser::Traverser;

use crate::graph::Graph;
use crate::step::Query;

/// How a traversal runs.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// When it must have ended.
    pub deadline: Option<Instant>,
    /// How much of its thread's time it may take, about, not counting what other threads take from it. `None`: any.
    pub thread_time: Option<Duration>,
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
pub type Sink<'a> = dyn FnMut(Vec<crate::value::Traverser>) -> ControlFlow<()> + 'a;

/// Runs a traversal to its end, or until the sink breaks. Blocks.
///
/// Equal neighbours among the results are one [`Traverser`](crate::value::Traverser) with a bulk.
///
/// # Errors
/// What went wrong; results before it have gone to the sink, and writes before it stay.
pub fn run(query: &Query, graph: &dyn Graph, options: &RunOptions, sink: &mut Sink<'_>) -> Result<(), RunError> {
    let query = &*strategy::prepare(query)?;
    let cx = Context::new(query, graph, options)?;
    let ended = run_steps(&cx, query, sink);
    // What was written before a failure stays, and a refused write came before it.
    graph.settle()?;
    ended
}

fn run_steps<'r>(cx: &'r Context<'r>, query: &'r Query, sink: &mut Sink<'_>) -> Result<(), RunError> {
    let mut pipeline = build::root(cx, &query.traversal.steps)?;
    if !query.traversal.steps.first().is_some_and(build::brings_values) {
        pipeline.feed([Traverser { sack: cx.sack.clone(), ..Traverser::new(crate::GValue::Null) }]);
    }
    pipeline.end();
    result::deliver(cx, &mut pipeline, sink)
}

fn evaluation(message: impl Into<String>) -> RunError {
    RunError::Evaluation { message: message.into() }
}
