//! Strategies by name.

use std::sync::Arc;

use super::GValue;

/// A traversal strategy as a client names it; the step tree knows which ones there are.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// The class without its package: `SubgraphStrategy`.
    pub name: Arc<str>,
    /// Its settings in the order given. Traversals among them are [`GValue::Bytecode`].
    pub configuration: Vec<(Arc<str>, GValue)>,
}
