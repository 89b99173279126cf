//! FROM such that a row has its item: clients tell rows apart by the item's `_rid`.

use super::tree::{expr, identifier, name};
use crate::ast::{Accessor, Collection, ExprKind, From, Query, Select, SelectList, Source, Span};

/// The name of the item in a query's FROM.
#[derive(Clone, Debug)]
pub(super) struct ItemSource {
    pub from: From,
    pub alias: String,
}

impl ItemSource {
    /// The query's FROM, with a source for the item before a first source that leads into it. None if the first source is no path.
    pub fn of(query: &Query) -> Option<ItemSource> {
        let from = query.from.as_ref()?;
        let Collection::Path { root, steps } = &from.first.collection else { return None };
        if steps.is_empty() && !from.first.iterates {
            return Some(ItemSource { from: from.clone(), alias: from.first.name()?.to_owned() });
        }
        let alias = unused(&root.text, from);
        let inner = match from.first.iterates {
            true => Source { collection: path(&alias, steps), ..from.first.clone() },
            false => Source {
                collection: Collection::Subquery(Box::new(value_of(&alias, steps))),
                alias: from.first.name().map(name),
                iterates: false,
                span: Span::default(),
            },
        };
        let first = Source { collection: path(&alias, &[]), alias: None, iterates: false, span: Span::default() };
        let joins = std::iter::once(inner).chain(from.joins.iter().cloned()).collect();
        Some(ItemSource { from: From { first, joins }, alias })
    }
}

/// `name`, made longer until no source has it.
fn unused(name: &str, from: &From) -> String {
    let mut alias = name.to_owned();
    while std::iter::once(&from.first).chain(&from.joins).any(|source| source.name() == Some(&alias)) {
        alias.push('_');
    }
    alias
}

fn path(root: &str, steps: &[Accessor]) -> Collection {
    Collection::Path { root: name(root), steps: steps.to_vec() }
}

/// `SELECT VALUE alias.steps`, which has no row where that is undefined.
fn value_of(alias: &str, steps: &[Accessor]) -> Query {
    let value = expr(ExprKind::Access { base: Box::new(identifier(alias)), steps: steps.to_vec() });
    Query {
        select: Select { distinct: false, top: None, list: SelectList::Value(value) },
        from: None,
        filter: None,
        group_by: Vec::new(),
        order_by: None,
        offset_limit: None,
    }
}
