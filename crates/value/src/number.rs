//! Numbers: doubles, as the service has them, with integers kept exact where they fit 64 bits.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A JSON number. Integers and doubles of the same numeric value are equal: `1 == 1.0`, `-0.0 == 0`.
///
/// Comparison is exact, so that it is one order for all numbers. JavaScript prints a double beyond 2^53 with zeros for the
/// digits that it does not determine; read back, these digits are an integer near the double but not equal to it.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// Spelled as an integer (no point, no exponent) that fits `i64`.
    Int(i64),
    /// Any other; results of arithmetic may be NaN or infinite, which JSON cannot express.
    Float(f64),
}

impl Number {
    /// Reads a number as JSON spells it. The caller has checked the grammar;
    /// other text gives none or some finite number.
    pub fn parse(text: &str) -> Option<Number> {
        if let Some(int) = parse_int(text.as_bytes()) {
            return Some(Number::Int(int));
        }
        text.parse().ok().filter(|float: &f64| float.is_finite()).map(Number::Float)
    }

    /// The nearest double.
    #[inline]
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(int) => int as f64,
            Number::Float(float) => float,
        }
    }

    /// The value as an integer, if it is one and fits: `2.0` is 2.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Number::Int(int) => Some(int),
            Number::Float(float) => integral(float),
        }
    }

    /// False for NaN and the infinities, which have no JSON form.
    pub fn is_finite(self) -> bool {
        match self {
            Number::Int(_) => true,
            Number::Float(float) => float.is_finite(),
        }
    }

    /// Appends the number as JavaScript prints it, except that an integer keeps all its digits. A NaN or infinity is
    /// written as `null`; [`Value::write_json`](crate::Value::write_json) leaves these out instead.
    pub fn write_json(self, out: &mut Vec<u8>) {
        match self {
            Number::Int(int) => write_int(int, out),
            Number::Float(float) if float.is_finite() => {
                out.extend_from_slice(ryu_js::Buffer::new().format_finite(float).as_bytes());
            }
            Number::Float(_) => out.extend_from_slice(b"null"),
        }
    }

    /// Like [`write_json`](Number::write_json), but a zero keeps its sign, which JavaScript does not print: partition keys differ by it.
    pub(crate) fn write_signed_json(self, out: &mut Vec<u8>) {
        match self {
            Number::Float(float) if float == 0.0 && float.is_sign_negative() => out.extend_from_slice(b"-0.0"),
            number => number.write_json(out),
        }
    }
}

/// The integer that `text` spells; none for `-0`, whose sign only a double can keep.
fn parse_int(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 19 || (negative && digits == b"0") {
        return None;
    }
    digits.iter().try_fold(0i64, |value, digit| {
        let digit = i64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
        let tens = value.checked_mul(10)?;
        if negative { tens.checked_sub(digit) } else { tens.checked_add(digit) }
    })
}

fn write_int(int: i64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = int.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if int < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

fn integral(float: f64) -> Option<i64> {
    const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
    (float.trunc() == float && (-TWO_POW_63..TWO_POW_63).contains(&float)).then_some(float as i64)
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(int) => write!(f, "{int}"),
            Number::Float(float) => f.write_str(ryu_js::Buffer::new().format(*float)),
        }
    }
}

impl From<i64> for Number {
    fn from(int: i64) -> Self {
        Number::Int(int)
    }
}

impl From<f64> for Number {
    fn from(float: f64) -> Self {
        Number::Float(float)
    }
}

impl Ord for Number {
    /// By exact numeric value; NaN sorts below every number and equals itself.
    fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (Number::Float(a), Number::Float(b)) => compare_floats(a, b),
            (Number::Int(a), Number::Float(b)) => compare_int_float(a, b),
            (Number::Float(a), Number::Int(b)) => compare_int_float(b, a).reverse(),
        }
    }
}

fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}

/// Compares without rounding the integer: 2⁵³+1 is greater than the double 2⁵³.
fn compare_int_float(int: i64, float: f64) -> Ordering {
    const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() || float < -TWO_POW_63 {
        return Ordering::Greater;
    }
    if float >= TWO_POW_63 {
        return Ordering::Less;
    }
    let whole = float.trunc();
    int.cmp(&(whole as i64)).then_with(|| 0.0.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal))
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.as_i64() {
            Some(int) => int.hash(state),
            None if self.as_f64().is_nan() => f64::NAN.to_bits().hash(state),
            None => self.as_f64().to_bits().hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> String {
        Number::parse(text).unwrap().to_string()
    }

    #[test]
    fn numbers_print_as_in_javascript_and_large_integers_in_full() {
        for (text, expected) in [
            ("1", "1"),
            ("1.0", "1"),
            ("-0", "0"),
            ("1e21", "1e+21"),
            ("1e-7", "1e-7"),
            ("0.000001", "0.000001"),
            ("100e0", "100"),
            ("9007199254740993", "9007199254740993"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("9223372036854775808", "9223372036854776000"),
        ] {
            assert_eq!(printed(text), expected, "{text}");
            let mut json = Vec::new();
            Number::parse(text).unwrap().write_json(&mut json);
            assert_eq!(json, expected.as_bytes(), "{text}");
        }
    }

    #[test]
    fn integers_and_doubles_compare_by_exact_value() {
        let big = 1i64 << 53;
        assert_eq!(Number::Int(1), Number::Float(1.0));
        assert_eq!(Number::Int(0), Number::Float(-0.0));
        assert!(Number::Int(big + 1) > Number::Float(big as f64));
        assert!(Number::Int(i64::MAX) < Number::Float(9_223_372_036_854_775_808.0));
        assert!(Number::Int(1) < Number::Float(1.5) && Number::Int(-1) > Number::Float(-1.5));
        assert!(Number::Float(f64::NAN) < Number::Float(f64::NEG_INFINITY));
        assert!(Number::Float(f64::NAN) < Number::Int(i64::MIN));
        assert_eq!(Number::Float(f64::NAN), Number::Float(f64::NAN));
    }

    #[test]
    fn a_large_double_reads_back_as_the_integer_that_it_prints() {
        let float = Number::Float(7.403136956046436e17);
        assert_eq!(float.as_i64(), Some(740_313_695_604_643_584));
        assert_eq!(Number::parse(&float.to_string()), Some(Number::Int(740_313_695_604_643_600)));
    }

    #[test]
    fn minus_zero_keeps_its_sign_when_read() {
        assert!(Number::parse("-0").unwrap().as_f64().is_sign_negative());
        assert!(Number::parse("-0.0").unwrap().as_f64().is_sign_negative());
    }
}
