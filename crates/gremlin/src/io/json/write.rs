//! Scalars as JSON text.

use std::io::Write;

/// Appends `text` as a JSON string.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    // Writing to memory cannot fail, and any text is a JSON string.
    let _ = serde_json::to_writer(out, text);
}

/// Appends a double as JSON; a number that JSON has no form for is the string that GraphSON has for it.
pub(crate) fn write_f64(number: f64, out: &mut Vec<u8>) {
    if number.is_finite() {
        let _ = write!(out, "{number:?}");
    } else {
        write_string(non_finite(number), out);
    }
}

/// The same for a float, with as few digits as tell it from other floats.
pub(crate) fn write_f32(number: f32, out: &mut Vec<u8>) {
    if number.is_finite() {
        let _ = write!(out, "{number:?}");
    } else {
        write_string(non_finite(number.into()), out);
    }
}

fn non_finite(number: f64) -> &'static str {
    if number.is_nan() {
        "NaN"
    } else if number > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_json_and_keep_their_fraction() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e21, "1e21"),
            (0.1, "0.1"),
            (1e-7, "1e-7"),
            (f64::NAN, "\"NaN\""),
            (f64::INFINITY, "\"Infinity\""),
            (f64::NEG_INFINITY, "\"-Infinity\""),
        ];
        for (number, text) in cases {
            let mut out = Vec::new();
            write_f64(number, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    #[test]
    fn a_float_is_not_widened_to_a_double() {
        let mut out = Vec::new();
        write_f32(0.1, &mut out);
        assert_eq!(out, b"0.1");
    }
}
