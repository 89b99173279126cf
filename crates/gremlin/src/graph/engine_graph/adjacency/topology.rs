//! Vertices and edges of one moment, linked.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use foldhash::fast::RandomState;
use orrery_engine::ContainerSettings;
use orrery_value::KeyComponent;

use super::entry::{Entry, Life, Part};
use super::finds::{ByText, FIND_BYTES, Finds};
use super::names::Names;
use super::reached::Reached;
use crate::graph::ElementKind;
use crate::graph::document::{Plain, StoredValue};
use crate::graph::id_text;
use crate::value::{Edge, GValue, Vertex, VertexReference};

/// What an edge takes by the measure of the bound, besides its id: slot, both list entries, its number.
const EDGE_BYTES: usize = 184;
/// What a vertex takes besides its id and partition, each of which counts twice.
const NODE_BYTES: usize = 480;
/// Edge labels of one graph at the most: each list of a vertex is searched by label.
pub(super) const MAX_EDGE_LABELS: usize = 4_096;

/// Vertices and edges of one moment.
#[derive(Default)]
pub(in super::super) struct Topology {
    /// The number of the newest version that counts.
    head: u64,
    /// Everything that lives, by its version.
    living: HashMap<u64, Place, RandomState>,
    /// By partition and id.
    places: HashMap<Box<[u8]>, u32, RandomState>,
    nodes: Slab<Node>,
    node_names: Names,
    edges: Slab<EdgeSlot>,
    edge_names: Names,
    edge_labels: Vec<Arc<str>>,
    edge_label_numbers: HashMap<Arc<str>, u32, RandomState>,
    vertex_labels: HashSet<Arc<str>, RandomState>,
    text_bytes: usize,
    /// Nodes that are vertices.
    vertices: usize,
    /// What vertices with their properties take.
    loaded_bytes: AtomicUsize,
    finds: RwLock<Finds>,
    /// The key of the node that is looked for: most of them are here, and need none of their own.
    key: Vec<u8>,
}

/// Where the part of the graph is that a version is.
#[derive(Clone, Copy)]
enum Place {
    Vertex(u32),
    Edge(u32),
    Other,
}

/// A vertex, or the end of an edge that leads to none.
struct Node {
    reference: Arc<Vertex>,
    /// When it expires; none if there is no such vertex.
    life: Option<Life>,
    /// The vertex of this version with its properties, if somebody has read it.
    loaded: OnceLock<Loaded>,
    leaving: Vec<Fan>,
    entering: Vec<Fan>,
}

/// A vertex with its properties.
#[derive(Clone)]
pub(in super::super) struct Loaded {
    pub vertex: Arc<Vertex>,
    /// Length of its document.
    pub size_bytes: usize,
}

impl Loaded {
    /// About what it takes in memory: a property is some six times as long there as in its document.
    fn memory_bytes(&self) -> usize {
        6 * self.size_bytes
    }
}

/// Edges of one label at a vertex. Fans are sorted by label and never empty.
struct Fan {
    label: u32,
    halves: Vec<Half>,
}

/// An edge at one of its ends.
#[derive(Clone, Copy)]
struct Half {
    edge: u32,
    other: u32,
}

struct EdgeSlot {
    id: Arc<str>,
    label: u32,
    out_node: u32,
    in_node: u32,
    /// Its places in the two fans.
    out_at: u32,
    in_at: u32,
    life: Life,
}

/// An end of edges.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum End {
    /// Edges that leave.
    Leaving,
    /// Edges that enter.
    Entering,
}

/// Tells what has expired.
pub(in super::super) struct Alive<'a> {
    /// `None`: nothing ever expires.
    settings: Option<&'a ContainerSettings>,
    now: u64,
}

impl<'a> Alive<'a> {
    pub fn at(settings: &'a ContainerSettings, now: u64) -> Self {
        Alive { settings: settings.default_ttl.map(|_| settings), now }
    }

    fn lives(&self, life: Life) -> bool {
        self.settings.is_none_or(|settings| !life.is_over(settings, self.now))
    }
}

impl Topology {
    pub fn head(&self) -> u64 {
        self.head
    }

    /// How many versions live.
    pub fn count(&self) -> usize {
        self.living.len()
    }

    /// About how much memory it takes.
    pub fn size_bytes(&self) -> usize {
        self.nodes.len() * NODE_BYTES + self.edges.len() * EDGE_BYTES + self.text_bytes
    }

    /// About how much memory vertices with their properties and what was found take besides.
    pub fn loaded_bytes(&self) -> usize {
        let finds = self.finds.read().unwrap_or_else(PoisonError::into_inner);
        self.loaded_bytes.load(Ordering::Relaxed) + finds.size_bytes()
    }

    /// A vertex with its properties, if it exists and is here with them. The key is that of its partition property, if one places vertices.
    pub fn loaded(
        &self,
        partition: Option<&KeyComponent>,
        id: &str,
        alive: &Alive<'_>,
        scratch: &mut Vec<u8>,
    ) -> Option<&Loaded> {
        write_place(partition, id, scratch)?;
        let node = self.nodes.get(*self.places.get(&scratch[..])?)?;
        node.loaded.get().filter(|_| node.life.is_some_and(|life| alive.lives(life)))
    }

    /// Keeps a vertex with its properties, if it is of a version that lives and there is room.
    pub fn keep(&self, number: u64, loaded: Loaded, limit_bytes: usize) {
        let Some(Place::Vertex(node)) = self.living.get(&number) else { return };
        let bytes = loaded.memory_bytes();
        if self.loaded_bytes() + bytes > limit_bytes {
            return;
        }
        if self.nodes.get(*node).is_some_and(|node| node.loaded.set(loaded).is_ok()) {
            self.loaded_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Forgets the properties of all vertices and what was found.
    pub(super) fn unload(&mut self) {
        self.forget_found();
        self.nodes.slots.iter_mut().flatten().for_each(|node| drop(node.loaded.take()));
        *self.loaded_bytes.get_mut() = 0;
    }

    /// How many vertices there are, expired ones included.
    pub fn vertex_count(&self) -> u64 {
        self.vertices as u64
    }

    /// How many vertices or edges there are, if nothing of them can have expired.
    pub fn count_of(&self, kind: ElementKind, alive: &Alive<'_>) -> Option<u64> {
        let count = match kind {
            ElementKind::Vertex => self.vertices,
            ElementKind::Edge => self.edges.len(),
        };
        alive.settings.is_none().then_some(count as u64)
    }

    /// The vertices that exist.
    pub fn vertices<'t>(&'t self, alive: &'t Alive<'_>) -> impl Iterator<Item = &'t Arc<Vertex>> {
        let existing = |node: &&Node| node.life.is_some_and(|life| alive.lives(life));
        self.nodes.slots.iter().flatten().filter(existing).map(|node| &node.reference)
    }

    /// Whether it is one of the graphs that it is not made for.
    pub fn has_too_many_labels(&self) -> bool {
        self.edge_labels.len() > MAX_EDGE_LABELS
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.living.keys().copied()
    }

    /// Its moment is another one now.
    pub(super) fn set_head(&mut self, head: u64) {
        self.head = head;
    }

    /// Adds a version. Another one of the same item has been removed before.
    pub(super) fn insert(&mut self, entry: Entry) {
        let Entry { number, life, part } = entry;
        let place = match part {
            Part::Vertex(reference, properties) => {
                let node = self.node_of(&reference);
                self.finds_mut().note(node, &reference.label, &properties);
                let label = self.vertex_label(reference.label);
                self.unload_one(node);
                if let Some(vertex) = self.nodes.get_mut(node) {
                    self.vertices += usize::from(vertex.life.is_none());
                    vertex.life = Some(life);
                    if vertex.reference.label != label {
                        vertex.reference = Arc::new(Vertex { label, ..(*vertex.reference).clone() });
                    }
                }
                Place::Vertex(node)
            }
            Part::Edge(Edge { id, label, out_vertex, in_vertex, .. }) => {
                let (out_node, in_node) = (self.node_of(&out_vertex), self.node_of(&in_vertex));
                Place::Edge(self.link(&id, label, out_node, in_node, life))
            }
            Part::Other => Place::Other,
        };
        self.living.insert(number, place);
    }

    /// Takes a version out, if it is here.
    pub(super) fn remove(&mut self, number: u64) {
        match self.living.remove(&number) {
            Some(Place::Vertex(node)) => {
                self.unload_one(node);
                if let Some(vertex) = self.nodes.get_mut(node) {
                    self.vertices -= usize::from(vertex.life.is_some());
                    vertex.life = None;
                }
                self.drop_if_unused(node);
            }
            Some(Place::Edge(edge)) => self.unlink(edge),
            Some(Place::Other) | None => {}
        }
    }

    fn unload_one(&mut self, node: u32) {
        if let Some(loaded) = self.nodes.get_mut(node).and_then(|node| node.loaded.take()) {
            *self.loaded_bytes.get_mut() -= loaded.memory_bytes();
        }
    }

    /// The vertices that a look-up by a text has found before, with their properties where these are here, and maybe others; `None` if
    /// there was none, or if something can have expired.
    pub fn found<'t>(
        &'t self,
        by: ByText<'_>,
        alive: &Alive<'_>,
    ) -> Option<Vec<(&'t Arc<Vertex>, Option<&'t Loaded>)>> {
        let finds = self.finds.read().unwrap_or_else(PoisonError::into_inner);
        let found = finds.get(by).filter(|_| alive.settings.is_none())?;
        let existing = found.iter().filter_map(|at| self.nodes.get(*at)).filter(|node| node.life.is_some());
        Some(existing.map(|node| (&node.reference, node.loaded.get())).collect())
    }

    /// Keeps what a look-up by a text has found: all vertices of that text, as of the topology's moment or later, if there is room.
    pub fn keep_found(&self, by: ByText<'_>, vertices: &[VertexReference], limit_bytes: usize) {
        if self.loaded_bytes() + FIND_BYTES > limit_bytes {
            return;
        }
        let mut scratch = Vec::new();
        // One that is not here is newer than the topology, and comes with what is new.
        let nodes = vertices.iter().filter_map(|vertex| self.find(vertex, &mut scratch)).collect();
        self.finds.write().unwrap_or_else(PoisonError::into_inner).add(by, nodes);
    }

    /// The properties by which something was found.
    pub(super) fn found_keys(&self) -> Vec<Arc<str>> {
        self.finds.read().unwrap_or_else(PoisonError::into_inner).keys()
    }

    /// Forgets what was found.
    pub(super) fn forget_found(&mut self) {
        self.finds_mut().clear();
    }

    fn finds_mut(&mut self) -> &mut Finds {
        self.finds.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// What edge labels are called here, each once; those of no edge are left out.
    pub fn label_numbers(&self, labels: &[Arc<str>]) -> Vec<u32> {
        let mut numbers: Vec<u32> =
            labels.iter().filter_map(|label| self.edge_label_numbers.get(label)).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The node of a vertex or an end.
    pub fn find(&self, vertex: &VertexReference, scratch: &mut Vec<u8>) -> Option<u32> {
        write_key(vertex, scratch)?;
        self.places.get(&scratch[..]).copied()
    }

    /// The vertices that have this id, whatever their partitions, with their properties where these are here; `None` if there are too
    /// many to know.
    pub fn vertices_named<'t>(
        &'t self,
        id: &str,
        alive: &'t Alive<'_>,
    ) -> Option<impl Iterator<Item = (&'t Arc<Vertex>, Option<&'t Loaded>)>> {
        let places = self.node_names.find(id, |at| node_id(&self.nodes, at))?;
        let existing = |node: &&Node| node.life.is_some_and(|life| alive.lives(life));
        let nodes = places.into_iter().filter_map(|at| self.nodes.get(at));
        Some(nodes.filter(existing).map(|node| (&node.reference, node.loaded.get())))
    }

    /// A vertex that exists, as a reference.
    pub fn vertex(&self, vertex: &VertexReference, alive: &Alive<'_>, scratch: &mut Vec<u8>) -> Option<&Arc<Vertex>> {
        let node = self.nodes.get(self.find(vertex, scratch)?)?;
        node.life.is_some_and(|life| alive.lives(life)).then_some(&node.reference)
    }

    /// The vertices that the edges of this id leave, whose partitions are the edges'; `None` if there are too many to know.
    pub fn edges_named<'t>(&'t self, id: &str, alive: &'t Alive<'_>) -> Option<impl Iterator<Item = &'t Arc<Vertex>>> {
        let places = self.edge_names.find(id, |at| edge_id(&self.edges, at))?;
        let edges = places.into_iter().filter_map(|at| self.edges.get(at)).filter(|edge| alive.lives(edge.life));
        Some(edges.filter_map(|edge| self.nodes.get(edge.out_node)).map(|node| &node.reference))
    }

    /// Whether an edge of such an end is seen.
    fn is_edge_alive(&self, edge: u32, alive: &Alive<'_>) -> bool {
        alive.settings.is_none() || self.edges.get(edge).is_some_and(|edge| alive.lives(edge.life))
    }

    /// The edges at one end of a node, of these labels or all.
    pub fn edges(&self, node: u32, end: End, labels: Option<&[u32]>, alive: &Alive<'_>, into: &mut Vec<Arc<Edge>>) {
        self.each_fan(node, end, labels, |halves| {
            let living = halves.iter().filter(|half| self.is_edge_alive(half.edge, alive));
            into.reserve(halves.len());
            into.extend(living.filter_map(|half| self.edge(self.edges.get(half.edge)?)).map(Arc::new));
        });
    }

    /// Visits the vertices at the other ends, those that exist, with their properties where these are here.
    pub fn neighbors<'t>(
        &'t self,
        node: u32,
        end: End,
        labels: Option<&[u32]>,
        alive: &Alive<'_>,
        mut visit: impl FnMut(&'t Arc<Vertex>, Option<&'t Loaded>),
    ) {
        self.each_fan(node, end, labels, |halves| {
            let living = halves.iter().filter(|half| self.is_edge_alive(half.edge, alive));
            let others = living.filter_map(|half| self.nodes.get(half.other));
            let existing = others.filter(|other| other.life.is_some_and(|life| alive.lives(life)));
            existing.for_each(|other| visit(&other.reference, other.loaded.get()));
        });
    }

    /// The nodes at the other ends, as often as `count` says.
    pub fn reach(
        &self,
        node: u32,
        count: u64,
        end: End,
        labels: Option<&[u32]>,
        alive: &Alive<'_>,
        into: &mut Reached,
    ) {
        self.each_fan(node, end, labels, |halves| {
            let living = halves.iter().filter(|half| self.is_edge_alive(half.edge, alive));
            into.add(living.map(|half| half.other), count);
        });
    }

    /// Those of the nodes that are vertices, and how many times each was reached.
    pub fn existing(&self, reached: &Reached, alive: &Alive<'_>) -> Vec<(Arc<Vertex>, u64)> {
        let vertex = |(at, times): &(u32, u64)| {
            let node = self.nodes.get(*at)?;
            node.life.is_some_and(|life| alive.lives(life)).then(|| (node.reference.clone(), *times))
        };
        reached.nodes().iter().filter_map(vertex).collect()
    }

    fn each_fan(&self, node: u32, end: End, labels: Option<&[u32]>, mut visit: impl FnMut(&[Half])) {
        let Some(node) = self.nodes.get(node) else { return };
        let fans = match end {
            End::Leaving => &node.leaving,
            End::Entering => &node.entering,
        };
        let Some(labels) = labels else {
            fans.iter().for_each(|fan| visit(&fan.halves));
            return;
        };
        for number in labels {
            if let Ok(at) = fans.binary_search_by_key(number, |fan| fan.label) {
                visit(&fans[at].halves);
            }
        }
    }

    fn edge(&self, slot: &EdgeSlot) -> Option<Edge> {
        let end = |node| {
            let Vertex { id, label, partition, .. } = &*self.nodes.get(node)?.reference;
            Some(VertexReference { id: id.clone(), label: label.clone(), partition: partition.clone() })
        };
        Some(Edge {
            id: GValue::String(slot.id.clone()),
            label: self.edge_labels.get(slot.label as usize)?.clone(),
            out_vertex: end(slot.out_node)?,
            in_vertex: end(slot.in_node)?,
            properties: None,
        })
    }

    fn node_of(&mut self, vertex: &VertexReference) -> u32 {
        // An id or a partition without a stored form comes from no document.
        let _ = write_key(vertex, &mut self.key);
        if let Some(node) = self.places.get(&self.key[..]) {
            return *node;
        }
        let label = self.vertex_label(vertex.label.clone());
        let id = GValue::String(id_text(&vertex.id).unwrap_or_default());
        let reference = Arc::new(Vertex { id, label, ..vertex.to_vertex() });
        self.text_bytes += 2 * self.key.len();
        let node = self.nodes.insert(Node {
            reference,
            life: None,
            loaded: OnceLock::new(),
            leaving: Vec::new(),
            entering: Vec::new(),
        });
        self.node_names.insert(node_id(&self.nodes, node), node, |at| node_id(&self.nodes, at));
        self.places.insert(self.key[..].into(), node);
        node
    }

    fn drop_if_unused(&mut self, at: u32) {
        let Some(node) = self.nodes.get(at) else { return };
        if node.life.is_some() || !node.leaving.is_empty() || !node.entering.is_empty() {
            return;
        }
        let mut key = Vec::new();
        let Vertex { id, label, partition, .. } = (*node.reference).clone();
        let _ = write_key(&VertexReference { id, label, partition }, &mut key);
        self.places.remove(&key[..]);
        self.text_bytes = self.text_bytes.saturating_sub(2 * key.len());
        self.node_names.remove(node_id(&self.nodes, at), at);
        self.nodes.remove(at);
    }

    fn link(&mut self, id: &GValue, label: Arc<str>, out_node: u32, in_node: u32, life: Life) -> u32 {
        let id = id_text(id).unwrap_or_default();
        let label = self.edge_label(label);
        self.text_bytes += id.len();
        let edge = self.edges.insert(EdgeSlot { id, label, out_node, in_node, out_at: 0, in_at: 0, life });
        self.edge_names.insert(edge_id(&self.edges, edge), edge, |at| edge_id(&self.edges, at));
        let out_at = self.attach(out_node, End::Leaving, label, Half { edge, other: in_node });
        let in_at = self.attach(in_node, End::Entering, label, Half { edge, other: out_node });
        if let Some(slot) = self.edges.get_mut(edge) {
            (slot.out_at, slot.in_at) = (out_at, in_at);
        }
        edge
    }

    fn unlink(&mut self, edge: u32) {
        let Some(EdgeSlot { id, label, out_node, in_node, out_at, in_at, .. }) = self.edges.remove(edge) else {
            return;
        };
        self.text_bytes = self.text_bytes.saturating_sub(id.len());
        self.edge_names.remove(&id, edge);
        self.detach(out_node, End::Leaving, label, out_at);
        self.detach(in_node, End::Entering, label, in_at);
        self.drop_if_unused(out_node);
        self.drop_if_unused(in_node);
    }

    fn attach(&mut self, node: u32, end: End, label: u32, half: Half) -> u32 {
        let Some(node) = self.nodes.get_mut(node) else { return 0 };
        let fans = node.fans(end);
        let at = match fans.binary_search_by_key(&label, |fan| fan.label) {
            Ok(at) => at,
            Err(at) => {
                fans.insert(at, Fan { label, halves: Vec::new() });
                at
            }
        };
        fans[at].halves.push(half);
        u32::try_from(fans[at].halves.len() - 1).expect("the bound of memory comes first")
    }

    /// Takes a half out; the last one of its fan takes its place.
    fn detach(&mut self, node: u32, end: End, label: u32, at: u32) {
        let Some(node) = self.nodes.get_mut(node) else { return };
        let fans = node.fans(end);
        let Ok(fan_at) = fans.binary_search_by_key(&label, |fan| fan.label) else { return };
        let halves = &mut fans[fan_at].halves;
        halves.swap_remove(at as usize);
        let moved = halves.get(at as usize).map(|half| half.edge);
        if halves.is_empty() {
            fans.remove(fan_at);
        } else if halves.capacity() > 16 && halves.len() < halves.capacity() / 4 {
            halves.shrink_to(halves.len() * 2);
        }
        if let Some(slot) = moved.and_then(|edge| self.edges.get_mut(edge)) {
            match end {
                End::Leaving => slot.out_at = at,
                End::Entering => slot.in_at = at,
            }
        }
    }

    fn edge_label(&mut self, label: Arc<str>) -> u32 {
        if let Some(number) = self.edge_label_numbers.get(&label) {
            return *number;
        }
        let number = u32::try_from(self.edge_labels.len()).expect("the bound of labels comes first");
        self.edge_labels.push(label.clone());
        self.edge_label_numbers.insert(label, number);
        number
    }

    /// One text for all vertices of a label.
    fn vertex_label(&mut self, label: Arc<str>) -> Arc<str> {
        if let Some(known) = self.vertex_labels.get(&label) {
            return known.clone();
        }
        if self.vertex_labels.len() >= MAX_EDGE_LABELS {
            self.vertex_labels.clear();
        }
        self.vertex_labels.insert(label.clone());
        label
    }
}

impl Node {
    fn fans(&mut self, end: End) -> &mut Vec<Fan> {
        match end {
            End::Leaving => &mut self.leaving,
            End::Entering => &mut self.entering,
        }
    }
}

/// The id of a node, which [`Topology::node_of`] keeps as text.
fn node_id(nodes: &Slab<Node>, at: u32) -> &str {
    nodes.get(at).and_then(|node| node.reference.id.as_str()).unwrap_or_default()
}

fn edge_id(edges: &Slab<EdgeSlot>, at: u32) -> &str {
    edges.get(at).map_or("", |edge| &*edge.id)
}

/// Writes what tells a vertex from others; equal partitions of different classes are one. `None`: it is no vertex of a container.
fn write_key(vertex: &VertexReference, out: &mut Vec<u8>) -> Option<()> {
    out.clear();
    match &vertex.partition {
        None => out.push(0),
        Some(GValue::Null) => out.push(1),
        Some(GValue::String(text)) => write_text(text, out)?,
        Some(other) => match StoredValue::encode(other).ok()?.plain {
            Plain::Bool(truth) => out.extend_from_slice(&[2, u8::from(truth)]),
            Plain::Int(number) => write_number(number as f64, out),
            Plain::Float(number) => write_number(number, out),
            Plain::Text(text) => write_text(&text, out)?,
        },
    }
    match &vertex.id {
        GValue::String(id) => out.extend_from_slice(id.as_bytes()),
        other => out.extend_from_slice(id_text(other)?.as_bytes()),
    }
    Some(())
}

/// The same of a partition key and an id.
fn write_place(partition: Option<&KeyComponent>, id: &str, out: &mut Vec<u8>) -> Option<()> {
    out.clear();
    match partition {
        None | Some(KeyComponent::Undefined) => out.push(0),
        Some(KeyComponent::Null) => out.push(1),
        Some(KeyComponent::Bool(truth)) => out.extend_from_slice(&[2, u8::from(*truth)]),
        Some(KeyComponent::Number(number)) => write_number(*number, out),
        Some(KeyComponent::String(text)) => write_text(text, out)?,
    }
    out.extend_from_slice(id.as_bytes());
    Some(())
}

fn write_number(number: f64, out: &mut Vec<u8>) {
    out.push(3);
    out.extend_from_slice(&number.to_bits().to_be_bytes());
}

fn write_text(text: &str, out: &mut Vec<u8>) -> Option<()> {
    out.push(4);
    out.extend_from_slice(&u32::try_from(text.len()).ok()?.to_be_bytes());
    out.extend_from_slice(text.as_bytes());
    Some(())
}

/// Values at places that stay where they are; places of removed ones are used again, the first ones first, so that what is added to a
/// graph that was emptied comes in the order of its adding.
struct Slab<T> {
    slots: Vec<Option<T>>,
    free: BinaryHeap<Reverse<u32>>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { slots: Vec::new(), free: BinaryHeap::new() }
    }
}

impl<T> Slab<T> {
    fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn get(&self, at: u32) -> Option<&T> {
        self.slots.get(at as usize)?.as_ref()
    }

    fn get_mut(&mut self, at: u32) -> Option<&mut T> {
        self.slots.get_mut(at as usize)?.as_mut()
    }

    fn insert(&mut self, value: T) -> u32 {
        if let Some(Reverse(at)) = self.free.pop() {
            self.slots[at as usize] = Some(value);
            return at;
        }
        self.slots.push(Some(value));
        u32::try_from(self.slots.len() - 1).expect("the bound of memory comes first")
    }

    fn remove(&mut self, at: u32) -> Option<T> {
        let removed = self.slots.get_mut(at as usize)?.take();
        if removed.is_some() {
            self.free.push(Reverse(at));
        }
        removed
    }
}
