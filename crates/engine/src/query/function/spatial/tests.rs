//! Tests of the spatial functions as they are called.

use super::super::tests::{called, called_with};
use crate::query::Effort;

fn point(longitude: f64, latitude: f64) -> String {
    format!(r#"{{"type":"Point","coordinates":[{longitude},{latitude}]}}"#)
}

fn shape(kind: &str, coordinates: &str) -> String {
    format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#)
}

/// A polygon of rings, each a list of positions to which the first is added at the end.
fn polygon(rings: &[&[(f64, f64)]]) -> String {
    shape("Polygon", &coordinates(rings))
}

fn coordinates(rings: &[&[(f64, f64)]]) -> String {
    let rings: Vec<_> = rings.iter().map(|ring| line_coordinates(&[ring, &ring[..1]].concat())).collect();
    format!("[{}]", rings.join(","))
}

fn line(positions: &[(f64, f64)]) -> String {
    shape("LineString", &line_coordinates(positions))
}

fn line_coordinates(positions: &[(f64, f64)]) -> String {
    let positions: Vec<_> = positions.iter().map(|(longitude, latitude)| format!("[{longitude},{latitude}]")).collect();
    format!("[{}]", positions.join(","))
}

/// The corners of a box, against the clock.
fn corners(west: f64, south: f64, east: f64, north: f64) -> [(f64, f64); 4] {
    [(west, south), (east, south), (east, north), (west, north)]
}

fn box_of(west: f64, south: f64, east: f64, north: f64) -> String {
    polygon(&[&corners(west, south, east, north)])
}

fn reversed(mut ring: [(f64, f64); 4]) -> [(f64, f64); 4] {
    ring.reverse();
    ring
}

fn both(name: &str, a: &str, b: &str) -> String {
    called(name, &format!("[{a},{b}]"))
}

fn metres(a: &str, b: &str) -> f64 {
    both("ST_DISTANCE", a, b).parse().unwrap_or(f64::NAN)
}

fn area(shape: &str) -> f64 {
    called("ST_AREA", &format!("[{shape}]")).parse().unwrap_or(f64::NAN)
}

fn assert_near(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= expected.abs() * relative, "{found} is not {expected}");
}

#[test]
fn distances_of_points_are_geodesics() {
    // A degree of the equator, and the way from the equator to a pole along a meridian.
    assert_near(metres(&point(0.0, 0.0), &point(1.0, 0.0)), 111_319.490_793, 1e-11);
    assert_near(metres(&point(20.0, 0.0), &point(0.0, 90.0)), 10_001_965.729_3, 1e-11);
    assert_near(metres(&point(180.0, 10.0), &point(-179.0, 10.0)), metres(&point(0.0, 10.0), &point(1.0, 10.0)), 1e-12);
    assert_eq!(metres(&point(180.0, 10.0), &point(-180.0, 10.0)), 0.0);
    assert_eq!(metres(&point(77.0, 90.0), &point(-20.0, 90.0)), 0.0);
    assert_near(metres(&point(31.9, -4.8), &point(31.8, -4.7)), 15_672.0, 1e-3);
}

#[test]
fn distances_of_lines_and_areas_go_to_the_nearest_place() {
    let degree = metres(&point(0.0, 0.0), &point(0.0, 1.0));
    let equator = line(&[(-10.0, 0.0), (10.0, 0.0)]);
    assert_near(metres(&point(3.0, 1.0), &equator), degree, 1e-9);
    assert_near(metres(&equator, &point(3.0, 1.0)), degree, 1e-9);
    assert_near(metres(&point(11.0, 0.0), &equator), metres(&point(11.0, 0.0), &point(10.0, 0.0)), 1e-12);
    assert_eq!(metres(&point(3.0, 0.0), &equator), 0.0);
    let square = box_of(-5.0, 1.0, 5.0, 3.0);
    assert_near(metres(&square, &equator), degree, 1e-9);
    assert_near(metres(&point(0.0, 0.0), &square), metres(&point(0.0, 0.0), &point(0.0, 1.003_8)), 1e-4);
    assert_eq!(metres(&point(0.0, 2.0), &square), 0.0);
    assert_near(metres(&square, &box_of(7.0, 1.0, 9.0, 3.0)), metres(&point(5.0, 3.0), &point(7.0, 3.0)), 1e-9);
    let both_sides = shape(
        "MultiPolygon",
        &format!(
            "[{},{}]",
            coordinates(&[&corners(-9.0, 1.0, -8.0, 3.0)]),
            coordinates(&[&corners(7.0, 1.0, 9.0, 3.0)])
        ),
    );
    assert_near(metres(&square, &both_sides), metres(&point(5.0, 3.0), &point(7.0, 3.0)), 1e-9);
}

#[test]
fn a_place_in_a_hole_is_outside() {
    let ring = polygon(&[&corners(0.0, 0.0, 10.0, 10.0), &reversed(corners(4.0, 4.0, 6.0, 6.0))]);
    let hole_the_other_way = polygon(&[&corners(0.0, 0.0, 10.0, 10.0), &corners(4.0, 4.0, 6.0, 6.0)]);
    for ring in [ring, hole_the_other_way] {
        assert_eq!(both("ST_WITHIN", &point(5.0, 5.0), &ring), "false");
        assert_eq!(both("ST_WITHIN", &point(2.0, 5.0), &ring), "true");
        assert_eq!(both("ST_WITHIN", &point(12.0, 5.0), &ring), "false");
        assert_eq!(both("ST_WITHIN", &box_of(1.0, 1.0, 3.0, 3.0), &ring), "true");
        assert_eq!(both("ST_WITHIN", &box_of(3.0, 3.0, 7.0, 7.0), &ring), "false");
        assert_eq!(both("ST_INTERSECTS", &box_of(4.5, 4.5, 5.5, 5.5), &ring), "false");
        assert_near(metres(&point(5.0, 5.0), &ring), metres(&point(5.0, 5.0), &point(5.0, 4.000_6)), 1e-5);
        let hole = area(&box_of(4.0, 4.0, 6.0, 6.0));
        assert_near(area(&ring), area(&box_of(0.0, 0.0, 10.0, 10.0)) - hole, 1e-9);
    }
}

#[test]
fn points_on_the_boundary_intersect_but_are_not_within() {
    let square = box_of(0.0, 0.0, 1.0, 1.0);
    for (longitude, latitude, intersects, within) in [
        (0.5, 0.5, true, true),
        (0.0, 0.0, true, false),
        (0.5, 0.0, true, false),
        (1.0, 0.5, true, false),
        (0.5, 1.000_1, false, false),
        (0.5, -0.000_1, false, false),
    ] {
        let point = point(longitude, latitude);
        assert_eq!(both("ST_INTERSECTS", &point, &square), intersects.to_string(), "{point}");
        assert_eq!(both("ST_INTERSECTS", &square, &point), intersects.to_string(), "{point}");
        assert_eq!(both("ST_WITHIN", &point, &square), within.to_string(), "{point}");
        assert_eq!(both("ST_WITHIN", &square, &point), "false", "{point}");
    }
}

#[test]
fn an_edge_is_no_parallel() {
    // Between two places of the same latitude, the short way runs closer to the pole.
    let square = box_of(0.0, 40.0, 60.0, 50.0);
    assert_eq!(both("ST_WITHIN", &point(30.0, 51.0), &square), "true");
    assert_eq!(both("ST_WITHIN", &point(30.0, 41.0), &square), "false");
}

#[test]
fn lines_and_areas_relate() {
    let square = box_of(0.0, 0.0, 10.0, 10.0);
    let diagonal = line(&[(-5.0, -5.0), (15.0, 15.0)]);
    let inner = line(&[(1.0, 1.0), (2.0, 3.0)]);
    let through_corner = line(&[(0.0, 0.0), (5.0, 5.0)]);
    let meridian_edge = line(&[(0.0, 2.0), (0.0, 7.0)]);
    for (a, b, intersects, within) in [
        (&diagonal, &square, true, false),
        (&inner, &square, true, true),
        (&through_corner, &square, true, true),
        (&meridian_edge, &square, true, false),
        (&line(&[(11.0, 1.0), (12.0, 3.0)]), &square, false, false),
        (&square, &diagonal, true, false),
        (&square, &square, true, true),
        (&box_of(0.0, 0.0, 10.0, 5.0), &square, true, true),
        (&box_of(-1.0, 0.0, 10.0, 5.0), &square, true, false),
        (&polygon(&[&[(0.0, 0.0), (10.0, 0.0), (5.0, 5.0)]]), &square, true, true),
        (&box_of(10.0, 0.0, 20.0, 10.0), &square, true, false),
        (&box_of(-10.0, -10.0, 20.0, 20.0), &square, true, false),
        (&box_of(20.0, 0.0, 30.0, 10.0), &square, false, false),
        (&line(&[(0.0, 0.0), (0.0, 5.0)]), &line(&[(0.0, -5.0), (0.0, 8.0)]), true, true),
        (&line(&[(0.0, 0.0), (0.0, 5.0), (1.0, 5.0)]), &line(&[(0.0, -5.0), (0.0, 8.0)]), true, false),
        (&line(&[(0.0, 0.0), (10.0, 10.0)]), &line(&[(0.0, 10.0), (10.0, 0.0)]), true, false),
        (&line(&[(0.0, 0.0), (1.0, 1.0)]), &line(&[(0.0, 10.0), (10.0, 0.0)]), false, false),
        (&point(0.0, 3.0), &meridian_edge, true, true),
        (&point(0.0, 2.0), &meridian_edge, true, false),
        (&point(0.0, 8.0), &meridian_edge, false, false),
        (&point(1.0, 8.0), &point(1.0, 8.0), true, true),
        (&point(1.0, 8.0), &point(1.0, 8.1), false, false),
    ] {
        assert_eq!(both("ST_INTERSECTS", a, b), intersects.to_string(), "{a} {b}");
        assert_eq!(both("ST_INTERSECTS", b, a), intersects.to_string(), "{b} {a}");
        assert_eq!(both("ST_WITHIN", a, b), within.to_string(), "{a} {b}");
    }
}

#[test]
fn a_clockwise_ring_is_all_but_what_it_encloses() {
    let outside = polygon(&[&reversed(corners(0.0, 0.0, 1.0, 1.0))]);
    assert_eq!(both("ST_WITHIN", &point(0.5, 0.5), &outside), "false");
    assert_eq!(both("ST_WITHIN", &point(120.0, -60.0), &outside), "true");
    assert_eq!(both("ST_WITHIN", &box_of(10.0, 0.0, 20.0, 5.0), &outside), "true");
    assert_eq!(both("ST_WITHIN", &box_of(0.2, 0.2, 0.4, 0.4), &outside), "false");
    assert_eq!(both("ST_INTERSECTS", &box_of(0.2, 0.2, 0.4, 0.4), &outside), "false");
    assert_eq!(both("ST_WITHIN", &outside, &polygon(&[&reversed(corners(0.2, 0.2, 0.4, 0.4))])), "true");
    assert_eq!(metres(&point(50.0, 0.5), &outside), 0.0);
    assert_near(area(&outside), 510_065_621_724_088.0 - area(&box_of(0.0, 0.0, 1.0, 1.0)), 1e-12);
    assert_eq!(called("ST_ISVALID", &format!("[{outside}]")), "true");
}

#[test]
fn the_antimeridian_and_the_poles_are_places_like_others() {
    let across = polygon(&[&[(179.0, -1.0), (-179.0, -1.0), (-179.0, 1.0), (179.0, 1.0)]]);
    assert_eq!(both("ST_WITHIN", &point(180.0, 0.0), &across), "true");
    assert_eq!(both("ST_WITHIN", &point(-179.5, 0.0), &across), "true");
    assert_eq!(both("ST_WITHIN", &point(0.0, 0.0), &across), "false");
    assert_near(area(&across), area(&box_of(-1.0, -1.0, 1.0, 1.0)), 1e-9);
    let cap: Vec<_> = (0..12).map(|at| (-180.0 + 30.0 * f64::from(at), 70.0)).collect();
    let cap = polygon(&[&cap]);
    assert_eq!(both("ST_WITHIN", &point(123.0, 90.0), &cap), "true");
    assert_eq!(both("ST_WITHIN", &point(15.0, 75.0), &cap), "true");
    assert_eq!(both("ST_WITHIN", &point(15.0, 65.0), &cap), "false");
    assert_near(metres(&point(0.0, 60.0), &cap), metres(&point(0.0, 60.0), &point(0.0, 70.0)), 1e-6);
    assert_near(area(&cap), 1.47e13, 0.02);
}

#[test]
fn areas_are_those_of_the_ellipsoid() {
    assert_near(area(&box_of(31.8, -5.0, 32.0, -4.7)), 735_970_283.052_261_4, 1e-9);
    assert_eq!(area(&point(1.0, 2.0)), 0.0);
    assert_eq!(area(&line(&[(1.0, 2.0), (3.0, 4.0)])), 0.0);
    assert_eq!(area(&shape("MultiPolygon", "[]")), 0.0);
    // An octant of the earth, whose edges are geodesics.
    let octant = polygon(&[&[(0.0, 0.0), (90.0, 0.0), (0.0, 90.0)]]);
    assert_near(area(&octant), 510_065_621_724_088.0 / 8.0, 1e-9);
    let hemisphere = polygon(&[&[(0.0, 0.0), (90.0, 0.0), (180.0, 0.0), (-90.0, 0.0)]]);
    assert_near(area(&hemisphere), 510_065_621_724_088.0 / 2.0, 1e-9);
    let two = shape(
        "MultiPolygon",
        &format!("[{},{}]", coordinates(&[&corners(0.0, 0.0, 1.0, 1.0)]), coordinates(&[&corners(2.0, 0.0, 3.0, 1.0)])),
    );
    assert_near(area(&two), 2.0 * area(&box_of(0.0, 0.0, 1.0, 1.0)), 1e-9);
}

#[test]
fn what_is_wrong_with_a_geometry_is_said() {
    let two = |a: &[(f64, f64)], b: &[(f64, f64)]| {
        shape("MultiPolygon", &format!("[{},{}]", coordinates(&[a]), coordinates(&[b])))
    };
    let unit = corners(0.0, 0.0, 10.0, 10.0);
    for (geometry, reason) in [
        (point(133.7, -184.3), "Latitude values must be between -90 and 90 degrees."),
        (point(180.5, 10.0), "Longitude values must be between -180 and 180 degrees."),
        (shape("Point", "[1]"), "A position must be an array of at least two numbers."),
        (shape("Point", "[1,\"2\"]"), "A position must be an array of at least two numbers."),
        (shape("Point", "5"), "A position must be an array of at least two numbers."),
        (shape("LineString", "5"), "The coordinates of a geometry must be arrays as deep as its type asks for."),
        (shape("MultiPoint", "[[1,2]]"), "The type of a geometry must be Point, LineString, Polygon or MultiPolygon."),
        (shape("point", "[1,2]"), "The type of a geometry must be Point, LineString, Polygon or MultiPolygon."),
        ("{\"type\":\"Point\"}".into(), "A geometry must be an object with a type and coordinates."),
        ("\"Point\"".into(), "A geometry must be an object with a type and coordinates."),
        ("null".into(), "A geometry must be an object with a type and coordinates."),
        (line(&[(1.0, 2.0)]), "A LineString must have at least two different positions."),
        (line(&[(1.0, 2.0), (1.0, 2.0)]), "A LineString must have at least two different positions."),
        (line(&[(0.0, 0.0), (180.0, 0.0)]), "The ends of an edge must not be opposite points of the earth."),
        (shape("Polygon", "[]"), "A Polygon must have at least one ring."),
        (
            shape("Polygon", "[[[0,0],[1,0],[0,0]]]"),
            "A ring must have at least four positions, three of them different.",
        ),
        (
            shape("Polygon", "[[[0,0],[1,0],[1,0],[0,0]]]"),
            "A ring must have at least four positions, three of them different.",
        ),
        (
            shape("Polygon", "[[[31.8,-5],[32,-5],[32,-4.7],[31.8,-4.7]]]"),
            "The first and the last position of a ring must be the same.",
        ),
        (polygon(&[&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]]), "A ring must not touch or cross itself."),
        (polygon(&[&[(0.0, 0.0), (0.0, 5.0), (0.0, 2.0), (5.0, 0.0)]]), "A ring must not touch or cross itself."),
        (polygon(&[&unit, &corners(5.0, 5.0, 15.0, 8.0)]), "Rings must not cross each other or share an edge."),
        (
            polygon(&[&unit, &corners(20.0, 5.0, 25.0, 8.0)]),
            "Holes must lie inside the outer ring and outside each other.",
        ),
        (
            polygon(&[&unit, &corners(2.0, 2.0, 8.0, 8.0), &corners(4.0, 4.0, 5.0, 5.0)]),
            "Holes must lie inside the outer ring and outside each other.",
        ),
        (two(&unit, &corners(5.0, 5.0, 15.0, 15.0)), "Rings must not cross each other or share an edge."),
        (two(&unit, &corners(2.0, 2.0, 3.0, 3.0)), "The polygons of a MultiPolygon must not overlap."),
        (two(&unit, &unit), "Rings must not cross each other or share an edge."),
    ] {
        let expected = format!(r#"{{"valid":false,"reason":"{reason}"}}"#);
        assert_eq!(called("ST_ISVALIDDETAILED", &format!("[{geometry}]")), expected, "{geometry}");
        assert_eq!(called("ST_ISVALID", &format!("[{geometry}]")), "false", "{geometry}");
        assert_eq!(called("ST_AREA", &format!("[{geometry}]")), "", "{geometry}");
        assert_eq!(both("ST_DISTANCE", &geometry, &point(0.0, 0.0)), "", "{geometry}");
    }
    assert_eq!(called("ST_ISVALID", r#"["undefined"]"#), "");
    assert_eq!(called("ST_ISVALIDDETAILED", r#"["undefined"]"#), "");
}

#[test]
fn valid_geometries_may_touch_themselves_at_points() {
    let unit = corners(0.0, 0.0, 10.0, 10.0);
    for geometry in [
        point(-84.4, 33.8),
        shape("Point", "[1,2,300]"),
        line(&[(0.0, 0.0), (5.0, 5.0), (5.0, 0.0), (0.0, 5.0)]),
        line(&[(0.0, 0.0), (0.0, 0.0), (1.0, 1.0)]),
        shape("MultiPolygon", "[]"),
        polygon(&[&[(0.0, 0.0), (10.0, 0.0), (10.0, 0.0), (10.0, 10.0)]]),
        polygon(&[&unit, &[(0.0, 0.0), (4.0, 2.0), (2.0, 4.0)]]),
        polygon(&[&unit, &corners(2.0, 2.0, 4.0, 4.0), &[(4.0, 4.0), (6.0, 5.0), (5.0, 6.0)]]),
        shape(
            "MultiPolygon",
            &format!("[{},{}]", coordinates(&[&unit]), coordinates(&[&[(10.0, 10.0), (15.0, 11.0), (14.0, 15.0)]])),
        ),
        shape(
            "MultiPolygon",
            &format!(
                "[{},{}]",
                coordinates(&[&unit, &reversed(corners(2.0, 2.0, 8.0, 8.0))]),
                coordinates(&[&corners(3.0, 3.0, 7.0, 7.0)])
            ),
        ),
    ] {
        assert_eq!(called("ST_ISVALIDDETAILED", &format!("[{geometry}]")), r#"{"valid":true}"#, "{geometry}");
    }
}

#[test]
fn many_edges_are_paid_for_and_bounded() {
    let circle = |count: u32| -> Vec<(f64, f64)> {
        let angle = |at: u32| f64::from(at) / f64::from(count) * std::f64::consts::TAU;
        (0..count).map(|at| (10.0 * angle(at).cos(), 10.0 * angle(at).sin())).collect()
    };
    let round = polygon(&[&circle(2000)]);
    let effort = Effort::for_row();
    assert_eq!(called_with("ST_WITHIN", &format!("[{},{round}]", point(3.0, 3.0)), &effort), "true");
    assert!(effort.spent() > 2000 && effort.spent() < 2_000_000, "{}", effort.spent());
    let little = Effort::of(50_000);
    assert_eq!(called_with("ST_WITHIN", &format!("[{},{round}]", point(3.0, 3.0)), &little), "");
    assert!(little.is_exhausted());
}

#[test]
fn places_where_edges_meet_are_paid_for() {
    // Two combs of lines, each of which crosses all of the other's.
    let comb = |across: bool| {
        let positions = (0..600).map(|at| {
            let (along, side) = (f64::from(at / 2) * 0.01, if (at + 1) / 2 % 2 == 0 { -1.0 } else { 4.0 });
            if across { (along, side) } else { (side, along) }
        });
        line(&positions.collect::<Vec<_>>())
    };
    let effort = Effort::of(20_000_000);
    assert_eq!(called_with("ST_WITHIN", &format!("[{},{}]", comb(true), comb(false)), &effort), "");
    assert!(effort.is_exhausted());
}

#[test]
fn points_are_on_the_side_that_rays_tell() {
    // A comb, which has many corners of both kinds, against counting the edges north of a point.
    let mut ring = vec![(0.0, 0.0), (12.0, 0.0)];
    for tooth in (0..6).rev() {
        let west = f64::from(tooth) * 2.0;
        ring.extend([(west + 2.0, 5.0), (west + 1.0, 1.0)]);
    }
    ring.push((0.0, 5.0));
    let comb = polygon(&[&ring]);
    for longitude in 0..25 {
        for latitude in 0..13 {
            let (x, y) = (f64::from(longitude) * 0.5 + 0.1, f64::from(latitude) * 0.5 - 0.3);
            let next = ring.iter().cycle().skip(1);
            let crossings = ring
                .iter()
                .zip(next)
                .filter(|(a, b)| (a.0 > x) != (b.0 > x) && y < (b.1 - a.1) * (x - a.0) / (b.0 - a.0) + a.1);
            let expected = crossings.count() % 2 == 1;
            assert_eq!(both("ST_WITHIN", &point(x, y), &comb), expected.to_string(), "{x} {y}");
        }
    }
}
