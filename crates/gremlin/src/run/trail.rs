//! The way of a traverser: a list whose beginnings are shared among all that came the same way.

use std::sync::Arc;

use crate::value::{GValue, Pop};

/// The last object of a way, and what is before it.
#[derive(Debug)]
pub(super) struct Trail {
    /// What is before it.
    previous: Option<Arc<Trail>>,
    /// The object.
    pub value: GValue,
    /// Its labels.
    pub labels: Vec<Arc<str>>,
}

impl Trail {
    /// One object more.
    pub fn push(previous: Option<Arc<Trail>>, value: GValue, labels: &[Arc<str>]) -> Option<Arc<Trail>> {
        Some(Arc::new(Trail { previous, value, labels: labels.to_vec() }))
    }

    /// The same way with more labels on its last object.
    pub fn label(&self, labels: &[Arc<str>]) -> Option<Arc<Trail>> {
        let mut all = self.labels.clone();
        for label in labels {
            if !all.contains(label) {
                all.push(Arc::clone(label));
            }
        }
        Some(Arc::new(Trail { previous: self.previous.clone(), value: self.value.clone(), labels: all }))
    }

    /// From the last object to the first.
    pub fn backwards(trail: Option<&Trail>) -> impl Iterator<Item = &Trail> {
        std::iter::successors(trail, |at| at.previous.as_deref())
    }

    /// From the first object to the last.
    pub fn forwards(trail: Option<&Trail>) -> Vec<&Trail> {
        let mut all: Vec<&Trail> = Trail::backwards(trail).collect();
        all.reverse();
        all
    }

    /// The objects of a label as `pop` has them; `None` where there are none.
    pub fn select(trail: Option<&Trail>, label: &str, pop: Pop) -> Option<GValue> {
        let mut found = Trail::backwards(trail).filter(|at| at.labels.iter().any(|one| &**one == label));
        match pop {
            Pop::Last => found.next().map(|at| at.value.clone()),
            Pop::First => found.last().map(|at| at.value.clone()),
            Pop::All | Pop::Mixed => {
                let mut values: Vec<GValue> = found.map(|at| at.value.clone()).collect();
                values.reverse();
                match (pop, values.len()) {
                    (_, 0) => None,
                    (Pop::Mixed, 1) => values.pop(),
                    _ => Some(GValue::list(values)),
                }
            }
        }
    }
}

/// A long way is taken apart in a loop: left to itself it would be dropped object within object, as deep as it is long.
impl Drop for Trail {
    fn drop(&mut self) {
        let mut next = self.previous.take();
        while let Some(trail) = next {
            next = Arc::into_inner(trail).and_then(|mut only| only.previous.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_of_a_million_objects_is_dropped_without_a_million_frames() {
        let mut trail = None;
        for number in 0..1_000_000 {
            trail = Trail::push(trail, GValue::Int(number), &[]);
        }
        drop(trail);
    }

    #[test]
    fn labels_are_found_from_either_end() {
        let label: Vec<Arc<str>> = vec![Arc::from("a")];
        let first = Trail::push(None, GValue::Int(1), &label);
        let second = Trail::push(first, GValue::Int(2), &label);
        let select = |pop| Trail::select(second.as_deref(), "a", pop).unwrap();
        assert_eq!(select(Pop::First), GValue::Int(1));
        assert_eq!(select(Pop::Last), GValue::Int(2));
        assert_eq!(select(Pop::All), GValue::list([GValue::Int(1), GValue::Int(2)]));
        assert_eq!(Trail::select(second.as_deref(), "b", Pop::All), None);
    }
}
