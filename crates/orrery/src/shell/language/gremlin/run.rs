//! Running a text on the chosen graph.

use std::io::Write;
use std::time::Instant;

use anyhow::bail;
use serde_json::Value as Json;

use super::readable::{is_profile, readable};
use super::scan::{Piece, PieceKind, pieces};
use crate::remote::{ContainerLink, GraphAnswer};
use crate::shell::language::names_in_a_line;
use crate::shell::output::{Format, ResultWriter, Summary};
use crate::shell::session::Session;
use crate::shell::target::{Page, Touched};

/// Runs a text.
///
/// # Errors
/// What is wrong with it, or why it could not run, or that the output is closed.
pub async fn run(session: &mut Session, text: &str) -> anyhow::Result<()> {
    let graph = chosen(session).await?;
    if session.settings.explain
        && let Some(question) = question(text)
        && let Ok((explanation, _)) = ask(session, &graph, &question).await
    {
        // What is no traversal has nothing to explain.
        explanation.results.iter().filter_map(|text| text.as_str()).for_each(|text| session.tell(text.trim_end()));
    }
    let (answer, started) = ask(session, &graph, text).await?;
    show(session, &answer, started)
}

/// The text that explains a single statement without running it. None for several: those before the last would run, and write.
fn question(text: &str) -> Option<String> {
    let is_end = |piece: &Piece| &text[piece.span.clone()] == ";";
    // Behind a comment the question would be a part of it.
    let said: Vec<Piece> = pieces(text).filter(|piece| piece.kind != PieceKind::Comment).collect();
    if said.iter().any(is_end) {
        return None;
    }
    let statement: String = said.into_iter().map(|piece| &text[piece.span]).collect();
    Some(format!("{}.explain()", statement.trim_end()))
}

async fn ask(session: &mut Session, graph: &ContainerLink, text: &str) -> anyhow::Result<(GraphAnswer, Instant)> {
    let mut graphs = session.take_graphs()?;
    let started = Instant::now();
    let answer = graphs.ask(graph, text).await;
    session.graphs = Some(graphs);
    Ok((answer?, started))
}

/// The container that traversals run on.
async fn chosen(session: &mut Session) -> anyhow::Result<ContainerLink> {
    let Some(database) = session.database.clone() else { return Err(session.no_database().await) };
    match session.container.clone() {
        Some(container) => Ok(ContainerLink { database, container }),
        None => {
            let names = session.target.container_names(&database).await?;
            let names = names_in_a_line(&names);
            bail!(
                "no container is chosen: \\c {database} CONTAINER or --container NAME chooses one. There are: {names}"
            )
        }
    }
}

fn show(session: &mut Session, answer: &GraphAnswer, started: Instant) -> anyhow::Result<()> {
    match &answer.results[..] {
        [profile] if is_profile(profile) => return session.show_object(profile),
        // An explanation is a text of several lines.
        [Json::String(text)] if text.contains('\n') && session.settings.format == Format::Table => {
            return Ok(session.out.write_all(text.as_bytes())?);
        }
        _ => {}
    }
    let mut writer = ResultWriter::new(session.settings.format, session.screen);
    let mut summary = Summary::default();
    let touched = Touched::LookedAt(answer.partitions);
    let page = Page { rows: Vec::new(), charge_ru: answer.charge_ru, touched, more: false, effort: None };
    summary.add(&page, started.elapsed());
    let limit = session.settings.limit.unwrap_or(u64::MAX);
    for result in &answer.results {
        if summary.rows == limit {
            summary.cut = true;
            break;
        }
        let shown = if session.settings.format == Format::Json { result.clone() } else { readable(result) };
        writer.row(shown.to_string().as_bytes(), &mut session.out)?;
        summary.rows += 1;
    }
    summary.notes = writer.finish(&mut session.out)?;
    summary.elapsed = started.elapsed();
    session.end_result(&summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_statement_is_explained() {
        let asked = question("g.V(). // all\n  has('a', ';') // of these");
        assert_eq!(asked.as_deref(), Some("g.V(). \n  has('a', ';').explain()"));
        assert_eq!(question("g.addV('a'); g.V()"), None);
    }
}
