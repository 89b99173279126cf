//! Traversals at random on graphs at random: the machine gives what the naive evaluator does.

use std::cell::Cell;

use orrery_gremlin::graph::{Graph, MemoryGraph, NewEdge, NewVertex};
use orrery_gremlin::value::VertexReference;
use proptest::prelude::*;

use super::ask::rows;
use super::naive::{At, Model, Step, Walker, Way, shown, walk};
use crate::graph::toy::set;
use crate::graph::world::World;

/// Most walkers that take steps of a traversal in the model, counted at each step.
const MAX_WALKERS: usize = 20_000;

fn model() -> impl Strategy<Value = Model> {
    (1_usize..7).prop_flat_map(|count| {
        let label = || prop_oneof![Just('p'), Just('q')];
        let vertices = prop::collection::vec((label(), prop::option::of(0..4)), count);
        let edges = prop::collection::vec((0..count, 0..count, label(), 0..4), 0..10);
        (vertices, edges).prop_map(|(vertices, edges)| Model { vertices, edges, left: Cell::new(0) })
    })
}

fn fill(graph: &dyn Graph, model: &Model) {
    for (at, (label, x)) in model.vertices.iter().enumerate() {
        let properties = x.iter().map(|x| set("x", *x)).collect();
        let id = Some(format!("v{at}").as_str().into());
        graph.add_vertex(NewVertex { id, label: label.to_string().into(), properties }).unwrap();
    }
    let end = |at: usize| VertexReference {
        id: format!("v{at}").as_str().into(),
        label: model.vertices[at].0.to_string().into(),
        partition: None,
    };
    for (at, (from, to, label, w)) in model.edges.iter().enumerate() {
        let edge = NewEdge {
            id: Some(format!("e{at}").as_str().into()),
            label: label.to_string().into(),
            out_vertex: end(*from),
            in_vertex: end(*to),
            properties: vec![("w".into(), (*w).into())],
        };
        graph.add_edge(edge).unwrap();
    }
    graph.settle().unwrap();
}

/// Makes steps of bytes, each of which fits what comes before it.
struct Choices<'b>(std::slice::Iter<'b, u8>);

impl Choices<'_> {
    fn below(&mut self, bound: u8) -> u8 {
        self.0.next().map_or(0, |byte| byte % bound)
    }

    fn label(&mut self) -> char {
        ['p', 'q'][usize::from(self.below(2))]
    }

    fn way(&mut self) -> Way {
        [Way::Out, Way::In, Way::Both][usize::from(self.below(3))]
    }

    fn number(&mut self) -> i32 {
        i32::from(self.below(4)) - 1
    }

    /// From vertices to vertices.
    fn steps(&mut self, depth: usize) -> Vec<Step> {
        (0..=self.below(2)).map(|_| self.step(depth)).collect()
    }

    fn step(&mut self, depth: usize) -> Step {
        let kinds = if depth == 0 { 6 } else { 18 };
        let inner = depth.saturating_sub(1);
        match self.below(kinds) {
            0 => Step::Vertices(self.way(), None),
            1 => Step::Vertices(self.way(), Some(self.label())),
            2 => Step::AlongEdges(self.way(), self.number()),
            3 => Step::HasLabel(self.label()),
            4 => Step::HasAbove(self.number()),
            5 => Step::HasNot,
            6 => Step::Where(self.steps(inner)),
            7 => Step::Not(self.steps(inner)),
            8 => Step::Union(self.steps(inner), self.steps(inner)),
            9 => Step::Coalesce(self.steps(inner), self.steps(inner)),
            10 => Step::Optional(self.steps(inner)),
            11 => Step::Choose(self.label(), self.steps(inner), self.steps(inner)),
            12 => Step::Repeat(self.steps(inner), usize::from(1 + self.below(3))),
            13 => Step::RepeatEmit(self.steps(inner), usize::from(1 + self.below(3))),
            14 => Step::EmitRepeat(self.steps(inner), usize::from(1 + self.below(3))),
            15 => Step::RepeatUntil(self.steps(inner), self.label(), usize::from(1 + self.below(3))),
            16 => Step::SimplePath,
            _ => Step::Local(self.steps(inner)),
        }
    }

    /// A whole traversal behind `V()`.
    fn traversal(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..self.below(4) {
            steps.push(self.step(2));
        }
        match self.below(4) {
            0 => {
                steps.push(Step::As);
                steps.extend(self.steps(1));
                steps
                    .push([Step::Select, Step::WhereNotLabelled, Step::CyclicPath][usize::from(self.below(3))].clone());
                steps.extend(self.steps(1));
            }
            1 => {
                steps.push(Step::Edges(self.way(), Some(self.label())));
                steps.push(if self.below(2) == 0 { Step::OutV } else { Step::InV });
                steps.extend(self.steps(1));
            }
            _ => {}
        }
        match self.below(10) {
            0 => steps.push(Step::Count),
            1 => steps.push(Step::Dedup),
            2 => steps.extend([Step::Dedup, Step::Count]),
            3 => steps.push(Step::GroupCount),
            4 => {
                let low = usize::from(self.below(3));
                steps.push(Step::OrderRange(low, low + usize::from(self.below(4))));
            }
            5 => steps.push(Step::Path),
            6 => steps.extend([Step::Values, Step::IsAbove(self.number())]),
            7 => steps.extend([Step::Values, Step::Sum]),
            8 => steps.extend([Step::Values, Step::GroupCount]),
            _ => {}
        }
        steps
    }
}

fn text(steps: &[Step]) -> String {
    let within = |steps: &[Step]| format!("__{}", text(steps));
    let of = |label: &Option<char>| label.map(|label| format!("'{label}'")).unwrap_or_default();
    let name = |way: &Way| match way {
        Way::Out => "out",
        Way::In => "in",
        Way::Both => "both",
    };
    let one = |step: &Step| match step {
        Step::Vertices(way, label) => format!("{}({})", name(way), of(label)),
        Step::Edges(way, label) => format!("{}E({})", name(way), of(label)),
        Step::AlongEdges(way, bound) => format!("{}E().has('w', gt({bound})).otherV()", name(way)),
        Step::OutV => "outV()".to_owned(),
        Step::InV => "inV()".to_owned(),
        Step::HasLabel(label) => format!("hasLabel('{label}')"),
        Step::HasAbove(bound) => format!("has('x', gt({bound}))"),
        Step::HasNot => "hasNot('x')".to_owned(),
        Step::Values => "values('x')".to_owned(),
        Step::IsAbove(bound) => format!("is(gt({bound}))"),
        Step::Where(steps) => format!("where({})", within(steps)),
        Step::Not(steps) => format!("not({})", within(steps)),
        Step::Union(one, two) => format!("union({}, {})", within(one), within(two)),
        Step::Coalesce(one, two) => format!("coalesce({}, {})", within(one), within(two)),
        Step::Optional(steps) => format!("optional({})", within(steps)),
        Step::Choose(label, one, two) => format!("choose(hasLabel('{label}'), {}, {})", within(one), within(two)),
        Step::Repeat(steps, times) => format!("repeat({}).times({times})", within(steps)),
        Step::RepeatEmit(steps, times) => format!("repeat({}).times({times}).emit()", within(steps)),
        // Without a step between it would be the emit() of a repeat() before.
        Step::EmitRepeat(steps, times) => format!("identity().emit().repeat({}).times({times})", within(steps)),
        Step::RepeatUntil(steps, label, most) => {
            format!("repeat({}).until(or(hasLabel('{label}'), loops().is({most})))", within(steps))
        }
        Step::SimplePath => "simplePath()".to_owned(),
        Step::CyclicPath => "cyclicPath()".to_owned(),
        Step::As => "as('a')".to_owned(),
        Step::Select => "select('a')".to_owned(),
        Step::WhereNotLabelled => "where(neq('a'))".to_owned(),
        Step::Local(steps) => format!("local({})", within(steps)),
        Step::Count => "count()".to_owned(),
        Step::Dedup => "dedup()".to_owned(),
        Step::GroupCount => "groupCount()".to_owned(),
        Step::OrderRange(low, high) => format!("order().by(id).range({low}, {high})"),
        Step::Path => "path()".to_owned(),
        Step::Sum => "sum()".to_owned(),
    };
    steps.iter().map(|step| format!(".{}", one(step))).collect()
}

/// `as('a')` names what is at its place, which has to be a step.
fn is_told(steps: &[Step]) -> bool {
    !matches!(steps.first(), Some(Step::As)) || steps.len() > 1
}

/// Whether the model comes to its end in a few steps of a few walkers, whatever is within what.
fn is_small(model: &Model, steps: &[Step], walkers: &[Walker]) -> bool {
    model.left.set(MAX_WALKERS);
    walk(model, steps, walkers.to_vec());
    model.left.replace(usize::MAX) > 0
}

/// A traversal behind `V()` as a text, and what the model answers; `None` if it is not one that can be asked.
fn asked(model: &Model, choices: &[u8]) -> Option<(String, Vec<String>)> {
    let steps = Choices(choices.iter()).traversal();
    let starts: Vec<Walker> = (0..model.vertices.len()).map(|at| Walker::new(At::Vertex(at))).collect();
    if !is_told(&steps) || !is_small(model, &steps, &starts) {
        return None;
    }
    let mut expected: Vec<String> = walk(model, &steps, starts).iter().map(|walker| shown(walker.at())).collect();
    expected.sort();
    Some((format!("g.V(){}", text(&steps)), expected))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn the_machine_gives_what_the_naive_evaluator_does(
        model in model(), choices in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let asked = asked(&model, &choices);
        prop_assume!(asked.is_some());
        let (text, expected) = asked.unwrap();
        let graph = MemoryGraph::new();
        fill(&graph, &model);
        prop_assert_eq!(rows(&graph, &text), expected, "{}", text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Several traversals one after the other: what the earlier ones have read is at hand for the later ones.
    #[test]
    fn so_it_does_on_a_container(
        model in model(), choices in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 8),
    ) {
        let asked: Vec<_> = choices.iter().filter_map(|choices| asked(&model, choices)).collect();
        for world in [World::by_id(), World::by_property()] {
            fill(&world.graph(), &model);
            for (text, expected) in &asked {
                prop_assert_eq!(&rows(&world.graph(), text), expected, "{}", text);
                prop_assert_eq!(&rows(&world.indexed_graph(), text), expected, "{} by the index", text);
            }
        }
    }
}
