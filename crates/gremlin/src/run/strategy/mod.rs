//! Strategies that change a traversal, or refuse it, before it runs.
//!
//! Each works on the tree of steps: a strategy that shows a part of the graph puts conditions behind the steps that reach elements. Those
//! that only change how steps work (`ProductiveByStrategy`, `SeedStrategy`) are asked for where they count.

mod element_id;
mod partition;
mod subgraph;
mod verify;

use std::borrow::Cow;

use super::{RunError, walk};
use crate::step::{Query, Step, StepKind, Traversal, TraversalStrategy};

/// The query as its strategies want it.
///
/// # Errors
/// A strategy forbids the traversal, or cannot do what it promises for it.
pub(super) fn prepare(query: &Query) -> Result<Cow<'_, Query>, RunError> {
    let mut prepared = Cow::Borrowed(query);
    let source = &query.source;
    let is_left_out = |strategy: &&TraversalStrategy| {
        name(strategy).is_some_and(|name| source.without_strategies.iter().any(|left_out| &**left_out == name))
    };
    let wanted = || source.strategies.iter().filter(|strategy| !is_left_out(strategy));
    for strategy in wanted() {
        match strategy {
            TraversalStrategy::Partition { key, write, read, includes_meta_properties } => {
                let partition =
                    partition::Partition { key, write: write.as_ref(), read, includes_meta: *includes_meta_properties };
                partition.apply(&mut prepared.to_mut().traversal)?;
            }
            TraversalStrategy::Subgraph { vertices, edges, vertex_properties, checks_adjacent_vertices } => {
                let subgraph = subgraph::Subgraph {
                    vertices: vertices.as_ref(),
                    edges: edges.as_ref(),
                    vertex_properties: vertex_properties.as_ref(),
                    checks_ends: *checks_adjacent_vertices,
                };
                subgraph.apply(&mut prepared.to_mut().traversal)?;
            }
            TraversalStrategy::ElementId { key } => element_id::apply(key, &mut prepared.to_mut().traversal),
            _ => {}
        }
    }
    wanted().try_for_each(|strategy| verify::verify(strategy, &query.traversal))?;
    Ok(prepared)
}

/// The names of those that are looked at here.
fn name(strategy: &TraversalStrategy) -> Option<&'static str> {
    Some(match strategy {
        TraversalStrategy::Partition { .. } => "PartitionStrategy",
        TraversalStrategy::Subgraph { .. } => "SubgraphStrategy",
        TraversalStrategy::ElementId { .. } => "ElementIdStrategy",
        TraversalStrategy::ReadOnly => "ReadOnlyStrategy",
        TraversalStrategy::ReservedKeys { .. } => "ReservedKeysVerificationStrategy",
        TraversalStrategy::EdgeLabels { .. } => "EdgeLabelVerificationStrategy",
        _ => return None,
    })
}

/// Replaces each step by others, in the traversal and in those within it, the innermost first. What comes new is not looked at again.
fn replace_steps(
    traversal: &mut Traversal,
    replace: &mut dyn FnMut(Step) -> Result<Vec<Step>, RunError>,
) -> Result<(), RunError> {
    let mut steps = Vec::with_capacity(traversal.steps.len());
    for mut step in std::mem::take(&mut traversal.steps) {
        let mut result = Ok(());
        walk::children_mut(&mut step.kind, &mut |child| {
            if result.is_ok() {
                result = replace_steps(child, replace);
            }
        });
        result?;
        steps.extend(replace(step)?);
    }
    traversal.steps = steps;
    Ok(())
}

/// A traversal of these steps.
fn traversal(kinds: impl IntoIterator<Item = StepKind>) -> Traversal {
    Traversal { steps: kinds.into_iter().map(Step::from).collect() }
}

/// Steps that keep what has a result: the steps themselves, which a graph may look for, where they are such conditions.
fn filter(condition: &Traversal) -> Vec<StepKind> {
    let is_plain = |step: &Step| {
        matches!(step.kind, StepKind::Has { .. } | StepKind::HasProperty(_) | StepKind::HasNot(_))
            && step.labels.is_empty()
    };
    match condition.steps.iter().all(is_plain) {
        true => condition.steps.iter().map(|step| step.kind.clone()).collect(),
        false => vec![StepKind::Filter(condition.clone())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::GMap;

    /// The traversal of a text after its strategies, as text; or why it is refused.
    fn prepared(text: &str) -> String {
        let script = crate::text::parse(text, &GMap::new(), &GMap::new()).unwrap();
        let [crate::text::Statement { expression: crate::text::Expression::Traversal { bytecode, .. }, .. }] =
            &script.statements[..]
        else {
            panic!("{text}")
        };
        let Ok(crate::step::Compiled::Query(query)) = Query::from_bytecode(bytecode) else { panic!("{text}") };
        match prepare(&query) {
            Ok(query) => {
                crate::text::print(&Query { traversal: query.traversal.clone(), ..Query::default() }.to_bytecode())
            }
            Err(error) => error.to_string(),
        }
    }

    const RESERVED: &str = "The provided traversal contains a step that is setting a property key to a reserved word: ";

    #[track_caller]
    fn check(strategy: &str, text: &str, expected: &str) {
        assert_eq!(prepared(&format!("g.withStrategies({strategy}).{text}")), expected);
    }

    #[test]
    fn a_partition_is_read_behind_each_step_that_reaches_elements() {
        let strategy = "PartitionStrategy(partitionKey: 'p', writePartition: 'w', readPartitions: ['r'])";
        check(
            strategy,
            "V().has('a', 1).filter(out().values('b'))",
            r#"g.V().has("a", 1).has("p", P.within(["r"])).filter(__.out().has("p", P.within(["r"])).values("b"))"#,
        );
        check(strategy, "addV('x').property('a', 1)", r#"g.addV("x").property("a", 1).property("p", "w")"#);
        check(
            strategy,
            "mergeV([a: 1]).option(onCreate, [b: 2])",
            r#"g.mergeV(["a":1, "p":"w"]).option(Merge.onCreate, ["b":2])"#,
        );
        check(strategy, "inject([a: 1]).mergeV()", r#"g.inject(["a":1]).mergeV(__.merge(["p":"w"]))"#);
    }

    #[test]
    fn a_subgraph_is_seen_through_its_conditions() {
        check(
            "SubgraphStrategy(vertices: has('a'))",
            "V().out('x').inE('y')",
            r#"g.V().has("a").out("x").has("a").inE("y").filter(__.outV().has("a"))"#,
        );
        check(
            "SubgraphStrategy(edges: has('w'))",
            "V().both('x').as('o').E()",
            r#"g.V().bothE("x").has("w").otherV().as("o").E().has("w")"#,
        );
        check(
            "SubgraphStrategy(vertices: has('a'), edges: has('w'), checkAdjacentVertices: false)",
            "E().inV()",
            r#"g.E().has("w").inV().has("a")"#,
        );
        check(
            "SubgraphStrategy(vertexProperties: has('m'))",
            "V().values('a')",
            r#"g.V().properties("a").choose(P.typeOf(GType.VPROPERTY), __.has("m")).value()"#,
        );
        check(
            "SubgraphStrategy(vertexProperties: has('m'))",
            "V().valueMap()",
            "SubgraphStrategy with vertexProperties has no maps of properties; use properties()",
        );
    }

    #[test]
    fn ids_are_kept_in_a_property() {
        let strategy = "ElementIdStrategy(idPropertyKey: 'k')";
        check(
            strategy,
            "V('1', ['2', '3']).hasId('4').id()",
            r#"g.V().has("k", P.within(["1", "2", "3"])).has("k", "4").values("k")"#,
        );
        check(strategy, "addV('x').property(id, '1')", r#"g.addV("x").property("k", "1")"#);
        check(strategy, "V()", "g.V()");
    }

    #[test]
    fn what_is_forbidden_is_refused_wherever_it_stands() {
        check(
            "ReadOnlyStrategy",
            "V().sideEffect(drop())",
            "The provided traversal has a mutating step and thus is not read only",
        );
        check("ReadOnlyStrategy", "V().out()", "g.V().out()");
        check(
            "EdgeLabelVerificationStrategy(throwException: true)",
            "V().where(outE())",
            "The provided traversal contains a vertex step without any specified edge label",
        );
        check("EdgeLabelVerificationStrategy(throwException: true)", "V().out('a')", r#"g.V().out("a")"#);
        check(
            "ReservedKeysVerificationStrategy(throwException: true)",
            "addV().property('id', 1)",
            &format!("{RESERVED}id"),
        );
        check(
            "ReservedKeysVerificationStrategy(throwException: true, keys: ['a'])",
            "V().property('a', 1)",
            &format!("{RESERVED}a"),
        );
        check("ReservedKeysVerificationStrategy(keys: ['a'])", "V().property('a', 1)", r#"g.V().property("a", 1)"#);
        assert_eq!(
            prepared("g.withStrategies(ReadOnlyStrategy).withoutStrategies(ReadOnlyStrategy).addV()"),
            "g.addV()"
        );
    }
}
