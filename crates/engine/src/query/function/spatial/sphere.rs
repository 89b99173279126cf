//! Points and arcs of great circles on the unit sphere, by vectors.

/// A point on the sphere, or any other vector.
pub(super) type Vector = [f64; 3];

/// Points as near as this are the same: a micrometre on the earth, a thousand times the rounding of their directions.
pub(super) const TOLERANCE: f64 = 1e-13;

/// The short way between two points that are neither the same nor opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arc {
    pub from: Vector,
    pub to: Vector,
    /// The pole of its circle, to the left; of length 1.
    pub pole: Vector,
}

/// Where an arc is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foot {
    From,
    To,
    Between,
}

/// What two arcs have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meeting {
    Apart,
    /// They cross at a point that is no end of either.
    Crossing(Vector),
    /// They share one point, which is an end of one of them.
    Touching(Vector),
    /// They share what lies between two points.
    Overlapping(Vector, Vector),
}

impl Arc {
    pub fn new(from: Vector, to: Vector) -> Arc {
        // Twice the cross product of the ends, but without its loss of digits for ends that are near to each other.
        Arc { from, to, pole: unit(cross(sub(from, to), add(from, to))) }
    }

    /// The sine of the distance from the arc's circle, positive to the left.
    pub fn side(&self, point: Vector) -> f64 {
        dot(self.pole, point)
    }

    /// How long it is, in radians.
    pub fn angle(&self) -> f64 {
        2.0 * (distance_squared(self.from, self.to).sqrt() / 2.0).min(1.0).asin()
    }

    /// The point `angle` after the beginning, and the direction there.
    pub fn at(&self, angle: f64) -> (Vector, Vector) {
        let (sin, cos) = angle.sin_cos();
        let ahead = cross(self.pole, self.from);
        (unit(add(scale(self.from, cos), scale(ahead, sin))), sub(scale(ahead, cos), scale(self.from, sin)))
    }

    /// How far from the beginning the point nearest to `point` is.
    pub fn angle_nearest(&self, point: Vector) -> f64 {
        match self.nearest(point).1 {
            Foot::From => 0.0,
            Foot::To => self.angle(),
            Foot::Between => dot(cross(self.pole, self.from), point).atan2(dot(self.from, point)),
        }
    }

    /// The square of the straight distance to the nearest point of the arc, and where that is.
    pub fn nearest(&self, point: Vector) -> (f64, Foot) {
        let after_from = dot(cross(self.pole, self.from), point) >= 0.0;
        let before_to = dot(cross(self.to, self.pole), point) >= 0.0;
        if after_from && before_to {
            let sine_squared = self.side(point).powi(2).min(1.0);
            return (2.0 * sine_squared / (1.0 + (1.0 - sine_squared).sqrt()), Foot::Between);
        }
        let (from, to) = (distance_squared(self.from, point), distance_squared(self.to, point));
        if from <= to { (from, Foot::From) } else { (to, Foot::To) }
    }

    /// Whether a point lies on the arc, its ends included.
    pub fn holds(&self, point: Vector) -> bool {
        // Most points are not even on its circle.
        self.side(point).abs() <= TOLERANCE && self.nearest(point).0 <= TOLERANCE * TOLERANCE
    }

    pub fn meeting(&self, other: &Arc) -> Meeting {
        let on_self = [other.from, other.to].into_iter().filter(|end| self.holds(*end));
        let on_other = [self.from, self.to].into_iter().filter(|end| other.holds(*end));
        let mut shared = on_self.chain(on_other);
        if let Some(first) = shared.next() {
            return match shared.find(|point| !is_same(first, *point)) {
                Some(second) => Meeting::Overlapping(first, second),
                None => Meeting::Touching(first),
            };
        }
        let parted = |arc: &Arc, ends: [Vector; 2]| (arc.side(ends[0]) > 0.0) != (arc.side(ends[1]) > 0.0);
        if !parted(self, [other.from, other.to]) || !parted(other, [self.from, self.to]) {
            return Meeting::Apart;
        }
        // The circles meet at two opposite points; each arc passes through the one that is on its side of the sphere.
        let point = unit(cross(self.pole, other.pole));
        let (near_self, near_other) = (dot(point, add(self.from, self.to)), dot(point, add(other.from, other.to)));
        match (near_self > 0.0, near_other > 0.0) {
            (true, true) => Meeting::Crossing(point),
            (false, false) => Meeting::Crossing(scale(point, -1.0)),
            _ => Meeting::Apart,
        }
    }
}

pub(super) fn is_same(a: Vector, b: Vector) -> bool {
    distance_squared(a, b) <= TOLERANCE * TOLERANCE
}

pub(super) fn is_opposite(a: Vector, b: Vector) -> bool {
    is_same(a, scale(b, -1.0))
}

/// The point halfway between two that are not opposite.
pub(super) fn middle(a: Vector, b: Vector) -> Vector {
    unit(add(a, b))
}

pub(super) fn distance_squared(a: Vector, b: Vector) -> f64 {
    let between = sub(a, b);
    dot(between, between)
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: Vector, by: f64) -> Vector {
    [a[0] * by, a[1] * by, a[2] * by]
}

pub(super) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The vector of length 1 in the same direction.
pub(super) fn unit(a: Vector) -> Vector {
    scale(a, length(a).recip())
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Vector = [1.0, 0.0, 0.0];
    const Y: Vector = [0.0, 1.0, 0.0];
    const Z: Vector = [0.0, 0.0, 1.0];

    fn arc(from: Vector, to: Vector) -> Arc {
        Arc::new(unit(from), unit(to))
    }

    #[test]
    fn sides_and_nearest_places() {
        let arc = Arc::new(X, Y);
        assert_eq!(arc.pole, Z);
        assert!(arc.side(Z) > 0.0 && arc.side([0.0, 0.0, -1.0]) < 0.0);
        assert_eq!(arc.nearest(unit([1.0, 1.0, 0.5])).1, Foot::Between);
        assert_eq!(arc.nearest(unit([1.0, -1.0, 0.5])).1, Foot::From);
        assert_eq!(arc.nearest(unit([-2.0, 1.0, 0.5])).1, Foot::To);
        assert_eq!(arc.nearest(unit([-1.0, -1.0, 0.0])).1, Foot::From);
        assert!((arc.angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        let angle = arc.angle_nearest(unit([1.0, 1.0, 0.5]));
        assert!(is_same(arc.at(angle).0, unit([1.0, 1.0, 0.0])));
    }

    #[test]
    fn arcs_cross_touch_overlap_or_are_apart() {
        let equator = arc([1.0, -1.0, 0.0], [1.0, 1.0, 0.0]);
        let crossing = equator.meeting(&arc([1.0, 0.0, -1.0], [1.0, 0.0, 1.0]));
        assert!(matches!(crossing, Meeting::Crossing(point) if is_same(point, X)), "{crossing:?}");
        // The same circle as before, but behind the earth.
        assert_eq!(equator.meeting(&arc([-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0])), Meeting::Apart);
        assert_eq!(equator.meeting(&arc([1.0, 0.0, 0.1], [1.0, 0.0, 1.0])), Meeting::Apart);
        let touching = equator.meeting(&arc([1.0, 0.0, 0.0], [1.0, 0.0, 1.0]));
        assert!(matches!(touching, Meeting::Touching(point) if is_same(point, X)), "{touching:?}");
        let overlap = equator.meeting(&arc([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
        assert!(matches!(overlap, Meeting::Overlapping(..)), "{overlap:?}");
        let touching = equator.meeting(&arc([1.0, 1.0, 0.0], [0.0, 1.0, 0.0]));
        assert!(matches!(touching, Meeting::Touching(_)), "{touching:?}");
        assert_eq!(equator.meeting(&arc([0.0, 1.0, 0.0], [-1.0, 1.0, 0.0])), Meeting::Apart);
    }
}
