//! Golden files: query texts and the trees they parse to.
//!
//! In `tests/golden/*.txt` a case is a query, a line `----`, and the tree; a blank line ends it, and lines that begin with `#` say
//! what it shows. With `ORRERY_REWRITE_GOLDEN=1` the trees are written anew; the difference is then reviewed like code.

use std::fmt::Write as _;
use std::path::Path;

use orrery_sql::ast::{Accessor, Collection, OrderBy, Query, SelectList, Source};

#[test]
fn texts_parse_to_the_trees_in_the_golden_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let rewrite = std::env::var_os("ORRERY_REWRITE_GOLDEN").is_some();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let written = std::fs::read_to_string(&path).unwrap();
        let (actual, count) = run(&written);
        cases += count;
        if rewrite {
            std::fs::write(&path, &actual).unwrap();
        } else {
            for (line, (expected, actual)) in written.lines().zip(actual.lines()).enumerate() {
                assert_eq!(actual, expected, "{}:{}", path.display(), line + 1);
            }
            assert_eq!(actual, written, "{}", path.display());
        }
    }
    assert!(cases >= 110, "only {cases} cases were found");
}

/// The file with its outputs computed, and how many cases it has.
fn run(file: &str) -> (String, usize) {
    let mut out = String::new();
    let mut query = String::new();
    let mut skipping = false;
    let mut cases = 0;
    for line in file.lines() {
        match line {
            "----" => {
                cases += 1;
                skipping = true;
                writeln!(out, "----\n{}", outcome(query.trim_end())).unwrap();
                query.clear();
            }
            "" => {
                skipping = false;
                out.push('\n');
            }
            _ if skipping => {}
            comment if comment.starts_with('#') => writeln!(out, "{comment}").unwrap(),
            text => {
                writeln!(out, "{text}").unwrap();
                writeln!(query, "{text}").unwrap();
            }
        }
    }
    (out, cases)
}

fn outcome(text: &str) -> String {
    match orrery_sql::parse(text) {
        Ok(query) => show(&query),
        Err(error) => format!("{} {}..{} {}", error.code, error.span.start, error.span.end, error.message),
    }
}

fn show(query: &Query) -> String {
    let mut lines = Vec::new();
    if query.select.distinct {
        lines.push("distinct".to_owned());
    }
    lines.extend(query.select.top.iter().map(|top| format!("top {top:?}")));
    match &query.select.list {
        SelectList::Star(_) => lines.push("select *".to_owned()),
        SelectList::Value(expr) => lines.push(format!("select value {expr:?}")),
        SelectList::Columns(columns) => lines.extend(columns.iter().map(|column| match &column.alias {
            Some(alias) => format!("select {:?} as {alias:?}", column.expr),
            None => format!("select {:?}", column.expr),
        })),
    }
    if let Some(from) = &query.from {
        lines.extend(show_source("from", &from.first));
        lines.extend(from.joins.iter().flat_map(|join| show_source("join", join)));
    }
    lines.extend(query.filter.as_ref().map(|filter| format!("where {filter:?}")));
    lines.extend(query.group_by.iter().map(|key| format!("group {key:?}")));
    match &query.order_by {
        None => {}
        Some(OrderBy::Items(items)) => {
            lines.extend(items.iter().map(|item| format!("order {:?} {:?}", item.expr, item.direction)));
        }
        Some(OrderBy::Rank(items)) => {
            lines.extend(items.iter().map(|item| format!("rank {:?} {:?}", item.call, item.direction)));
        }
    }
    lines.extend(query.offset_limit.as_ref().map(|range| format!("offset {:?} limit {:?}", range.offset, range.limit)));
    lines.join("\n")
}

fn show_source(clause: &str, source: &Source) -> Vec<String> {
    let elements = if source.iterates { " elements of" } else { "" };
    let name = source.name().map(|name| format!(" as {name}")).unwrap_or_default();
    match &source.collection {
        Collection::Path { root, steps } => vec![format!("{clause}{elements} {root:?}{}{name}", show_steps(steps))],
        Collection::Call(call) => vec![format!("{clause}{elements} {call:?}{name}")],
        Collection::Subquery(query) => {
            let lines = show(query).lines().map(|line| format!("    {line}")).collect::<Vec<_>>();
            [vec![format!("{clause}{elements} subquery{name}")], lines].concat()
        }
    }
}

fn show_steps(steps: &[Accessor]) -> String {
    let step = |step: &Accessor| match step {
        Accessor::Member(name) => format!(" .{name:?}"),
        Accessor::Index(index) => format!(" [{index:?}]"),
    };
    steps.iter().map(step).collect()
}
