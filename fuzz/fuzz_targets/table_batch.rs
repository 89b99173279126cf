//! The parts of a batch lie within its body, and written as a batch they are read as the same parts.
#![no_main]

use std::fmt::Write as _;

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_table::batch::MAX_OPERATIONS;
use orrery_table::{Batch, Part, PartMethod};

const CONTENT_TYPE: &str = "multipart/mixed; boundary=b";

fuzz_target!(|body: &[u8]| {
    match within_budget(|| Batch::parse(CONTENT_TYPE, body)) {
        Ok(Batch::ChangeSet(parts)) => {
            // One more is read, so that whoever runs them can refuse it.
            assert!(parts.len() <= MAX_OPERATIONS + 1);
            parts.iter().for_each(|part| check(part, body));
        }
        Ok(Batch::Query(part)) => check(&part, body),
        Err(_) => {}
    }
});

fn check(part: &Part<'_>, body: &[u8]) {
    assert!(part.body.is_empty() || body.as_ptr_range().contains(&part.body.as_ptr()));
    assert!(part.target.ends_with(part.path_and_query()) || part.path_and_query() == "/");
    // As the request line says, what a header says about it apart.
    let method = match part.method {
        PartMethod::Get => "GET",
        PartMethod::Post => "POST",
        PartMethod::Put => "PUT",
        PartMethod::Merge => "MERGE",
        PartMethod::Delete => "DELETE",
    };
    let is_tunnelled = part.header("X-HTTP-Method").is_some();
    let mut text = format!("--b\r\n\r\n{} {} HTTP/1.1\r\n", if is_tunnelled { "POST" } else { method }, part.target);
    for (name, value) in &part.headers {
        // Writing to a String does not fail.
        let _ = write!(text, "{name}: {value}\r\n");
    }
    let text = [text.as_bytes(), b"\r\n", part.body, b"\r\n--b--"].concat();
    // A write must be in a change set, and a body may have the boundary of this one.
    if let Ok(Batch::Query(again)) = Batch::parse(CONTENT_TYPE, &text) {
        assert_eq!((again.method, again.target), (part.method, part.target));
        assert_eq!(again.headers, part.headers);
    }
}
