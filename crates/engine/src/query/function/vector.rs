//! VECTORDISTANCE: how far apart or how alike two arrays of numbers are.
//!
//! Numbers are doubles whatever `dataType` says: it describes an index, and its rounding is below what a score is used for. There is
//! no approximation, so that `bruteForce` and the options of the index change nothing.

use orrery_value::{Node, NodeKind, Number, Value};

use super::{Function, between};
use crate::query::{Datum, Direction, Effort};

/// What queries call it.
pub(super) const NAME: &str = "VECTORDISTANCE";

pub(super) const FUNCTIONS: &[Function] = &[between(NAME, 2, 4, |a, effort| distance(a, effort).into())];

/// Greatest value of the options that multiply the length of a list.
const MAX_MULTIPLIER: f64 = 100.0;

/// How two vectors are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorMetric {
    /// The cosine of the angle between them; 1 for the same direction.
    Cosine,
    /// The sum of the products of their numbers.
    DotProduct,
    /// The distance between the points that they are; 0 for equal ones.
    Euclidean,
}

impl VectorMetric {
    /// The metric of that name, in any case.
    pub fn named(name: &str) -> Option<VectorMetric> {
        const NAMES: [(&str, VectorMetric); 3] = [
            ("cosine", VectorMetric::Cosine),
            ("dotproduct", VectorMetric::DotProduct),
            ("euclidean", VectorMetric::Euclidean),
        ];
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, metric)| *metric)
    }

    /// The order in which the best come first.
    pub fn best_first(self) -> Direction {
        match self {
            VectorMetric::Cosine | VectorMetric::DotProduct => Direction::Descending,
            VectorMetric::Euclidean => Direction::Ascending,
        }
    }
}

/// The options of VECTORDISTANCE that decide its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorOptions {
    /// How vectors are compared, if the options say so; else the container's vector policy does.
    pub metric: Option<VectorMetric>,
}

/// What is wrong with the options of VECTORDISTANCE.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorOptionsError {
    /// They are not an object.
    #[error("the options of VectorDistance are no object")]
    NoObject,
    /// There is no option of that name.
    #[error("'{name}' is no option of VectorDistance")]
    Unknown {
        /// The name.
        name: String,
    },
    /// An option has a value that it cannot have.
    #[error("the option '{name}' of VectorDistance must be {wanted}")]
    Invalid {
        /// The option.
        name: &'static str,
        /// What it may be.
        wanted: &'static str,
    },
}

impl VectorOptions {
    /// Checks constant options, for the time when a query is bound. The options are those that the service documents; it does not say
    /// what becomes of others, which are refused here, since a name spelled wrong would be ignored silently.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(options: &Value) -> Result<VectorOptions, VectorOptionsError> {
        let object = options.as_object().ok_or(VectorOptionsError::NoObject)?;
        let mut parsed = VectorOptions::default();
        for (name, value) in object.iter() {
            match name {
                "distanceFunction" => parsed.metric = Some(metric_of(value)?),
                "dataType" => check_data_type(value)?,
                "searchListSizeMultiplier" => check_multiplier("searchListSizeMultiplier", value)?,
                "quantizedVectorListMultiplier" => check_multiplier("quantizedVectorListMultiplier", value)?,
                "filterPriority" => check_priority(value)?,
                _ => return Err(VectorOptionsError::Unknown { name: name.to_owned() }),
            }
        }
        Ok(parsed)
    }
}

fn metric_of(value: &Value) -> Result<VectorMetric, VectorOptionsError> {
    let wanted = "'cosine', 'dotproduct' or 'euclidean'";
    value.as_str().and_then(VectorMetric::named).ok_or(VectorOptionsError::Invalid { name: "distanceFunction", wanted })
}

fn check_data_type(value: &Value) -> Result<(), VectorOptionsError> {
    let known =
        |name: &str| ["float32", "float16", "int8", "uint8"].iter().any(|known| known.eq_ignore_ascii_case(name));
    let wanted = "'float32', 'float16', 'int8' or 'uint8'";
    if value.as_str().is_some_and(known) {
        return Ok(());
    }
    Err(VectorOptionsError::Invalid { name: "dataType", wanted })
}

fn check_multiplier(name: &'static str, value: &Value) -> Result<(), VectorOptionsError> {
    let in_range =
        |number: Number| number.as_i64().is_some_and(|number| (1.0..=MAX_MULTIPLIER).contains(&(number as f64)));
    if value.as_number().is_some_and(in_range) {
        return Ok(());
    }
    Err(VectorOptionsError::Invalid { name, wanted: "a whole number from 1 to 100" })
}

fn check_priority(value: &Value) -> Result<(), VectorOptionsError> {
    if value.as_number().is_some_and(|number| (0.0..=1.0).contains(&number.as_f64())) {
        return Ok(());
    }
    Err(VectorOptionsError::Invalid { name: "filterPriority", wanted: "a number from 0 to 1" })
}

/// The score; none for vectors of different or no dimensions, for elements that are no numbers, for the cosine of a vector that is all
/// zeros, and for sums that are no finite number.
fn distance(arguments: &[Datum<'_>], effort: &Effort) -> Option<f64> {
    if let Some(brute_force) = arguments.get(2) {
        brute_force.as_bool()?;
    }
    let metric = match arguments.get(3) {
        None => VectorMetric::Cosine,
        Some(options) => VectorOptions::parse(&options.as_value()).ok()?.metric.unwrap_or(VectorMetric::Cosine),
    };
    let (mut a, mut b) = (Numbers::of(&arguments[0])?, Numbers::of(&arguments[1])?);
    if !effort.spend(a.weight() + b.weight()) {
        return None;
    }
    let score = match metric {
        VectorMetric::Cosine => {
            let sums =
                Pairs(&mut a, &mut b).fold([0.0; 3], |[ab, aa, bb], a, b| [ab + a * b, aa + a * a, bb + b * b])?;
            let [ab, aa, bb] = sums;
            // One root is more exact, but the product can leave the range.
            let product: f64 = aa * bb;
            ab / if product.is_normal() { product.sqrt() } else { aa.sqrt() * bb.sqrt() }
        }
        VectorMetric::DotProduct => Pairs(&mut a, &mut b).fold(0.0, |sum, a, b| sum + a * b)?,
        VectorMetric::Euclidean => Pairs(&mut a, &mut b).fold(0.0, |sum, a, b| sum + (a - b) * (a - b))?.sqrt(),
    };
    score.is_finite().then_some(score)
}

/// The numbers of a vector, read where they stand.
enum Numbers<'a> {
    /// What is left of the text of a stored array, without brackets; none at the end.
    Stored(Option<&'a [u8]>),
    InMemory(std::slice::Iter<'a, Value>),
}

impl<'a> Numbers<'a> {
    fn of(vector: &'a Datum<'_>) -> Option<Numbers<'a>> {
        match vector {
            Datum::Stored(node) => Numbers::of_node(node),
            Datum::Borrowed(value) => Some(Numbers::InMemory(value.as_array()?.iter())),
            Datum::Owned(value) => Some(Numbers::InMemory(value.as_array()?.iter())),
        }
    }

    /// Stored text is compact, so that commas alone part numbers; what is no number does not read as one.
    fn of_node(node: &Node<'a>) -> Option<Numbers<'a>> {
        if node.kind() != NodeKind::Array {
            return None;
        }
        let inside = node.text().strip_prefix(b"[")?.strip_suffix(b"]")?;
        Some(Numbers::Stored((!inside.is_empty()).then_some(inside)))
    }

    /// About how many bytes are read.
    fn weight(&self) -> usize {
        match self {
            Numbers::Stored(text) => text.map_or(0, <[u8]>::len),
            Numbers::InMemory(values) => values.len() * size_of::<f64>(),
        }
    }

    /// The next number; nothing in it if it is none.
    #[inline]
    fn next(&mut self) -> Option<Option<f64>> {
        match self {
            Numbers::Stored(rest) => {
                let text = (*rest)?;
                let plain = parse_plain(text);
                let end = plain.map_or_else(|| memchr::memchr(b',', text).unwrap_or(text.len()), |(end, _)| end);
                *rest = text.get(end + 1..);
                Some(plain.map_or_else(|| parse(&text[..end]), |(_, number)| Some(number)))
            }
            Numbers::InMemory(values) => values.next().map(|value| value.as_number().map(Number::as_f64)),
        }
    }
}

/// A number at the beginning of a text, and where it ends: one without an exponent whose digits make an integer that a double holds
/// exactly, and whose power of ten one holds too, so that one division gives the nearest double. Most numbers of vectors are such.
#[inline]
fn parse_plain(text: &[u8]) -> Option<(usize, f64)> {
    const MAX_EXACT: u64 = 1 << 53;
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ];
    let negative = text.first() == Some(&b'-');
    let (mut at, mut digits, mut point) = (usize::from(negative), 0u64, None);
    let start = at;
    while let Some(byte) = text.get(at).filter(|byte| **byte != b',') {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                if digits > MAX_EXACT {
                    return None;
                }
            }
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
        at += 1;
    }
    let power = POWERS.get(point.map_or(0, |point| at - point - 1))?;
    let number = digits as f64 / power;
    (at > start).then_some((at, if negative { -number } else { number }))
}

/// A number of JSON. Only its first character can be that of another value that reads as a number.
#[cold]
fn parse(text: &[u8]) -> Option<f64> {
    if !matches!(text.first()?, b'-' | b'0'..=b'9') {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Two vectors, walked together.
struct Pairs<'n, 'a, 'b>(&'n mut Numbers<'a>, &'n mut Numbers<'b>);

impl Pairs<'_, '_, '_> {
    /// Folds over the pairs; none without any, or if the vectors differ in length.
    #[inline]
    fn fold<T>(self, first: T, add: impl Fn(T, f64, f64) -> T) -> Option<T> {
        let mut sum = add(first, self.0.next()??, self.1.next()??);
        loop {
            match (self.0.next(), self.1.next()) {
                (Some(a), Some(b)) => sum = add(sum, a?, b?),
                (None, None) => return Some(sum),
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{called, check};
    use super::*;
    use orrery_value::{Document, NewDocument};

    #[test]
    fn metrics_compare_vectors() {
        check(&[
            ("VECTORDISTANCE", "[[1, 0], [0, 2]]", "0"),
            ("VECTORDISTANCE", "[[3, 4], [3, 4], true]", "1"),
            ("VECTORDISTANCE", r#"[[1, 2], [-1, -2], false, {"distanceFunction": "Cosine"}]"#, "-1"),
            ("VECTORDISTANCE", r#"[[1, 2, 3], [4, 5, 6], false, {"distanceFunction": "dotproduct"}]"#, "32"),
            ("VECTORDISTANCE", r#"[[1, 2], [4, 6], true, {"distanceFunction": "EUCLIDEAN", "dataType": "int8"}]"#, "5"),
        ]);
    }

    #[test]
    fn what_cannot_be_compared_is_undefined() {
        for arguments in [
            "[[1, 2], [1, 2, 3]]",
            "[[1, 2, 3], [1, 2]]",
            "[[], []]",
            "[[0, 0], [1, 2]]",
            "[[1, \"2\"], [1, 2]]",
            "[[1, null], [1, 2]]",
            "[[[1, 2]], [[1, 2]]]",
            "[1, 2]",
            "[[1e200, 1e200], [1e200, 1e200], true, {\"distanceFunction\": \"dotproduct\"}]",
            "[[1], [1], 1]",
            "[[1], [1], true, 5]",
            "[[1], [1], true, {\"distanceFunction\": \"manhattan\"}]",
        ] {
            assert_eq!(called("VECTORDISTANCE", arguments), "", "{arguments}");
        }
    }

    #[test]
    fn stored_vectors_are_read_in_place() {
        let at = |text: &str| {
            let json = format!("{{\"id\":\"1\",\"v\":{text}}}");
            let stored = NewDocument::from_json(json.as_bytes()).unwrap();
            let document = Document::new(stored.as_bytes()).unwrap();
            let vector = Datum::Stored(document.get("v").unwrap());
            distance(&[vector, Datum::Owned(Value::parse(b"[1,2]").unwrap())], &Effort::for_row())
        };
        assert_eq!(at("[2.5e0, -0.5]"), Some((2.5 - 1.0) / (6.5f64.sqrt() * 5f64.sqrt())));
        for text in ["[1]", "[]", "[1,2,3]", "[true,1]", "[\"1\",\"2\"]", "[[1,2]]", "[1,[2]]", "\"1,2\"", "{\"a\":1}"]
        {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn plain_numbers_read_as_all_others_do() {
        let mut seed = 7u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut plain = 0;
        for _ in 0..20_000 {
            let sign = ["", "-"][next(2) as usize];
            let digits = format!("{}{}", next(1 << 31), next(1 << 31));
            let text = format!("{sign}{}.{}", next(20), &digits[..1 + next(digits.len() as u64) as usize]);
            if let Some((end, number)) = parse_plain(format!("{text},5").as_bytes()) {
                assert_eq!((end, Some(number)), (text.len(), text.parse().ok()), "{text}");
                plain += 1;
            }
        }
        assert!(plain > 10_000, "{plain}");
        for text in ["", "-", "1e5", "1.2.3", "9007199254740993", "true", "0.12345678901234567890123"] {
            assert_eq!(parse_plain(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn options_are_checked() {
        let parse = |text: &str| VectorOptions::parse(&Value::parse(text.as_bytes()).unwrap());
        assert_eq!(parse("{}"), Ok(VectorOptions { metric: None }));
        let all = r#"{"distanceFunction":"DotProduct","dataType":"Float16","searchListSizeMultiplier":100,
            "quantizedVectorListMultiplier":1,"filterPriority":0.5}"#;
        assert_eq!(parse(all), Ok(VectorOptions { metric: Some(VectorMetric::DotProduct) }));
        for (text, expected) in [
            ("[]", "the options of VectorDistance are no object"),
            (r#"{"distance":"cosine"}"#, "'distance' is no option of VectorDistance"),
            (
                r#"{"distanceFunction":1}"#,
                "the option 'distanceFunction' of VectorDistance must be 'cosine', 'dotproduct' or 'euclidean'",
            ),
            (
                r#"{"searchListSizeMultiplier":101}"#,
                "the option 'searchListSizeMultiplier' of VectorDistance must be a whole number from 1 to 100",
            ),
            (
                r#"{"quantizedVectorListMultiplier":0.5}"#,
                "the option 'quantizedVectorListMultiplier' of VectorDistance must be a whole number from 1 to 100",
            ),
            (r#"{"filterPriority":2}"#, "the option 'filterPriority' of VectorDistance must be a number from 0 to 1"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), expected);
        }
        assert!(parse(r#"{"dataType":"float64"}"#).is_err());
    }

    #[test]
    fn the_best_come_first() {
        assert_eq!(VectorMetric::Cosine.best_first(), Direction::Descending);
        assert_eq!(VectorMetric::DotProduct.best_first(), Direction::Descending);
        assert_eq!(VectorMetric::Euclidean.best_first(), Direction::Ascending);
    }
}
