//! Running a statement on tables.

use std::ops::Bound;
use std::time::Instant;

use orrery_table::{Dialect, EntityBody, EntityKey, Filter, KeyRange};
use serde_json::{Value as Json, json};

use super::statement::{Question, Statement};
use crate::remote::{EntityQuery, EntityWrite, Metadata, Tables};
use crate::shell::output::{Format, ResultWriter, Summary};
use crate::shell::session::Session;
use crate::shell::target::{Page, Touched};
use crate::transfer::{members, write_object};

/// Entities of a page at the most.
const PAGE_ENTITIES: u32 = 1_000;

/// Runs a statement.
///
/// # Errors
/// What is wrong with it, or why it could not run, or that the output is closed.
pub async fn run(session: &mut Session, statement: &str) -> anyhow::Result<()> {
    let statement = Statement::parse(statement)?;
    let mut tables = session.take_tables()?;
    let outcome = run_on(session, &mut tables, statement).await;
    session.tables = Some(tables);
    outcome
}

async fn run_on(session: &mut Session, tables: &mut Tables, statement: Statement) -> anyhow::Result<()> {
    let started = Instant::now();
    let (done, charge_ru) = match statement {
        Statement::Tables => return list(session, tables).await,
        Statement::Query(question) => {
            if session.settings.explain {
                let explanation = explain(tables, &question).await?;
                session.tell_explanation(&explanation);
            }
            return query(session, tables, &question).await;
        }
        Statement::Explain(question) => {
            let explanation = explain(tables, &question).await?;
            return session.show_object(&explanation);
        }
        Statement::Get { table, key } => return get(session, tables, &table, &key).await,
        Statement::Create(table) => ("created", tables.create(&table).await?),
        Statement::Drop(table) => ("dropped", tables.delete_table(&table).await?),
        Statement::Delete { table, key } => ("deleted", tables.delete(&table, &key).await?),
        Statement::Write { table, write, entity } => {
            let key = EntityBody::parse(entity.as_bytes(), Dialect::Cosmos)?.take_key(Dialect::Storage)?;
            (word(write), tables.write(&table, &key, write, &entity).await?)
        }
    };
    if !session.settings.quiet {
        session.tell(&format!("{done}, {charge_ru} RU, {:.2} ms", started.elapsed().as_secs_f64() * 1e3));
    }
    Ok(())
}

fn word(write: EntityWrite) -> &'static str {
    match write {
        EntityWrite::Insert => "inserted",
        EntityWrite::Merge => "merged",
        EntityWrite::Replace => "replaced",
        EntityWrite::InsertOrMerge => "inserted or merged",
    }
}

async fn list(session: &mut Session, tables: &mut Tables) -> anyhow::Result<()> {
    let names = tables.list().await?;
    if names.is_empty() {
        session.tell("there are no tables yet");
    }
    session.show_rows(&names.into_iter().map(|name| json!({"table": name})).collect::<Vec<_>>())
}

async fn get(session: &mut Session, tables: &mut Tables, table: &str, key: &EntityKey) -> anyhow::Result<()> {
    let (entity, _) = tables.get(table, key, metadata(session.settings.format)).await?;
    session.show_object(&serde_json::from_slice::<Json>(&shown(&entity)?)?)
}

/// Shows the entities page by page, each page before the next one is asked for.
async fn query(session: &mut Session, tables: &mut Tables, question: &Question) -> anyhow::Result<()> {
    let started = Instant::now();
    let metadata = metadata(session.settings.format);
    let touched = Access::of(question)?.touched;
    let mut writer = ResultWriter::new(session.settings.format, session.screen);
    let mut summary = Summary::default();
    let limit = session.settings.limit.unwrap_or(u64::MAX);
    // One entity more than is shown tells whether there are more, unless no more are asked for.
    let wanted = question.top.unwrap_or(u64::MAX).min(limit.saturating_add(1));
    let (mut from, mut taken) = (None, 0);
    while taken < wanted {
        let max_items = Some(u32::try_from(wanted - taken).unwrap_or(u32::MAX).min(PAGE_ENTITIES));
        let asked = EntityQuery { filter: question.filter.as_deref(), select: question.select.as_deref(), max_items };
        let page = tables.query(&question.table, asked, from.as_deref(), metadata).await?;
        taken += page.rows.len() as u64;
        let more = page.next.is_some();
        let page = (Page { rows: page.rows, charge_ru: page.charge_ru, touched, more, effort: None }, page.next);
        summary.add(&page.0, started.elapsed());
        for row in &page.0.rows {
            if summary.rows == limit {
                summary.cut = true;
                break;
            }
            writer.row(&shown(row)?, &mut session.out)?;
            summary.rows += 1;
        }
        session.learn(page.0.rows.iter());
        from = page.1;
        if from.is_none() {
            break;
        }
    }
    summary.notes = writer.finish(&mut session.out)?;
    summary.elapsed = started.elapsed();
    session.end_result(&summary)
}

/// Types are shown where the outcome can be written again.
fn metadata(format: Format) -> Metadata {
    match format {
        Format::Json => Metadata::Types,
        Format::Table | Format::Csv => Metadata::None,
    }
}

/// An entity without what is said about it as a whole.
fn shown(entity: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut members = members(std::str::from_utf8(entity)?)?;
    members.retain(|member| !member.name.starts_with("odata."));
    let mut out = Vec::with_capacity(entity.len());
    write_object(&members, &mut out);
    Ok(out)
}

/// How a query finds its entities.
struct Access {
    way: &'static str,
    touched: Touched,
    filter: Option<Filter>,
}

impl Access {
    fn of(question: &Question) -> anyhow::Result<Access> {
        let filter = question.filter.as_deref().map(Filter::parse).transpose()?.flatten();
        let keys = filter.as_ref().map(|filter| filter.compile().keys);
        let (way, touched) = match &keys {
            Some(keys) if keys.is_empty() => ("nothing: no keys can pass the filter", Touched::Nothing),
            Some(keys) => match (keys.partition_key.single(), keys.row_key.single()) {
                (Some(_), Some(_)) => ("point read", Touched::Item),
                (Some(_), None) if keys.row_key == KeyRange::ALL => ("one logical partition", Touched::Logical),
                (Some(_), None) => ("a range of one logical partition", Touched::Logical),
                _ => ("all partitions, in the order of keys", Touched::Every),
            },
            None => ("all partitions, in the order of keys", Touched::Every),
        };
        Ok(Access { way, touched, filter })
    }
}

/// How a query is found by its keys, what is left to check, and what its first page takes.
async fn explain(tables: &mut Tables, question: &Question) -> anyhow::Result<Json> {
    let Access { way, filter, .. } = Access::of(question)?;
    let started = Instant::now();
    let top = question.top.unwrap_or(PAGE_ENTITIES.into()).min(PAGE_ENTITIES.into());
    let asked = EntityQuery {
        filter: question.filter.as_deref(),
        select: question.select.as_deref(),
        max_items: u32::try_from(top).ok(),
    };
    let page = tables.query(&question.table, asked, None, Metadata::None).await?;
    let elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
    let mut explanation = json!({"access": way});
    if let Some(filter) = filter {
        let compiled = filter.compile();
        explanation["PartitionKey"] = range(&compiled.keys.partition_key).into();
        explanation["RowKey"] = range(&compiled.keys.row_key).into();
        explanation["filter"] = filter.to_string().into();
        let checked = if compiled.is_exact { "by the engine" } else { "by the engine, and then on each entity" };
        explanation["checked"] = checked.into();
    }
    explanation["firstPage"] = json!({
        "entities": page.rows.len(), "RU": page.charge_ru, "ms": (elapsed_ms * 100.0).round() / 100.0, "more": page.next.is_some(),
    });
    Ok(explanation)
}

/// `= 'a'`, `>= 'a' and < 'b'`, or `any`.
fn range(range: &KeyRange) -> String {
    if let Some(key) = range.single() {
        return format!("= '{key}'");
    }
    let lower = match &range.lower {
        Bound::Included(key) => Some(format!(">= '{key}'")),
        Bound::Excluded(key) => Some(format!("> '{key}'")),
        Bound::Unbounded => None,
    };
    let upper = match &range.upper {
        Bound::Included(key) => Some(format!("<= '{key}'")),
        Bound::Excluded(key) => Some(format!("< '{key}'")),
        Bound::Unbounded => None,
    };
    let bounds: Vec<String> = lower.into_iter().chain(upper).collect();
    if bounds.is_empty() { "any".into() } else { bounds.join(" and ") }
}
