//! A container's partition key definition: where its items carry their key, and how keys are hashed.

use super::{KeyComponent, PartitionKey, PartitionKeyError};
use crate::document::Document;
use crate::path::PropertyPath;

/// Most paths of a partition key.
pub const MAX_PATHS: usize = 3;

/// Longest key in bytes. The first hash version only hashes the first 100 characters of a string; the service documents 101 bytes
/// as its limit, and takes longer keys all the same.
const MAX_KEY_BYTES: usize = 2048;

/// How keys become places in the hash space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartitionKeyKind {
    /// The first hash, of 32 bits, of all values together: usually of one. What a definition without a version means.
    HashV1,
    /// The hash of 128 bits, of all values together.
    HashV2,
    /// Up to three paths, each hashed by itself, so that keys with a common prefix are neighbours.
    MultiHash,
}

impl PartitionKeyKind {
    /// The wire's `kind`.
    pub fn name(self) -> &'static str {
        match self {
            PartitionKeyKind::HashV1 | PartitionKeyKind::HashV2 => "Hash",
            PartitionKeyKind::MultiHash => "MultiHash",
        }
    }

    /// The wire's `version`.
    pub fn version(self) -> u8 {
        match self {
            PartitionKeyKind::HashV1 => 1,
            PartitionKeyKind::HashV2 | PartitionKeyKind::MultiHash => 2,
        }
    }

    fn parse(kind: &str, version: Option<u8>) -> Result<PartitionKeyKind, PartitionKeyError> {
        match (kind, version) {
            ("Hash", None | Some(1)) => Ok(PartitionKeyKind::HashV1),
            ("Hash", Some(2)) => Ok(PartitionKeyKind::HashV2),
            ("Hash", Some(version)) => Err(PartitionKeyError::UnknownVersion { kind: "Hash", version }),
            ("MultiHash", None | Some(2)) => Ok(PartitionKeyKind::MultiHash),
            ("MultiHash", Some(version)) => Err(PartitionKeyError::UnknownVersion { kind: "MultiHash", version }),
            _ => Err(PartitionKeyError::UnknownKind { kind: kind.to_owned() }),
        }
    }
}

/// A container's partition key definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionKeyDefinition {
    /// Where items carry the key's values. None in a container without a partition key: all of its items are one logical partition.
    pub paths: Vec<PropertyPath>,
    /// How keys are hashed.
    pub kind: PartitionKeyKind,
}

impl PartitionKeyDefinition {
    /// Checks a definition as it comes over the wire.
    ///
    /// # Errors
    /// [`PartitionKeyError::UnknownKind`], [`UnknownVersion`](PartitionKeyError::UnknownVersion),
    /// [`PathCount`](PartitionKeyError::PathCount) or [`PathNotAllowed`](PartitionKeyError::PathNotAllowed).
    pub fn try_new(
        kind: &str,
        version: Option<u8>,
        paths: Vec<PropertyPath>,
    ) -> Result<PartitionKeyDefinition, PartitionKeyError> {
        let kind = PartitionKeyKind::parse(kind, version)?;
        let is_multi = kind == PartitionKeyKind::MultiHash;
        let limit = MAX_PATHS;
        if paths.is_empty() && is_multi || paths.len() > limit {
            return Err(PartitionKeyError::PathCount { kind: kind.name(), found: paths.len(), limit });
        }
        for (i, path) in paths.iter().enumerate() {
            check_path(path, &paths[..i])?;
        }
        Ok(PartitionKeyDefinition { paths, kind })
    }

    /// The key of an item. Values that it lacks are undefined, and so are arrays and objects, as clients expect who send
    /// `[{}]` for them.
    ///
    /// # Errors
    /// [`PartitionKeyError::TooLong`].
    pub fn extract(&self, document: &Document<'_>) -> Result<PartitionKey, PartitionKeyError> {
        let key = PartitionKey(self.paths.iter().map(|path| extract_component(document, path)).collect());
        self.check_size(&key)?;
        Ok(key)
    }

    /// Whether a key has a value for every path and is not too long: what a request on one item must bring.
    ///
    /// # Errors
    /// [`PartitionKeyError::ComponentCount`] or [`PartitionKeyError::TooLong`].
    pub fn check(&self, key: &PartitionKey) -> Result<(), PartitionKeyError> {
        if key.0.len() != self.paths.len() {
            return Err(PartitionKeyError::ComponentCount { found: key.0.len(), expected: self.paths.len() });
        }
        self.check_size(key)
    }

    /// Whether a key has no more values than there are paths and is not too long: what a query may bring. Only hierarchical keys have
    /// prefixes that say where items are.
    ///
    /// # Errors
    /// [`PartitionKeyError::ComponentCount`] or [`PartitionKeyError::TooLong`].
    pub fn check_prefix(&self, key: &PartitionKey) -> Result<(), PartitionKeyError> {
        if key.0.len() > self.paths.len() || !self.is_prefix(key) {
            return Err(PartitionKeyError::ComponentCount { found: key.0.len(), expected: self.paths.len() });
        }
        self.check_size(key)
    }

    /// Whether all items whose keys begin with these values are in one place.
    pub fn is_prefix(&self, key: &PartitionKey) -> bool {
        self.kind == PartitionKeyKind::MultiHash || key.0.is_empty() || key.0.len() >= self.paths.len()
    }

    fn check_size(&self, key: &PartitionKey) -> Result<(), PartitionKeyError> {
        let (size_bytes, limit_bytes) = (key.size_bytes(), MAX_KEY_BYTES);
        if size_bytes > limit_bytes {
            return Err(PartitionKeyError::TooLong { size_bytes, limit_bytes });
        }
        Ok(())
    }
}

fn extract_component(document: &Document<'_>, path: &PropertyPath) -> KeyComponent {
    let node = document.root().at_path(path);
    node.and_then(|node| KeyComponent::from_node(&node)).unwrap_or(KeyComponent::Undefined)
}

fn check_path(path: &PropertyPath, earlier: &[PropertyPath]) -> Result<(), PartitionKeyError> {
    let refuse = |reason| Err(PartitionKeyError::PathNotAllowed { path: path.to_string(), reason });
    let Some(first) = path.segments().first() else {
        return refuse("it names no property");
    };
    if crate::document::is_system_property(first.as_str()) {
        return refuse("the server sets this property");
    }
    if earlier.contains(path) {
        return refuse("it is there twice");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::NewDocument;

    fn define(kind: &str, version: Option<u8>, paths: &[&str]) -> Result<PartitionKeyDefinition, PartitionKeyError> {
        let paths = paths.iter().map(|path| PropertyPath::parse(path).unwrap()).collect();
        PartitionKeyDefinition::try_new(kind, version, paths)
    }

    #[test]
    fn kinds_and_versions_combine_as_in_the_service() {
        assert_eq!(define("Hash", None, &["/a"]).unwrap().kind, PartitionKeyKind::HashV1);
        assert_eq!(define("Hash", Some(2), &["/a"]).unwrap().kind, PartitionKeyKind::HashV2);
        assert_eq!(define("MultiHash", None, &["/a", "/b/c"]).unwrap().kind, PartitionKeyKind::MultiHash);
        assert!(matches!(define("MultiHash", Some(1), &["/a"]), Err(PartitionKeyError::UnknownVersion { .. })));
        assert!(matches!(define("Range", None, &["/a"]), Err(PartitionKeyError::UnknownKind { .. })));
        assert_eq!(define("Hash", None, &[]).unwrap().paths, []);
        assert_eq!(define("Hash", None, &["/a", "/b"]).unwrap().paths.len(), 2);
        let four = define("Hash", None, &["/a", "/b", "/c", "/d"]);
        assert!(matches!(four, Err(PartitionKeyError::PathCount { limit: 3, .. })));
        let four = define("MultiHash", None, &["/a", "/b", "/c", "/d"]).unwrap_err().to_string();
        assert!(four.starts_with("Too many partition key paths: "), "{four}");
        let none = define("MultiHash", None, &[]).unwrap_err().to_string();
        assert!(none.starts_with("a partition key of kind MultiHash"), "{none}");
        assert!(matches!(define("MultiHash", None, &[]), Err(PartitionKeyError::PathCount { found: 0, .. })));
        for paths in [&["/_ts"][..], &["/a", "/a"], &[""]] {
            assert!(matches!(define("MultiHash", None, paths), Err(PartitionKeyError::PathNotAllowed { .. })));
        }
    }

    #[test]
    fn keys_are_extracted_by_path() {
        let definition = define("MultiHash", None, &["/t", "/a/b", "/n"]).unwrap();
        let extract = |json: &str| definition.extract(&NewDocument::from_json(json.as_bytes()).unwrap().document());
        assert_eq!(extract(r#"{"t":"x\n","a":{"b":1.50},"n":null}"#).unwrap().to_json(), r#"["x\n",1.5,null]"#);
        assert_eq!(extract(r#"{"a":{"c":1},"n":true}"#).unwrap().to_json(), r#"[{},{},true]"#);
        assert_eq!(extract(r#"{"a":[1]}"#).unwrap().to_json(), r#"[{},{},{}]"#);
        assert_eq!(extract(r#"{"n":[1],"a":{"b":{}}}"#).unwrap().to_json(), r#"[{},{},{}]"#);
    }

    #[test]
    fn long_and_short_keys_are_refused() {
        let key = |n: usize| PartitionKey::from_iter(["a".repeat(n)]);
        let v2 = define("Hash", Some(2), &["/a"]).unwrap();
        assert_eq!(v2.check(&key(2048)), Ok(()));
        assert!(v2.check(&key(2049)).is_err());
        let two = define("MultiHash", None, &["/a", "/b"]).unwrap();
        assert_eq!(two.check(&key(1)), Err(PartitionKeyError::ComponentCount { found: 1, expected: 2 }));
        assert_eq!(two.check_prefix(&key(1)), Ok(()));
    }
}
