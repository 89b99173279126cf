//! Objects: members in the order in which they were written.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};

use super::Value;

/// An object's members, in order. Look-up walks the list, which for the sizes of real objects beats hashing.
///
/// Two objects are equal if they have the same members, in whatever order.
#[derive(Clone, Debug, Default)]
pub struct Object {
    members: Vec<(String, Value)>,
}

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Object::default()
    }

    /// The value of the member `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.iter().find(|member| member.0 == name).map(|member| &member.1)
    }

    /// The value of the member `name`, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.members.iter_mut().find(|member| member.0 == name).map(|member| &mut member.1)
    }

    /// Gives the member `name` a value: in its place if it exists, else at the end. Returns the former value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let name = name.into();
        match self.get_mut(&name) {
            Some(slot) => Some(std::mem::replace(slot, value.into())),
            None => {
                self.members.push((name, value.into()));
                None
            }
        }
    }

    /// Appends a member whose name the caller knows to be new; a second member of one name would not be found.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.members.push((name.into(), value.into()));
    }

    /// Takes the member `name` out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let position = self.members.iter().position(|member| member.0 == name)?;
        Some(self.members.remove(position).1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.members.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members sorted by name: what comparison and equality go by.
    pub(crate) fn sorted(&self) -> Vec<&(String, Value)> {
        let mut members: Vec<_> = self.members.iter().collect();
        members.sort_by(|a, b| a.0.cmp(&b.0));
        members
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        // Written in the same order, as documents of one application are, no sorting is needed.
        self.len() == other.len() && (self.members == other.members || self.sorted() == other.sorted())
    }
}

impl Eq for Object {}

impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // A sum does not depend on the order of the members, as equality does not.
        let builder = BuildHasherDefault::<DefaultHasher>::default();
        let sum = self.members.iter().fold(0u64, |sum, member| sum.wrapping_add(builder.hash_one(member)));
        state.write_usize(self.members.len());
        state.write_u64(sum);
    }
}

impl From<Vec<(String, Value)>> for Object {
    /// The names must differ from each other.
    fn from(members: Vec<(String, Value)>) -> Self {
        Object { members }
    }
}

impl FromIterator<(String, Value)> for Object {
    /// The names must differ from each other.
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Object { members: members.into_iter().collect() }
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}
