//! The paths of one index and their numbers: a tree that grows with the documents it meets.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::path::{IndexPath, Step};
use super::policy::{Composite, IndexPolicy, Verdict};

/// Paths of one container that are indexed. Documents may bring more; these are found by scans alone.
pub const MAX_PATHS: usize = 16_384;

/// Places in documents that are remembered, those on the way to indexed ones and excluded ones included.
const MAX_NODES: usize = 4 * MAX_PATHS;

/// Longest property name that is indexed.
pub const MAX_NAME_BYTES: usize = 1_024;

/// Number of a path in its index; 0 is no path.
pub(super) type PathId = u32;

/// The tree, for the one who extracts terms.
pub(super) struct Dictionary {
    policy: Arc<IndexPolicy>,
    nodes: Vec<PathNode>,
    /// What each number stands for, from 1 on.
    entries: Vec<PathEntry>,
    composites: Vec<(Composite, PathId)>,
    /// Versions of items that were indexed.
    versions: u64,
    is_full: bool,
    /// What was published last, and whether it lacks paths.
    published: Arc<PathIds>,
    has_new_paths: bool,
}

/// A place in documents.
#[derive(Default)]
struct PathNode {
    steps: Vec<Step>,
    verdict: Verdict,
    id: PathId,
    children: HashMap<Box<str>, u32, BuildHasherDefault<NameHasher>>,
    element: Option<u32>,
}

/// What a number stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathEntry {
    pub key: PathKey,
    /// Terms at the path since the index began, those of dead versions included.
    pub terms: u64,
}

/// What has an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathKey {
    /// One path.
    Single(IndexPath),
    /// Several paths together.
    Composite(Composite),
}

/// What queries know about the paths of an index.
#[derive(Clone, Debug, Default)]
pub(super) struct PathStats {
    pub ids: Arc<PathIds>,
    /// By number, from 1 on.
    pub terms: Vec<u64>,
    pub versions: u64,
    /// Some documents have paths that are not indexed, though the policy includes them.
    pub is_full: bool,
}

pub(super) type PathIds = HashMap<PathKey, PathId>;

/// A place in the tree.
#[derive(Clone, Copy)]
pub(super) struct NodeId(u32);

impl Dictionary {
    pub const ROOT: NodeId = NodeId(0);

    /// A dictionary that knows `entries` already, numbered from 1 on.
    pub fn new(policy: Arc<IndexPolicy>, entries: Vec<PathEntry>, versions: u64, is_full: bool) -> Self {
        let root = PathNode { verdict: Verdict { value: false, below: true }, ..PathNode::default() };
        let mut dictionary = Dictionary {
            nodes: vec![root],
            entries,
            composites: Vec::new(),
            versions,
            is_full,
            published: Arc::default(),
            has_new_paths: true,
            policy,
        };
        dictionary.restore();
        dictionary
    }

    fn restore(&mut self) {
        for (entry, id) in self.entries.clone().into_iter().zip(1..) {
            match entry.key {
                PathKey::Single(path) => {
                    let node = path.steps().iter().try_fold(Self::ROOT, |node, step| match step {
                        Step::Name(name) => self.child(node, name),
                        Step::Element => self.element(node),
                    });
                    if let Some(NodeId(node)) = node {
                        self.nodes[node as usize].id = id;
                    }
                }
                PathKey::Composite(composite) => self.composites.push((composite, id)),
            }
        }
        for composite in self.policy.clone().composites() {
            if !self.composites.iter().any(|(known, _)| known == composite)
                && let Some(id) = self.new_id(PathKey::Composite(composite.clone()))
            {
                self.composites.push((composite.clone(), id));
            }
        }
    }

    /// The property `name` of the objects at `parent`; `None` if nothing there or below is indexed.
    pub fn child(&mut self, parent: NodeId, name: &str) -> Option<NodeId> {
        if let Some(child) = self.nodes[parent.0 as usize].children.get(name) {
            return self.unless_excluded(NodeId(*child));
        }
        let node = self.new_node(parent, Step::Name(name.into()))?;
        self.nodes[parent.0 as usize].children.insert(name.into(), node.0);
        self.unless_excluded(node)
    }

    /// The elements of the arrays at `parent`.
    pub fn element(&mut self, parent: NodeId) -> Option<NodeId> {
        if let Some(element) = self.nodes[parent.0 as usize].element {
            return self.unless_excluded(NodeId(element));
        }
        let node = self.new_node(parent, Step::Element)?;
        self.nodes[parent.0 as usize].element = Some(node.0);
        self.unless_excluded(node)
    }

    fn unless_excluded(&self, node: NodeId) -> Option<NodeId> {
        let verdict = self.verdict(node);
        (verdict.value || verdict.below).then_some(node)
    }

    fn new_node(&mut self, parent: NodeId, step: Step) -> Option<NodeId> {
        let too_long = matches!(&step, Step::Name(name) if name.len() > MAX_NAME_BYTES);
        let mut steps = self.nodes[parent.0 as usize].steps.clone();
        steps.push(step);
        let verdict = self.policy.verdict(&steps);
        if too_long || self.nodes.len() >= MAX_NODES {
            self.is_full |= verdict.value || verdict.below;
            return None;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).expect("there are at most MAX_NODES"));
        self.nodes.push(PathNode { steps, verdict, ..PathNode::default() });
        Some(id)
    }

    /// What the policy says of a place.
    pub fn verdict(&self, node: NodeId) -> Verdict {
        self.nodes[node.0 as usize].verdict
    }

    /// Counts a term at a place and returns the number of its path; `None` if no path has room any more.
    pub fn count_term(&mut self, node: NodeId) -> Option<PathId> {
        let mut id = self.nodes[node.0 as usize].id;
        if id == 0 {
            let path = IndexPath::new(self.nodes[node.0 as usize].steps.clone());
            id = self.new_id(PathKey::Single(path))?;
            self.nodes[node.0 as usize].id = id;
        }
        self.count(id);
        Some(id)
    }

    /// Counts a term of a numbered path.
    pub fn count(&mut self, id: PathId) {
        self.entries[id as usize - 1].terms += 1;
    }

    /// Counts an indexed version.
    pub fn count_version(&mut self) {
        self.versions += 1;
    }

    pub fn composites(&self) -> &[(Composite, PathId)] {
        &self.composites
    }

    pub fn entries(&self) -> &[PathEntry] {
        &self.entries
    }

    pub fn versions(&self) -> u64 {
        self.versions
    }

    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// A copy for queries.
    pub fn publish(&mut self) -> PathStats {
        if std::mem::take(&mut self.has_new_paths) {
            let keys = self.entries.iter().map(|entry| entry.key.clone());
            self.published = Arc::new(keys.zip(1..).collect());
        }
        PathStats {
            ids: self.published.clone(),
            terms: self.entries.iter().map(|entry| entry.terms).collect(),
            versions: self.versions,
            is_full: self.is_full,
        }
    }

    fn new_id(&mut self, key: PathKey) -> Option<PathId> {
        if self.entries.len() >= MAX_PATHS {
            self.is_full = true;
            return None;
        }
        self.entries.push(PathEntry { key, terms: 0 });
        self.has_new_paths = true;
        PathId::try_from(self.entries.len()).ok()
    }
}

/// Hashes short names in a few cycles. The names of a container come from its own clients and are bounded in number.
#[derive(Default)]
struct NameHasher(u64);

impl Hasher for NameHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 = self.0.rotate_left(7) ^ u64::from(byte);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn everything() -> Arc<IndexPolicy> {
        let policy = json!({"indexingMode": "consistent", "includedPaths": [{"path": "/*"}]});
        Arc::new(IndexPolicy::compile(policy.as_object().unwrap()))
    }

    #[test]
    fn numbers_stay_when_a_dictionary_is_read_back() {
        let mut dictionary = Dictionary::new(everything(), Vec::new(), 0, false);
        let tags = dictionary.child(Dictionary::ROOT, "tags").unwrap();
        let element = dictionary.element(tags).unwrap();
        let name = dictionary.child(Dictionary::ROOT, "name").unwrap();
        assert_eq!([element, name, element].map(|node| dictionary.count_term(node)), [Some(1), Some(2), Some(1)]);

        let mut again = Dictionary::new(everything(), dictionary.entries().to_vec(), 3, false);
        let new = again.child(Dictionary::ROOT, "new").unwrap();
        let name = again.child(Dictionary::ROOT, "name").unwrap();
        assert_eq!([new, name].map(|node| again.count_term(node)), [Some(3), Some(2)]);
        let stats = again.publish();
        assert_eq!((stats.versions, &stats.terms[..]), (3, &[2, 2, 1][..]));
        assert_eq!(stats.ids[&PathKey::Single(IndexPath::parse("/tags/[]").unwrap())], 1);
    }

    #[test]
    fn paths_beyond_the_limit_are_left_out_and_said_to_be() {
        let mut dictionary = Dictionary::new(everything(), Vec::new(), 0, false);
        for number in 0..MAX_PATHS {
            let node = dictionary.child(Dictionary::ROOT, &format!("p{number}")).unwrap();
            assert!(dictionary.count_term(node).is_some());
        }
        assert!(!dictionary.is_full());
        let node = dictionary.child(Dictionary::ROOT, "one more").unwrap();
        assert_eq!(dictionary.count_term(node), None);
        assert!(dictionary.is_full());
        for number in 0..2 * MAX_NODES {
            dictionary.child(Dictionary::ROOT, &format!("q{number}"));
        }
        assert_eq!(dictionary.nodes.len(), MAX_NODES);
    }

    #[test]
    fn excluded_places_lead_nowhere() {
        let policy = json!({"indexingMode": "consistent", "includedPaths": [{"path": "/a/b/?"}], "excludedPaths": [{"path": "/*"}]});
        let policy = Arc::new(IndexPolicy::compile(policy.as_object().unwrap()));
        let mut dictionary = Dictionary::new(policy, Vec::new(), 0, false);
        assert!(dictionary.child(Dictionary::ROOT, "x").is_none());
        let a = dictionary.child(Dictionary::ROOT, "a").unwrap();
        assert!(!dictionary.verdict(a).value);
        assert!(dictionary.child(a, "c").is_none());
        let b = dictionary.child(a, "b").unwrap();
        assert!(dictionary.verdict(b).value);
        assert!(dictionary.child(Dictionary::ROOT, &"long".repeat(MAX_NAME_BYTES)).is_none());
        assert!(!dictionary.is_full(), "what is excluded is not missing");
    }
}
