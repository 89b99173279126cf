//! `match()`, on towns and roads.

use orrery_gremlin::graph::MemoryGraph;

use super::ask::rows;
use crate::graph::toy::towns;

fn check(text: &str, expected: &[&str]) {
    let graph = MemoryGraph::new();
    towns(&graph);
    assert_eq!(rows(&graph, text), expected, "{text}");
}

#[test]
fn variables_are_found_and_checked() {
    check("g.V().match(__.as('x').out('road').as('y'))", &["(x:a y:a)", "(x:a y:b)"]);
    check("g.V().match(__.as('x').out().as('y'), __.as('y').out().as('x'))", &["(x:a y:a)", "(x:a y:b)", "(x:b y:a)"]);
    check("g.V().match(__.as('x').out().as('y'), __.not(__.as('y').out('rail')))", &["(x:a y:a)", "(x:b y:a)"]);
    check("g.V().match(__.as('x').out().as('y'), __.where('x', neq('y'))).select('y')", &["a", "b"]);
}

#[test]
fn a_condition_waits_for_what_it_looks_at_wherever_it_stands() {
    check(
        "g.V().match(__.as('x').filter(values('height').where(lt('h'))), \
         __.as('y').values('height').as('h'), __.as('x').out().as('y'))",
        &["(h:542 x:a y:b)"],
    );
}

#[test]
fn one_of_several_may_hold_and_counts_have_no_way_behind_them() {
    check(
        "g.V().match(__.as('x').out().count().as('n'), __.or(__.as('n').is(gt(1)), __.as('x').has('name', 'Bern')))",
        &["(n:1L x:b)", "(n:2L x:a)"],
    );
}

#[test]
fn variables_that_are_known_already_stay() {
    check("g.V('b').as('x').out().match(__.as('x').out().as('y')).select('x', 'y')", &["(x:b y:a)"]);
    check("g.V('a').match(__.as('x').identity().as('y'))", &["(x:a y:a)"]);
}

#[test]
fn what_no_pattern_can_begin_with_is_refused() {
    check(
        "g.V('a').match(__.as('x').out().as('y'), __.as('z').out().as('w'))",
        &["The provided match pattern is unsolvable"],
    );
}
