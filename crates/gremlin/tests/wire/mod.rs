//! Wire formats from outside: against the official client, every type in every format, round trips, and hostile bytes.

mod client;
mod hostile;
mod messages;
mod round_trip;
mod strategies;
mod types;
mod values;

use orrery_gremlin::GValue;
use orrery_gremlin::io::{Format, read_value, write_value};

/// A value as bytes.
fn written(value: &GValue, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    write_value(value, format, &mut out).unwrap();
    out
}

/// A text that tells more values apart than `==`, by which elements are known by their ids.
fn shown(value: &GValue) -> String {
    format!("{value:?}")
}

fn read(bytes: &[u8], format: Format) -> GValue {
    read_value(bytes, format).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.split_whitespace().collect::<String>();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}
