//! The area of a geometry.

use super::ellipsoid::{area_of_earth, signed_area};
use super::geometry::{Geometry, Line};
use super::sphere::Arc;
use crate::query::Effort;

/// Longest part of an edge, in radians, that is measured as one.
const LONGEST_PART: f64 = 0.02;
/// What one part costs, in steps.
const PART_STEPS: usize = 256;

/// Square metres; 0 for points and lines. None if the effort is used up.
pub(super) fn area(geometry: &Geometry, effort: &Effort) -> Option<f64> {
    let Geometry::Area(polygons) = geometry else { return Some(0.0) };
    polygons.iter().try_fold(0.0, |sum, polygon| {
        let area = polygon.rings.iter().try_fold(0.0, |sum, ring| Some(sum + left_of(ring, effort)?))?;
        // A ring around more than half of the earth has a negative area.
        Some(sum + if area < 0.0 { area + area_of_earth() } else { area })
    })
}

/// The signed area of a ring.
///
/// What is known is the area of geodesics, from which an edge differs by its plane. The difference falls with the square of the length
/// of parts, so that two measures tell what it comes to: for the documented sample, the service's area to ten digits, where the
/// geodesics between the positions give eight.
fn left_of(ring: &Line, effort: &Effort) -> Option<f64> {
    let parts: usize = ring.arcs.iter().map(parts_of).sum();
    if !effort.spend(3 * parts * PART_STEPS) {
        return None;
    }
    let coarse = signed_area(ring.arcs.iter().flat_map(|arc| points(arc, parts_of(arc))));
    let fine = signed_area(ring.arcs.iter().flat_map(|arc| points(arc, 2 * parts_of(arc))));
    let change = fine - coarse;
    // Around half of the earth, the two may lie on either side of where the sign turns.
    let whole = area_of_earth();
    Some(fine + (change - whole * (change / whole).round()) / 3.0)
}

fn parts_of(arc: &Arc) -> usize {
    (arc.angle() / LONGEST_PART).ceil().max(1.0) as usize
}

/// The beginnings of so many parts of an edge.
fn points(arc: &Arc, parts: usize) -> impl Iterator<Item = super::sphere::Vector> {
    let part = arc.angle() / parts as f64;
    (0..parts).map(move |at| arc.at(part * at as f64).0)
}
