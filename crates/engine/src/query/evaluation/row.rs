//! What an expression is evaluated on.

use orrery_value::{PropertyPath, Value};

use crate::query::{Datum, Effort};

/// The value of a source, and the sources before it.
pub(crate) struct Source<'a> {
    value: Datum<'a>,
    number: usize,
    before: Option<&'a Source<'a>>,
}

/// One row: the values of its sources, and keys and aggregates where rows were folded. Copying it copies references.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    last: Option<&'a Source<'a>>,
    keys: &'a [Value],
    aggregates: &'a [Value],
    effort: &'a Effort,
}

impl<'a> Source<'a> {
    /// Source 0 of a row.
    #[inline]
    pub fn first(value: Datum<'a>) -> Self {
        Source { value, number: 0, before: None }
    }
}

impl<'a> Row<'a> {
    /// A row without sources.
    #[inline]
    pub fn empty(effort: &'a Effort) -> Self {
        Row { last: None, keys: &[], aggregates: &[], effort }
    }

    /// A row of one source.
    #[inline]
    pub fn of(source: &'a Source<'a>, effort: &'a Effort) -> Self {
        Row { last: Some(source), ..Row::empty(effort) }
    }

    /// The source that follows those of this row; [`Row::with`] adds it.
    pub fn next_source(&self, value: Datum<'a>) -> Source<'a> {
        Source { value, number: self.last.map_or(0, |last| last.number + 1), before: self.last }
    }

    /// This row with `source` as its last one.
    pub fn with(&self, source: &'a Source<'a>) -> Self {
        Row { last: Some(source), ..*self }
    }

    /// The row that a group of rows around which this one stands was folded into.
    pub fn folded(&self, keys: &'a [Value], aggregates: &'a [Value]) -> Self {
        Row { keys, aggregates, ..*self }
    }

    /// The value of a source.
    #[inline]
    pub fn source(&self, number: usize) -> Datum<'a> {
        self.find(number).map_or(Datum::UNDEFINED, |source| source.value.share())
    }

    /// What a path within a source leads to. The source is not copied on the way.
    #[inline]
    pub fn path(&self, number: usize, path: &PropertyPath) -> Datum<'a> {
        match self.find(number).map(|source| &source.value) {
            Some(Datum::Stored(node)) => node.at_path(path).map_or(Datum::UNDEFINED, Datum::Stored),
            Some(value) => path.segments().iter().fold(value.share(), Datum::property),
            None => Datum::UNDEFINED,
        }
    }

    /// A key of the group that the row stands for.
    pub fn key(&self, key: usize) -> Datum<'a> {
        self.keys.get(key).map_or(Datum::UNDEFINED, Datum::Borrowed)
    }

    /// An aggregate of the group that the row stands for.
    pub fn aggregate(&self, aggregate: usize) -> Datum<'a> {
        self.aggregates.get(aggregate).map_or(Datum::UNDEFINED, Datum::Borrowed)
    }

    #[inline]
    pub fn effort(&self) -> &'a Effort {
        self.effort
    }

    #[inline]
    fn find(&self, number: usize) -> Option<&'a Source<'a>> {
        let mut source = self.last?;
        while source.number > number {
            source = source.before?;
        }
        (source.number == number).then_some(source)
    }
}
