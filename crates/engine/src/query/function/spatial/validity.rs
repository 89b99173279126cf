//! What edges of valid polygons may do to each other.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::geojson::Fault;
use super::geometry::{Geometry, Line, Polygon, Side};
use super::near_pairs::{Edge, MEETING_STEPS, edges, near_pairs};
use super::sphere::{Meeting, Vector, middle};
use crate::query::Effort;

/// Pairs of rings that touch, the lower number first.
type Touching = HashSet<(usize, usize)>;

/// Checks a geometry that was read. Lines may cross themselves; rings may touch each other at points; polygons may do so too, but
/// have no area in common. The result means nothing once the effort is used up.
pub(super) fn check(geometry: &Geometry, effort: &Effort) -> Result<(), Fault> {
    let Geometry::Area(polygons) = geometry else { return Ok(()) };
    let touching = check_edges(geometry, effort)?;
    let mut first_ring = 0;
    let mut numbered = Vec::with_capacity(polygons.len());
    for polygon in polygons {
        check_holes(polygon, first_ring, &touching, effort)?;
        numbered.push((first_ring, polygon));
        first_ring += polygon.rings.len();
    }
    check_polygons(&numbered, &touching, effort)
}

/// Checks that rings meet at most at points, and gives those that do.
fn check_edges(geometry: &Geometry, effort: &Effort) -> Result<Touching, Fault> {
    let lengths: Vec<_> = geometry.lines().map(|ring| ring.arcs.len()).collect();
    let mut touching = Touching::new();
    let mut fault = None;
    near_pairs(&edges(geometry.lines()), effort, |a, b| {
        let meeting = a.arc.meeting(b.arc);
        fault = if a.line == b.line {
            let alright = match meeting {
                Meeting::Apart => true,
                Meeting::Touching(_) => are_neighbours(a, b, lengths[a.line]),
                Meeting::Crossing(_) | Meeting::Overlapping(..) => false,
            };
            (!alright).then_some(Fault::RingMeetsItself)
        } else {
            if matches!(meeting, Meeting::Touching(_)) && effort.spend(MEETING_STEPS) {
                touching.insert((a.line.min(b.line), a.line.max(b.line)));
            }
            matches!(meeting, Meeting::Crossing(_) | Meeting::Overlapping(..)).then_some(Fault::RingsCross)
        };
        if fault.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    fault.map_or(Ok(touching), Err)
}

fn are_neighbours(a: Edge<'_>, b: Edge<'_>, edges: usize) -> bool {
    (a.at + 1) % edges == b.at || (b.at + 1) % edges == a.at
}

/// Each ring lies to the left of all others: holes are inside the outer ring, and outside each other.
fn check_holes(polygon: &Polygon, first_ring: usize, touching: &Touching, effort: &Effort) -> Result<(), Fault> {
    for (a, ring) in polygon.rings.iter().enumerate() {
        for (b, other) in polygon.rings.iter().enumerate().filter(|(b, _)| *b != a) {
            let touch = touching.contains(&(first_ring + a.min(b), first_ring + a.max(b)));
            let misplaced = samples(other, touch).any(|point| ring.ring_side(point, effort) == Side::Outside);
            if misplaced {
                return Err(Fault::MisplacedHole);
            }
        }
    }
    Ok(())
}

/// No polygon has a part of another one's boundary inside.
fn check_polygons(polygons: &[(usize, &Polygon)], touching: &Touching, effort: &Effort) -> Result<(), Fault> {
    for (a, (a_ring, polygon)) in polygons.iter().enumerate() {
        for (_, (b_ring, other)) in polygons.iter().enumerate().filter(|(b, _)| *b != a) {
            let touch = |ring: usize| {
                (0..polygon.rings.len()).any(|own| {
                    let (own, ring) = (a_ring + own, b_ring + ring);
                    touching.contains(&(own.min(ring), own.max(ring)))
                })
            };
            if !effort.spend(polygon.rings.len()) {
                return Ok(());
            }
            let mut points = other.rings.iter().enumerate().flat_map(|(at, ring)| samples(ring, touch(at)));
            if points.any(|point| polygon.side(point, effort) == Side::Inside) {
                return Err(Fault::PolygonsOverlap);
            }
        }
    }
    Ok(())
}

/// Points that stand for a ring: one of them if it does not `touch` what it is compared with and so lies on one side of it, else
/// its positions and the middles of its edges.
fn samples(ring: &Line, touch: bool) -> impl Iterator<Item = Vector> {
    let count = if touch { usize::MAX } else { 1 };
    ring.arcs.iter().flat_map(|arc| [arc.from, middle(arc.from, arc.to)]).take(count)
}
