//! What `profile()` and `executionProfile()` tell.

use orrery_gremlin::GValue;

use super::ask::results;
use super::ring;

#[test]
fn a_profile_has_the_figures_of_each_step() {
    let graph = ring(6);
    let rows = results(&graph, "g.V().out('next').values('number').profile()");
    let [GValue::TraversalMetrics(metrics)] = &rows[..] else { panic!("{rows:?}") };
    let names: Vec<&str> = metrics.metrics.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["V()", "out(\"next\")", "values(\"number\")"]);
    for one in &metrics.metrics {
        assert!(one.counts.contains(&("elementCount".into(), 6)), "{one:?}");
    }
}

#[test]
fn a_profile_may_be_a_side_effect() {
    let rows = results(&ring(3), "g.V().profile('p').cap('p')");
    assert!(matches!(&rows[..], [GValue::TraversalMetrics(_)]), "{rows:?}");
}

#[test]
fn an_execution_profile_is_one_object_that_ends_with_a_projection() {
    let rows = results(&ring(6), "g.V('s1').out('next').executionProfile()");
    let [GValue::Map(profile)] = &rows[..] else { panic!("{rows:?}") };
    let keys: Vec<&GValue> = profile.keys().collect();
    assert_eq!(keys, [&"gremlin".into(), &"totalTime".into(), &"metrics".into()]);
    let Some(GValue::List(metrics)) = profile.get(&GValue::from("metrics")) else { panic!("{profile:?}") };
    let name = |one: &GValue| match one {
        GValue::Map(entries) => entries.get(&GValue::from("name")).and_then(GValue::as_str).unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    let names: Vec<String> = metrics.iter().map(name).collect();
    assert_eq!(names, ["GetVertices", "GetNeighborVertices", "ProjectOperator"]);
}
