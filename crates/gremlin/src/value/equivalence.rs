//! Gremlin's equivalence: what `dedup()`, grouping, maps and sets take for the same.
//!
//! Numbers of different classes differ, NaN is itself, and elements are known by their ids. The order of sets and maps does not count.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use super::{BulkSet, Edge, GValue, Graph, Metrics, P, Path, Property, Tree, Vertex, VertexProperty};

impl PartialEq for GValue {
    fn eq(&self, other: &Self) -> bool {
        use GValue::*;
        match (self, other) {
            (Null, Null) => true,
            (Bool(one), Bool(two)) => one == two,
            (Byte(one), Byte(two)) => one == two,
            (Short(one), Short(two)) => one == two,
            (Int(one), Int(two)) => one == two,
            (Long(one) | Date(one), Long(two) | Date(two)) => discriminant(self) == discriminant(other) && one == two,
            (BigInteger(one), BigInteger(two)) => one == two,
            (Float(one), Float(two)) => float_bits(*one) == float_bits(*two),
            (Double(one), Double(two)) => double_bits(*one) == double_bits(*two),
            (BigDecimal(one), BigDecimal(two)) => one == two,
            (String(one), String(two)) | (Class(one), Class(two)) => one == two,
            (Char(one), Char(two)) => one == two,
            (Uuid(one), Uuid(two)) => one == two,
            (DateTime(one), DateTime(two)) => one == two,
            (Duration(one), Duration(two)) => one == two,
            (Binary(one), Binary(two)) => one == two,
            (List(one), List(two)) => one == two,
            (Set(one), Set(two)) => one == two,
            (Map(one), Map(two)) => one == two,
            (Entry(one), Entry(two)) => one == two,
            (BulkSet(one), BulkSet(two)) => one == two,
            (Vertex(one), Vertex(two)) => one == two,
            (Edge(one), Edge(two)) => one == two,
            (VertexProperty(one), VertexProperty(two)) => one == two,
            (Property(one), Property(two)) => one == two,
            (Path(one), Path(two)) => one == two,
            (Tree(one), Tree(two)) => one == two,
            (Graph(one), Graph(two)) => one == two,
            (Constant(one), Constant(two)) => one == two,
            (Predicate(one), Predicate(two)) => one == two,
            (CardinalityValue(one, value), CardinalityValue(two, other)) => one == two && value == other,
            (Traverser(one), Traverser(two)) => one.bulk == two.bulk && one.value == two.value,
            (Bytecode(one), Bytecode(two)) => instructions(one).eq(instructions(two)),
            (Binding(one), Binding(two)) => one.key == two.key && one.value == two.value,
            (Strategy(one), Strategy(two)) => one.name == two.name && one.configuration == two.configuration,
            (Lambda(one), Lambda(two)) => one.language == two.language && one.script == two.script,
            (Metrics(one), Metrics(two)) => one == two,
            (TraversalMetrics(one), TraversalMetrics(two)) => {
                one.duration_ns == two.duration_ns && one.metrics == two.metrics
            }
            _ => false,
        }
    }
}

impl Eq for GValue {}

/// Equal values have equal hashes. Every kind hashes what tells its values apart: a client may send a set of anything.
impl Hash for GValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        use GValue::*;
        discriminant(self).hash(state);
        match self {
            Bool(truth) => truth.hash(state),
            Byte(number) => number.hash(state),
            Short(number) => number.hash(state),
            Int(number) => number.hash(state),
            Long(number) | Date(number) => number.hash(state),
            BigInteger(number) => number.hash(state),
            Float(number) => float_bits(*number).hash(state),
            Double(number) => double_bits(*number).hash(state),
            BigDecimal(number) => number.hash(state),
            String(text) | Class(text) => text.hash(state),
            Char(character) => character.hash(state),
            Uuid(uuid) => uuid.hash(state),
            DateTime(date) => date.hash(state),
            Duration(duration) => duration.hash(state),
            Binary(bytes) => bytes.hash(state),
            List(items) => items.hash(state),
            Set(members) => unordered(members.iter()).hash(state),
            Map(entries) => unordered(entries.iter()).hash(state),
            Entry(entry) => entry.hash(state),
            BulkSet(set) => unordered(set.items.iter()).hash(state),
            Vertex(vertex) => vertex.id.hash(state),
            Edge(edge) => edge.id.hash(state),
            VertexProperty(property) => property.id.hash(state),
            Property(property) => (&property.key, &property.value).hash(state),
            Path(path) => (&path.objects, &path.labels).hash(state),
            Constant(constant) => constant.hash(state),
            CardinalityValue(cardinality, value) => (cardinality, value).hash(state),
            Traverser(traverser) => (traverser.bulk, &traverser.value).hash(state),
            Binding(binding) => (&binding.key, &binding.value).hash(state),
            Strategy(strategy) => (&strategy.name, &strategy.configuration).hash(state),
            Tree(tree) => tree.hash(state),
            Graph(graph) => {
                graph.vertices.iter().for_each(|vertex| vertex.id.hash(state));
                graph.edges.iter().for_each(|edge| edge.id.hash(state));
            }
            Predicate(predicate) => predicate.hash(state),
            Bytecode(bytecode) => instructions(bytecode).for_each(|instruction| instruction.hash(state)),
            Lambda(lambda) => (&lambda.language, &lambda.script).hash(state),
            Metrics(metrics) => metrics.hash(state),
            TraversalMetrics(metrics) => (metrics.duration_ns, &metrics.metrics).hash(state),
            Null => {}
        }
    }
}

impl Hash for Tree {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.branches.hash(state);
    }
}

impl Hash for Metrics {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.id, &self.name, self.duration_ns).hash(state);
    }
}

impl Hash for P {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
        match self {
            P::Compare(_, operand) | P::Text(_, operand) => operand.hash(state),
            P::Interval(_, low, high) => (low, high).hash(state),
            P::Within(members) | P::Without(members) => members.hash(state),
            P::TypeOf(gtype) => gtype.hash(state),
            P::And(all) | P::Or(all) => all.hash(state),
            P::Not(inner) => inner.hash(state),
        }
    }
}

/// A hash that the order of the parts has no part in.
fn unordered(parts: impl Iterator<Item = impl Hash>) -> u64 {
    parts.fold(0, |sum: u64, part| {
        let mut hasher = DefaultHasher::new();
        part.hash(&mut hasher);
        sum.wrapping_add(hasher.finish())
    })
}

/// All NaNs are one.
fn float_bits(number: f32) -> u32 {
    if number.is_nan() { f32::NAN.to_bits() } else { number.to_bits() }
}

fn double_bits(number: f64) -> u64 {
    if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
}

/// Names and arguments, wherever they stood in a text.
fn instructions(bytecode: &super::Bytecode) -> impl Iterator<Item = (bool, &str, &[GValue])> {
    let source = bytecode.source.iter().map(|instruction| (true, &*instruction.name, &instruction.arguments[..]));
    source.chain(bytecode.steps.iter().map(|instruction| (false, &*instruction.name, &instruction.arguments[..])))
}

impl PartialEq for Vertex {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl PartialEq for VertexProperty {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl PartialEq for Property {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.objects == other.objects && self.labels == other.labels
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.branches == other.branches
    }
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.edges == other.edges
    }
}

impl PartialEq for Metrics {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.name == other.name && self.duration_ns == other.duration_ns
    }
}

/// Counts of the same values, in any order.
impl PartialEq for BulkSet {
    fn eq(&self, other: &Self) -> bool {
        let counts = |set: &BulkSet| {
            let mut counts = std::collections::HashMap::new();
            for (value, count) in &set.items {
                *counts.entry(value.clone()).or_insert(0_i64) += count;
            }
            counts
        };
        counts(self) == counts(other)
    }
}

impl PartialEq for P {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (P::Compare(one, value), P::Compare(two, other)) => one == two && value == other,
            (P::Interval(one, low, high), P::Interval(two, other_low, other_high)) => {
                (one, low, high) == (two, other_low, other_high)
            }
            (P::Within(one), P::Within(two)) | (P::Without(one), P::Without(two)) => one == two,
            (P::TypeOf(one), P::TypeOf(two)) => one == two,
            (P::Text(one, value), P::Text(two, other)) => one == two && value == other,
            (P::And(one), P::And(two)) | (P::Or(one), P::Or(two)) => one == two,
            (P::Not(one), P::Not(two)) => one == two,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(value: &GValue) -> u64 {
        unordered(std::iter::once(value))
    }

    #[test]
    fn classes_of_numbers_differ_and_nan_is_itself() {
        assert_ne!(GValue::Int(1), GValue::Long(1));
        assert_ne!(GValue::Int(1), GValue::Double(1.0));
        assert_ne!(GValue::Long(1), GValue::Date(1));
        assert_eq!(GValue::Double(f64::NAN), GValue::Double(-f64::NAN));
        assert_eq!(hash(&GValue::Double(f64::NAN)), hash(&GValue::Double(-f64::NAN)));
    }

    #[test]
    fn sets_maps_and_counts_have_no_order() {
        let [one, two] = [GValue::Int(1), GValue::from("x")];
        let pairs = [
            [GValue::set([one.clone(), two.clone()]), GValue::set([two.clone(), one.clone()])],
            [
                GValue::map([(one.clone(), two.clone()), (two.clone(), one.clone())]),
                GValue::map([(two.clone(), one.clone()), (one.clone(), two.clone())]),
            ],
        ];
        for [left, right] in pairs {
            assert_eq!(left, right);
            assert_eq!(hash(&left), hash(&right));
        }
        assert_ne!(GValue::list([one.clone(), two.clone()]), GValue::list([two, one]));
    }
}
