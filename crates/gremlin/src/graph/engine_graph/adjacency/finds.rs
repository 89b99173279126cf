//! What look-ups of vertices by a text have found, so that the next one with the same text needs no index.
//!
//! A find is the list of all vertices that have a property with this text as one of its values, of one label or of any. It is filled from a
//! look-up of the engine that is no older than the topology, and from then on each vertex that is added to the topology is added to the
//! finds that it belongs to. Vertices that belong there no longer stay in the list: whoever reads it looks at each vertex anyway.

use std::collections::HashMap;
use std::sync::Arc;

use crate::value::{GValue, VertexProperty};

/// Vertices of a find at the most. To read more of them takes longer than to find them.
pub(in super::super) const MAX_FOUND: usize = 64;
/// What a find takes at the most, with its vertices and its text.
pub(super) const FIND_BYTES: usize = 1024;
/// Finds of one graph at the most.
const MAX_FINDS: usize = 16_384;
/// Length of a label and a text together at the most.
const MAX_TEXT_BYTES: usize = 256;
/// Properties that there are finds of at the most.
const MAX_KEYS: usize = 64;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ByText<'a> {
    /// Only vertices of this label.
    pub label: Option<&'a str>,
    /// A property.
    pub key: &'a str,
    /// One of its values.
    pub text: &'a str,
}

/// Finds of one topology.
#[derive(Default)]
pub(super) struct Finds {
    /// By property and then by [`name_of`].
    by_key: HashMap<Arc<str>, OfKey>,
    count: usize,
}

type OfKey = HashMap<Box<[u8]>, Vec<u32>>;

impl Finds {
    /// The vertices of a find, by their nodes, and others.
    pub fn get(&self, by: ByText<'_>) -> Option<&[u32]> {
        self.by_key.get(by.key)?.get(&name_of(by.label, by.text)?[..]).map(Vec::as_slice)
    }

    /// Adds a find. If there are too many, all others are forgotten.
    pub fn add(&mut self, ByText { label, key, text }: ByText<'_>, nodes: Vec<u32>) {
        let Some(name) = name_of(label, text).filter(|_| nodes.len() <= MAX_FOUND) else { return };
        if self.count >= MAX_FINDS || (self.by_key.len() >= MAX_KEYS && !self.by_key.contains_key(key)) {
            self.clear();
        }
        let added = self.by_key.entry(key.into()).or_default().insert(name, nodes);
        self.count += usize::from(added.is_none());
    }

    /// What they take in memory at the most.
    pub fn size_bytes(&self) -> usize {
        self.count * FIND_BYTES
    }

    /// The properties that there are finds of.
    pub fn keys(&self) -> Vec<Arc<str>> {
        let mut keys: Vec<_> = self.by_key.keys().cloned().collect();
        keys.sort_unstable();
        keys
    }

    /// Adds a vertex to the finds that it belongs to. `values` are those of the properties that there are finds of.
    pub fn note(&mut self, node: u32, label: &str, values: &[Arc<VertexProperty>]) {
        for property in values {
            let Some(finds) = self.by_key.get_mut(&property.label) else { continue };
            match &property.value {
                GValue::String(text) => {
                    let names = [name_of(None, text), name_of(Some(label), text)];
                    for name in names.into_iter().flatten() {
                        let Some(nodes) = finds.get_mut(&name) else { continue };
                        if nodes.contains(&node) {
                            continue;
                        }
                        if nodes.len() < MAX_FOUND {
                            nodes.push(node);
                        } else {
                            finds.remove(&name);
                            self.count -= 1;
                        }
                    }
                }
                value if is_no_text(value) => {}
                // It may or may not equal a text.
                _ => {
                    self.count -= finds.len();
                    finds.clear();
                }
            }
        }
    }

    pub fn clear(&mut self) {
        *self = Finds::default();
    }
}

/// What a find is known by within its property; `None` if it is too long.
fn name_of(label: Option<&str>, text: &str) -> Option<Box<[u8]>> {
    let label_bytes = label.map_or(0, str::len);
    if label_bytes + text.len() > MAX_TEXT_BYTES {
        return None;
    }
    let mut name = Vec::with_capacity(2 + label_bytes + text.len());
    if let Some(label) = label {
        // Fits, and is never that of no label.
        name.extend_from_slice(&(label.len() as u16 + 1).to_be_bytes());
        name.extend_from_slice(label.as_bytes());
    } else {
        name.extend_from_slice(&[0, 0]);
    }
    name.extend_from_slice(text.as_bytes());
    Some(name.into())
}

/// Whether a value equals no text for sure.
fn is_no_text(value: &GValue) -> bool {
    matches!(
        value,
        GValue::Bool(_)
            | GValue::Byte(_)
            | GValue::Short(_)
            | GValue::Int(_)
            | GValue::Long(_)
            | GValue::Float(_)
            | GValue::Double(_)
            | GValue::BigInteger(_)
            | GValue::BigDecimal(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(key: &str, value: impl Into<GValue>) -> Arc<VertexProperty> {
        let (id, label, value) = (1.into(), key.into(), value.into());
        Arc::new(VertexProperty { id, label, value, vertex: None, properties: None })
    }

    fn by<'a>(label: Option<&'a str>, key: &'a str, text: &'a str) -> ByText<'a> {
        ByText { label, key, text }
    }

    #[test]
    fn vertices_join_the_finds_that_they_belong_to() {
        let mut finds = Finds::default();
        finds.add(by(None, "code", "AUS"), vec![1]);
        finds.add(by(Some("airport"), "code", "AUS"), vec![1]);
        finds.add(by(Some("airport"), "code", "LHR"), Vec::new());
        finds.note(2, "airport", &[value("code", "AUS"), value("city", "LHR"), value("code", 7)]);
        finds.note(3, "city", &[value("code", "AUS"), value("code", "LHR")]);
        finds.note(2, "airport", &[value("code", "AUS")]);
        assert_eq!(finds.get(by(None, "code", "AUS")), Some(&[1, 2, 3][..]));
        assert_eq!(finds.get(by(Some("airport"), "code", "AUS")), Some(&[1, 2][..]));
        assert_eq!(finds.get(by(Some("airport"), "code", "LHR")), Some(&[][..]));
        assert_eq!(finds.get(by(None, "code", "LHR")), None);
        assert_eq!(finds.get(by(None, "city", "LHR")), None);
        finds.note(4, "airport", &[value("code", GValue::Char('A'))]);
        assert_eq!(finds.get(by(None, "code", "AUS")), None, "a character may be equal to a text");
    }

    #[test]
    fn finds_are_bounded() {
        let mut finds = Finds::default();
        finds.add(by(None, "code", &"x".repeat(MAX_TEXT_BYTES + 1)), Vec::new());
        finds.add(by(None, "code", "many"), vec![0; MAX_FOUND + 1]);
        assert_eq!(finds.count, 0);
        finds.add(by(None, "code", "full"), (0..MAX_FOUND as u32).collect());
        finds.note(1000, "airport", &[value("code", "full")]);
        assert_eq!((finds.get(by(None, "code", "full")), finds.count), (None, 0));
        for number in 0..=MAX_FINDS {
            finds.add(by(None, "code", &number.to_string()), Vec::new());
        }
        assert_eq!(finds.count, 1);
        (0..=MAX_KEYS).for_each(|number| finds.add(by(None, &number.to_string(), "text"), Vec::new()));
        assert!(finds.by_key.len() <= MAX_KEYS && finds.count <= MAX_KEYS);
    }
}
