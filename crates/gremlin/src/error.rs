//! Why a traversal is refused.

/// Why a text or bytecode is no traversal. Places are byte offsets into the text; bytecode has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GremlinError {
    /// The text is not of the language.
    #[error("{message}{}", place(*.at))]
    Syntax {
        /// What was met, and what was wanted.
        message: String,
        /// Where.
        at: Option<usize>,
    },
    /// Something of Groovy, of lambdas or of graph computers, which is known and not offered.
    #[error("{what} not supported{}", place(*.at))]
    Unsupported {
        /// The subject of the sentence with its verb: `lambdas are`.
        what: String,
        /// Where.
        at: Option<usize>,
    },
    /// There is no such step.
    #[error("'{name}' is not a step{}", place(*.at))]
    UnknownStep {
        /// As it was given.
        name: String,
        /// Where.
        at: Option<usize>,
    },
    /// A step has arguments or modulators it does not take.
    #[error("{message}{}", place(*.at))]
    Step {
        /// The step's name.
        step: String,
        /// A whole clause that names the step.
        message: String,
        /// Where the step stands.
        at: Option<usize>,
    },
    /// A variable has no value.
    #[error("no such property: the variable '{name}' has no value{}", place(*.at))]
    UnknownVariable {
        /// Its name.
        name: String,
        /// Where.
        at: Option<usize>,
    },
    /// A bound of this crate is exceeded.
    #[error("a traversal has at most {limit} {what}{}", place(*.at))]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: usize,
        /// Where.
        at: Option<usize>,
    },
}

impl GremlinError {
    /// The byte offset into the text, where one is known.
    pub fn at(&self) -> Option<usize> {
        match self {
            GremlinError::Syntax { at, .. }
            | GremlinError::Unsupported { at, .. }
            | GremlinError::UnknownStep { at, .. }
            | GremlinError::Step { at, .. }
            | GremlinError::UnknownVariable { at, .. }
            | GremlinError::TooLarge { at, .. } => *at,
        }
    }
}

fn place(at: Option<usize>) -> String {
    at.map(|at| format!(" at offset {at}")).unwrap_or_default()
}
