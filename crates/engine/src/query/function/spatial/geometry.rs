//! Geometries as they are computed with.

use super::ellipsoid::Position;
use super::sphere::{Arc, Foot, TOLERANCE, Vector};
use crate::query::Effort;

/// A geometry that was read from GeoJSON.
#[derive(Clone, Debug)]
pub(super) enum Geometry {
    Point(Position),
    Line(Line),
    /// A Polygon, or the polygons of a MultiPolygon, which may be none.
    Area(Vec<Polygon>),
}

/// Positions one after another, of which no two neighbours are the same, and the edges between them.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub positions: Vec<Position>,
    pub arcs: Vec<Arc>,
}

/// The outer ring, then the holes. A ring is a line whose last edge leads back to its first position; the polygon is to its left.
#[derive(Clone, Debug)]
pub(super) struct Polygon {
    pub rings: Vec<Line>,
}

/// Where a point lies with regard to an area or line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    Boundary,
    Outside,
}

impl Geometry {
    /// Its positions.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        let point = match self {
            Geometry::Point(position) => Some(position),
            _ => None,
        };
        point.into_iter().chain(self.lines().flat_map(|line| &line.positions))
    }

    /// Its edges.
    pub fn arcs(&self) -> impl Iterator<Item = &Arc> {
        self.lines().flat_map(|line| &line.arcs)
    }

    /// Its line, or the rings of its polygons.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        let (line, polygons): (_, &[Polygon]) = match self {
            Geometry::Point(_) => (None, &[]),
            Geometry::Line(line) => (Some(line), &[]),
            Geometry::Area(polygons) => (None, polygons),
        };
        line.into_iter().chain(polygons.iter().flat_map(|polygon| &polygon.rings))
    }

    /// Where a point lies. What there is of a line or point counts as its boundary. Outside if the effort is used up.
    pub fn side(&self, point: Vector, effort: &Effort) -> Side {
        match self {
            Geometry::Point(position) if super::sphere::is_same(position.direction, point) => Side::Boundary,
            Geometry::Point(_) => Side::Outside,
            Geometry::Line(line) => line.side(point, effort),
            Geometry::Area(polygons) => {
                let mut side = Side::Outside;
                for polygon in polygons.iter().take_while(|_| effort.spend(1)) {
                    match polygon.side(point, effort) {
                        Side::Inside => return Side::Inside,
                        Side::Boundary => side = Side::Boundary,
                        Side::Outside => {}
                    }
                }
                side
            }
        }
    }
}

impl Line {
    /// A line through these.
    pub fn open(positions: Vec<Position>) -> Line {
        let arcs = positions.windows(2).map(|ends| Arc::new(ends[0].direction, ends[1].direction)).collect();
        Line { positions, arcs }
    }

    /// A ring through these, of which there is at least one.
    pub fn ring(positions: Vec<Position>) -> Line {
        let Line { positions, mut arcs } = Line::open(positions);
        if let (Some(last), Some(first)) = (positions.last(), positions.first()) {
            arcs.push(Arc::new(last.direction, first.direction));
        }
        Line { positions, arcs }
    }

    /// The same ring, the other way round.
    #[must_use]
    pub fn reversed(mut self) -> Line {
        self.positions.reverse();
        Line::ring(self.positions)
    }

    /// On which side of this ring a point lies; inside is left.
    pub fn ring_side(&self, point: Vector, effort: &Effort) -> Side {
        side_of_rings(std::slice::from_ref(self), point, effort)
    }

    fn side(&self, point: Vector, effort: &Effort) -> Side {
        let on_line = effort.spend(self.arcs.len()) && self.arcs.iter().any(|arc| arc.holds(point));
        if on_line { Side::Boundary } else { Side::Outside }
    }
}

impl Polygon {
    pub fn side(&self, point: Vector, effort: &Effort) -> Side {
        side_of_rings(&self.rings, point, effort)
    }
}

/// Whether a point is to the left of rings that do not cross.
///
/// The way to the nearest point of all rings crosses none of them, so that the side on which it arrives there decides. This needs no
/// point that is known to be inside or outside, and so works for areas of any size.
fn side_of_rings(rings: &[Line], point: Vector, effort: &Effort) -> Side {
    let mut best = f64::INFINITY;
    let mut is_left = false;
    for ring in rings {
        if !effort.spend(ring.arcs.len()) {
            return Side::Outside;
        }
        let Some((squared, at, foot)) = nearest_edge(ring, point) else { continue };
        if squared < best {
            best = squared;
            is_left = is_left_of(ring, at, foot, point);
        }
    }
    match best {
        best if best <= TOLERANCE * TOLERANCE => Side::Boundary,
        _ if is_left => Side::Inside,
        _ => Side::Outside,
    }
}

/// How near the nearest edge of a ring is, which one it is, and where on it.
fn nearest_edge(ring: &Line, point: Vector) -> Option<(f64, usize, Foot)> {
    let found = ring.arcs.iter().enumerate().map(|(at, arc)| {
        let (squared, foot) = arc.nearest(point);
        (squared, at, foot)
    });
    found.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Whether a point is left of a ring, of which it is nearest to edge `at`.
fn is_left_of(ring: &Line, at: usize, foot: Foot, point: Vector) -> bool {
    let arcs = &ring.arcs;
    let (before, after) = match foot {
        Foot::Between => return arcs[at].side(point) > 0.0,
        Foot::From => (&arcs[(at + arcs.len() - 1) % arcs.len()], &arcs[at]),
        Foot::To => (&arcs[at], &arcs[(at + 1) % arcs.len()]),
    };
    let (left_before, left_after) = (before.side(point) > 0.0, after.side(point) > 0.0);
    let turns_left = before.side(after.to) >= 0.0;
    if turns_left { left_before && left_after } else { left_before || left_after }
}
