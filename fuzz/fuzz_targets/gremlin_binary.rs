//! A request in GraphBinary is read, or refused within itself; what is read is written as a message that reads the same, in bytes that
//! are written again unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_gremlin::io::{Format, Request};

fuzz_target!(|bytes: &[u8]| {
    let Ok(request) = within_budget(|| Request::read(Format::GraphBinary, bytes)) else { return };
    let mut written = Vec::new();
    request.write(Format::GraphBinary, &mut written).expect("what is read can be written");
    let again = Request::read(Format::GraphBinary, &written).expect("what is written can be read");
    // Elements are equal by their ids alone, their texts by everything.
    let (again, read) = (format!("{again:?}"), format!("{request:?}"));
    // What elements belong to is not written, nor labels of vertices that a graph has only the ids of.
    let is_lossy = ["element: Some", "vertex: Some", "Graph("].iter().any(|part| read.contains(part));
    assert!(is_lossy || again == read, "{again}\n{read}");
    for format in [Format::GraphSon1, Format::GraphSon2, Format::GraphSon3] {
        let mut text = Vec::new();
        // Only a bulk too large to be written out has no form there.
        if request.write(format, &mut text).is_ok() {
            serde_json::from_slice::<serde::de::IgnoredAny>(&text).expect("it is JSON");
        }
    }
});
