//! ORDER BY RANK.

use orrery_engine::query::{Expr, RankComponent, Ranking};
use orrery_value::Value;

use super::Binder;
use super::body::folds;
use super::function::{argument_count, is_call};
use crate::ast::{self, Collection, ExprKind, Name, Query, RankItem, Span};
use crate::error::{ErrorCode, SqlError};

impl<'q> Binder<'q> {
    /// What ranks the rows of a query over items.
    pub(super) fn ranking(&mut self, query: &'q Query, items: &'q [RankItem]) -> Result<Ranking, SqlError> {
        let [item] = items else {
            let span = items.iter().map(|item| item.call.span).reduce(Span::to).unwrap_or_default();
            return Err(no_score(span));
        };
        let ExprKind::Call { udf: false, name, arguments } = &item.call.kind else {
            return Err(no_score(item.call.span));
        };
        check_clauses(query, item)?;
        if !is_call(name, "RRF") {
            return Ok(Ranking { components: vec![(self.component(&item.call)?, 1.0)] });
        }
        let (scores, weights) = match arguments.split_last() {
            Some((last, scores)) if !matches!(last.kind, ExprKind::Call { .. }) => {
                (scores, self.weights(last, scores.len())?)
            }
            _ => (&arguments[..], vec![1.0; arguments.len()]),
        };
        // As on the service: one score alone ranks without RRF.
        if scores.len() < 2 {
            return Err(no_score(item.call.span));
        }
        let components = scores.iter().map(|score| self.component(score)).collect::<Result<Vec<_>, _>>()?;
        Ok(Ranking { components: components.into_iter().zip(weights).collect() })
    }

    fn component(&mut self, score: &'q ast::Expr) -> Result<RankComponent, SqlError> {
        match &score.kind {
            ExprKind::Call { udf: false, name, arguments } if is_call(name, "FULLTEXTSCORE") => {
                self.full_text(name, arguments)
            }
            ExprKind::Call { udf: false, name, arguments } if is_call(name, "VECTORDISTANCE") => {
                let distance = self.vector_distance(name, arguments)?;
                Ok(RankComponent::Score { expr: distance.expr, best: distance.nearest_first })
            }
            _ => Err(no_score(score.span)),
        }
    }

    /// `FullTextScore(path, term, ...)`; the terms may also come as arrays.
    fn full_text(&mut self, name: &'q Name, arguments: &'q [ast::Expr]) -> Result<RankComponent, SqlError> {
        let Some((text, given)) = arguments.split_first().filter(|(_, terms)| !terms.is_empty()) else {
            return Err(argument_count(name, "at least 2"));
        };
        let bound = self.expr(text)?;
        if !matches!(bound, Expr::Path { .. } | Expr::Element { .. }) {
            return Err(not_supported(
                text.span,
                "The first argument of FullTextScore must be the path of a property.",
            ));
        }
        let mut terms = Vec::new();
        for term in given {
            match self.expr(term)? {
                Expr::Constant(Value::String(text)) => terms.push(text),
                Expr::Constant(Value::Array(texts)) if texts.iter().all(|text| text.as_str().is_some()) => {
                    terms.extend(texts.iter().filter_map(|text| text.as_str().map(str::to_owned)));
                }
                _ => return Err(not_supported(term.span, "The terms of FullTextScore must be constant strings.")),
            }
        }
        Ok(RankComponent::FullText { text: bound, terms })
    }

    /// One number for each score.
    fn weights(&mut self, weights: &'q ast::Expr, scores: usize) -> Result<Vec<f64>, SqlError> {
        let numbers = match self.expr(weights)? {
            Expr::Constant(Value::Array(weights)) => {
                weights.iter().map(|weight| Some(weight.as_number()?.as_f64())).collect::<Option<Vec<f64>>>()
            }
            _ => return Err(no_score(weights.span)),
        };
        let fitting = numbers.filter(|numbers| numbers.len() == scores && numbers.iter().all(|n| n.is_finite()));
        fitting.ok_or_else(|| {
            let message = format!("The weights of RRF must be an array of {scores} numbers, one for each score.");
            SqlError::new(ErrorCode::RankWeights, weights.span.range(), message)
        })
    }
}

/// Ranks are of items as they are.
fn check_clauses(query: &Query, item: &RankItem) -> Result<(), SqlError> {
    let refuse = |code, span: Span, what: &str| {
        Err(SqlError::new(code, span.range(), format!("The ORDER BY RANK clause cannot be used with {what}.")))
    };
    let Some(from) = &query.from else {
        return Err(not_supported(item.call.span, "The ORDER BY RANK clause needs a FROM clause."));
    };
    if let Some(join) = from.joins.first() {
        return refuse(ErrorCode::RankJoin, join.span, "JOIN");
    }
    let first = &from.first;
    match &first.collection {
        Collection::Subquery(_) => return refuse(ErrorCode::RankOverSubquery, first.span, "a subquery in FROM"),
        _ if first.iterates => return refuse(ErrorCode::RankIteration, first.span, "IN in FROM"),
        Collection::Path { steps, .. } if !steps.is_empty() => {
            return Err(not_supported(first.span, "The ORDER BY RANK clause cannot be used with a path in FROM."));
        }
        Collection::Path { .. } | Collection::Call(_) => {}
    }
    if folds(query) {
        let message = "The ORDER BY RANK clause cannot be used with DISTINCT, GROUP BY or aggregates.";
        return Err(not_supported(item.call.span, message));
    }
    if item.direction.is_some() {
        let message = "Specifying a sort order (ASC or DESC) in the ORDER BY RANK clause is not allowed.";
        return Err(not_supported(item.call.span, message));
    }
    Ok(())
}

fn no_score(span: Span) -> SqlError {
    let message = "The ORDER BY RANK clause must be followed by a VectorDistance and/or a FullTextScore function call.";
    SqlError::new(ErrorCode::RankScore, span.range(), message)
}

fn not_supported(span: Span, message: &str) -> SqlError {
    SqlError::new(ErrorCode::NotSupported, span.range(), message)
}

/// Whether a function can stand in ORDER BY RANK only.
pub(super) fn is_rank_only(name: &Name) -> bool {
    is_call(name, "FULLTEXTSCORE") || is_call(name, "RRF")
}

/// A score where nothing is ranked.
pub(super) fn outside_rank(name: &Name) -> SqlError {
    let message = format!("The {} function is only allowed in the ORDER BY RANK clause.", name.text);
    SqlError::new(ErrorCode::ScoreOutsideRank, name.span.range(), message)
}
