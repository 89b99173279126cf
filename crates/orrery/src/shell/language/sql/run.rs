//! Running a SQL statement: where it goes, and how its rows come back.

use std::time::Instant;

use anyhow::bail;

use super::scan::{PieceKind, pieces};
use super::source::source;
use crate::remote::ContainerLink;
use crate::shell::fault::QueryFault;
use crate::shell::language::names_in_a_line;
use crate::shell::output::{ResultWriter, Summary};
use crate::shell::session::Session;

/// Rows of a page where all rows are wanted; it ends sooner where it reaches 4 MiB.
const PAGE_ROWS: u32 = 1_000;

/// Runs `SELECT …` or `EXPLAIN SELECT …`.
///
/// # Errors
/// What is wrong with it, or why it could not run, or that the output is closed.
pub async fn run(session: &mut Session, statement: &str) -> anyhow::Result<()> {
    match explained(statement) {
        Some(query) => {
            let container = container(session, query).await?;
            let explanation = session.target.explain(&container, query).await?;
            session.show_object(&explanation)
        }
        None => {
            let container = container(session, statement).await?;
            if session.settings.explain {
                let explanation = session.target.explain(&container, statement).await?;
                session.tell_explanation(&explanation);
            }
            select(session, &container, statement).await
        }
    }
}

/// The query behind EXPLAIN.
fn explained(statement: &str) -> Option<&str> {
    let skipped = |kind| matches!(kind, PieceKind::Space | PieceKind::Comment);
    let first = pieces(statement, false).find(|piece| !skipped(piece.kind))?;
    let is_explain = statement[first.span.clone()].eq_ignore_ascii_case("EXPLAIN");
    is_explain.then(|| statement[first.span.end..].trim_start())
}

/// Runs a query page by page, each shown before the next is asked for.
async fn select(session: &mut Session, container: &ContainerLink, text: &str) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut cursor = session.target.query(container, text)?;
    let mut writer = ResultWriter::new(session.settings.format, session.screen);
    let mut summary = Summary::default();
    let limit = session.settings.limit.unwrap_or(u64::MAX);
    loop {
        // One row more than is shown tells whether there are more.
        let wanted = u32::try_from((limit - summary.rows).saturating_add(1)).unwrap_or(u32::MAX).min(PAGE_ROWS);
        let page = session.target.page(&mut cursor, wanted).await?;
        summary.add(&page, started.elapsed());
        let left = usize::try_from(limit - summary.rows).unwrap_or(usize::MAX);
        summary.cut = page.rows.len() > left;
        for row in page.rows.iter().take(left) {
            writer.row(row, &mut session.out)?;
            summary.rows += 1;
        }
        session.learn(page.rows.iter().take(left));
        if summary.cut || !page.more {
            break;
        }
    }
    summary.notes = writer.finish(&mut session.out)?;
    summary.elapsed = started.elapsed();
    session.end_result(&summary)
}

/// The container that a query runs on: the one that FROM names, else the one that is chosen.
async fn container(session: &mut Session, query: &str) -> anyhow::Result<ContainerLink> {
    let Some(database) = session.database.clone() else { return Err(session.no_database().await) };
    let named = source(query);
    if let Some(name) = named {
        let link = ContainerLink { database: database.clone(), container: name.to_owned() };
        if session.target.has_container(&link).await? {
            return Ok(link);
        }
    }
    if let Some(container) = session.container.clone() {
        return Ok(ContainerLink { database, container });
    }
    // A mistyped FROM is the likelier reason.
    orrery_sql::parse(query).map_err(QueryFault::from)?;
    let names = session.target.container_names(&database).await?;
    if names.is_empty() {
        bail!("database '{database}' has no containers");
    }
    let reason = match named {
        Some(name) => format!("'{name}' is no container of database '{database}', and none is chosen"),
        None => format!("the query names no container of database '{database}', and none is chosen"),
    };
    bail!(
        "{reason}: write FROM with the name of a container, or choose one with \\c {database} NAME. There are: {}",
        names_in_a_line(&names)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explain_is_the_first_word() {
        assert_eq!(explained(" /* how */ explain\nSELECT 1"), Some("SELECT 1"));
        assert_eq!(explained("SELECT c.explain FROM c"), None);
        assert_eq!(explained(""), None);
    }
}
