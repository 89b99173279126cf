//! The distance between geometries.

use super::ellipsoid::Position;
use super::geometry::Geometry;
use super::relate::intersects;
use super::sphere::{Arc, distance_squared};
use crate::query::Effort;

/// How much farther than the nearest a pair may seem on the sphere and be the nearest on the ellipsoid: its radii differ by a third
/// of a percent, its curvature by one.
const ELLIPSOID_MARGIN: f64 = 1.02;
/// What finding the shortest way to one edge costs, in steps.
const WAY_STEPS: usize = 256;

/// The shortest way in metres, 0 if they share a point. None if one of them has no points, or if the effort is used up.
pub(super) fn distance(a: &Geometry, b: &Geometry, effort: &Effort) -> Option<f64> {
    if let (Geometry::Point(a), Geometry::Point(b)) = (a, b) {
        return Some(a.distance_to(b));
    }
    if intersects(a, b, effort)? {
        return Some(0.0);
    }
    // The shortest way between edges that do not meet begins or ends at an end of an edge.
    let least = least_on_sphere(a, b, effort)?.min(least_on_sphere(b, a, effort)?);
    let limit = (least.sqrt() * ELLIPSOID_MARGIN).powi(2);
    let metres = least_metres(a, b, limit, effort)?.min(least_metres(b, a, limit, effort)?);
    metres.is_finite().then_some(metres)
}

/// What positions are compared with.
enum Target<'g> {
    Position(&'g Position),
    Arc(&'g Arc),
}

impl Target<'_> {
    /// The square of the straight distance.
    fn squared(&self, from: &Position) -> f64 {
        match self {
            Target::Position(position) => distance_squared(position.direction, from.direction),
            Target::Arc(arc) => arc.nearest(from.direction).0,
        }
    }

    fn metres(&self, from: &Position) -> f64 {
        match self {
            Target::Position(position) => position.distance_to(from),
            Target::Arc(arc) => from.distance_to_arc(arc),
        }
    }
}

fn targets(geometry: &Geometry) -> impl Iterator<Item = Target<'_>> {
    let point = match geometry {
        Geometry::Point(position) => Some(Target::Position(position)),
        _ => None,
    };
    point.into_iter().chain(geometry.arcs().map(Target::Arc))
}

/// The square of the least straight distance on the sphere between positions of `a` and edges of `b`.
fn least_on_sphere(a: &Geometry, b: &Geometry, effort: &Effort) -> Option<f64> {
    let mut least = f64::INFINITY;
    for target in targets(b) {
        for position in a.positions() {
            least = least.min(target.squared(position));
        }
        if !effort.spend(a.positions().count()) {
            return None;
        }
    }
    Some(least)
}

/// The shortest way in metres between positions of `a` and edges of `b`, among those within `limit` on the sphere.
fn least_metres(a: &Geometry, b: &Geometry, limit: f64, effort: &Effort) -> Option<f64> {
    let mut least = f64::INFINITY;
    for target in targets(b) {
        for position in a.positions().filter(|position| target.squared(position) <= limit) {
            if !effort.spend(WAY_STEPS) {
                return None;
            }
            least = least.min(target.metres(position));
        }
        if !effort.spend(a.positions().count()) {
            return None;
        }
    }
    Some(least)
}
