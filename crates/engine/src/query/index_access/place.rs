//! Where the values of expressions lie in documents.

use orrery_value::Value;

use super::super::Expr;
use crate::index::{IndexPath, MAX_NAME_BYTES, MAX_PATH_STEPS, Step};

/// Which place each source of a row has in the document.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources(Vec<Option<IndexPath>>);

/// A place in documents, as a row sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The path in the index. A condition on a row's value there implies that the item has such a value at the path.
    pub path: IndexPath,
    /// The source that it begins at, if within a row it is one value: two conditions on it are about the same value.
    pub source: Option<usize>,
}

impl Sources {
    /// The item, as source 0.
    pub fn of_item() -> Self {
        Sources(vec![Some(IndexPath::default())])
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Adds a source at a place, if it is known.
    pub fn push(&mut self, path: Option<IndexPath>) {
        self.0.push(path);
    }

    /// Forgets those that came after the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// The place of an expression that is a path within a source; none if the index knows no such place.
    pub fn place(&self, expr: &Expr) -> Option<Place> {
        let place = self.any_place(expr)?;
        let steps = place.path.steps();
        let fits = |step: &Step| match step {
            Step::Name(name) => name.len() <= MAX_NAME_BYTES,
            Step::Element => true,
        };
        (!steps.is_empty() && steps.len() <= MAX_PATH_STEPS && steps.iter().all(fits)).then_some(place)
    }

    /// Recurses once per level of the expression.
    fn any_place(&self, expr: &Expr) -> Option<Place> {
        match expr {
            Expr::Source(number) => Some(Place { path: self.0.get(*number)?.clone()?, source: Some(*number) }),
            Expr::Path { base, path } => {
                let names = path.segments().iter().map(|name| Step::Name(name.as_str().into()));
                Some(self.any_place(base)?.then(names))
            }
            Expr::Element { base, index } => match index.as_constant()? {
                Value::String(name) => Some(self.any_place(base)?.then([Step::Name(name.as_str().into())])),
                // The index knows that there is such an element, not which one it is.
                Value::Number(_) => Some(Place { source: None, ..self.any_place(base)?.then([Step::Element]) }),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Place {
    /// The place further down.
    pub fn then(self, steps: impl IntoIterator<Item = Step>) -> Place {
        let path = IndexPath::new(self.path.steps().iter().cloned().chain(steps).collect());
        Place { path, ..self }
    }

    /// Any element of the array at the place.
    pub fn element(self) -> Place {
        Place { source: None, ..self.then([Step::Element]) }
    }
}
