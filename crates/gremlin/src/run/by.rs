//! What `by()` makes of an object.

use super::element;
use super::nested::Nested;
use super::{Context, RunError, Traverser, evaluation};
use crate::step::{Operand, Projection};
use crate::value::{Column, GValue, T};

/// A projection made ready.
pub(super) struct By<'r> {
    cx: &'r Context<'r>,
    kind: Kind<'r>,
    /// Whether it gives null where there is no result.
    is_productive: bool,
}

enum Kind<'r> {
    Identity,
    Token(T),
    Column(Column),
    Key(&'r str),
    Traversal(Box<Nested<'r>>),
}

impl<'r> By<'r> {
    pub fn new(cx: &'r Context<'r>, projection: &'r Projection) -> Result<Self, RunError> {
        let (kind, is_productive) = match projection {
            Projection::Identity => (Kind::Identity, false),
            Projection::Token(token) => (Kind::Token(*token), false),
            Projection::Column(column) => (Kind::Column(*column), false),
            Projection::Key(key) => (Kind::Key(key), cx.makes_productive(Some(key))),
            Projection::Traversal(traversal) => {
                (Kind::Traversal(Box::new(Nested::new(cx, traversal)?)), cx.makes_productive(None))
            }
        };
        Ok(By { cx, kind, is_productive })
    }

    /// Without one: the object itself.
    pub fn optional(cx: &'r Context<'r>, projection: Option<&'r Projection>) -> Result<Self, RunError> {
        match projection {
            Some(projection) => By::new(cx, projection),
            None => Ok(By { cx, kind: Kind::Identity, is_productive: false }),
        }
    }

    /// What an object is projected to; `None` if that is nothing.
    pub fn of(&mut self, traverser: &Traverser) -> Result<Option<GValue>, RunError> {
        let found = match &mut self.kind {
            Kind::Identity => Some(traverser.value.clone()),
            Kind::Token(token) => Some(element::token(&traverser.value, *token)?),
            Kind::Column(column) => Some(element::column(&traverser.value, *column)?),
            Kind::Key(key) => {
                let key = *key;
                match &traverser.value {
                    GValue::Map(map) => Some(map.get(&GValue::from(key)).cloned().unwrap_or_default()),
                    GValue::Vertex(_) | GValue::Edge(_) | GValue::VertexProperty(_) => {
                        let mut value = traverser.value.clone();
                        self.cx.elements.load_one(&mut value)?;
                        element::property(&value, key)
                    }
                    other => {
                        return Err(evaluation(format!(
                            "The by(\"{key}\") modulator can only be applied to a traverser that is an Element or a Map - \
                             it is being applied to {}",
                            other.kind()
                        )));
                    }
                }
            }
            Kind::Traversal(nested) => nested.first(traverser)?,
        };
        Ok(found.or_else(|| self.is_productive.then_some(GValue::Null)))
    }

    /// The same of a value that no traverser is at.
    pub fn of_value(&mut self, value: GValue) -> Result<Option<GValue>, RunError> {
        match &self.kind {
            Kind::Identity => Ok(Some(value)),
            _ => self.of(&self.cx.begin(value)),
        }
    }

    /// Whether it is the object itself.
    pub fn is_identity(&self) -> bool {
        matches!(self.kind, Kind::Identity)
    }

    /// Whether it reads properties, so that loading a batch before pays.
    pub fn reads_properties(&self) -> bool {
        matches!(self.kind, Kind::Key(_))
    }
}

/// Projections in turn.
pub(super) struct Ring<'r> {
    all: Vec<By<'r>>,
    next: usize,
}

impl<'r> Ring<'r> {
    pub fn new(cx: &'r Context<'r>, by: &'r [Projection]) -> Result<Self, RunError> {
        let mut all = by.iter().map(|one| By::new(cx, one)).collect::<Result<Vec<_>, _>>()?;
        if all.is_empty() {
            all.push(By::optional(cx, None)?);
        }
        Ok(Ring { all, next: 0 })
    }

    /// Begins with the first one again.
    pub fn rewind(&mut self) {
        self.next = 0;
    }

    /// The next projection of a value.
    pub fn of_value(&mut self, value: GValue) -> Result<Option<GValue>, RunError> {
        self.turn(|by| by.of_value(value))
    }

    /// The next projection of where a traverser is.
    pub fn of(&mut self, traverser: &Traverser) -> Result<Option<GValue>, RunError> {
        self.turn(|by| by.of(traverser))
    }

    pub fn reads_properties(&self) -> bool {
        self.all.iter().any(By::reads_properties)
    }

    fn turn(
        &mut self,
        project: impl FnOnce(&mut By<'r>) -> Result<Option<GValue>, RunError>,
    ) -> Result<Option<GValue>, RunError> {
        let at = self.next % self.all.len().max(1);
        self.next = at + 1;
        match self.all.get_mut(at) {
            Some(by) => project(by),
            None => Ok(None),
        }
    }
}

/// An argument that is a value or a traversal.
pub(super) enum Argument<'r> {
    Value(&'r GValue),
    Traversal(Box<Nested<'r>>),
}

impl<'r> Argument<'r> {
    pub fn new(cx: &'r Context<'r>, operand: &'r Operand) -> Result<Self, RunError> {
        Ok(match operand {
            Operand::Value(value) => Argument::Value(value),
            Operand::Traversal(traversal) => Argument::Traversal(Box::new(Nested::new(cx, traversal)?)),
        })
    }

    /// Its value for a traverser; `None` if the traversal has no result.
    pub fn of(&mut self, traverser: &Traverser) -> Result<Option<GValue>, RunError> {
        match self {
            Argument::Value(value) => Ok(Some((*value).clone())),
            Argument::Traversal(nested) => nested.first(traverser),
        }
    }
}
