//! Functions of 64-bit integers. An argument that is no whole number within 64 bits gives undefined, and so does a result that is not.

use super::{Function, exactly};
use crate::query::Datum;

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("INTADD", 2, |a, _| on_two(a, i64::checked_add).into()),
    exactly("INTBITAND", 2, |a, _| on_two(a, |a, b| Some(a & b)).into()),
    // As with the operators, the distance counts modulo the number of bits.
    exactly("INTBITLEFTSHIFT", 2, |a, _| on_two(a, |a, b| Some(a.wrapping_shl(b as u32))).into()),
    exactly("INTBITNOT", 1, |a, _| integer(&a[0]).map(|a| !a).into()),
    exactly("INTBITOR", 2, |a, _| on_two(a, |a, b| Some(a | b)).into()),
    exactly("INTBITRIGHTSHIFT", 2, |a, _| on_two(a, |a, b| Some(a.wrapping_shr(b as u32))).into()),
    exactly("INTBITXOR", 2, |a, _| on_two(a, |a, b| Some(a ^ b)).into()),
    // Both cut towards zero; neither has a result for the divisor 0.
    exactly("INTDIV", 2, |a, _| on_two(a, i64::checked_div).into()),
    exactly("INTMOD", 2, |a, _| on_two(a, i64::checked_rem).into()),
    exactly("INTMUL", 2, |a, _| on_two(a, i64::checked_mul).into()),
    exactly("INTSUB", 2, |a, _| on_two(a, i64::checked_sub).into()),
];

fn on_two(arguments: &[Datum<'_>], operate: fn(i64, i64) -> Option<i64>) -> Option<i64> {
    operate(integer(&arguments[0])?, integer(&arguments[1])?)
}

fn integer(argument: &Datum<'_>) -> Option<i64> {
    argument.as_number()?.as_i64()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn integers_are_exact_to_64_bits() {
        check(&[
            ("INTADD", "[9007199254740993, 1]", "9007199254740994"),
            ("INTADD", "[2.0, 3]", "5"),
            ("INTADD", "[20, 0.1]", ""),
            ("INTADD", "[9223372036854775807, 1]", ""),
            ("INTSUB", "[25, 50]", "-25"),
            ("INTSUB", r#"[25, "5"]"#, ""),
            ("INTMUL", "[3037000500, 3037000500]", ""),
            ("INTMUL", "[-5, 7]", "-35"),
            ("INTDIV", "[-7, 2]", "-3"),
            ("INTDIV", "[7, 0]", ""),
            ("INTDIV", "[-9223372036854775808, -1]", ""),
            ("INTMOD", "[-7, 2]", "-1"),
            ("INTMOD", "[7, -2]", "1"),
            ("INTMOD", "[7, 0]", ""),
        ]);
    }

    #[test]
    fn bits_are_those_of_64_bit_integers() {
        check(&[
            ("INTBITAND", "[12, 10]", "8"),
            ("INTBITAND", "[12, 1.5]", ""),
            ("INTBITOR", "[12, 10]", "14"),
            ("INTBITXOR", "[12, 10]", "6"),
            ("INTBITNOT", "[65]", "-66"),
            ("INTBITNOT", "[0.1]", ""),
            ("INTBITLEFTSHIFT", "[1, 40]", "1099511627776"),
            ("INTBITLEFTSHIFT", "[16, 0.4]", ""),
            ("INTBITRIGHTSHIFT", "[-16, 2]", "-4"),
            ("INTBITRIGHTSHIFT", "[16, 4]", "1"),
        ]);
    }
}
