//! Look-ups in the index, and trees of them.

use super::place::Place;
use crate::index::{IndexPath, PathKey, Step, ValueRange};

/// Ranges of values that one look-up has at the most; as many as an IN list has.
const MAX_RANGES: usize = 16_384;

/// Ranges that result from intersecting two lists of such at the most: beyond that the shorter list stays as it is.
const MAX_INTERSECTED: usize = 4_096;

/// Items with a value in one of some ranges at a place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seek {
    pub key: PathKey,
    /// The source whose value it is about; none if it is about any value at the place.
    pub source: Option<usize>,
    pub ranges: Vec<ValueRange>,
    pub kind: SeekKind,
}

/// What a look-up comes from, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeekKind {
    Equal,
    OneOf,
    Range,
    Prefix,
    Type,
}

/// What every item agrees with that has a row which passes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    Seek(Seek),
    All(Vec<Condition>),
    /// Without any: no item.
    Any(Vec<Condition>),
}

impl Seek {
    /// A look-up at a place.
    pub fn new(place: Place, ranges: Vec<ValueRange>, kind: SeekKind) -> Self {
        let Place { path, source } = place;
        Seek { key: PathKey::Single(path), source, ranges, kind }
    }

    /// Whether an item has such a value if, and only if, the index finds it.
    pub fn is_exact(&self) -> bool {
        self.ranges.iter().all(ValueRange::is_exact)
    }

    /// Whether each range holds one value, so that the postings of a part of the keys can be read by themselves.
    pub fn is_equality(&self) -> bool {
        matches!(self.kind, SeekKind::Equal | SeekKind::OneOf)
    }

    /// The path, if it is one.
    pub fn path(&self) -> Option<&IndexPath> {
        match &self.key {
            PathKey::Single(path) => Some(path),
            PathKey::Composite(_) => None,
        }
    }

    fn is_of_same_value(&self, other: &Seek) -> bool {
        self.source.is_some() && self.source == other.source && self.key == other.key
    }

    /// Whether both hold of one value.
    fn and(self, other: Seek) -> Seek {
        if self.ranges.len().saturating_mul(other.ranges.len()) > MAX_INTERSECTED {
            return if self.ranges.len() <= other.ranges.len() { self } else { other };
        }
        let pairs = self.ranges.iter().flat_map(|a| other.ranges.iter().map(move |b| a.intersect(b)));
        let ranges = pairs.filter(|range| !range.is_empty()).collect();
        let kind = if self.is_equality() || !other.is_equality() { self.kind } else { other.kind };
        let kind = if kind == SeekKind::Type && other.kind != SeekKind::Type { other.kind } else { kind };
        Seek { ranges, kind, ..self }
    }

    /// Whether one of both holds.
    fn or(mut self, other: Seek) -> Seek {
        self.kind = match (self.is_equality() && other.is_equality(), self.kind == other.kind) {
            (true, _) => SeekKind::OneOf,
            (false, true) => self.kind,
            (false, false) => SeekKind::Range,
        };
        self.source = self.source.filter(|source| other.source == Some(*source));
        for range in other.ranges {
            if !self.ranges.contains(&range) {
                self.ranges.push(range);
            }
        }
        self
    }
}

impl Condition {
    /// What no item agrees with.
    pub const NOTHING: Condition = Condition::Any(Vec::new());

    /// All of these. Look-ups of one value become one.
    pub fn all(conditions: impl IntoIterator<Item = Condition>) -> Condition {
        let mut joined: Vec<Condition> = Vec::new();
        let flat = conditions.into_iter().flat_map(|condition| match condition {
            Condition::All(inner) => inner,
            other => vec![other],
        });
        for condition in flat {
            let Condition::Seek(seek) = condition else {
                joined.push(condition);
                continue;
            };
            let same = joined.iter_mut().find_map(|known| match known {
                Condition::Seek(known) if known.is_of_same_value(&seek) => Some(known),
                _ => None,
            });
            match same {
                Some(known) => *known = known.clone().and(seek),
                None => joined.push(Condition::Seek(seek)),
            }
        }
        if joined.len() == 1 { joined.remove(0) } else { Condition::All(joined) }
    }

    /// Any of these. Look-ups at one place become one.
    pub fn any(conditions: impl IntoIterator<Item = Condition>) -> Condition {
        let mut joined: Vec<Condition> = Vec::new();
        let flat = conditions.into_iter().flat_map(|condition| match condition {
            Condition::Any(inner) => inner,
            other => vec![other],
        });
        for condition in flat {
            let Condition::Seek(seek) = condition else {
                joined.push(condition);
                continue;
            };
            let same = joined.iter_mut().find_map(|known| match known {
                Condition::Seek(known) if known.key == seek.key && known.ranges.len() < MAX_RANGES => Some(known),
                _ => None,
            });
            match same {
                Some(known) => *known = known.clone().or(seek),
                None => joined.push(Condition::Seek(seek)),
            }
        }
        if joined.len() == 1 { joined.remove(0) } else { Condition::Any(joined) }
    }

    /// Forgets which values look-ups are about, for sources from `first` on: their numbers mean others elsewhere.
    pub fn leave_sources(&mut self, first: usize) {
        match self {
            Condition::Seek(seek) => seek.source = seek.source.filter(|source| *source < first),
            Condition::All(inner) | Condition::Any(inner) => {
                inner.iter_mut().for_each(|condition| condition.leave_sources(first));
            }
        }
    }

    /// Whether it is one look-up or alternatives of such: then what it finds has one value that agrees.
    pub fn is_of_one_value(&self) -> bool {
        match self {
            Condition::Seek(_) => true,
            Condition::Any(inner) => inner.iter().all(|condition| matches!(condition, Condition::Seek(_))),
            Condition::All(_) => false,
        }
    }

    /// Whether it asks for a value of a source or below it.
    pub fn is_about(&self, source: usize, path: &IndexPath) -> bool {
        match self {
            Condition::Seek(seek) => {
                let below = |steps: &[Step]| steps.starts_with(path.steps());
                seek.source == Some(source) && seek.path().is_some_and(|path| below(path.steps()))
            }
            Condition::All(inner) => inner.iter().any(|condition| condition.is_about(source, path)),
            Condition::Any(_) => false,
        }
    }
}
