//! `count()`, `sum()`, `min()`, `max()` and `mean()`.

use super::{collection, number};
use crate::run::RunError;
use crate::step::Reducer;
use crate::value::GValue;

/// What a reducing step has seen so far.
#[derive(Clone, Debug)]
pub struct Accumulator {
    reducer: Reducer,
    /// The sum or extreme. Null: nothing but nulls came.
    value: Option<GValue>,
    /// How many came, nulls not counted but by `count()`.
    count: i64,
}

impl Accumulator {
    /// One that has seen nothing.
    pub fn new(reducer: Reducer) -> Self {
        Accumulator { reducer, value: None, count: 0 }
    }

    /// Takes a value so many times.
    ///
    /// # Errors
    /// What is no number or does not compare with those before, and overflows.
    pub fn add(&mut self, value: &GValue, bulk: u64) -> Result<(), RunError> {
        if matches!(value, GValue::Null) && self.reducer != Reducer::Count {
            self.value.get_or_insert_default();
            return Ok(());
        }
        let bulk = i64::try_from(bulk).unwrap_or(i64::MAX);
        self.count = self.count.saturating_add(bulk);
        let added = match self.reducer {
            Reducer::Count => return Ok(()),
            Reducer::Sum | Reducer::Mean => number::times(value, bulk)?,
            Reducer::Min | Reducer::Max => value.clone(),
        };
        let reduced = match &self.value {
            None | Some(GValue::Null) => added,
            Some(value) => match self.reducer {
                Reducer::Min => number::minimum(value, &added)?,
                Reducer::Max => number::maximum(value, &added)?,
                Reducer::Sum | Reducer::Mean | Reducer::Count => number::add(value, &added)?,
            },
        };
        self.value = Some(reduced);
        Ok(())
    }

    /// The result. `None` where nothing came, except that `count()` counts nothing too.
    ///
    /// # Errors
    /// A mean that overflows.
    pub fn finish(&self) -> Result<Option<GValue>, RunError> {
        match (self.reducer, &self.value) {
            (Reducer::Count, _) => Ok(Some(GValue::Long(self.count))),
            (Reducer::Mean, Some(sum)) => number::divide_exactly(sum, &GValue::Long(self.count)).map(Some),
            (_, value) => Ok(value.clone()),
        }
    }
}

/// The same of the items of one value; what has no items is one.
///
/// # Errors
/// See [`Accumulator::add`].
pub fn reduce_local(reducer: Reducer, value: &GValue) -> Result<Option<GValue>, RunError> {
    let mut accumulator = Accumulator::new(reducer);
    for (item, bulk) in collection::counted(value) {
        accumulator.add(&item, u64::try_from(bulk).unwrap_or(0))?;
    }
    accumulator.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::BulkSet;

    fn local(reducer: Reducer, items: impl IntoIterator<Item = GValue>) -> Option<GValue> {
        reduce_local(reducer, &GValue::list(items)).unwrap()
    }

    #[test]
    fn nothing_gives_nothing_but_a_count() {
        for reducer in [Reducer::Sum, Reducer::Min, Reducer::Max, Reducer::Mean] {
            assert_eq!(local(reducer, []), None);
            assert_eq!(local(reducer, [GValue::Null]), Some(GValue::Null));
        }
        assert_eq!(local(Reducer::Count, []), Some(0_i64.into()));
        assert_eq!(local(Reducer::Count, [GValue::Null]), Some(1_i64.into()));
    }

    #[test]
    fn results_are_of_the_class_of_the_items_and_means_double() {
        assert_eq!(local(Reducer::Sum, [10.into(), GValue::Null, 5.into()]), Some(15.into()));
        assert_eq!(local(Reducer::Mean, [10.into(), GValue::Null, 5.into()]), Some(7.5.into()));
        assert_eq!(local(Reducer::Max, ["a".into(), "c".into(), "b".into()]), Some("c".into()));
        assert_eq!(reduce_local(Reducer::Mean, &29.into()), Ok(Some(29.0.into())));
        assert_eq!(reduce_local(Reducer::Count, &GValue::map([(1.into(), 2.into())])), Ok(Some(1_i64.into())));
    }

    #[test]
    fn bulks_count() {
        let set = GValue::BulkSet(BulkSet { items: vec![(2.into(), 3), (4.into(), 1)] }.into());
        assert_eq!(reduce_local(Reducer::Sum, &set), Ok(Some(10.into())));
        assert_eq!(reduce_local(Reducer::Count, &set), Ok(Some(4_i64.into())));
        assert_eq!(reduce_local(Reducer::Mean, &set), Ok(Some(2.5.into())));
    }
}
