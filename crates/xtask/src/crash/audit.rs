//! What must hold after a crash.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::CONTAINER;
use super::writer::{Model, Name, email};
use crate::http::Client;

/// Compares the server with what the clients know, then settles what hung in the air.
pub fn check(client: &mut Client, model: &mut Model) -> anyhow::Result<()> {
    let items = list(client)?;
    let expected = compare(model, &items)?;
    check_feed(client, &expected)?;
    check_count(client, expected.len())?;
    check_unique(client, &expected)
}

/// Settles what hung in the air, then compares a list with what was acknowledged; returns that.
pub fn compare(model: &mut Model, items: &BTreeMap<Name, u64>) -> anyhow::Result<BTreeMap<Name, u64>> {
    settle(model, items)?;
    let expected: BTreeMap<Name, u64> =
        model.known.iter().filter_map(|(name, version)| version.map(|version| (name.clone(), version))).collect();
    for (name, version) in &expected {
        ensure!(
            items.get(name) == Some(version),
            "{name:?} was acknowledged with n={version}, and the list has {:?}",
            items.get(name)
        );
    }
    for (name, version) in items {
        ensure!(expected.get(name) == Some(version), "{name:?} with n={version} is in the list, and nobody wrote it");
    }
    Ok(expected)
}

/// An operation without an answer happened whole or not at all; from here on the server's word counts.
fn settle(model: &mut Model, items: &BTreeMap<Name, u64>) -> anyhow::Result<()> {
    for change in std::mem::take(&mut model.pending) {
        let done = |(name, version): &&(Name, Option<u64>)| items.get(name).copied() == *version;
        let count = change.iter().filter(done).count();
        let known = |name: &Name| model.known.get(name).copied().flatten();
        let unchanged = change.iter().filter(|(name, _)| items.get(name).copied() == known(name)).count();
        ensure!(count == change.len() || unchanged == change.len(), "half of a batch is there: {change:?}");
        if count == change.len() {
            model.known.extend(change);
        }
    }
    Ok(())
}

fn list(client: &mut Client) -> anyhow::Result<BTreeMap<Name, u64>> {
    let mut items = BTreeMap::new();
    let mut token: Option<String> = None;
    loop {
        let mut headers = vec![("x-ms-max-item-count", "500")];
        headers.extend(token.as_deref().map(|token| ("x-ms-continuation", token)));
        let page = client.call("GET", "docs", CONTAINER, &format!("{CONTAINER}/docs"), &headers, None)?;
        ensure!(page.status == 200, "listing failed: {} {}", page.status, page.body);
        for document in documents(&page.body)? {
            let (name, version) = name_of(document)?;
            ensure!(items.insert(name.clone(), version).is_none(), "{name:?} is listed twice");
        }
        token = page.header("x-ms-continuation").map(String::from);
        if token.is_none() {
            return Ok(items);
        }
    }
}

/// The feed has each item once, in its newest version, in rising order.
fn check_feed(client: &mut Client, expected: &BTreeMap<Name, u64>) -> anyhow::Result<()> {
    let mut seen = BTreeMap::new();
    let mut position: Option<String> = None;
    let mut last = 0;
    loop {
        let mut headers = vec![("a-im", "Incremental feed"), ("x-ms-max-item-count", "500")];
        headers.extend(position.as_deref().map(|position| ("if-none-match", position)));
        let page = client.call("GET", "docs", CONTAINER, &format!("{CONTAINER}/docs"), &headers, None)?;
        if page.status == 304 {
            break;
        }
        ensure!(page.status == 200, "the change feed failed: {} {}", page.status, page.body);
        for document in documents(&page.body)? {
            let (name, version) = name_of(document)?;
            let lsn = document["_lsn"].as_u64().context("a change has no _lsn")?;
            ensure!(lsn > last, "the feed goes back from {last} to {lsn}");
            last = lsn;
            ensure!(seen.insert(name.clone(), version).is_none(), "{name:?} is in the feed twice");
        }
        position = page.header("etag").map(String::from);
    }
    ensure!(seen == *expected, "the feed and the list differ: {} and {} items", seen.len(), expected.len());
    Ok(())
}

fn check_count(client: &mut Client, expected: usize) -> anyhow::Result<()> {
    let reply =
        client.call("GET", "colls", CONTAINER, CONTAINER, &[("x-ms-documentdb-populatequotainfo", "True")], None)?;
    let usage = reply.header("x-ms-resource-usage").context("the container has no usage header")?;
    let count = usage
        .split(';')
        .find_map(|part| part.trim().strip_prefix("documentsCount="))
        .and_then(|count| count.parse().ok());
    ensure!(count == Some(expected), "{expected} items, and the counters say {usage}");
    Ok(())
}

/// A taken unique value is refused, and one of a version that is gone is free.
fn check_unique(client: &mut Client, expected: &BTreeMap<Name, u64>) -> anyhow::Result<()> {
    for (name, version) in expected.iter().step_by(expected.len() / 5 + 1) {
        let taken = json!({"id": "probe", "pk": name.0, "n": 0, "email": email(name, *version)});
        ensure!(probe(client, &taken)? == 409, "the unique value of {name:?} is free");
        let free = json!({"id": "probe", "pk": name.0, "n": 0, "email": email(name, version.wrapping_sub(1))});
        ensure!(probe(client, &free)? == 201, "a unique value of an old version of {name:?} is still taken");
        let header = json!([name.0]).to_string();
        let link = format!("{CONTAINER}/docs/probe");
        client.call("DELETE", "docs", &link, &link, &[("x-ms-documentdb-partitionkey", &header)], None)?;
    }
    Ok(())
}

fn probe(client: &mut Client, document: &Value) -> anyhow::Result<u16> {
    let header = json!([document["pk"]]).to_string();
    let reply = client.call(
        "POST",
        "docs",
        CONTAINER,
        &format!("{CONTAINER}/docs"),
        &[("x-ms-documentdb-partitionkey", &header)],
        Some(document),
    )?;
    Ok(reply.status)
}

fn documents(body: &Value) -> anyhow::Result<&Vec<Value>> {
    body["Documents"].as_array().context("a page without Documents")
}

fn name_of(document: &Value) -> anyhow::Result<(Name, u64)> {
    let text = |name: &str| document[name].as_str().map(String::from).context("an item without id or pk");
    Ok(((text("pk")?, text("id")?), document["n"].as_u64().context("an item without n")?))
}
