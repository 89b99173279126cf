//! The ellipsoid of WGS-84.

use std::sync::LazyLock;

use geographiclib_rs::{Geodesic, InverseGeodesic, PolygonArea, Winding};

use super::sphere::{Arc, Vector, add, dot, length, scale, unit};

const EQUATORIAL_RADIUS_M: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
const POLAR_RADIUS_M: f64 = EQUATORIAL_RADIUS_M * (1.0 - FLATTENING);
const MEAN_RADIUS_M: f64 = 6_371_008.8;
/// Square of the ratio of the radii.
const FLATNESS: f64 = (1.0 - FLATTENING) * (1.0 - FLATTENING);

/// Its series take a while to compute, and never change.
static GEODESIC: LazyLock<Geodesic> = LazyLock::new(|| Geodesic::new(EQUATORIAL_RADIUS_M, FLATTENING));

/// A place, and where it is seen from the centre of the earth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    /// Degrees to the east.
    pub longitude: f64,
    /// Degrees to the north.
    pub latitude: f64,
    /// The direction, of length 1.
    pub direction: Vector,
}

impl Position {
    pub fn new(longitude: f64, latitude: f64) -> Position {
        let (sin_longitude, cos_longitude) = sin_cos(longitude);
        let (sin_latitude, cos_latitude) = sin_cos(latitude);
        let direction = [cos_latitude * cos_longitude, cos_latitude * sin_longitude, FLATNESS * sin_latitude];
        Position { longitude, latitude, direction: unit(direction) }
    }

    fn from_direction(direction: Vector) -> Position {
        let [x, y, z] = direction;
        let latitude = (z / FLATNESS).atan2(x.hypot(y)).to_degrees();
        Position { longitude: y.atan2(x).to_degrees(), latitude, direction }
    }

    /// The length in metres of the shortest way.
    pub fn distance_to(&self, other: &Position) -> f64 {
        GEODESIC.inverse(self.latitude, self.longitude, other.latitude, other.longitude)
    }

    /// The length in metres of the shortest way to an edge.
    ///
    /// Begins where the edge is nearest on the sphere, and there moves along the edge by as much as the way's direction differs from a
    /// right angle; each step leaves a small part of the error of the one before.
    pub fn distance_to_arc(&self, arc: &Arc) -> f64 {
        const MAX_STEPS: usize = 10;
        /// Radians: a tenth of a millimetre, whose effect on the length is far smaller.
        const PRECISION: f64 = 1e-11;
        let end = arc.angle();
        let mut at = arc.angle_nearest(self.direction);
        let mut best = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let (direction, tangent) = arc.at(at);
            let place = Position::from_direction(direction);
            let (metres, azimuth) = place.way_to(self);
            best = best.min(metres);
            let (speed, heading) = place.motion(tangent);
            let (angle, turn) = (metres / MEAN_RADIUS_M, azimuth - heading);
            let step = (angle.sin() * turn.cos()).atan2(angle.cos()) * MEAN_RADIUS_M / speed;
            let next = (at + step).clamp(0.0, end);
            if (next - at).abs() < PRECISION {
                break;
            }
            at = next;
        }
        best
    }

    /// Metres, and the direction at the beginning in radians from north to east.
    fn way_to(&self, other: &Position) -> (f64, f64) {
        let (metres, azimuth, _, _) = GEODESIC.inverse(self.latitude, self.longitude, other.latitude, other.longitude);
        (metres, azimuth.to_radians())
    }

    /// How a point on the ellipsoid moves if its direction turns to `tangent`: metres for each radian, and where to.
    fn motion(&self, tangent: Vector) -> (f64, f64) {
        const E: f64 = 1.0 / (EQUATORIAL_RADIUS_M * EQUATORIAL_RADIUS_M);
        const P: f64 = 1.0 / (POLAR_RADIUS_M * POLAR_RADIUS_M);
        let ([x, y, z], [dx, dy, dz]) = (self.direction, tangent);
        let radius = ((x * x + y * y) * E + z * z * P).sqrt().recip();
        let change = -radius.powi(3) * ((x * dx + y * dy) * E + z * dz * P);
        let moved = add(scale(self.direction, change), scale(tangent, radius));
        let (sin, cos) = sin_cos(self.longitude);
        let (sin_latitude, cos_latitude) = sin_cos(self.latitude);
        let (east, north) = ([-sin, cos, 0.0], [-sin_latitude * cos, -sin_latitude * sin, cos_latitude]);
        (length(moved), dot(moved, east).atan2(dot(moved, north)))
    }
}

/// The area in square metres to the left of a ring of geodesics through these points, less that of the earth if it is more than half
/// of that.
pub(super) fn signed_area(ring: impl Iterator<Item = Vector>) -> f64 {
    let mut area = PolygonArea::new(&GEODESIC, Winding::CounterClockwise);
    for position in ring.map(Position::from_direction) {
        area.add_point(position.latitude, position.longitude);
    }
    area.compute(true).1
}

/// The area of the earth in square metres.
pub(super) fn area_of_earth() -> f64 {
    GEODESIC.area()
}

/// Sine and cosine of degrees, exact at right angles, so that places that are the same have the same direction.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let quarters = (degrees / 90.0).round();
    let (sin, cos) = (degrees - 90.0 * quarters).to_radians().sin_cos();
    match (quarters as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn directions_lead_back_to_their_places() {
        for (longitude, latitude) in [(0.0, 0.0), (179.5, -89.9), (-122.1, 47.6), (90.0, 45.0), (-180.0, 10.0)] {
            let position = Position::new(longitude, latitude);
            let back = Position::from_direction(position.direction);
            assert!(near(back.latitude, latitude), "{back:?}");
            assert!(near((back.longitude - longitude).rem_euclid(360.0) % 360.0, 0.0), "{back:?}");
        }
        assert_eq!(Position::new(180.0, 10.0).direction[0], Position::new(-180.0, 10.0).direction[0]);
        assert!(Position::new(17.0, 90.0).direction[..2].iter().all(|part| part.abs() == 0.0));
    }

    #[test]
    fn the_nearest_place_of_an_edge_is_no_farther_than_any_other() {
        let cases = [
            ((0.0, 0.0), (10.0, 0.0), (5.0, 3.0)),
            ((-70.0, 40.0), (10.0, 55.0), (-30.0, 20.0)),
            ((170.0, 60.0), (-150.0, 62.0), (10.0, 80.0)),
            ((0.0, 0.0), (0.0, 60.0), (100.0, 1.0)),
            ((0.0, 80.0), (179.0, 80.0), (90.0, -30.0)),
            ((12.0, 50.0), (12.001, 50.001), (12.0005, 50.0)),
        ];
        for (from, to, place) in cases {
            let [from, to, place] = [from, to, place].map(|(longitude, latitude)| Position::new(longitude, latitude));
            let arc = Arc::new(from.direction, to.direction);
            let found = place.distance_to_arc(&arc);
            let sampled = (0..=20_000).map(|part| arc.at(arc.angle() * f64::from(part) / 20_000.0).0);
            let least = sampled
                .map(|direction| Position::from_direction(direction).distance_to(&place))
                .fold(f64::INFINITY, f64::min);
            assert!(found <= least + 1e-6 && found > least * (1.0 - 1e-5) - 1e-3, "{found} {least}");
        }
    }

    #[test]
    fn a_perpendicular_to_the_equator_is_a_meridian() {
        let arc = Arc::new(Position::new(0.0, 0.0).direction, Position::new(20.0, 0.0).direction);
        let place = Position::new(7.0, 30.0);
        assert!(near(place.distance_to_arc(&arc), place.distance_to(&Position::new(7.0, 0.0))));
    }

    #[test]
    fn the_pole_of_an_arc_is_to_its_left() {
        let [east, north] = [Position::new(90.0, 0.0), Position::new(0.0, 90.0)];
        let equator = Arc::new(Position::new(0.0, 0.0).direction, east.direction);
        assert_eq!(equator.pole, north.direction);
    }
}
