//! The commands that list what there is.

use anyhow::bail;
use serde_json::{Map, Value as Json, json};

use super::session::Session;
use crate::remote::ContainerLink;

/// `\l`
///
/// # Errors
/// If the server does not answer, or the output is closed. The same goes for the others.
pub async fn databases(session: &mut Session) -> anyhow::Result<()> {
    let databases = session.target.databases().await?;
    if databases.is_empty() {
        session.tell("there are no databases yet");
    }
    let rows =
        databases.into_iter().map(|entry| row([("database", Some(json!(entry.name))), ("sharedRU", entry.throughput)]));
    session.show_rows(&rows.collect::<Vec<_>>())
}

/// `\d`
pub async fn containers(session: &mut Session) -> anyhow::Result<()> {
    let Some(database) = session.database.clone() else { return Err(session.no_database().await) };
    let containers = session.target.containers(&database).await?;
    if containers.is_empty() {
        session.tell(&format!("database {database} has no containers"));
    }
    let rows = containers.into_iter().map(|entry| {
        row([
            ("container", Some(json!(entry.name))),
            ("partitionKey", Some(json!(entry.partition_key.join(", ")))),
            ("RU", entry.throughput),
            ("items", entry.items.map(Json::from)),
        ])
    });
    session.show_rows(&rows.collect::<Vec<_>>())
}

/// `\d name`
pub async fn container(session: &mut Session, name: String) -> anyhow::Result<()> {
    let link = link(session, Some(name)).await?;
    let description = session.target.describe(&link).await?;
    session.show_object(&description)
}

/// `\p [name]`
pub async fn ranges(session: &mut Session, name: Option<String>) -> anyhow::Result<()> {
    let link = link(session, name).await?;
    let ranges = session.target.ranges(&link).await?;
    let rows = ranges.into_iter().map(|range| {
        let parents = (!range.parents.is_empty()).then(|| json!(range.parents));
        row([
            ("range", Some(json!(range.id))),
            ("min", Some(json!(range.min))),
            ("max", Some(json!(range.max))),
            ("parents", parents),
        ])
    });
    session.show_rows(&rows.collect::<Vec<_>>())
}

async fn link(session: &mut Session, name: Option<String>) -> anyhow::Result<ContainerLink> {
    let Some(database) = session.database.clone() else { return Err(session.no_database().await) };
    match name.or_else(|| session.container.clone()) {
        Some(container) => Ok(ContainerLink { database, container }),
        None => bail!("no container is chosen: name one, or choose one with \\c {database} NAME"),
    }
}

/// An object of what is known.
fn row<const N: usize>(members: [(&str, Option<Json>); N]) -> Json {
    let known = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Json::Object(known.collect::<Map<_, _>>())
}
