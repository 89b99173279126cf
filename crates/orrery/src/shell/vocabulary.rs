//! The names that are completed: databases, containers, and the properties seen in items.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use serde_json::Value as Json;

use super::language::Language;
use super::session::Session;
use crate::remote::ContainerLink;

/// Names of properties that are kept.
const MAX_PROPERTIES: usize = 5_000;
/// Longest name that is kept.
const MAX_NAME_BYTES: usize = 100;
/// Rows of a result whose properties are learned.
const MAX_ROWS: usize = 100;
/// Items of a container that are looked at when it is chosen.
const SAMPLE_ITEMS: u32 = 20;

/// What is known of the names.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// All databases.
    pub databases: Vec<String>,
    /// Containers of the chosen database.
    pub containers: Vec<String>,
    /// Properties on any level.
    pub properties: BTreeSet<String>,
}

/// The names, shared between the session, which learns them, and the completion.
#[derive(Clone, Debug, Default)]
pub struct SharedVocabulary(Arc<Mutex<Vocabulary>>);

impl SharedVocabulary {
    /// Works on the names.
    pub fn with<T>(&self, work: impl FnOnce(&mut Vocabulary) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps the names of the properties in rows.
    pub fn learn<'r>(&self, rows: impl Iterator<Item = &'r Bytes>) {
        for row in rows.take(MAX_ROWS) {
            if let Ok(json) = serde_json::from_slice::<Json>(row) {
                self.with(|vocabulary| gather(&json, &mut vocabulary.properties));
            }
        }
    }
}

/// Asks for the names anew, and for some items of the chosen container. What cannot be had is not completed, that is all.
pub async fn refresh(session: &mut Session) {
    let Some(vocabulary) = session.vocabulary.clone() else { return };
    if let Ok(databases) = session.target.databases().await {
        vocabulary.with(|names| names.databases = databases.into_iter().map(|database| database.name).collect());
    }
    if session.language == Language::Table {
        if let Ok(mut tables) = session.take_tables() {
            let names = tables.list().await.unwrap_or_default();
            vocabulary.with(|known| known.containers = names);
            session.tables = Some(tables);
        }
        return;
    }
    let Some(database) = session.database.clone() else { return };
    let containers = session.target.container_names(&database).await.unwrap_or_default();
    vocabulary.with(|names| names.containers = containers);
    let Some(container) = session.container.clone() else { return };
    let link = ContainerLink { database, container };
    let sample = format!("SELECT TOP {SAMPLE_ITEMS} * FROM c");
    if let Ok(mut cursor) = session.target.query(&link, &sample)
        && let Ok(page) = session.target.page(&mut cursor, SAMPLE_ITEMS).await
    {
        vocabulary.learn(page.rows.iter());
    }
}

fn gather(json: &Json, names: &mut BTreeSet<String>) {
    match json {
        Json::Object(members) => {
            for (name, value) in members {
                if names.len() < MAX_PROPERTIES && name.len() <= MAX_NAME_BYTES && !names.contains(name) {
                    names.insert(name.clone());
                }
                gather(value, names);
            }
        }
        Json::Array(elements) => elements.iter().for_each(|element| gather(element, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_all_levels_are_learned() {
        let vocabulary = SharedVocabulary::default();
        let rows = [Bytes::from(r#"{"a":{"b":[{"c":1}]}}"#), Bytes::from("5"), Bytes::from("broken")];
        vocabulary.learn(rows.iter());
        assert_eq!(vocabulary.with(|names| names.properties.iter().cloned().collect::<Vec<_>>()), ["a", "b", "c"]);
    }
}
