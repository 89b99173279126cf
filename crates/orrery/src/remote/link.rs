//! Links: how a container is named in paths and signatures.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but the unreserved characters of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A container by the names it and its database have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerLink {
    /// Name of the database.
    pub database: String,
    /// Name of the container.
    pub container: String,
}

impl ContainerLink {
    /// The database's link, as it is signed.
    pub(super) fn database_link(&self) -> String {
        format!("dbs/{}", self.database)
    }

    /// The container's link, as it is signed.
    pub(super) fn link(&self) -> String {
        format!("dbs/{}/colls/{}", self.database, self.container)
    }

    /// The database's path in a URL.
    pub(super) fn database_path(&self) -> String {
        database_path_of(&self.database)
    }

    /// The container's path in a URL.
    pub(super) fn path(&self) -> String {
        format!("{}/colls/{}", self.database_path(), encode(&self.container))
    }

    /// An item's link, as it is signed.
    pub(super) fn item_link(&self, id: &str) -> String {
        format!("{}/docs/{id}", self.link())
    }

    /// An item's path in a URL.
    pub(super) fn item_path(&self, id: &str) -> String {
        format!("{}/docs/{}", self.path(), encode(id))
    }
}

/// The path of a database in a URL.
pub(super) fn database_path_of(database: &str) -> String {
    format!("/dbs/{}", encode(database))
}

fn encode(segment: &str) -> impl std::fmt::Display {
    utf8_percent_encode(segment, SEGMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_encoded_and_links_are_not() {
        let link = ContainerLink { database: "my db".into(), container: "ü+1".into() };
        assert_eq!(link.path(), "/dbs/my%20db/colls/%C3%BC%2B1");
        assert_eq!(link.link(), "dbs/my db/colls/ü+1");
        assert_eq!(link.item_path("50% a?"), "/dbs/my%20db/colls/%C3%BC%2B1/docs/50%25%20a%3F");
        assert_eq!(link.item_link("50% a?"), "dbs/my db/colls/ü+1/docs/50% a?");
    }
}
