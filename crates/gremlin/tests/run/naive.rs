//! A traversal machine so simple that it is clearly right: each step makes a list of walkers from a list of walkers, each walker has its whole
//! way, and nothing is shared, bulked or put off.

use std::cell::Cell;
use std::collections::BTreeMap;

/// A graph as lists.
#[derive(Clone, Debug)]
pub struct Model {
    /// Label, and the property `x`.
    pub vertices: Vec<(char, Option<i32>)>,
    /// Out and in vertex, label, and the property `w`.
    pub edges: Vec<(usize, usize, char, i32)>,
    /// Walkers that may yet take a step; behind the last one nothing is told.
    pub left: Cell<usize>,
}

/// Where a walker can be.
#[derive(Clone, Debug, PartialEq, PartialOrd, Ord, Eq)]
pub enum At {
    Vertex(usize),
    Edge(usize),
    Number(i32),
    Text(String),
}

/// A walker with its way, whose last object is where it is, and the place on it that has the label.
#[derive(Clone, Debug)]
pub struct Walker {
    pub way: Vec<At>,
    pub labelled: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    Out,
    In,
    Both,
}

/// A step; traversals within go from vertices to vertices.
#[derive(Clone, Debug)]
pub enum Step {
    Vertices(Way, Option<char>),
    Edges(Way, Option<char>),
    /// Along edges whose `w` is above a number, to their other ends.
    AlongEdges(Way, i32),
    OutV,
    InV,
    HasLabel(char),
    HasAbove(i32),
    HasNot,
    Values,
    IsAbove(i32),
    Where(Vec<Step>),
    Not(Vec<Step>),
    Union(Vec<Step>, Vec<Step>),
    Coalesce(Vec<Step>, Vec<Step>),
    Optional(Vec<Step>),
    Choose(char, Vec<Step>, Vec<Step>),
    Repeat(Vec<Step>, usize),
    RepeatEmit(Vec<Step>, usize),
    EmitRepeat(Vec<Step>, usize),
    RepeatUntil(Vec<Step>, char, usize),
    SimplePath,
    CyclicPath,
    As,
    Select,
    WhereNotLabelled,
    Local(Vec<Step>),
    Count,
    Dedup,
    GroupCount,
    OrderRange(usize, usize),
    Path,
    Sum,
}

impl Walker {
    pub fn new(at: At) -> Self {
        Walker { way: vec![at], labelled: None }
    }

    pub fn at(&self) -> &At {
        self.way.last().unwrap()
    }

    fn to(&self, at: At) -> Walker {
        let mut next = self.clone();
        next.way.push(at);
        next
    }
}

/// What comes out of steps.
pub fn walk(model: &Model, steps: &[Step], walkers: Vec<Walker>) -> Vec<Walker> {
    steps.iter().fold(walkers, |walkers, step| take(model, step, walkers))
}

fn take(model: &Model, step: &Step, walkers: Vec<Walker>) -> Vec<Walker> {
    model.left.set(model.left.get().saturating_sub(walkers.len()));
    if model.left.get() == 0 {
        return Vec::new();
    }
    let run = |steps: &[Step], walker: &Walker| walk(model, steps, vec![walker.clone()]);
    let keep = |test: &dyn Fn(&Walker) -> bool| walkers.iter().filter(|walker| test(walker)).cloned().collect();
    let each = |make: &dyn Fn(&Walker) -> Vec<Walker>| walkers.iter().flat_map(make).collect();
    match step {
        Step::Vertices(way, label) => each(&|walker| {
            let ends = edges(model, walker, *way, *label).into_iter();
            ends.map(|(_, other)| walker.to(At::Vertex(other))).collect()
        }),
        Step::Edges(way, label) => each(&|walker| {
            edges(model, walker, *way, *label).into_iter().map(|(edge, _)| walker.to(At::Edge(edge))).collect()
        }),
        Step::AlongEdges(way, bound) => each(&|walker| {
            let wanted = edges(model, walker, *way, None).into_iter().filter(|(edge, _)| model.edges[*edge].3 > *bound);
            wanted.map(|(edge, other)| walker.to(At::Edge(edge)).to(At::Vertex(other))).collect()
        }),
        Step::OutV => each(&|walker| vec![walker.to(At::Vertex(edge_of(model, walker).0))]),
        Step::InV => each(&|walker| vec![walker.to(At::Vertex(edge_of(model, walker).1))]),
        Step::HasLabel(label) => keep(&|walker| vertex(model, walker).0 == *label),
        Step::HasAbove(bound) => keep(&|walker| vertex(model, walker).1.is_some_and(|x| x > *bound)),
        Step::HasNot => keep(&|walker| vertex(model, walker).1.is_none()),
        Step::Values => each(&|walker| vertex(model, walker).1.map(|x| walker.to(At::Number(x))).into_iter().collect()),
        Step::IsAbove(bound) => keep(&|walker| matches!(walker.at(), At::Number(number) if number > bound)),
        Step::Where(steps) => keep(&|walker| !run(steps, walker).is_empty()),
        Step::Not(steps) => keep(&|walker| run(steps, walker).is_empty()),
        Step::Union(one, two) => each(&|walker| [run(one, walker), run(two, walker)].concat()),
        // Of the way within only the result counts, as TinkerPop has it.
        Step::Coalesce(one, two) => each(&|walker| {
            let first = run(one, walker);
            let results = if first.is_empty() { run(two, walker) } else { first };
            results.iter().map(|result| walker.to(result.at().clone())).collect()
        }),
        Step::Optional(steps) => each(&|walker| {
            Some(run(steps, walker)).filter(|all| !all.is_empty()).unwrap_or_else(|| vec![walker.clone()])
        }),
        Step::Choose(label, one, two) => {
            each(&|walker| run(if vertex(model, walker).0 == *label { one } else { two }, walker))
        }
        Step::Repeat(body, times) => (0..*times).fold(walkers, |walkers, _| walk(model, body, walkers)),
        Step::RepeatEmit(body, times) => rounds(model, body, *times, walkers).split_off(1).concat(),
        Step::EmitRepeat(body, times) => rounds(model, body, *times, walkers).concat(),
        Step::RepeatUntil(body, label, most) => until(model, body, *label, *most, walkers),
        Step::SimplePath => keep(&|walker| is_simple(walker)),
        Step::CyclicPath => keep(&|walker| !is_simple(walker)),
        Step::As => each(&|walker| vec![Walker { labelled: Some(walker.way.len() - 1), ..walker.clone() }]),
        Step::Select => each(&|walker| vec![walker.to(labelled(walker).clone())]),
        Step::WhereNotLabelled => keep(&|walker| walker.at() != labelled(walker)),
        Step::Local(steps) => each(&|walker| run(steps, walker)),
        Step::Count => vec![Walker::new(At::Text(format!("{}L", walkers.len())))],
        Step::Dedup => {
            let mut seen = Vec::new();
            let mut kept = walkers;
            kept.retain(|walker| {
                let is_new = !seen.contains(walker.at());
                seen.push(walker.at().clone());
                is_new
            });
            kept
        }
        Step::GroupCount => {
            let mut counts = BTreeMap::new();
            walkers.iter().for_each(|walker| *counts.entry(shown(walker.at())).or_insert(0) += 1);
            let entries: Vec<String> = counts.iter().map(|(key, count)| format!("{key}:{count}L")).collect();
            vec![Walker::new(At::Text(format!("({})", entries.join(" "))))]
        }
        Step::OrderRange(low, high) => {
            let mut sorted = walkers;
            sorted.sort_by(|one, two| one.at().cmp(two.at()));
            sorted.into_iter().skip(*low).take(high - low).collect()
        }
        Step::Path => each(&|walker| {
            let way: Vec<String> = walker.way.iter().map(shown).collect();
            vec![Walker::new(At::Text(format!("<{}>", way.join(" "))))]
        }),
        Step::Sum => {
            let numbers = walkers.iter().filter_map(|walker| match walker.at() {
                At::Number(number) => Some(*number),
                _ => None,
            });
            if walkers.is_empty() { Vec::new() } else { vec![Walker::new(At::Number(numbers.sum()))] }
        }
    }
}

/// The walkers before the first round and after each.
fn rounds(model: &Model, body: &[Step], times: usize, walkers: Vec<Walker>) -> Vec<Vec<Walker>> {
    let mut all = vec![walkers];
    for _ in 0..times {
        let next = walk(model, body, all.last().unwrap().clone());
        all.push(next);
    }
    all
}

/// Those that come to a label, or are through so many rounds.
fn until(model: &Model, body: &[Step], label: char, most: usize, mut walkers: Vec<Walker>) -> Vec<Walker> {
    let mut through = Vec::new();
    for round in 1..=most {
        let (done, rest): (Vec<_>, Vec<_>) = walk(model, body, walkers)
            .into_iter()
            .partition(|walker| round == most || vertex(model, walker).0 == label);
        through.extend(done);
        walkers = rest;
    }
    through
}

/// Edges of the vertex with their other ends; a loop comes twice if both ways are gone.
fn edges(model: &Model, walker: &Walker, way: Way, label: Option<char>) -> Vec<(usize, usize)> {
    let At::Vertex(vertex) = walker.at() else { panic!("no vertex: {walker:?}") };
    let mut found = Vec::new();
    for (at, (from, to, of, _)) in model.edges.iter().enumerate() {
        let is_wanted = label.is_none_or(|label| label == *of);
        if is_wanted && from == vertex && way != Way::In {
            found.push((at, *to));
        }
        if is_wanted && to == vertex && way != Way::Out {
            found.push((at, *from));
        }
    }
    found
}

fn vertex(model: &Model, walker: &Walker) -> (char, Option<i32>) {
    let At::Vertex(vertex) = walker.at() else { panic!("no vertex: {walker:?}") };
    model.vertices[*vertex]
}

fn edge_of(model: &Model, walker: &Walker) -> (usize, usize) {
    let At::Edge(edge) = walker.at() else { panic!("no edge: {walker:?}") };
    (model.edges[*edge].0, model.edges[*edge].1)
}

fn labelled(walker: &Walker) -> &At {
    &walker.way[walker.labelled.unwrap()]
}

fn is_simple(walker: &Walker) -> bool {
    (0..walker.way.len()).all(|at| !walker.way[..at].contains(&walker.way[at]))
}

/// As the results of the real machine are shown.
pub fn shown(at: &At) -> String {
    match at {
        At::Vertex(vertex) => format!("v{vertex}"),
        At::Edge(edge) => format!("e{edge}"),
        At::Number(number) => number.to_string(),
        At::Text(text) => text.clone(),
    }
}
