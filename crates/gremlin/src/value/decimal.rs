//! Decimals of any size.

use std::fmt;

use num_bigint::BigInt;

use super::{MAX_DECIMAL_SCALE, MAX_NUMBER_DIGITS};

/// `unscaled` * 10 ^ -`scale`. As in Java, `1.0` and `1.00` are different ones of equal value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BigDecimal {
    /// All digits.
    pub unscaled: BigInt,
    /// How many of them stand behind the point; negative for zeros that are left out.
    pub scale: i32,
}

impl BigDecimal {
    /// Reads digits with an optional sign, point and exponent. `None` as well for what is larger than the bounds of this module.
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let has_digits = digits.strip_prefix(['-', '+']).unwrap_or(&digits);
        if has_digits.is_empty() || digits.len() > MAX_NUMBER_DIGITS || !has_digits.bytes().all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        if !(-MAX_DECIMAL_SCALE..=MAX_DECIMAL_SCALE).contains(&scale) {
            return None;
        }
        Some(BigDecimal { unscaled: digits.parse().ok()?, scale })
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        format!("{}e{}", self.unscaled, -i64::from(self.scale)).parse().unwrap_or(f64::NAN)
    }
}

/// As Java prints it: plain up to six zeros behind the point, else with an exponent.
impl fmt::Display for BigDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.unscaled.to_string();
        let (sign, digits) = text.strip_prefix('-').map_or(("", &text[..]), |digits| ("-", digits));
        let count = digits.len() as i64;
        let scale = i64::from(self.scale);
        let exponent = count - 1 - scale;
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        if scale > 0 && exponent >= -6 {
            return match usize::try_from(count - scale) {
                Ok(whole) if whole > 0 => write!(f, "{sign}{}.{}", &digits[..whole], &digits[whole..]),
                _ => write!(f, "{sign}0.{digits:0>width$}", width = self.scale as usize),
            };
        }
        let point = if digits.len() > 1 { "." } else { "" };
        write!(f, "{sign}{}{point}{}E{exponent:+}", &digits[..1], &digits[1..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_print_as_java_does_and_read_back() {
        for (text, printed) in [
            ("1.50", "1.50"),
            ("-0.001", "-0.001"),
            ("1e3", "1E+3"),
            ("12e3", "1.2E+4"),
            ("0.0000001", "1E-7"),
            ("-12345.678", "-12345.678"),
            ("0.00", "0.00"),
            ("+5", "5"),
        ] {
            let decimal = BigDecimal::parse(text).unwrap();
            assert_eq!(decimal.to_string(), printed);
            assert_eq!(BigDecimal::parse(printed), Some(decimal));
        }
    }

    #[test]
    fn what_is_no_decimal_or_too_large_is_none() {
        for text in ["", "-", ".", "1.2.3", "1e", "1e999999999", "1e-10001", "1_0", "--1", "1.-2", "NaN"] {
            assert_eq!(BigDecimal::parse(text), None, "{text}");
        }
        assert_eq!(BigDecimal::parse(&"1".repeat(MAX_NUMBER_DIGITS + 1)), None);
    }

    #[test]
    fn the_nearest_double_is_found() {
        assert_eq!(BigDecimal::parse("0.1").unwrap().to_f64(), 0.1);
        assert_eq!(BigDecimal::parse("1e400").unwrap().to_f64(), f64::INFINITY);
    }
}
