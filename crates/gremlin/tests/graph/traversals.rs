//! Traversals on every graph: what the machine and a graph have to agree on.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use orrery_gremlin::graph::Graph;
use orrery_gremlin::run::{RunOptions, run};
use orrery_gremlin::step::{Compiled, Query};
use orrery_gremlin::text::{Expression, parse};
use orrery_gremlin::value::GMap;
use orrery_gremlin::{GValue, value::DateTime};

use super::suite::on_every_graph;

/// The results of a text of one traversal.
fn rows(graph: &dyn Graph, text: &str) -> Vec<GValue> {
    rows_with(graph, text, GMap::new())
}

fn rows_with(graph: &dyn Graph, text: &str, bindings: GMap) -> Vec<GValue> {
    let script = parse(text, &bindings, &GMap::new()).unwrap();
    let Expression::Traversal { bytecode, .. } = &script.statements[0].expression else { panic!("{text}") };
    let Compiled::Query(query) = Query::from_bytecode(bytecode).unwrap() else { panic!("{text}") };
    let options = RunOptions {
        deadline: Some(Instant::now() + Duration::from_secs(20)),
        thread_time: None,
        cancelled: Arc::default(),
        memory_bytes: 1 << 24,
        batch_size: 64,
        max_repeat_rounds: None,
    };
    let mut rows = Vec::new();
    let mut sink = |batch: Vec<orrery_gremlin::value::Traverser>| {
        rows.extend(batch.into_iter().flat_map(|one| (0..one.bulk).map(move |_| one.value.clone())));
        ControlFlow::Continue(())
    };
    run(&query, graph, &options, &mut sink).unwrap_or_else(|error| panic!("{text}: {error}"));
    rows
}

#[test]
fn numbers_name_what_has_their_text_for_an_id() {
    on_every_graph(|graph| {
        for id in ["1", "2L", "3.0d"] {
            rows(graph, &format!("g.addV('number').property(T.id, {id}).property('name', 'x')"));
            let same = [
                format!("g.V({id}).count()"),
                format!("g.V().hasId({id}).count()"),
                format!("g.V().has(T.id, P.within([{id}, 'other'])).count()"),
                format!("g.V().has('name', 'x').as('a').hasId({id}).count()"),
                format!("g.V().where(__.hasId({id})).count()"),
            ];
            for text in same {
                assert_eq!(rows(graph, &text), [1_i64.into()], "{text}");
            }
        }
        assert_eq!(rows(graph, "g.V('1').id()"), ["1".into()]);
        assert_eq!(rows(graph, "g.V().hasId(P.neq(1)).count()"), [2_i64.into()]);
        rows(graph, "g.V(1).as('a').V(2).addE('next').from('a').property(T.id, 7)");
        assert_eq!(rows(graph, "g.E(7).inV().id()"), ["2".into()]);
        assert_eq!(rows(graph, "g.V(1).outE().hasId(7).count()"), [1_i64.into()]);
    });
}

#[test]
fn collections_are_kept_as_values() {
    on_every_graph(|graph| {
        let date = GValue::DateTime(DateTime::parse("2020-01-01T00:00:00Z").unwrap());
        let deep = GValue::map([(1_i64.into(), GValue::list([GValue::set([date, GValue::Null])]))]);
        let values = [
            ("list", GValue::list([1.into(), 1_i64.into(), "a".into()])),
            ("set", GValue::set([1.into(), 2.into()])),
            ("map", GValue::map([("a".into(), 1.into())])),
            ("map", deep),
        ];
        rows(graph, "g.addV('v').property(T.id, 'v').property('name', 'x')");
        rows(graph, "g.addV('v').property(T.id, 'w').property('name', 'x')");
        rows(graph, "g.V('v').addE('e').to(__.V('w')).property(T.id, 'e')");
        for (class, value) in values {
            let bindings: GMap = [("c".into(), value.clone())].into_iter().collect();
            let write = |text| rows_with(graph, text, bindings.clone());
            write("g.V('v').property(Cardinality.single, 'c', c, 'meta', c)");
            write("g.E('e').property('c', c)");
            for read in ["g.V('v').values('c')", "g.V('v').properties('c').values('meta')", "g.E('e').values('c')"] {
                assert_eq!(rows(graph, read), std::slice::from_ref(&value), "{read}");
            }
            let class = class.to_uppercase();
            let found = rows(graph, &format!("g.V().has('c', P.typeOf(GType.{class})).id()"));
            assert_eq!(found, ["v".into()], "{class}");
            assert_eq!(write("g.V().has('c', P.eq(c)).id()"), ["v".into()]);
            assert_eq!(write("g.E().has('c', P.eq(c)).id()"), ["e".into()]);
            write("g.V('v').property(Cardinality.set, 'c', c)");
            assert_eq!(rows(graph, "g.V('v').values('c').count()"), [1_i64.into()]);
        }
    });
}
