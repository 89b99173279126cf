//! Paths of indexes: `/a/b`, `/tags/[]` for every element of an array, `/tags/[]/name`.

use std::fmt;

use orrery_value::PropertyPath;

/// Deepest path that is indexed. What a document has below is found by scans alone.
pub const MAX_PATH_STEPS: usize = 32;

/// One step down a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// To a property of an object.
    Name(Box<str>),
    /// To any element of an array.
    Element,
}

/// A place in documents that has an index, or several places in composite indexes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct IndexPath(Vec<Step>);

impl IndexPath {
    /// A path of these steps.
    pub fn new(steps: Vec<Step>) -> Self {
        IndexPath(steps)
    }

    /// A path through objects only.
    pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        IndexPath(names.into_iter().map(|name| Step::Name(name.into())).collect())
    }

    /// Reads the form of indexing policies, without what ends it there (`/?`, `/*`); `[]` and `*` in between stand for elements.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let path = PropertyPath::parse(text).ok()?;
        let quoted = text.contains(['"', '\'']);
        let step = |name: &str| match name {
            "[]" | "*" if !quoted => Step::Element,
            name => Step::Name(name.into()),
        };
        Some(IndexPath(path.segments().iter().map(|name| step(name.as_str())).collect()))
    }

    /// The steps from the root down.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether the path leads through arrays, so that one item may have several values there.
    pub fn has_elements(&self) -> bool {
        self.0.contains(&Step::Element)
    }

    /// Appends the stored form: for each step 0, or the name's length plus one, two bytes, and the name.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for step in &self.0 {
            match step {
                Step::Element => out.extend_from_slice(&[0, 0]),
                Step::Name(name) => {
                    // Longer names are not indexed.
                    let length = u16::try_from(name.len() + 1).unwrap_or(u16::MAX);
                    out.extend_from_slice(&length.to_be_bytes());
                    out.extend_from_slice(name.as_bytes());
                }
            }
        }
    }

    /// Reads what [`write`](Self::write) wrote.
    pub(super) fn read(mut bytes: &[u8]) -> Option<Self> {
        let mut steps = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length));
            let (name, rest) = rest.split_at_checked(length.saturating_sub(1))?;
            steps.push(match length {
                0 => Step::Element,
                _ => Step::Name(std::str::from_utf8(name).ok()?.into()),
            });
            bytes = rest;
        }
        bytes.is_empty().then_some(IndexPath(steps))
    }
}

impl fmt::Display for IndexPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| match step {
            Step::Element => f.write_str("/[]"),
            Step::Name(name) => write!(f, "/{name}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_paths_are_read_and_stored_paths_come_back() {
        for (text, shown) in
            [("/a/b", "/a/b"), ("/tags/[]", "/tags/[]"), ("/tags/*/x", "/tags/[]/x"), ("/\"[]\"/é", "/[]/é"), ("", "")]
        {
            let path = IndexPath::parse(text).unwrap();
            assert_eq!(path.to_string(), shown);
            let mut bytes = Vec::new();
            path.write(&mut bytes);
            assert_eq!(IndexPath::read(&bytes), Some(path));
        }
        assert_eq!(IndexPath::parse("/\"[]\"").unwrap().steps(), [Step::Name("[]".into())]);
        assert!(IndexPath::read(&[0, 9, b'a']).is_none() && IndexPath::read(&[0]).is_none());
    }
}
