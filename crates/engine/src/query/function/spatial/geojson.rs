//! Reading GeoJSON, and what can be wrong with it.

use std::sync::LazyLock;

use orrery_value::{Number, PropertyName};

use super::ellipsoid::Position;
use super::geometry::{Geometry, Line, Polygon, Side};
use super::sphere::{is_opposite, is_same};
use crate::query::{Datum, Effort, Kind};

/// Why a value is no valid geometry: the reason that ST_ISVALIDDETAILED gives. The service documents the one of latitudes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("A geometry must be an object with a type and coordinates.")]
    NoGeometry,
    #[error("The type of a geometry must be Point, LineString, Polygon or MultiPolygon.")]
    UnknownType,
    #[error("The coordinates of a geometry must be arrays as deep as its type asks for.")]
    Coordinates,
    #[error("A position must be an array of at least two numbers.")]
    Position,
    #[error("Longitude values must be between -180 and 180 degrees.")]
    Longitude,
    #[error("Latitude values must be between -90 and 90 degrees.")]
    Latitude,
    #[error("A LineString must have at least two different positions.")]
    ShortLine,
    #[error("A Polygon must have at least one ring.")]
    NoRing,
    #[error("A ring must have at least four positions, three of them different.")]
    ShortRing,
    #[error("The first and the last position of a ring must be the same.")]
    OpenRing,
    #[error("The ends of an edge must not be opposite points of the earth.")]
    OppositeEnds,
    #[error("A ring must not touch or cross itself.")]
    RingMeetsItself,
    #[error("Rings must not cross each other or share an edge.")]
    RingsCross,
    #[error("Holes must lie inside the outer ring and outside each other.")]
    MisplacedHole,
    #[error("The polygons of a MultiPolygon must not overlap.")]
    PolygonsOverlap,
}

/// Reads a geometry. What can be seen without comparing edges with each other is checked.
pub(super) fn read(geometry: &Datum<'_>, effort: &Effort) -> Result<Geometry, Fault> {
    static TYPE: LazyLock<PropertyName> = LazyLock::new(|| PropertyName::new("type"));
    static COORDINATES: LazyLock<PropertyName> = LazyLock::new(|| PropertyName::new("coordinates"));
    if geometry.kind() != Kind::Object {
        return Err(Fault::NoGeometry);
    }
    let kind = geometry.share().property(&TYPE);
    let kind = kind.as_str().ok_or(Fault::NoGeometry)?;
    let coordinates = geometry.share().property(&COORDINATES);
    if coordinates.is_undefined() {
        return Err(Fault::NoGeometry);
    }
    match &*kind {
        "Point" => read_position(&coordinates).map(Geometry::Point),
        "LineString" => read_line(&coordinates).map(Geometry::Line),
        "Polygon" => read_polygon(&coordinates, effort).map(|polygon| Geometry::Area(vec![polygon])),
        "MultiPolygon" => read_all(&coordinates, |polygon| read_polygon(polygon, effort)).map(Geometry::Area),
        _ => Err(Fault::UnknownType),
    }
}

/// Reads each element of an array.
fn read_all<T>(array: &Datum<'_>, read: impl Fn(&Datum<'_>) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    let mut all = Vec::new();
    let mut fault = None;
    let failed = array.any_element(|element| match read(element) {
        Ok(one) => {
            all.push(one);
            false
        }
        Err(found) => {
            fault = Some(found);
            true
        }
    });
    match (failed, fault) {
        (None, _) => Err(Fault::Coordinates),
        (_, Some(fault)) => Err(fault),
        _ => Ok(all),
    }
}

/// Longitude and latitude; what follows them, such as a height, has no part in anything.
fn read_position(position: &Datum<'_>) -> Result<Position, Fault> {
    let (mut numbers, mut count) = ([None; 2], 0);
    position.any_element(|element| {
        numbers[count] = element.as_number().map(Number::as_f64);
        count += 1;
        count == numbers.len()
    });
    let [Some(longitude), Some(latitude)] = numbers else { return Err(Fault::Position) };
    if !(-180.0..=180.0).contains(&longitude) {
        return Err(Fault::Longitude);
    }
    if !(-90.0..=90.0).contains(&latitude) {
        return Err(Fault::Latitude);
    }
    Ok(Position::new(longitude, latitude))
}

fn read_line(positions: &Datum<'_>) -> Result<Line, Fault> {
    let mut positions = read_all(positions, read_position)?;
    drop_repeated(&mut positions);
    if positions.len() < 2 {
        return Err(Fault::ShortLine);
    }
    check_ends(positions.windows(2).map(|ends| (&ends[0], &ends[1])))?;
    Ok(Line::open(positions))
}

fn read_polygon(rings: &Datum<'_>, effort: &Effort) -> Result<Polygon, Fault> {
    let mut rings = read_all(rings, read_ring)?.into_iter();
    let outer = rings.next().ok_or(Fault::NoRing)?;
    let holes: Vec<_> = rings.map(|hole| facing(hole, &outer, effort)).collect();
    Ok(Polygon { rings: std::iter::once(outer).chain(holes).collect() })
}

fn read_ring(positions: &Datum<'_>) -> Result<Line, Fault> {
    const FEWEST: usize = 4;
    let mut positions = read_all(positions, read_position)?;
    if positions.len() < FEWEST {
        return Err(Fault::ShortRing);
    }
    let closed = positions.pop().zip(positions.first()).is_some_and(|(last, first)| is_same_place(&last, first));
    if !closed {
        return Err(Fault::OpenRing);
    }
    drop_repeated(&mut positions);
    while positions.len() > 1 && is_same_place(&positions[0], &positions[positions.len() - 1]) {
        positions.pop();
    }
    if positions.len() < FEWEST - 1 {
        return Err(Fault::ShortRing);
    }
    let next = positions.iter().cycle().skip(1);
    check_ends(positions.iter().zip(next))?;
    Ok(Line::ring(positions))
}

/// A hole, turned so that the outer ring is to its left: which way holes run does not matter.
fn facing(hole: Line, outer: &Line, effort: &Effort) -> Line {
    let sides = outer.positions.iter().map(|position| hole.ring_side(position.direction, effort));
    match sides.into_iter().find(|side| *side != Side::Boundary) {
        Some(Side::Outside) => hole.reversed(),
        _ => hole,
    }
}

fn drop_repeated(positions: &mut Vec<Position>) {
    positions.dedup_by(|next, one| is_same_place(next, one));
}

fn is_same_place(a: &Position, b: &Position) -> bool {
    is_same(a.direction, b.direction)
}

/// Between opposite points there are many edges.
fn check_ends<'p>(mut edges: impl Iterator<Item = (&'p Position, &'p Position)>) -> Result<(), Fault> {
    if edges.any(|(from, to)| is_opposite(from.direction, to.direction)) {
        return Err(Fault::OppositeEnds);
    }
    Ok(())
}
