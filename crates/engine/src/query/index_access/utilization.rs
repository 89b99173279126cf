//! Which indexes serve a query, and which could, by the indexing policy alone: what the service's index metrics tell.
//!
//! Whether a page made use of them depends on sizes as well; that is for EXPLAIN to say.

use orrery_value::PropertyPath;

use super::super::{Direction, From, Plan, Query};
use super::page_access::known_of;
use super::report::directed;
use super::seek::{Condition, Seek};
use crate::catalog::Container;
use crate::index::{Composite, IndexPath, IndexPolicy, Step};
use crate::item::Scope;

/// Indexes that a query can use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexUtilization {
    /// Those that the policy has.
    pub utilized: IndexSpecs,
    /// Those that it has not, and that would help.
    pub potential: IndexSpecs,
}

/// Indexes in the form in which the service names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSpecs {
    /// `/path/?`
    pub singles: Vec<String>,
    /// `/path ASC` for each path.
    pub composites: Vec<Vec<String>>,
}

impl Query {
    /// The indexes that the query can use on a scope of a container.
    pub fn index_utilization(&self, container: &Container, scope: &Scope) -> IndexUtilization {
        let mut plan = self.plan();
        while let From::Query(inner) = &plan.from {
            plan = inner;
        }
        let settings = container.settings();
        let mut utilization = of_plan(plan, &settings.index_policy);
        if let Scope::Partition(key) = scope {
            // The service counts the key that narrows a request among the indexes, whatever the policy says of its path.
            for path in settings.partition_key.paths.iter().take(key.components().len()) {
                utilization.utilized.add_single(&path_of(path));
            }
        }
        utilization
    }
}

fn of_plan(plan: &Plan, policy: &IndexPolicy) -> IndexUtilization {
    let mut utilization = IndexUtilization::default();
    if !policy.is_active() {
        return utilization;
    }
    let condition = known_of(plan).condition;
    let mut paths = Vec::new();
    condition.iter().for_each(|condition| paths_of(condition, &mut paths));
    let order = order_of(plan);
    if let [(path, _)] = &order[..] {
        paths.push(path.clone());
    }
    for path in paths {
        let specs = if policy.covers(&path) { &mut utilization.utilized } else { &mut utilization.potential };
        specs.add_single(&path);
    }
    if order.len() > 1 {
        utilization.add_composite(&order, policy.composites());
    } else if let Some(condition) = &condition {
        for wanted in composites_of(condition) {
            utilization.add_composite(&wanted, policy.composites());
        }
    }
    utilization
}

type Directed = (IndexPath, bool);

impl IndexSpecs {
    fn add_single(&mut self, path: &IndexPath) {
        let spec = format!("{path}/?");
        if !self.singles.contains(&spec) {
            self.singles.push(spec);
        }
    }
}

impl IndexUtilization {
    fn add_composite(&mut self, wanted: &[Directed], composites: &[Composite]) {
        let spec: Vec<String> = wanted.iter().map(|(path, descends)| directed(path, *descends)).collect();
        let has = |turned: bool| {
            let is_same = |composite: &Composite| {
                let pairs = composite.paths.iter().zip(wanted);
                composite.paths.len() == wanted.len()
                    && pairs.into_iter().all(|(a, b)| a.0 == b.0 && (a.1 == b.1) != turned)
            };
            composites.iter().any(is_same)
        };
        let specs = if has(false) || has(true) { &mut self.utilized } else { &mut self.potential };
        specs.composites.push(spec);
    }
}

/// The paths of an ORDER BY that has paths alone.
fn order_of(plan: &Plan) -> Vec<Directed> {
    let directed = |key: &super::super::SortKey| {
        let path = key.expr.as_item_path().filter(|path| !path.is_root())?;
        Some((path_of(path), key.direction == Direction::Descending))
    };
    plan.order.iter().map(directed).collect::<Option<_>>().unwrap_or_default()
}

fn path_of(path: &PropertyPath) -> IndexPath {
    IndexPath::new(path.segments().iter().map(|name| Step::Name(name.as_str().into())).collect())
}

fn paths_of(condition: &Condition, paths: &mut Vec<IndexPath>) {
    match condition {
        Condition::Seek(seek) => paths.extend(seek.path().cloned()),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| paths_of(part, paths)),
    }
}

/// Composite indexes for conditions that all hold: paths with one value first, then each one with a range.
fn composites_of(condition: &Condition) -> Vec<Vec<Directed>> {
    let Condition::All(parts) = condition else { return Vec::new() };
    let seeks: Vec<&Seek> = parts
        .iter()
        .filter_map(|part| match part {
            Condition::Seek(seek) if seek.path().is_some_and(|path| !path.has_elements()) => Some(seek),
            _ => None,
        })
        .collect();
    let ascending = |seek: &&Seek| seek.path().map(|path| (path.clone(), false));
    let (equal, ranges): (Vec<&Seek>, Vec<&Seek>) = seeks.into_iter().partition(|seek| seek.is_equality());
    let equal: Vec<Directed> = equal.iter().filter_map(ascending).collect();
    let with_range = ranges.iter().filter_map(ascending).map(|range| [equal.clone(), vec![range]].concat());
    let wanted: Vec<Vec<Directed>> = if ranges.is_empty() { vec![equal.clone()] } else { with_range.collect() };
    wanted.into_iter().filter(|paths| paths.len() > 1).collect()
}
