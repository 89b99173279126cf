//! Functions of places on the earth, as GeoJSON: Point, LineString, Polygon and MultiPolygon.
//!
//! Longitude and latitude are those of WGS-84, and so are distances (metres along the geodesic) and areas (square metres). An edge
//! is the short way between its ends in the plane through the centre of the earth, which the ellipsoid's points seen from there turn
//! into an arc of a great circle (`sphere.rs`): which side of an edge a point lies on, and where edges meet, is decided there, to
//! within a micrometre. So no place is special: edges may cross the antimeridian and polygons hold a pole.
//!
//! A polygon lies to the left of its outer ring, as the service documents: one whose ring runs clockwise is all of the earth but what
//! the ring encloses. Holes are taken away whichever way they run. A geometry that is not valid gives undefined.
//!
//! Not known to functions: containers whose geometry is flat (`geospatialConfig` of type Geometry). Binding refuses them there.

mod area;
mod distance;
mod ellipsoid;
mod geojson;
mod geometry;
mod near_pairs;
mod relate;
mod sphere;
mod validity;

use orrery_value::{Object, Value};

use super::{Function, exactly};
use crate::query::{Datum, Effort};
use geojson::Fault;
use geometry::Geometry;

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("ST_AREA", 1, |a, effort| geometry(&a[0], effort).and_then(|found| area::area(&found, effort)).into()),
    exactly("ST_DISTANCE", 2, |a, effort| of_two(a, effort, distance::distance).into()),
    exactly("ST_INTERSECTS", 2, |a, effort| of_two(a, effort, relate::intersects).into()),
    exactly("ST_ISVALID", 1, |a, effort| validity(&a[0], effort).map(|found| found.is_ok()).into()),
    exactly("ST_ISVALIDDETAILED", 1, |a, effort| validity(&a[0], effort).map(detailed).into()),
    exactly("ST_WITHIN", 2, |a, effort| of_two(a, effort, relate::within).into()),
];

/// A valid geometry.
fn geometry(argument: &Datum<'_>, effort: &Effort) -> Option<Geometry> {
    if argument.is_undefined() || !effort.spend(argument.weight()) {
        return None;
    }
    let geometry = geojson::read(argument, effort).ok()?;
    validity::check(&geometry, effort).ok()?;
    (!effort.is_exhausted()).then_some(geometry)
}

fn of_two<T>(
    arguments: &[Datum<'_>],
    effort: &Effort,
    function: fn(&Geometry, &Geometry, &Effort) -> Option<T>,
) -> Option<T> {
    let (a, b) = (geometry(&arguments[0], effort)?, geometry(&arguments[1], effort)?);
    function(&a, &b, effort)
}

/// Whether a value is a valid geometry, and why not; none if it is undefined.
fn validity(argument: &Datum<'_>, effort: &Effort) -> Option<Result<(), Fault>> {
    if argument.is_undefined() || !effort.spend(argument.weight()) {
        return None;
    }
    let found = geojson::read(argument, effort).and_then(|geometry| validity::check(&geometry, effort));
    (!effort.is_exhausted()).then_some(found)
}

fn detailed(found: Result<(), Fault>) -> Value {
    let mut object = Object::new();
    object.push("valid", found.is_ok());
    if let Err(fault) = found {
        object.push("reason", fault.to_string());
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests;
