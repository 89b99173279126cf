//! Waiting for the engine from calls that are not asynchronous.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tokio::runtime::Handle;

use crate::graph::GraphError;

/// How the calls of a graph wait.
#[derive(Clone, Debug)]
pub enum Waiting {
    /// Until the engine has answered. On threads that may block, such as those of `tokio::task::spawn_blocking`; it panics on those that
    /// run tasks.
    Blocking(Handle),
    /// Not at all: a call that would wait fails with [`GraphError::MustWait`], and new elements are left to
    /// [`EngineGraph::take_unwritten`](super::EngineGraph::take_unwritten). On any thread.
    Never,
}

impl From<Handle> for Waiting {
    fn from(runtime: Handle) -> Self {
        Waiting::Blocking(runtime)
    }
}

impl Waiting {
    /// What a read gives.
    ///
    /// # Errors
    /// [`GraphError::MustWait`] if it is not to be waited for.
    pub(super) fn read<T>(&self, read: impl Future<Output = T>) -> Result<T, GraphError> {
        match self {
            Waiting::Blocking(runtime) => Ok(runtime.block_on(read)),
            Waiting::Never => match pin!(read).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(done) => Ok(done),
                Poll::Pending => Err(GraphError::MustWait),
            },
        }
    }

    /// What a write gives. None is begun that could not be waited for.
    ///
    /// # Errors
    /// [`GraphError::MustWait`] if it is not to be waited for.
    pub(super) fn write<T>(&self, write: impl Future<Output = T>) -> Result<T, GraphError> {
        match self {
            Waiting::Blocking(runtime) => Ok(runtime.block_on(write)),
            Waiting::Never => Err(GraphError::MustWait),
        }
    }
}
