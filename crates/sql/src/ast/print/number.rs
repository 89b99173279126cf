//! Doubles in the service's spelling.

use std::fmt::{self, Formatter};

/// Digits behind the first that a double gets if they are enough for it, and else.
const FEW_DIGITS: usize = 14;
const ALL_DIGITS: usize = 16;

/// Exponents of ten that are written out; others get an `e`.
const WRITTEN_OUT: std::ops::Range<i32> = -4..17;

/// Writes a double so that it reads back as the same double: in 15 digits where these determine it, else in 17, as the service's
/// rewritten queries show. One without a fraction keeps its point, since without it the text would be an integer.
pub(super) fn write_float(f: &mut Formatter<'_>, float: f64) -> fmt::Result {
    if float.is_nan() {
        return f.write_str("NaN");
    }
    if float.is_sign_negative() {
        f.write_str("-")?;
    }
    if float.is_infinite() {
        return f.write_str("Infinity");
    }
    let (digits, exponent) = digits(float.abs());
    if !WRITTEN_OUT.contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return write!(f, "{first}{point}{rest}e{exponent:+03}");
    }
    match usize::try_from(exponent) {
        Ok(exponent) => {
            let (whole, fraction) = digits.split_at(digits.len().min(exponent + 1));
            write!(f, "{whole:0<width$}.{fraction}", width = exponent + 1)?;
            f.write_str(if fraction.is_empty() { "0" } else { "" })
        }
        Err(_) => {
            let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
            write!(f, "0.{zeros}{digits}")
        }
    }
}

/// The significant digits of a finite number, which is not negative, and the exponent of ten of the first of them.
fn digits(float: f64) -> (String, i32) {
    let few = format!("{float:.FEW_DIGITS$e}");
    let text = if few.parse() == Ok(float) { few } else { format!("{float:.ALL_DIGITS$e}") };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.replace('.', "");
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use crate::ast::Literal;
    use orrery_value::Number;

    #[test]
    fn doubles_print_in_15_digits_or_else_17() {
        for (float, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (1337.42, "1337.42"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-0.005676387343555689, "-0.0056763873435556889"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1e16, "10000000000000000.0"),
            (1.5e17, "1.5e+17"),
            (-1.5e300, "-1.5e+300"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "4.94065645841247e-324"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(Literal::Number(Number::Float(float)).to_string(), expected);
        }
    }
}
