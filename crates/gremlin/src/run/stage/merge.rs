//! `mergeV()` and `mergeE()`: what is looked for, and what is made of what is found or where nothing is.

use std::sync::Arc;

use super::super::nested::Nested;
use super::super::write::{check_key, check_label};
use super::super::{Context, RunError, Traverser, evaluation};
use super::merge_edge::EdgeMerge;
use super::{Boxed, each};
use crate::function::order::equals;
use crate::graph::{ElementKind, Lookup, LookupCondition, NewVertex, PropertyChange};
use crate::step::{HasKey, MergeArgument, Merging};
use crate::value::{Cardinality, Direction, GMap, GValue, Merge, P, T};

/// Most elements that are read at once while looking for those that fit.
const MAX_BATCH: usize = 1024;

/// `mergeV()`
pub(in crate::run) fn vertex<'r>(cx: &'r Context<'r>, merging: &'r Merging) -> Result<Boxed<'r>, RunError> {
    let mut parts = Parts::new(cx, merging, ElementKind::Vertex)?;
    Ok(merge(cx, move |traverser| {
        let criterion = parts.criterion(traverser)?;
        let found = look_up(cx, ElementKind::Vertex, &criterion)?;
        if !found.is_empty() {
            return parts.change_all(cx, traverser, found);
        }
        let wanted = parts.map_to_create(traverser, &criterion)?;
        let mut vertex = NewVertex { id: None, label: Arc::from("vertex"), properties: Vec::new() };
        for (key, value) in wanted.iter() {
            match key {
                GValue::String(name) if !is_id(cx, name) => vertex.properties.push(parts.created(name, value)),
                GValue::Constant(token) if *token == T::Label.into() => vertex.label = check_label(value)?,
                _ => vertex.id = Some(value.clone()),
            }
        }
        let added = GValue::Vertex(cx.graph.add_vertex(vertex)?);
        cx.elements.wrote(&added);
        Ok(vec![added])
    }))
}

/// `mergeE()`
pub(in crate::run) fn edge<'r>(cx: &'r Context<'r>, merging: &'r Merging) -> Result<Boxed<'r>, RunError> {
    let mut edges = EdgeMerge::new(cx, merging)?;
    Ok(merge(cx, move |traverser| edges.merge(traverser)))
}

/// Runs once for each of equal traversers, one after the other: what one creates the next finds.
fn merge<'r>(cx: &'r Context<'r>, mut work: impl FnMut(&Traverser) -> Result<Vec<GValue>, RunError> + 'r) -> Boxed<'r> {
    each(move |batch, out| {
        for mut traverser in batch {
            let times = std::mem::replace(&mut traverser.bulk, 1);
            for _ in 0..times {
                cx.check()?;
                out.extend(work(&traverser)?.into_iter().map(|element| cx.advance(&traverser, element)));
            }
        }
        Ok(())
    })
}

/// The maps of one step.
pub(super) struct Parts<'r> {
    kind: ElementKind,
    criterion: Argument<'r>,
    on_create: Option<(Argument<'r>, Option<Cardinality>)>,
    on_match: Option<(Argument<'r>, Option<Cardinality>)>,
}

/// Where a map comes from.
pub(super) enum Argument<'r> {
    Incoming,
    Fixed(GMap),
    Traversal(Box<Nested<'r>>),
}

impl<'r> Parts<'r> {
    /// Maps that are known are checked once and for all.
    pub fn new(cx: &'r Context<'r>, merging: &'r Merging, kind: ElementKind) -> Result<Self, RunError> {
        let ready = |option: &'r Option<(MergeArgument, Option<Cardinality>)>| {
            let ready = |(argument, cardinality): &'r (MergeArgument, _)| {
                Ok::<_, RunError>((Argument::new(cx, argument)?, *cardinality))
            };
            option.as_ref().map(ready).transpose()
        };
        let criterion = Argument::new(cx, &merging.criterion)?;
        let parts =
            Parts { kind, criterion, on_create: ready(&merging.on_create)?, on_match: ready(&merging.on_match)? };
        if let Argument::Fixed(map) = &parts.criterion {
            check(map, kind)?;
        }
        if let Some((Argument::Fixed(map), _)) = &parts.on_create {
            check(map, kind)?;
            if let Argument::Fixed(criterion) = &parts.criterion {
                check_no_overrides(criterion, map)?;
            }
        }
        if let Some((Argument::Fixed(map), _)) = &parts.on_match {
            check_changes(map)?;
        }
        Ok(parts)
    }

    /// What an element must have.
    pub fn criterion(&mut self, traverser: &Traverser) -> Result<GMap, RunError> {
        let map = self.criterion.map(traverser)?;
        check(&map, self.kind)?;
        Ok(map)
    }

    /// What a new element has: what was looked for, and what `onCreate` adds to it.
    pub fn map_to_create(&mut self, traverser: &Traverser, criterion: &GMap) -> Result<GMap, RunError> {
        let Some((argument, _)) = &mut self.on_create else { return Ok(criterion.clone()) };
        let mut map = argument.map(traverser)?;
        check(&map, self.kind)?;
        check_no_overrides(criterion, &map)?;
        map.extend(criterion.iter().map(|(key, value)| (key.clone(), value.clone())));
        Ok(map)
    }

    /// A property of a new element.
    fn created(&self, key: &Arc<str>, value: &GValue) -> PropertyChange {
        change(key, value, self.on_create.as_ref().and_then(|(_, cardinality)| *cardinality))
    }

    /// Changes what was found as `onMatch` says, which sees the element.
    pub fn change_all(
        &mut self,
        cx: &Context<'_>,
        traverser: &Traverser,
        found: Vec<GValue>,
    ) -> Result<Vec<GValue>, RunError> {
        let Some((argument, cardinality)) = &mut self.on_match else { return Ok(found) };
        let mut changed = Vec::with_capacity(found.len());
        for element in found {
            let map = argument.map(&traverser.at(element.clone()))?;
            check_changes(&map)?;
            let changes: Vec<PropertyChange> = map
                .iter()
                .filter_map(|(key, value)| match key {
                    GValue::String(name) => Some(change(name, value, *cardinality)),
                    _ => None,
                })
                .collect();
            if changes.is_empty() {
                changed.push(element);
                continue;
            }
            let element = cx.graph.change(&element, changes)?;
            cx.elements.wrote(&element);
            changed.push(element);
        }
        Ok(changed)
    }
}

impl<'r> Argument<'r> {
    pub fn new(cx: &'r Context<'r>, argument: &'r MergeArgument) -> Result<Self, RunError> {
        Ok(match argument {
            MergeArgument::Incoming => Argument::Incoming,
            MergeArgument::Map(map) => Argument::Fixed(GMap::clone(map)),
            MergeArgument::Null => Argument::Fixed(GMap::new()),
            MergeArgument::Traversal(traversal) => Argument::Traversal(Box::new(Nested::new(cx, traversal)?)),
        })
    }

    /// What it is for a traverser; null where there is nothing.
    pub fn value(&mut self, traverser: &Traverser) -> Result<GValue, RunError> {
        Ok(match self {
            Argument::Incoming => traverser.value.clone(),
            Argument::Fixed(map) => GValue::Map(Arc::new(map.clone())),
            Argument::Traversal(nested) => nested.first(traverser)?.unwrap_or_default(),
        })
    }

    fn map(&mut self, traverser: &Traverser) -> Result<GMap, RunError> {
        match self.value(traverser)? {
            GValue::Map(map) => Ok(Arc::unwrap_or_clone(map)),
            GValue::Null => Ok(GMap::new()),
            other => Err(evaluation(format!("a merge takes maps, and {} is none", other.kind()))),
        }
    }
}

/// The elements that have all of a map: id, label and properties.
pub(super) fn look_up(cx: &Context<'_>, kind: ElementKind, map: &GMap) -> Result<Vec<GValue>, RunError> {
    let id = map.iter().find(|(key, _)| names_id(cx, key)).map(|(_, value)| value);
    let mut found = Vec::new();
    if let Some(id) = id {
        let mut keys = super::super::head::keys(cx, std::slice::from_ref(id));
        let place = cx.graph.partition_property().and_then(|key| map.get(&GValue::from(key)));
        for key in &mut keys {
            key.partition = key.partition.take().or_else(|| place.cloned());
        }
        found.extend(cx.elements.by_keys(kind, &keys)?.into_iter().flatten());
    } else {
        let condition = |(key, value): (&GValue, &GValue)| match key {
            GValue::String(name) => Some((HasKey::Name(Arc::clone(name)), plain(value).clone())),
            GValue::Constant(token) if *token == T::Label.into() => {
                Some((HasKey::Token(T::Label), plain(value).clone()))
            }
            _ => None,
        };
        let has = map.iter().filter_map(condition).map(|(key, value)| LookupCondition::Has(key, P::equal(value)));
        let lookup = Lookup { kind, has: has.collect(), order: Vec::new(), limit: None };
        let mut stream = cx.graph.find(&lookup)?;
        let mut held = cx.held();
        loop {
            cx.check()?;
            let mut batch = stream.next_batch(MAX_BATCH)?;
            if batch.is_empty() {
                break;
            }
            batch.retain(|element| fits(cx, element, map));
            batch.iter().try_for_each(|element| held.grow_by_value(element))?;
            found.extend(batch);
        }
    }
    found.retain(|element| fits(cx, element, map));
    Ok(found)
}

/// Whether an element has the label and the properties of a map.
pub(super) fn fits(cx: &Context<'_>, element: &GValue, map: &GMap) -> bool {
    map.iter().all(|(key, wanted)| match key {
        GValue::String(name) if !is_id(cx, name) => {
            let names = [Some(Arc::clone(name))];
            let properties = crate::function::element::properties(element, Some(&names)).unwrap_or_default();
            let value = |property| crate::function::element::token(property, T::Value);
            properties.iter().filter_map(value).any(|value| equals(&value, plain(wanted)))
        }
        GValue::Constant(token) if *token == T::Label.into() => {
            crate::function::element::token(element, T::Label).is_some_and(|label| label == *wanted)
        }
        _ => true,
    })
}

/// The value without a cardinality.
fn plain(value: &GValue) -> &GValue {
    match value {
        GValue::CardinalityValue(_, value) => value,
        value => value,
    }
}

fn change(key: &Arc<str>, value: &GValue, cardinality: Option<Cardinality>) -> PropertyChange {
    let (cardinality, value) = match value {
        GValue::CardinalityValue(own, value) => (Some(*own), (**value).clone()),
        value => (cardinality, value.clone()),
    };
    PropertyChange { key: Arc::clone(key), value, cardinality, meta: Vec::new() }
}

fn names_id(cx: &Context<'_>, key: &GValue) -> bool {
    match key {
        GValue::String(name) => is_id(cx, name),
        GValue::Constant(token) => *token == T::Id.into(),
        _ => false,
    }
}

/// In a graph with a partition property, as the service has it, the property `id` is the id.
pub(super) fn is_id(cx: &Context<'_>, name: &str) -> bool {
    name == "id" && cx.graph.partition_property().is_some()
}

/// Refuses keys that name nothing here, and values that they cannot have.
fn check(map: &GMap, kind: ElementKind) -> Result<(), RunError> {
    let (step, tokens) = match kind {
        ElementKind::Vertex => ("mergeV", "[id, label]"),
        ElementKind::Edge => ("mergeE", "[id, label, IN, OUT]"),
    };
    for (key, value) in map {
        let shown = crate::io::text::of(key);
        let is_of_edge = [Direction::Out, Direction::In].iter().any(|direction| GValue::from(*direction) == *key);
        let is_token = *key == T::Id.into() || *key == T::Label.into() || is_of_edge && kind == ElementKind::Edge;
        match (key, value) {
            (GValue::String(name), _) => check_key(name)?,
            (_, GValue::Null) => {
                return Err(evaluation(format!("{step}() does not allow null Map values - check: {shown}")));
            }
            _ if !is_token => {
                return Err(evaluation(format!(
                    "{step}() and option(onCreate) args expect keys in Map to be either String or {tokens} - check: {shown}"
                )));
            }
            (_, GValue::String(_)) if *key == T::Label.into() => drop(check_label(value)?),
            (_, other) if *key == T::Label.into() => {
                return Err(evaluation(format!(
                    "{step}() and option(onCreate) args expect T.label value to be of String - found: {}",
                    other.kind()
                )));
            }
            (_, GValue::Constant(stand_in)) => {
                let (own, name) =
                    if *key == Direction::Out.into() { (Merge::OutV, "outV") } else { (Merge::InV, "inV") };
                if is_of_edge && *stand_in != own.into() {
                    return Err(evaluation(format!(
                        "Only Merge.{name} token may be used for Direction.{shown}, found: {}",
                        stand_in.name()
                    )));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Of what is found only properties change.
fn check_changes(map: &GMap) -> Result<(), RunError> {
    map.keys().try_for_each(|key| match key {
        GValue::String(name) => check_key(name),
        other => Err(evaluation(format!(
            "option(onMatch) expects keys in Map to be of String - check: {}",
            crate::io::text::of(other)
        ))),
    })
}

/// What was looked for is not made otherwise.
fn check_no_overrides(criterion: &GMap, create: &GMap) -> Result<(), RunError> {
    let differs = |(key, value): &(&GValue, &GValue)| criterion.get(*key).is_some_and(|wanted| wanted != *value);
    match create.iter().find(differs) {
        None => Ok(()),
        Some((key, value)) => Err(evaluation(format!(
            "option(onCreate) cannot override values from merge() argument: ({}, {})",
            crate::io::text::of(key),
            crate::io::text::of(value)
        ))),
    }
}
