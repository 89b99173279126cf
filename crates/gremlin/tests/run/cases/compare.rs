//! Whether results are what a scenario says.

use std::cmp::Ordering;

use orrery_gremlin::GValue;
use orrery_gremlin::function::order;
use orrery_gremlin::value::Tree;

use super::notation::{Written, parse_text};

type Find<'f> = dyn Fn(&str, &str) -> GValue + 'f;

/// Whether a result is the one written. Numbers need the value, and the class too.
pub fn same(wanted: &Written, row: &GValue, find: &Find<'_>) -> bool {
    match (wanted, row) {
        (Written::Plain(wanted), row) if wanted.is_number() => {
            let is_class = std::mem::discriminant(wanted) == std::mem::discriminant(row);
            is_class && (wanted == row || is_near(wanted, row))
        }
        (Written::Plain(GValue::DateTime(wanted)), row) => {
            order::compare(&GValue::DateTime(*wanted), row) == Some(Ordering::Equal)
        }
        (Written::Plain(wanted), row) => wanted == row,
        (Written::List(items), GValue::List(rows)) => pairwise(items, rows, find),
        (Written::List(items), GValue::BulkSet(set)) => {
            let rows = set.items.iter().flat_map(|(value, count)| (0..*count).map(move |_| value.clone()));
            contains_all(items, &rows.collect::<Vec<_>>(), find).is_ok()
        }
        (Written::Path(items), GValue::Path(path)) => pairwise(items, &path.objects, find),
        (Written::Set(items), GValue::Set(members)) => {
            contains_all(items, &members.iter().cloned().collect::<Vec<_>>(), find).is_ok()
        }
        (Written::Set(items), GValue::List(rows)) => contains_all(items, rows, find).is_ok(),
        (Written::Map(entries), GValue::Map(map)) => {
            entries.len() == map.len()
                && entries.iter().all(|(key, value)| {
                    map.iter().any(|(row_key, row)| same(key, row_key, find) && same(value, row, find))
                })
        }
        (Written::Map(entries), GValue::Entry(entry)) => match &entries[..] {
            [(key, value)] => same(key, &entry.0, find) && same(value, &entry.1, find),
            _ => false,
        },
        (Written::Element(kind, name, part), row) if part.is_empty() => {
            let wanted = find(kind, name);
            match (&wanted, row) {
                (GValue::VertexProperty(wanted), GValue::VertexProperty(row)) => {
                    wanted.label == row.label && order::equals(&wanted.value, &row.value)
                }
                _ => wanted == *row,
            }
        }
        (Written::Element(..), row) => wanted.resolve(find) == *row,
        _ => false,
    }
}

fn is_near(wanted: &GValue, row: &GValue) -> bool {
    let as_double = |value: &GValue| match value {
        GValue::Float(number) => Some((f64::from(*number), 1e-6)),
        GValue::Double(number) => Some((*number, 1e-12)),
        GValue::BigDecimal(number) => Some((number.to_f64(), 1e-12)),
        _ => None,
    };
    match (as_double(wanted), as_double(row)) {
        (Some((one, precision)), Some((two, _))) => (one - two).abs() <= precision * one.abs().max(1.0),
        _ => false,
    }
}

fn pairwise(wanted: &[Written], rows: &[GValue], find: &Find<'_>) -> bool {
    wanted.len() == rows.len() && wanted.iter().zip(rows).all(|(wanted, row)| same(wanted, row, find))
}

/// Whether the rows are those written, in any order.
pub fn contains_all(wanted: &[Written], rows: &[GValue], find: &Find<'_>) -> Result<(), String> {
    let mut left: Vec<&GValue> = rows.iter().collect();
    let shown = |left: &[&GValue]| format!("{left:?}").chars().take(600).collect::<String>();
    if wanted.len() != rows.len() {
        return Err(format!("{} results, expected {}: {}", rows.len(), wanted.len(), shown(&left)));
    }
    for one in wanted {
        match left.iter().position(|row| same(one, row, find)) {
            Some(at) => {
                left.remove(at);
            }
            None => return Err(format!("missing {one:?}; left {}", shown(&left))),
        }
    }
    Ok(())
}

/// A tree as an outline: a value and what is below it.
pub struct Node(Written, Vec<Node>);

/// Lines of three blanks a level.
pub fn tree_rows(lines: &[&str]) -> Vec<Node> {
    let level = |line: &str| (line.len() - line.trim_start().len()) / 3;
    let mut nodes = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let below = lines[at + 1..].iter().take_while(|line| level(line) > level(lines[at])).count();
        let value = parse_text(lines[at].replace("|--", "").trim());
        nodes.push(Node(value, tree_rows(&lines[at + 1..at + 1 + below])));
        at += 1 + below;
    }
    nodes
}

pub fn same_tree(nodes: &[Node], tree: &Tree, find: &Find<'_>) -> bool {
    nodes.len() == tree.branches.len()
        && nodes.iter().all(|Node(value, below)| {
            tree.branches.iter().any(|(row, branches)| same(value, row, find) && same_tree(below, branches, find))
        })
}
