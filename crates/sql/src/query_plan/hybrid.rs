//! ORDER BY RANK: a query for each score, whose places clients fuse.

use orrery_engine::query::{Direction, Plan, RankComponent};

use super::count::Counts;
use super::item_source::ItemSource;
use super::rewrite::{order_filter, payload};
use super::tree::{
    self, array, call, column, expr, first, item, number, object, placeholder, property, select_from, string,
};
use super::{HybridSearch, PlanError, QueryInfo};
use crate::ast::{Expr, ExprKind, OrderBy, OrderItem, Query, RankItem, SelectList};
use crate::bind::function::is_call;

/// Rows that each score's query gives at least: a row must be among the best of one score to be ranked at all.
const MIN_COMPONENT_ROWS: u64 = 120;

/// A score that rows are ranked by.
struct Score {
    /// What computes it in a range.
    expr: Expr,
    /// Which end is best.
    best: Direction,
    /// Whether that is the other end than without a weight.
    is_turned: bool,
    /// What rows without the score have: worse than any that has one.
    without: Expr,
    /// Of a full text's score, the text and the terms.
    full_text: Option<(Expr, Vec<Expr>)>,
}

/// The plan of a query that is ordered by rank. The binder has checked the scores and computed terms and weights.
pub(super) fn search(
    query: &Query,
    items: &[RankItem],
    plan: &Plan,
    counts: Counts,
) -> Result<HybridSearch, PlanError> {
    let components = plan.ranking.as_ref().map_or(&[][..], |ranking| &ranking.components);
    let calls = calls(items);
    let source = ItemSource::of(query).filter(|_| !components.is_empty() && calls.len() >= components.len());
    let Some(source) = source else {
        return Err(PlanError::NotMergeable(
            "'ORDER BY RANK' takes one scoring function, or RRF of several, over items.",
        ));
    };
    let mut scores: Vec<Score> = Vec::with_capacity(components.len());
    for (call, (component, weight)) in calls.into_iter().zip(components) {
        let texts = scores.iter().filter(|score| score.full_text.is_some()).count();
        scores.push(score(call, component, *weight, texts));
    }
    let has_weights = components.iter().any(|(_, weight)| *weight != 1.0);
    Ok(HybridSearch {
        statistics_query: statistics(query, &scores).to_string(),
        requires_statistics: scores.iter().any(|score| score.full_text.is_some()),
        components: scores.iter().map(|score| info(query, &source.alias, score, &scores, counts)).collect(),
        // Places are counted from the best end, which a negative weight has turned already.
        weights: components.iter().filter(|_| has_weights).map(|(_, weight)| weight.abs()).collect(),
        skip: counts.offset,
        take: counts.top.or(counts.limit),
    })
}

/// The calls that give scores; after those of RRF, its weights may follow.
fn calls(items: &[RankItem]) -> Vec<&Expr> {
    fn of(item: &RankItem) -> Vec<&Expr> {
        match &item.call.kind {
            ExprKind::Call { name, arguments, .. } if is_call(name, "RRF") => arguments.iter().collect(),
            _ => vec![&item.call],
        }
    }
    items.iter().flat_map(of).collect()
}

/// A score, `texts` full texts having come before it. A negative weight looks for the other end.
fn score(call: &Expr, component: &RankComponent, weight: f64, texts: usize) -> Score {
    let is_turned = weight < 0.0;
    match component {
        RankComponent::FullText { terms, .. } => {
            Score { is_turned, ..full_text(call, terms, oriented(Direction::Descending, weight), texts) }
        }
        RankComponent::Score { best, .. } => {
            let best = oriented(*best, weight);
            Score { expr: call.clone(), best, is_turned, without: without(best, number(f64::MIN)), full_text: None }
        }
    }
}

/// What comes last in that direction; `least` is less than any score.
fn without(best: Direction, least: Expr) -> Expr {
    match best {
        Direction::Ascending => number(f64::MAX),
        Direction::Descending => least,
    }
}

fn oriented(best: Direction, weight: f64) -> Direction {
    match best {
        best if weight >= 0.0 => best,
        Direction::Ascending => Direction::Descending,
        Direction::Descending => Direction::Ascending,
    }
}

/// `_FullTextScore(text, [terms], ...)` with what clients fill in: how many items there are, words in them, and hits of each term.
fn full_text(scored: &Expr, terms: &[String], best: Direction, texts: usize) -> Score {
    let text = match &scored.kind {
        ExprKind::Call { arguments, .. } => arguments.first(),
        _ => None,
    };
    let text = text.unwrap_or(scored).clone();
    let terms: Vec<Expr> = terms.iter().map(string).collect();
    let counts = [
        "{documentdb-formattablehybridsearchquery-totaldocumentcount}".to_owned(),
        format!("{{documentdb-formattablehybridsearchquery-totalwordcount-{texts}}}"),
        format!("{{documentdb-formattablehybridsearchquery-hitcountsarray-{texts}}}"),
    ];
    let mut arguments = vec![text.clone(), array(terms.clone())];
    arguments.extend(counts.into_iter().map(placeholder));
    let without = without(best, number(-1i64));
    Score { expr: call("_FullTextScore", arguments), best, is_turned: false, without, full_text: Some((text, terms)) }
}

/// Counts items, and for each full text its words and the items with each term. They are counted over all items, filter or not.
fn statistics(query: &Query, scores: &[Score]) -> Query {
    let texts = scores.iter().filter_map(|score| score.full_text.as_ref()).map(|(text, terms)| {
        let hits = terms.iter().map(|term| {
            let contains = call("FullTextContains", vec![text.clone(), term.clone()]);
            call("COUNTIF", vec![contains])
        });
        let words = call("SUM", vec![call("_FullTextWordCount", vec![text.clone()])]);
        object(vec![("totalWordCount", words), ("hitCounts", array(hits.collect()))])
    });
    let columns = vec![
        column(call("COUNT", vec![number(1i64)]), Some("documentCount")),
        column(array(texts.collect()), Some("fullTextStatistics")),
    ];
    select_from(query, SelectList::Columns(columns))
}

/// The query for the best rows by one score; each row has all its scores beside it.
fn info(query: &Query, item_alias: &str, score: &Score, scores: &[Score], counts: Counts) -> QueryInfo {
    let with_default =
        |score: &Score| expr(ExprKind::Coalesce(Box::new(score.expr.clone()), Box::new(score.without.clone())));
    let row = object(vec![
        ("payload", payload(query)),
        ("componentScores", array(scores.iter().map(with_default).collect())),
    ]);
    let columns = vec![
        column(property(item_alias, "_rid"), None),
        column(array(vec![item(score.expr.clone())]), Some("orderByItems")),
        column(row, Some("payload")),
    ];
    // The nearest vectors come first without a word.
    let is_written = score.full_text.is_some() || score.is_turned;
    let order = OrderItem { expr: score.expr.clone(), direction: score.best, is_written };
    let top = counts.top.map(component_rows);
    let limit = counts.range().map(component_rows);
    let mut rewritten = select_from(query, SelectList::Columns(columns));
    rewritten.filter = Some(order_filter(query));
    rewritten.order_by = Some(OrderBy::Items(vec![order]));
    rewritten.select.top = top.map(tree::count);
    rewritten.offset_limit = limit.map(first);
    QueryInfo {
        top,
        offset: limit.map(|_| 0),
        limit,
        order_by: vec![(score.expr.to_string(), score.best)],
        rewritten_query: rewritten.to_string(),
        has_non_streaming_order_by: true,
        ..QueryInfo::default()
    }
}

/// Twice as many rows as are wanted, in the 32 bits that the service counts with.
fn component_rows(wanted: u64) -> u64 {
    u64::from(wanted.saturating_mul(2).max(MIN_COMPONENT_ROWS) as u32)
}
