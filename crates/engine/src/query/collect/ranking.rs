//! ORDER BY RANK: every row that the filter keeps gets a score from each component; places among the scores are fused into the rank.
//!
//! A page takes two passes. The first counts words and terms over the whole scope, whatever the filter says, as full text scores
//! depend on all texts; it is left out if no component needs it. The second scores rows. A rank depends on the scores of all rows, so
//! that all of them are held; their number is bounded by memory.

use std::cmp::Ordering;
use std::sync::Arc;

use orrery_store::Visit;

use super::feed::{At, Collector};
use super::memory::Held;
use crate::Error;
use crate::query::evaluation::row::Row;
use crate::query::function::full_text::{Corpus, Occurrences, Term};
use crate::query::scope::fan_out::Merge;
use crate::query::{Direction, Plan, RankComponent, Ranking};

/// Bytes of scores and item keys that a page of a ranked query holds.
pub const MAX_RANK_BYTES: usize = 128 * 1024 * 1024;

/// Bytes that a scored row takes beside its key and scores.
const SCORED_BYTES: usize = 96;

/// Dampens how much the first places count, as in the service.
const RANK_CONSTANT: f64 = 60.0;

/// A component of a ranking, ready to score.
pub(in crate::query) enum Scorer {
    FullText { terms: Vec<Term>, corpus: Corpus },
    Score,
}

/// Scorers without any statistics.
pub(in crate::query) fn scorers(ranking: &Ranking) -> Vec<Scorer> {
    let scorer = |component: &RankComponent| match component {
        RankComponent::FullText { terms, .. } => Scorer::FullText {
            terms: terms.iter().map(|term| Term::new(term)).collect(),
            corpus: Corpus { documents: 0.0, words: 0.0, hits: vec![0.0; terms.len()] },
        },
        RankComponent::Score { .. } => Scorer::Score,
    };
    ranking.components.iter().map(|(component, _)| scorer(component)).collect()
}

/// Whether any component needs statistics.
pub(in crate::query) fn needs_statistics(ranking: &Ranking) -> bool {
    ranking.components.iter().any(|(component, _)| matches!(component, RankComponent::FullText { .. }))
}

/// Counts words and terms for the full text components.
pub(in crate::query) struct Statistics {
    plan: Arc<Plan>,
    scorers: Vec<Scorer>,
}

impl Statistics {
    pub fn new(plan: Arc<Plan>, ranking: &Ranking) -> Self {
        Statistics { plan, scorers: scorers(ranking) }
    }

    /// Scorers that know the statistics.
    pub fn finish(self) -> Vec<Scorer> {
        self.scorers
    }
}

impl Collector for Statistics {
    fn add(&mut self, row: &Row<'_>, _at: &At<'_>) -> Result<Visit, Error> {
        let Some(ranking) = &self.plan.ranking else { return Ok(Visit::Stop) };
        for ((component, _), scorer) in ranking.components.iter().zip(&mut self.scorers) {
            let (RankComponent::FullText { text, .. }, Scorer::FullText { terms, corpus }) = (component, scorer) else {
                continue;
            };
            corpus.documents += 1.0;
            if let Some(text) = text.evaluate(row).as_str()
                && let Some(counted) = Occurrences::of(&text, terms, row.effort())
            {
                corpus.words += counted.words as f64;
                for (hits, count) in corpus.hits.iter_mut().zip(&counted.terms) {
                    *hits += f64::from(u8::from(*count > 0));
                }
            }
        }
        Ok(Visit::Continue)
    }
}

impl Merge for Statistics {
    fn merge(&mut self, later: Self) -> Result<(), Error> {
        for (scorer, later) in self.scorers.iter_mut().zip(later.scorers) {
            if let (Scorer::FullText { corpus, .. }, Scorer::FullText { corpus: later, .. }) = (scorer, later) {
                corpus.documents += later.documents;
                corpus.words += later.words;
                corpus.hits.iter_mut().zip(later.hits).for_each(|(hits, later)| *hits += later);
            }
        }
        Ok(())
    }
}

/// Scores rows.
pub(in crate::query) struct Ranked {
    plan: Arc<Plan>,
    scorers: Arc<Vec<Scorer>>,
    rows: Vec<Scored>,
    bytes: usize,
    held: Held,
}

/// A row and its scores.
pub(in crate::query) struct Scored {
    /// One for each component, better ones greater; least without a score.
    scores: Vec<f64>,
    number: u128,
    pub ordinal: u64,
    pub rest: Vec<u8>,
}

impl Ranked {
    pub fn new(plan: Arc<Plan>, scorers: Arc<Vec<Scorer>>, held: Held) -> Self {
        Ranked { plan, scorers, rows: Vec::new(), bytes: 0, held }
    }

    /// The rows, the best first.
    pub fn finish(self) -> Vec<Scored> {
        let ranking = self.plan.ranking.as_ref();
        in_rank_order(self.rows, ranking.map_or(&[], |ranking| &ranking.components))
    }
}

impl Collector for Ranked {
    fn add(&mut self, row: &Row<'_>, at: &At<'_>) -> Result<Visit, Error> {
        let Some(ranking) = &self.plan.ranking else { return Ok(Visit::Stop) };
        if !self.plan.body.projection.yields(row) {
            return Ok(Visit::Continue);
        }
        let scores: Vec<f64> = ranking
            .components
            .iter()
            .zip(&*self.scorers)
            .map(|((component, _), scorer)| score(component, scorer, row))
            .collect();
        self.bytes += SCORED_BYTES + at.key.len() + scores.len() * size_of::<f64>();
        if self.bytes > MAX_RANK_BYTES {
            return Err(Error::OverBudget { limit_bytes: MAX_RANK_BYTES });
        }
        self.held.hold(self.bytes)?;
        self.rows.push(Scored { scores, number: at.number, ordinal: at.ordinal, rest: at.key.to_vec() });
        Ok(Visit::Continue)
    }
}

impl Merge for Ranked {
    fn merge(&mut self, later: Self) -> Result<(), Error> {
        self.bytes += later.bytes;
        if self.bytes > MAX_RANK_BYTES {
            return Err(Error::OverBudget { limit_bytes: MAX_RANK_BYTES });
        }
        self.rows.extend(later.rows);
        self.held.hold(self.bytes)
    }
}

/// The score of a row by a component; greater is better.
pub(in crate::query) fn score(component: &RankComponent, scorer: &Scorer, row: &Row<'_>) -> f64 {
    match (component, scorer) {
        (RankComponent::FullText { text, .. }, Scorer::FullText { terms, corpus }) => {
            let text = text.evaluate(row);
            let counted = text.as_str().and_then(|text| Occurrences::of(&text, terms, row.effort()));
            counted.map_or(f64::NEG_INFINITY, |counted| corpus.score(&counted))
        }
        (RankComponent::Score { expr, best }, _) => {
            let number = expr.evaluate(row).as_number().map(|number| number.as_f64());
            match (number.filter(|number| !number.is_nan()), best) {
                (None, _) => f64::NEG_INFINITY,
                (Some(number), Direction::Descending) => number,
                (Some(number), Direction::Ascending) => -number,
            }
        }
        (RankComponent::FullText { .. }, Scorer::Score) => f64::NEG_INFINITY,
    }
}

/// Sorts rows by falling rank; rows of one rank go by their numbers.
///
/// As clients do it when they fuse ranks: rows of one score share a place and the next score has the next place, and a negative weight
/// counts places from the worst score on. Rows without a score come last either way.
fn in_rank_order(mut rows: Vec<Scored>, components: &[(RankComponent, f64)]) -> Vec<Scored> {
    if components.len() <= 1 {
        rows.sort_unstable_by(|a, b| by_score(a, b, 0));
        return rows;
    }
    let mut ranks = vec![0.0; rows.len()];
    let mut order: Vec<usize> = (0..rows.len()).collect();
    for (component, (_, weight)) in components.iter().enumerate() {
        let turned = |row: usize| turned(rows[row].scores.get(component).copied(), *weight);
        order.sort_unstable_by(|a, b| turned(*b).total_cmp(&turned(*a)));
        let mut place = 0u32;
        let mut last = None;
        for row in &order {
            let score = turned(*row);
            if last != Some(score) {
                place += 1;
                last = Some(score);
            }
            ranks[*row] += weight.abs() / (RANK_CONSTANT + f64::from(place));
        }
    }
    let mut ranked: Vec<_> = ranks.into_iter().zip(rows).collect();
    ranked.sort_unstable_by(|(a, first), (b, second)| b.total_cmp(a).then_with(|| by_number(first, second)));
    ranked.into_iter().map(|(_, row)| row).collect()
}

/// A score of which the greatest has the first place.
fn turned(score: Option<f64>, weight: f64) -> f64 {
    match score {
        Some(score) if weight < 0.0 && score != f64::NEG_INFINITY => -score,
        score => score.unwrap_or(f64::NEG_INFINITY),
    }
}

fn by_score(a: &Scored, b: &Scored, component: usize) -> Ordering {
    let score = |row: &Scored| row.scores.get(component).copied().unwrap_or(f64::NEG_INFINITY);
    score(b).total_cmp(&score(a)).then_with(|| by_number(a, b))
}

fn by_number(a: &Scored, b: &Scored) -> Ordering {
    (a.number, a.ordinal).cmp(&(b.number, b.ordinal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Expr;

    #[test]
    fn ranks_sum_the_reciprocals_of_places() {
        let component = || RankComponent::Score { expr: Expr::Source(0), best: Direction::Descending };
        let rows = |scores: &[[f64; 2]]| -> Vec<Scored> {
            let row = |(number, scores): (u128, &[f64; 2])| Scored {
                scores: scores.to_vec(),
                number,
                ordinal: 0,
                rest: Vec::new(),
            };
            (0..).zip(scores).map(row).collect()
        };
        let order = |scores: &[[f64; 2]], weights: [f64; 2]| -> Vec<u128> {
            let components = weights.map(|weight| (component(), weight));
            in_rank_order(rows(scores), &components).iter().map(|row| row.number).collect()
        };
        // Places 1 and 3, 2 and 1, 3 and 2.
        let scores = [[9.0, 1.0], [8.0, 3.0], [7.0, 2.0]];
        assert_eq!(order(&scores, [1.0, 1.0]), [1, 0, 2]);
        assert_eq!(order(&scores, [10.0, 1.0]), [0, 1, 2]);
        assert_eq!(order(&scores, [-1.0, 0.0]), [2, 1, 0]);
        assert_eq!(order(&[[f64::NEG_INFINITY, 0.0], [0.0, f64::NEG_INFINITY]], [2.0, 1.0]), [1, 0]);
        assert_eq!(order(&[[f64::NEG_INFINITY, 0.0], [0.0, 0.0]], [-1.0, 1.0]), [1, 0]);
    }

    #[test]
    fn rows_of_one_score_share_a_place() {
        let component = |weight| (RankComponent::Score { expr: Expr::Source(0), best: Direction::Descending }, weight);
        let row =
            |(number, scores): (u128, [f64; 2])| Scored { scores: scores.into(), number, ordinal: 0, rest: Vec::new() };
        // One row has the first place by the first score, all others the second; by the second score it shares the last one, the third.
        let scores = [[0.0, 5.0], [0.0, 4.0], [1.0, 0.0], [0.0, 0.0]];
        let ranked = in_rank_order((0..).zip(scores).map(row).collect(), &[component(1.0), component(1.0)]);
        assert_eq!(ranked.iter().map(|row| row.number).collect::<Vec<_>>(), [0, 2, 1, 3]);
    }
}
