//! Elements by what they are like: plans of the engine, read page by page.

use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use orrery_engine::query::{Aggregate, AggregateFunction, Body, Expr, From, Grouping, Plan, Predicate, ScopeTaken};
use orrery_engine::{Item, PageRequest, Query, Scope};

use super::adjacency::{ByText, Loaded, MAX_FOUND};
use super::condition::{Conditions, item};
use super::elements::Named;
use super::error::graph_error;
use super::usage::Reading;
use super::{Alive, EngineGraph, GraphError};
use crate::function::order::total_order;
use crate::graph::{ElementKind, ElementStream, Lookup, LookupCondition, id_text};
use crate::step::HasKey;
use crate::value::{Comparison, GValue, Order, P, T, Vertex};

/// Items of a page at the most.
const PAGE_ITEMS: usize = 1_000;
/// Elements that one look-up sorts at the most.
const MAX_SORTED_ELEMENTS: usize = 100_000;
/// Vertices that one look-up holds the places of at the most.
const MAX_LISTED_VERTICES: u64 = 100_000;

impl EngineGraph {
    pub(super) fn look_up(&self, lookup: &Lookup) -> Result<Box<dyn ElementStream + '_>, GraphError> {
        let is_sorted = !lookup.order.is_empty();
        if !is_sorted && let Some(listed) = self.listed(lookup)? {
            return Ok(Box::new(Listed { graph: self, kind: lookup.kind, places: listed.into() }));
        }
        if !is_sorted
            && lookup.limit.is_none()
            && let Some(by) = by_text(lookup)
            && let Some(current) = self.current()?
        {
            let head = current.topology().head();
            drop(current);
            return self.found_by_text(lookup, by, head);
        }
        let conditions = Conditions::of(&self.layout, lookup);
        let limit = lookup.limit.filter(|_| conditions.is_exact && !is_sorted);
        let mut found = Found { kind: lookup.kind, pages: Pages::new(self, conditions.filter, limit) };
        if !is_sorted {
            return Ok(Box::new(found));
        }
        let mut all = Vec::new();
        loop {
            let batch = found.next_batch(PAGE_ITEMS)?;
            if batch.is_empty() {
                break;
            }
            all.extend(batch);
            if all.len() > MAX_SORTED_ELEMENTS {
                let message = format!("more than {MAX_SORTED_ELEMENTS} elements are to be sorted: narrow the look-up");
                return Err(GraphError::OverBudget { message });
            }
        }
        all.sort_by(|one, two| in_order(one, two, &lookup.order));
        Ok(Box::new(Sorted(all.into())))
    }

    /// Asks the index, and keeps what it says for the next time. `head` is a moment of the topology that is past.
    fn found_by_text(
        &self,
        lookup: &Lookup,
        by: ByText<'_>,
        head: u64,
    ) -> Result<Box<dyn ElementStream + '_>, GraphError> {
        let mut pages = Pages::new(self, Conditions::of(&self.layout, lookup).filter, None);
        let (mut read, mut ahead) = (Vec::new(), VecDeque::new());
        while ahead.len() <= MAX_FOUND {
            let Some(items) = pages.next(MAX_FOUND + 1)? else {
                let reference = |element: &GValue| match element {
                    GValue::Vertex(vertex) => Some(vertex.reference()),
                    _ => None,
                };
                let vertices: Vec<_> = ahead.iter().filter_map(reference).collect();
                self.adjacency.keep(read);
                self.adjacency.keep_found(head, by, &vertices);
                return Ok(Box::new(Ahead { first: ahead, rest: None }));
            };
            for item in &items {
                let Some(element) = self.element_of(lookup.kind, item) else { continue };
                if let GValue::Vertex(vertex) = &element {
                    read.push((item.lsn(), Loaded { vertex: vertex.clone(), size_bytes: item.size_bytes() }));
                }
                ahead.push_back(element);
            }
        }
        // Too many to be kept.
        Ok(Box::new(Ahead { first: ahead, rest: Some(Found { kind: lookup.kind, pages }) }))
    }

    pub(super) fn count_of(&self, lookup: &Lookup) -> Result<Option<u64>, GraphError> {
        if lookup.has.is_empty()
            && let Some(current) = self.current()?
        {
            let settings = self.container.settings();
            let alive = Alive::at(&settings, self.engine.unix_seconds());
            if let Some(count) = current.topology().count_of(lookup.kind, &alive) {
                self.tally.neighbors(0, 0);
                return Ok(Some(count));
            }
        }
        let conditions = Conditions::of(&self.layout, lookup);
        if !conditions.is_exact {
            return Ok(None);
        }
        let count = Aggregate { function: AggregateFunction::Count, argument: item("id") };
        let grouping = Grouping { keys: Vec::new(), aggregates: vec![count] };
        let body = Body {
            filter: Some(Predicate::new(conditions.filter)),
            grouping: Some(grouping),
            ..Body::of(Expr::Aggregate(0))
        };
        let plan = Plan { from: From::Items, body, order: Vec::new(), ranking: None, offset: 0, limit: None };
        let query = Query::new(plan, 0);
        let request = PageRequest::new(1, None);
        let page = self.engine.query(&self.container, &Scope::Container, &query, &request);
        let page = self.waiting.read(page)?.map_err(graph_error)?;
        let reading = self.reading(page.charge_ru, page.metrics.scope, false);
        self.tally.page(true, &reading, &[]);
        let count = page.rows.first().and_then(|row| std::str::from_utf8(row).ok()).and_then(|row| row.parse().ok());
        Ok(count)
    }

    /// All elements that may fit, if where these are is in memory: those of known ids, or all vertices.
    fn listed(&self, lookup: &Lookup) -> Result<Option<Places>, GraphError> {
        match (known_ids(lookup), lookup.kind) {
            (Some(ids), kind) => {
                let names: Vec<&str> = ids.iter().map(|id| &**id).collect();
                let Some(named) = self.named(kind, &names)? else { return Ok(None) };
                let of_id = |(id, named): (Arc<str>, Vec<Named>)| {
                    named.into_iter().map(move |named| (id.clone(), named)).collect::<Vec<_>>()
                };
                Ok(Some(ids.into_iter().zip(named).flat_map(of_id).collect()))
            }
            (None, ElementKind::Vertex) if lookup.has.is_empty() => self.all_vertices(),
            (None, ElementKind::Vertex) => match by_text(lookup) {
                Some(by) => self.found_before(by),
                None => Ok(None),
            },
            (None, ElementKind::Edge) => Ok(None),
        }
    }

    /// The vertices that an earlier look-up by the same text has found, and what came since.
    fn found_before(&self, by: ByText<'_>) -> Result<Option<Places>, GraphError> {
        let Some(current) = self.current()? else { return Ok(None) };
        let settings = self.container.settings();
        let alive = Alive::at(&settings, self.engine.unix_seconds());
        let Some(found) = current.topology().found(by, &alive) else { return Ok(None) };
        let place = |(vertex, loaded): (&Arc<Vertex>, Option<&Loaded>)| {
            let id = id_text(&vertex.id)?;
            let key = self.key_of(&id, vertex.partition.as_ref())?;
            Some((id, Named { key, loaded: loaded.cloned() }))
        };
        self.tally.neighbors(0, 0);
        Ok(found.into_iter().map(place).collect())
    }

    /// All vertices, if they are in memory: a scan of the store would read all edges too.
    fn all_vertices(&self) -> Result<Option<Places>, GraphError> {
        let Some(current) = self.current()? else { return Ok(None) };
        let settings = self.container.settings();
        let alive = Alive::at(&settings, self.engine.unix_seconds());
        let topology = current.topology();
        if topology.vertex_count() > MAX_LISTED_VERTICES {
            return Ok(None);
        }
        let named = |vertex: &Arc<Vertex>| {
            let id = id_text(&vertex.id)?;
            let key = self.key_of(&id, vertex.partition.as_ref())?;
            Some((id, Named { key, loaded: None }))
        };
        Ok(topology.vertices(&alive).map(named).collect())
    }

    /// Brings a function to all items that a filter keeps.
    pub(super) fn each_item(
        &self,
        filter: Expr,
        mut visit: impl FnMut(&Item) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let mut pages = Pages::new(self, filter, None);
        while let Some(items) = pages.next(PAGE_ITEMS)? {
            items.iter().try_for_each(&mut visit)?;
        }
        Ok(())
    }

    fn reading(&self, charge_ru: f64, scope: ScopeTaken, by_index: bool) -> Reading {
        let partitions = match scope {
            ScopeTaken::Nothing => 0,
            ScopeTaken::Point | ScopeTaken::Partition | ScopeTaken::Prefix => 1,
            ScopeTaken::Ranges => self.container.partitions().ranges().len() as u64,
        };
        Reading { charge_ru, partitions, by_index }
    }
}

/// The items of a filter, page by page.
struct Pages<'g> {
    graph: &'g EngineGraph,
    query: Query,
    continuation: Option<String>,
    is_begun: bool,
}

impl<'g> Pages<'g> {
    fn new(graph: &'g EngineGraph, filter: Expr, limit: Option<u64>) -> Self {
        let body = Body { filter: Some(Predicate::new(filter)), ..Body::of(Expr::Source(0)) };
        let plan = Plan { from: From::Items, body, order: Vec::new(), ranking: None, offset: 0, limit };
        // Its continuations do not leave this request.
        Pages { graph, query: Query::new(plan, 0), continuation: None, is_begun: false }
    }

    /// A page, which may be empty; none at the end.
    fn next(&mut self, most: usize) -> Result<Option<Vec<Item>>, GraphError> {
        if self.is_begun && self.continuation.is_none() {
            return Ok(None);
        }
        let graph = self.graph;
        let request = PageRequest::new(most.clamp(1, PAGE_ITEMS), self.continuation.take());
        let page = graph.engine.query_items(&graph.container, &Scope::Container, &self.query, &request);
        let page = graph.waiting.read(page)?.map_err(graph_error)?;
        let scope = if page.items.is_empty() { ScopeTaken::Point } else { ScopeTaken::Ranges };
        graph.tally.page(!self.is_begun, &graph.reading(page.charge_ru, scope, true), &page.items);
        self.continuation = page.continuation;
        self.is_begun = true;
        Ok(Some(page.items))
    }
}

/// Elements in the order of the store.
struct Found<'g> {
    kind: ElementKind,
    pages: Pages<'g>,
}

impl ElementStream for Found<'_> {
    fn next_batch(&mut self, most: usize) -> Result<Vec<GValue>, GraphError> {
        while let Some(items) = self.pages.next(most)? {
            let graph = self.pages.graph;
            let elements: Vec<_> = items.iter().filter_map(|item| graph.element_of(self.kind, item)).collect();
            if !elements.is_empty() {
                return Ok(elements);
            }
        }
        Ok(Vec::new())
    }
}

/// Elements by id.
type Places = Vec<(Arc<str>, Named)>;

/// Elements that are known by partition and id; those that are gone meanwhile are left out.
struct Listed<'g> {
    graph: &'g EngineGraph,
    kind: ElementKind,
    places: VecDeque<(Arc<str>, Named)>,
}

impl ElementStream for Listed<'_> {
    fn next_batch(&mut self, most: usize) -> Result<Vec<GValue>, GraphError> {
        while !self.places.is_empty() {
            let count = most.clamp(1, PAGE_ITEMS).min(self.places.len());
            let batch: Places = self.places.drain(..count).collect();
            let missing = batch.iter().filter(|(_, named)| named.loaded.is_none());
            let missing: Vec<_> = missing.map(|(id, named)| (named.key.clone(), &**id)).collect();
            let mut read = self.graph.elements_at(self.kind, &missing)?.into_iter();
            let mut sizes = Vec::new();
            let mut element = |named: &Named| match &named.loaded {
                Some(loaded) => {
                    sizes.push(Some(loaded.size_bytes));
                    Some(GValue::Vertex(loaded.vertex.clone()))
                }
                None => read.next().flatten(),
            };
            let found: Vec<GValue> = batch.iter().filter_map(|(_, named)| element(named)).collect();
            self.graph.tally.points(&sizes);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }
}

/// The ids that elements must have one of, each once, if a condition names them.
fn known_ids(lookup: &Lookup) -> Option<Vec<Arc<str>>> {
    let ids = lookup.has.iter().find_map(|condition| match condition {
        LookupCondition::Has(HasKey::Token(T::Id), P::Compare(Comparison::Equal, id)) => Some(std::slice::from_ref(id)),
        LookupCondition::Has(HasKey::Token(T::Id), P::Within(ids)) => Some(&ids[..]),
        _ => None,
    })?;
    let mut seen = HashSet::new();
    Some(ids.iter().filter_map(id_text).filter(|id| seen.insert(id.clone())).collect())
}

/// Elements that were read before, and then those of pages.
struct Ahead<'g> {
    first: VecDeque<GValue>,
    rest: Option<Found<'g>>,
}

impl ElementStream for Ahead<'_> {
    fn next_batch(&mut self, most: usize) -> Result<Vec<GValue>, GraphError> {
        match &mut self.rest {
            Some(rest) if self.first.is_empty() => rest.next_batch(most),
            _ => Ok(self.first.drain(..most.min(self.first.len())).collect()),
        }
    }
}

/// The text that a look-up of vertices is for, if it is for one property with one text, and a label at the most.
fn by_text(lookup: &Lookup) -> Option<ByText<'_>> {
    if lookup.kind != ElementKind::Vertex {
        return None;
    }
    let text_of = |condition| match condition {
        &LookupCondition::Has(ref key, P::Compare(Comparison::Equal, GValue::String(ref text))) => Some((key, &**text)),
        _ => None,
    };
    let texts: Vec<_> = lookup.has.iter().map(text_of).collect::<Option<_>>()?;
    let (label, (key, text)) = match texts[..] {
        [property] => (None, property),
        [(HasKey::Token(T::Label), label), property] | [property, (HasKey::Token(T::Label), label)] => {
            (Some(label), property)
        }
        _ => return None,
    };
    match key {
        HasKey::Name(key) => Some(ByText { label, key, text }),
        HasKey::Token(_) => None,
    }
}

/// Elements that were sorted before.
struct Sorted(VecDeque<GValue>);

impl ElementStream for Sorted {
    fn next_batch(&mut self, most: usize) -> Result<Vec<GValue>, GraphError> {
        let count = most.min(self.0.len());
        Ok(self.0.drain(..count).collect())
    }
}

/// By the first value of each property; elements without one come first.
fn in_order(one: &GValue, two: &GValue, by: &[(Arc<str>, Order)]) -> Ordering {
    let compare = |(key, order): &(Arc<str>, Order)| {
        let ascending = match (first_value(one, key), first_value(two, key)) {
            (Some(one), Some(two)) => total_order(one, two),
            (one, two) => one.is_some().cmp(&two.is_some()),
        };
        if *order == Order::Desc { ascending.reverse() } else { ascending }
    };
    by.iter().map(compare).find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}

fn first_value<'e>(element: &'e GValue, key: &str) -> Option<&'e GValue> {
    match element {
        GValue::Vertex(vertex) => {
            vertex.properties.iter().flatten().find(|property| &*property.label == key).map(|property| &property.value)
        }
        GValue::Edge(edge) => {
            edge.properties.iter().flatten().find(|property| &*property.key == key).map(|property| &property.value)
        }
        _ => None,
    }
}
