//! How clients name a graph: by the link of its container, or as `database.graph`.

use std::sync::Arc;

use orrery_engine::{Container, Engine};

/// A graph's place in the account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct GraphName {
    pub database: Arc<str>,
    pub graph: Arc<str>,
}

impl GraphName {
    /// Reads `/dbs/<database>/colls/<graph>`, with or without the first slash.
    pub fn from_link(text: &str) -> Option<GraphName> {
        let mut segments = text.trim().trim_matches('/').split('/');
        let place = (segments.next(), segments.next(), segments.next(), segments.next(), segments.next());
        match place {
            (Some("dbs"), Some(database), Some("colls"), Some(graph), None)
                if !database.is_empty() && !graph.is_empty() =>
            {
                Some(GraphName { database: database.into(), graph: graph.into() })
            }
            _ => None,
        }
    }

    /// The container, if it exists.
    pub fn find(&self, engine: &Engine) -> Option<Arc<Container>> {
        engine.container(&self.database, &self.graph).ok()
    }

    /// Finds the graph that an alias stands for: a link, or `database.graph`, where either may have dots of its own.
    pub fn from_alias(text: &str, engine: &Engine) -> Option<GraphName> {
        if let Some(name) = GraphName::from_link(text) {
            return Some(name);
        }
        text.match_indices('.')
            .map(|(at, _)| GraphName { database: text[..at].into(), graph: text[at + 1..].into() })
            .find(|name| name.find(engine).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_name_graphs_and_other_names_do_not() {
        let name = GraphName { database: "db".into(), graph: "people".into() };
        for link in ["/dbs/db/colls/people", "dbs/db/colls/people", "/dbs/db/colls/people/"] {
            assert_eq!(GraphName::from_link(link), Some(name.clone()), "{link}");
        }
        for other in ["", "stephen", "/dbs/db", "/dbs//colls/x", "/dbs/db/colls/", "/dbs/db/colls/people/docs/x"] {
            assert_eq!(GraphName::from_link(other), None, "{other}");
        }
    }
}
