//! What a traversal would do, as text.

use std::fmt::Write;

use super::figures::text_of;
use super::head::Head;
use super::needs::Trails;
use super::{Context, RunError, RunOptions, build, strategy};
use crate::graph::{ElementKind, Graph};
use crate::step::Query;

/// The steps of a traversal as they were given, as strategies leave them, and as stages, each with the question it asks the graph.
///
/// # Errors
/// What a strategy refuses.
pub fn explain(query: &Query, graph: &dyn Graph, options: &RunOptions) -> Result<String, RunError> {
    let ready = &*strategy::prepare(query)?;
    let cx = Context::new(ready, graph, options)?;
    let mut text = String::from("Traversal Explanation\n");
    line(&mut text, "Original Traversal", &text_of(&query.traversal.steps));
    line(&mut text, "With Strategies", &text_of(&ready.traversal.steps));
    line(
        &mut text,
        "Paths",
        match cx.needs.trails {
            Trails::None => "none are kept",
            Trails::Labelled => "labelled objects are kept",
            Trails::Full => "all objects are kept",
        },
    );
    let steps = &ready.traversal.steps;
    for (at, span) in build::spans(&cx, steps).into_iter().enumerate() {
        let stage = steps.get(span.clone()).unwrap_or_default();
        let head = steps.get(span.start..).and_then(|rest| Head::fold(&cx, rest));
        let asks = head.map(|head| question(&head)).unwrap_or_default();
        line(&mut text, &format!("Stage {}", at + 1), &format!("{}{asks}", text_of(stage)));
    }
    Ok(text)
}

fn line(text: &mut String, name: &str, value: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{name:<20} {value}");
}

/// What a head asks the graph.
fn question(head: &Head) -> String {
    let kind = match head.lookup.kind {
        ElementKind::Vertex => "vertices",
        ElementKind::Edge => "edges",
    };
    let mut text = match (&head.keys, head.count) {
        (Some(keys), _) => format!("  <- {kind} by {} keys", keys.len()),
        (None, Some(_)) => format!("  <- count of {kind}, {} conditions", head.lookup.has.len()),
        (None, None) => format!("  <- {kind}, {} conditions", head.lookup.has.len()),
    };
    if head.sorted_by.is_some() {
        text.push_str(", sorted");
    }
    if let Some(limit) = head.lookup.limit {
        let _ = write!(text, ", {limit} wanted");
    }
    text
}
