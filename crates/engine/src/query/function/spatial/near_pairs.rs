//! Finding edges that may meet without comparing each with each.

use std::ops::ControlFlow;

use super::geometry::Line;
use super::sphere::{Arc, TOLERANCE, Vector, distance_squared, middle};
use crate::query::Effort;

/// What a place where edges meet costs where it is kept, in steps: it bounds the memory for them too.
pub(super) const MEETING_STEPS: usize = 512;

/// An edge and where it is from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<'g> {
    pub arc: &'g Arc,
    /// Which line or ring.
    pub line: usize,
    /// Which edge of it.
    pub at: usize,
}

/// An edge in a ball around it.
struct Ball<'g> {
    edge: Edge<'g>,
    centre: Vector,
    radius: f64,
}

/// The edges of lines, numbered.
pub(super) fn edges<'g>(lines: impl Iterator<Item = &'g Line>) -> Vec<Edge<'g>> {
    let numbered = lines.enumerate();
    numbered
        .flat_map(|(line, edges)| edges.arcs.iter().enumerate().map(move |(at, arc)| Edge { arc, line, at }))
        .collect()
}

/// Visits each pair of edges that are so near that they may meet, until the visitor has seen enough or the effort is used up.
///
/// Sweeps along the axis on which the edges are spread most: with edges that are short for their number, this takes little more
/// time than sorting them.
pub(super) fn near_pairs<'g>(
    edges: &[Edge<'g>],
    effort: &Effort,
    mut visit: impl FnMut(Edge<'g>, Edge<'g>) -> ControlFlow<()>,
) {
    let mut balls: Vec<_> = edges.iter().map(|edge| Ball::around(*edge)).collect();
    let axis = widest_axis(&balls);
    let low = |ball: &Ball<'_>| ball.centre[axis] - ball.radius;
    balls.sort_by(|a, b| low(a).total_cmp(&low(b)));
    let mut open: Vec<&Ball<'_>> = Vec::new();
    for ball in &balls {
        open.retain(|other| other.centre[axis] + other.radius >= low(ball));
        if !effort.spend(1 + open.len()) {
            return;
        }
        for other in &open {
            if other.touches(ball) && visit(other.edge, ball.edge).is_break() {
                return;
            }
        }
        open.push(ball);
    }
}

impl<'g> Ball<'g> {
    /// No point of an arc is farther from the middle of its chord than its ends.
    fn around(edge: Edge<'g>) -> Self {
        let Arc { from, to, .. } = *edge.arc;
        let centre = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0, (from[2] + to[2]) / 2.0];
        Ball { edge, centre, radius: distance_squared(from, to).sqrt() / 2.0 + TOLERANCE }
    }

    fn touches(&self, other: &Ball<'_>) -> bool {
        let reach = self.radius + other.radius;
        distance_squared(self.centre, other.centre) <= reach * reach
    }
}

fn widest_axis(balls: &[Ball<'_>]) -> usize {
    let spread = |axis: usize| {
        let centres = balls.iter().map(|ball| ball.centre[axis]);
        let (low, high) =
            centres.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        high - low
    };
    (0..3).max_by(|a, b| spread(*a).total_cmp(&spread(*b))).unwrap_or(0)
}

/// The parts of an edge between points on it, by their middles, in any order. Points may repeat.
pub(super) fn parts(arc: &Arc, points: &[Vector]) -> Vec<Vector> {
    let ahead = |point: &Vector| distance_squared(arc.from, *point);
    let mut points: Vec<Vector> = points.iter().copied().chain([arc.from, arc.to]).collect();
    points.sort_by(|a, b| ahead(a).total_cmp(&ahead(b)));
    let apart = |ends: &&[Vector]| distance_squared(ends[0], ends[1]) > (8.0 * TOLERANCE).powi(2);
    points.windows(2).filter(apart).map(|ends| middle(ends[0], ends[1])).collect()
}
