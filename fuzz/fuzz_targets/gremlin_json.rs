//! A request in GraphSON is read, or refused within itself; what is read goes through GraphBinary unchanged. What is read is JSON to
//! `serde_json` as well.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_gremlin::io::{Format, Request};

fuzz_target!(|text: &[u8]| {
    let Ok(request) = within_budget(|| Request::read(Format::GraphSon3, text)) else { return };
    // It gives up at 128 levels, and at numbers that no double holds.
    if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(text) {
        let message = error.to_string();
        assert!(message.contains("recursion limit") || message.contains("out of range"), "{message}");
    }
    let mut written = Vec::new();
    request.write(Format::GraphBinary, &mut written).expect("what is read can be written");
    let again = Request::read(Format::GraphBinary, &written).expect("what is written can be read");
    // Elements are equal by their ids alone, their texts by everything.
    let (again, request) = (format!("{again:?}"), format!("{request:?}"));
    // What elements belong to is not written, nor labels of vertices that a graph has only the ids of.
    let is_lossy = ["element: Some", "vertex: Some", "Graph("].iter().any(|part| request.contains(part));
    assert!(is_lossy || again == request, "{again}\n{request}");
});
