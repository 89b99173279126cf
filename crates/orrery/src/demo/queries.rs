//! The questions of the demonstration, and how their answers are shown.

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use super::sample;
use crate::remote::{Answer, Connection, ContainerLink};

/// Rows of an answer that are shown.
const SHOWN_ROWS: usize = 3;
/// Characters of a row that are shown.
pub const SHOWN_CHARS: usize = 110;

/// Asks the sample data what partition keys are about: one item, one partition, all partitions.
pub async fn show_sample(connection: &mut Connection) -> anyhow::Result<()> {
    let container = sample::container();
    writeln!(stdout(), "\nSQL API, container demo/world, partition key /country, two physical partitions:")?;
    let started = Instant::now();
    let answer = connection.read(&container, "SEA", "[\"US\"]").await?;
    show("point read of SEA in partition \"US\"", "1 logical partition", &answer, started.elapsed())?;
    let in_one = [
        (
            "SELECT c.code, c.city, c.elevationFt FROM c WHERE c.kind = \"airport\" ORDER BY c.elevationFt DESC",
            "[\"US\"]",
        ),
        ("SELECT VALUE COUNT(1) FROM c WHERE c.kind = \"route\"", "[\"DE\"]"),
    ];
    for (text, key) in in_one {
        let started = Instant::now();
        let answer = connection.query(&container, text, Some(key)).await?;
        show(text, &format!("1 logical partition, {key}"), &answer, started.elapsed())?;
    }
    let everywhere = [
        "SELECT TOP 3 c[\"from\"], c.to, c.distanceKm FROM c WHERE c.kind = \"route\" ORDER BY c.distanceKm DESC",
        "SELECT VALUE c.name FROM c WHERE c.kind = \"airport\" AND c.elevationFt > 8000",
        "SELECT c.country, COUNT(1) AS routes, MAX(c.distanceKm) AS longestKm FROM c WHERE c.kind = \"route\" GROUP BY c.country",
        "SELECT c.code, ROUND(ST_DISTANCE(c.location, {\"type\": \"Point\", \"coordinates\": [8.54, 47.38]}) / 1000) AS km FROM c \
         WHERE c.kind = \"airport\" AND ST_DISTANCE(c.location, {\"type\": \"Point\", \"coordinates\": [8.54, 47.38]}) < 200000",
        "SELECT VALUE COUNT(1) FROM c",
    ];
    for text in everywhere {
        let started = Instant::now();
        let answer = connection.query(&container, text, None).await?;
        show(text, "all logical partitions", &answer, started.elapsed())?;
    }
    Ok(())
}

/// Asks any data how much of it there is and what it looks like.
pub async fn show_any(connection: &mut Connection, container: &ContainerLink) -> anyhow::Result<()> {
    writeln!(stdout(), "\nSQL API, container {}/{}:", container.database, container.container)?;
    for text in ["SELECT VALUE COUNT(1) FROM c", "SELECT TOP 3 * FROM c"] {
        let started = Instant::now();
        let answer = connection.query(container, text, None).await?;
        show(text, "all logical partitions", &answer, started.elapsed())?;
    }
    Ok(())
}

/// Writes a question and the first rows of its answer.
pub fn show(question: &str, scope: &str, answer: &Answer, elapsed: Duration) -> std::io::Result<()> {
    let mut out = stdout().lock();
    let plural = if answer.ranges == 1 { "" } else { "s" };
    writeln!(out, "\n  {question}")?;
    writeln!(
        out,
        "    -> {} row{}; {scope} in {} physical partition{plural}; {} RU; {:.2} ms",
        answer.rows.len(),
        if answer.rows.len() == 1 { "" } else { "s" },
        answer.ranges,
        answer.charge_ru,
        elapsed.as_secs_f64() * 1e3
    )?;
    for row in answer.rows.iter().take(SHOWN_ROWS) {
        let text = String::from_utf8_lossy(row);
        let cut: String = text.chars().take(SHOWN_CHARS).collect();
        writeln!(out, "       {cut}{}", if cut.len() < text.len() { " …" } else { "" })?;
    }
    if answer.rows.len() > SHOWN_ROWS {
        writeln!(out, "       … {} more", answer.rows.len() - SHOWN_ROWS)?;
    }
    Ok(())
}
