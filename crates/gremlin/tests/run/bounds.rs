//! What a run may take, and how it ends early.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use orrery_gremlin::graph::Graph;
use orrery_gremlin::run::{RunError, RunOptions, run};

use super::ask::{options, query, results, results_with, texts};
use super::ring;

#[test]
fn a_limit_stops_what_is_before_it() {
    let graph = ring(300);
    let before = graph.usage().lookups;
    assert_eq!(results(&graph, "g.V().out().out().values('number').limit(1)").len(), 1);
    assert!(graph.usage().lookups - before < 12, "{} look-ups", graph.usage().lookups - before);
}

/// Two ways lead around the ring, and a short one is wanted whichever goes there.
#[test]
fn the_first_result_of_a_repetition_is_of_the_shortest_way() {
    let graph = ring(12);
    for number in [3, 9] {
        let way = format!(
            "g.V().has('number', 0).repeat(both().simplePath()).until(has('number', {number})).limit(1).path().count(local)"
        );
        assert_eq!(texts(&graph, &way), ["4"], "{way}");
        let emitted = format!(
            "g.V().has('number', 0).repeat(both().simplePath()).emit(has('number', {number})).limit(1).path().count(local)"
        );
        assert_eq!(texts(&graph, &emitted), ["4"], "{emitted}");
    }
}

#[test]
fn a_broken_sink_gets_nothing_more() {
    let graph = ring(300);
    let mut batches = 0;
    run(&query("g.V()"), &graph, &options(), &mut |_| {
        batches += 1;
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(batches, 1);
}

#[test]
fn batches_of_results_are_no_larger_than_asked_for() {
    let graph = ring(100);
    let mut sizes = Vec::new();
    run(&query("g.V()"), &graph, &RunOptions { batch_size: 16, ..options() }, &mut |batch| {
        sizes.push(batch.len());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(sizes.iter().all(|size| *size <= 16), "{sizes:?}");
    assert_eq!(sizes.iter().sum::<usize>(), 100);
}

#[test]
fn endless_repetitions_end_with_their_time() {
    let graph = ring(10);
    let deadline = Some(Instant::now() + Duration::from_millis(50));
    let endless = results_with(&graph, "g.V().repeat(out()).count()", &RunOptions { deadline, ..options() });
    assert_eq!(endless, Err(RunError::Timeout));
}

#[test]
fn a_cancelled_run_ends() {
    let graph = ring(10);
    let options = options();
    options.cancelled.store(true, Ordering::Relaxed);
    assert_eq!(results_with(&graph, "g.V().repeat(out()).count()", &options), Err(RunError::Cancelled));
}

#[test]
fn what_is_held_is_bounded() {
    let graph = ring(400);
    let options = RunOptions { memory_bytes: 10_000, ..options() };
    for text in
        ["g.V().fold()", "g.V().values('number').order()", "g.V().dedup().by('number')", "g.V().group().by('number')"]
    {
        assert_eq!(results_with(&graph, text, &options), Err(RunError::OverBudget { limit: 10_000 }), "{text}");
    }
    assert_eq!(results_with(&graph, "g.V().limit(3).values('number')", &options).unwrap().len(), 3);
}

#[test]
fn rounds_of_repetitions_are_bounded_where_that_is_asked_for() {
    let graph = ring(10);
    let options = RunOptions { max_repeat_rounds: Some(32), ..options() };
    assert!(results_with(&graph, "g.V('s0').repeat(out()).times(33)", &options).is_err());
    assert_eq!(results_with(&graph, "g.V('s0').repeat(out('next')).times(32)", &options).unwrap().len(), 1);
}

#[test]
fn thousands_of_steps_need_no_more_stack_than_two() {
    let graph = ring(3);
    let text = format!("g.V('s0'){}.values('number')", ".out('next')".repeat(9_000));
    assert_eq!(texts(&graph, &text), ["0"]);
}

#[test]
fn deep_nesting_fits_a_small_stack() {
    let depth = 90;
    let text =
        format!("g.V('s0').{}identity(){}.values('number')", "local(union(".repeat(depth / 2), "))".repeat(depth / 2));
    let run = move || texts(&ring(3), &text);
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap();
    assert_eq!(thread.join().unwrap(), ["0"]);
}

#[test]
fn equal_traversers_become_one_where_no_path_is_kept() {
    let graph = ring(8);
    // 2^40 ways, which nobody could go one by one.
    let count = texts(&graph, "g.V('s0').repeat(both('next')).times(40).count()");
    assert_eq!(count, [(1_i64 << 40).to_string()]);
}

#[test]
fn what_steps_make_nests_no_deeper_than_what_is_read() {
    let graph = ring(1);
    let rows = |text: &str| results_with(&graph, text, &options());
    assert_eq!(rows("g.inject(1).repeat(fold()).times(2)"), rows("g.inject(1).fold().fold()"));
    assert_eq!(rows("g.inject(1).repeat(fold()).times(90).count()").unwrap().len(), 1);
    for text in [
        "g.inject(1).repeat(fold()).times(100000).count()",
        "g.inject(1).repeat(project('a').by()).times(5000)",
        "g.inject(1).repeat(constant(1)).times(5000).tree()",
        &format!("g.inject(1){}", ".fold()".repeat(5000)),
    ] {
        assert!(matches!(rows(text), Err(RunError::Evaluation { .. })), "{text}");
    }
}
