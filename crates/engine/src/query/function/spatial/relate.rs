//! Whether geometries have points in common, and whether one lies in the other.

use std::ops::ControlFlow;

use super::geometry::{Geometry, Side};
use super::near_pairs::{Edge, MEETING_STEPS, edges, near_pairs, parts};
use super::sphere::{Arc, Meeting, Vector, add, is_same, scale, unit};
use crate::query::Effort;

/// How far to the left of an edge its own area is looked for: some millimetres.
const BESIDE: f64 = 1e-9;

/// Whether they share any point, of their boundaries or not. None if the effort is used up.
pub(super) fn intersects(a: &Geometry, b: &Geometry, effort: &Effort) -> Option<bool> {
    let found = match (a, b) {
        (Geometry::Point(point), other) | (other, Geometry::Point(point)) => {
            other.side(point.direction, effort) != Side::Outside
        }
        // Without a common point of their boundaries, each boundary line is all inside or all outside the other.
        _ => boundaries_meet(a, b, effort) || has_line_in(a, b, effort) || has_line_in(b, a, effort),
    };
    (!effort.is_exhausted()).then_some(found)
}

/// Whether all of `a` lies in `b`, and not only in its boundary: a point on the edge of a polygon is not within it. None if the
/// effort is used up.
pub(super) fn within(a: &Geometry, b: &Geometry, effort: &Effort) -> Option<bool> {
    let found = match (a, b) {
        (Geometry::Point(a), Geometry::Point(b)) => is_same(a.direction, b.direction),
        (Geometry::Point(point), Geometry::Line(line)) => {
            let ends = [line.positions.first(), line.positions.last()].map(|end| end.map(|end| end.direction));
            let closed = matches!(ends, [Some(first), Some(last)] if is_same(first, last));
            let at_end = ends.iter().flatten().any(|end| is_same(*end, point.direction));
            b.side(point.direction, effort) == Side::Boundary && (closed || !at_end)
        }
        (Geometry::Point(point), Geometry::Area(_)) => b.side(point.direction, effort) == Side::Inside,
        (Geometry::Line(_), Geometry::Line(_)) => sides(a, b, effort).iter().all(|(side, ..)| *side == Side::Boundary),
        (Geometry::Line(_), Geometry::Area(_)) => {
            let sides = sides(a, b, effort);
            let has = |wanted: Side| sides.iter().any(|(side, ..)| *side == wanted);
            has(Side::Inside) && !has(Side::Outside)
        }
        (Geometry::Area(_), Geometry::Area(_)) => is_area_within(a, b, effort),
        _ => false,
    };
    (!effort.is_exhausted()).then_some(found)
}

fn boundaries_meet(a: &Geometry, b: &Geometry, effort: &Effort) -> bool {
    let mut met = false;
    of_both(a, b, effort, |a, b| {
        met = a.arc.meeting(b.arc) != Meeting::Apart;
        if met { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    met
}

/// Whether a line of `a`, known by one of its points, is in the area `b`.
fn has_line_in(a: &Geometry, b: &Geometry, effort: &Effort) -> bool {
    let firsts = a.lines().filter_map(|line| line.arcs.first());
    matches!(b, Geometry::Area(_)) && firsts.into_iter().any(|arc| b.side(arc.from, effort) != Side::Outside)
}

/// `a` has points; no boundary of it leaves `b`; no boundary of `b` runs through it; and where both run together, the areas beside
/// them do too.
fn is_area_within(a: &Geometry, b: &Geometry, effort: &Effort) -> bool {
    let of_a = sides(a, b, effort);
    if of_a.is_empty() || of_a.iter().any(|(side, ..)| *side == Side::Outside) {
        return false;
    }
    let shared = of_a.iter().filter(|(side, ..)| *side == Side::Boundary);
    let beside = |(_, point, arc): &(Side, Vector, Arc)| unit(add(*point, scale(arc.pole, BESIDE)));
    shared.into_iter().all(|part| b.side(beside(part), effort) != Side::Outside)
        && sides(b, a, effort).iter().all(|(side, ..)| *side != Side::Inside)
}

/// Where the parts of `a`'s edges lie with regard to `b`, between whose edges they run: each by its middle, with the edge.
fn sides(a: &Geometry, b: &Geometry, effort: &Effort) -> Vec<(Side, Vector, Arc)> {
    let own = edges(a.lines());
    let starts: Vec<usize> = a
        .lines()
        .scan(0, |start, line| {
            *start += line.arcs.len();
            Some(*start - line.arcs.len())
        })
        .collect();
    let mut meetings: Vec<Vec<Vector>> = vec![Vec::new(); own.len()];
    of_both(a, b, effort, |edge, other| {
        let points = &mut meetings[starts[edge.line] + edge.at];
        match edge.arc.meeting(other.arc) {
            Meeting::Apart => {}
            _ if !effort.spend(MEETING_STEPS) => return ControlFlow::Break(()),
            Meeting::Crossing(point) | Meeting::Touching(point) => points.push(point),
            Meeting::Overlapping(from, to) => points.extend([from, to]),
        }
        ControlFlow::Continue(())
    });
    let parts = own.iter().zip(meetings).flat_map(|(edge, points)| {
        let middles = parts(edge.arc, &points);
        middles.into_iter().map(|middle| (middle, *edge.arc))
    });
    // Once the effort is used up there is no point in going on: the caller gives no answer then.
    let parts = parts.take_while(|_| !effort.is_exhausted());
    parts.map(|(middle, arc)| (b.side(middle, effort), middle, arc)).collect()
}

/// Visits pairs of an edge of `a` and one of `b`.
fn of_both<'g>(
    a: &'g Geometry,
    b: &'g Geometry,
    effort: &Effort,
    mut visit: impl FnMut(Edge<'g>, Edge<'g>) -> ControlFlow<()>,
) {
    let of_a = a.lines().count();
    near_pairs(&edges(a.lines().chain(b.lines())), effort, |one, other| match (one.line < of_a, other.line < of_a) {
        (true, false) => visit(one, other),
        (false, true) => visit(other, one),
        _ => ControlFlow::Continue(()),
    });
}
