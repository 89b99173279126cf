//! Values of properties in documents.
//!
//! Strings, Booleans, ints, longs that are no ints, and finite doubles (spelled with a fraction or an exponent) are what JSON has. Every
//! other class has a plain form that SQL can compare and a note, `"<class>"` or `"<class>:<text>"` where the plain form does not
//! determine the value:
//!
//! ```text
//! byte short long bigint  1             float      0.5, exactly as a double; not finite as a double that is not
//! bigdecimal              0.1           double     the same, if it is not finite: NaN is "NaN", an infinity the largest double
//! char                    "a"           uuid       "00000000-0000-0000-0000-000000000000"
//! date datetime           "2018-03-22T00:35Z", ISO 8601
//! duration                "PT1.5S"      binary     base64
//! ```
//! **Invariant:** plain numbers keep the order of the values, equal ones may fall together; so a range of an index finds all of them.
//!
//! A note that does not fit its value, since SQL has changed it, counts for nothing.

use std::fmt::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orrery_value::{Node, Number};

use super::invalid;
use crate::graph::GraphError;
use crate::value::{BigDecimal, BigInt, DateTime, Duration, GValue, Uuid};

/// As in Java: 18 hours.
const MAX_OFFSET_SECONDS: u32 = 18 * 3600;

/// A value as JSON has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    /// A truth value.
    Bool(bool),
    /// A number without fraction.
    Int(i64),
    /// A finite number with a fraction or an exponent.
    Float(f64),
    /// A string.
    Text(Arc<str>),
}

/// A value as a document has it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredValue {
    /// What SQL sees.
    pub plain: Plain,
    /// What it does not tell.
    pub note: Option<String>,
}

impl StoredValue {
    /// The stored form of a value.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for null, lists and whatever else is no value of a property.
    pub fn encode(value: &GValue) -> Result<Self, GraphError> {
        let (plain, class) = match value {
            GValue::Bool(truth) => return Ok(Plain::Bool(*truth).into()),
            GValue::Int(number) => return Ok(Plain::Int(i64::from(*number)).into()),
            GValue::Double(number) if number.is_finite() => return Ok(Plain::Float(*number).into()),
            GValue::String(text) => return Ok(Plain::Text(text.clone()).into()),
            GValue::Long(number) if i32::try_from(*number).is_err() => return Ok(Plain::Int(*number).into()),
            GValue::Long(number) => (Plain::Int(*number), "long"),
            GValue::Byte(number) => (Plain::Int(i64::from(*number)), "byte"),
            GValue::Short(number) => (Plain::Int(i64::from(*number)), "short"),
            GValue::Float(number) => (float(f64::from(*number)), "float"),
            GValue::Double(number) => (float(*number), "double"),
            GValue::BigInteger(number) => (big_integer(number), "bigint"),
            GValue::BigDecimal(number) => (float(number.to_f64()), "bigdecimal"),
            GValue::Char(character) => (Plain::Text(character.to_string().into()), "char"),
            GValue::Uuid(uuid) => (Plain::Text(uuid.to_string().into()), "uuid"),
            GValue::Date(ms) => (Plain::Text(DateTime::from_ms(*ms).to_string().into()), "date"),
            GValue::DateTime(date) => (Plain::Text(date.to_string().into()), "datetime"),
            GValue::Duration(duration) => (Plain::Text(duration.to_string().into()), "duration"),
            GValue::Binary(bytes) => (Plain::Text(STANDARD.encode(bytes).into()), "binary"),
            other => {
                return Err(invalid(format!("Property value of type {} is not supported", other.kind())));
            }
        };
        let note = if of_class(class, &plain).as_ref() == Some(value) {
            class.to_owned()
        } else {
            format!("{class}:{}", exact_text(value))
        };
        Ok(StoredValue { plain, note: Some(note) })
    }

    /// The value that a node of a document stands for; `None` for null, arrays and objects.
    pub fn decode(node: Node<'_>, note: Option<Node<'_>>) -> Option<GValue> {
        let plain = Plain::of(node)?;
        let noted = note.and_then(|note| note.as_str()).and_then(|note| plain.noted(&note));
        Some(noted.unwrap_or_else(|| plain.to_value()))
    }
}

impl From<Plain> for StoredValue {
    fn from(plain: Plain) -> Self {
        StoredValue { plain, note: None }
    }
}

impl Plain {
    /// The scalar at a node.
    pub(super) fn of(node: Node<'_>) -> Option<Self> {
        if let Some(number) = node.as_number() {
            return Some(match number {
                Number::Int(int) => Plain::Int(int),
                Number::Float(float) => Plain::Float(float),
            });
        }
        let text = || node.as_str().map(|text| Plain::Text(text.into()));
        node.as_bool().map(Plain::Bool).or_else(text)
    }

    /// What it stands for without a note.
    fn to_value(&self) -> GValue {
        match self {
            Plain::Bool(truth) => GValue::Bool(*truth),
            Plain::Int(number) => i32::try_from(*number).map_or(GValue::Long(*number), GValue::Int),
            Plain::Float(number) => GValue::Double(*number),
            Plain::Text(text) => GValue::String(text.clone()),
        }
    }

    /// What it stands for with a note, if the note fits.
    fn noted(&self, note: &str) -> Option<GValue> {
        let value = match note.split_once(':') {
            Some((class, text)) => of_exact_text(class, text)?,
            None => of_class(note, self)?,
        };
        StoredValue::encode(&value).ok().filter(|stored| stored.plain.agrees_with(self)).map(|_| value)
    }

    /// Whether these are equal to SQL, which may have spelled a number anew.
    pub(super) fn agrees_with(&self, other: &Plain) -> bool {
        match (self.as_number(), other.as_number()) {
            (Some(one), Some(two)) => one == two,
            _ => self == other,
        }
    }

    fn as_number(&self) -> Option<Number> {
        match self {
            Plain::Int(number) => Some(Number::Int(*number)),
            Plain::Float(number) => Some(Number::Float(*number)),
            Plain::Bool(_) | Plain::Text(_) => None,
        }
    }

    /// Appends it as JSON.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Plain::Bool(truth) => out.extend_from_slice(if *truth { b"true" } else { b"false" }),
            Plain::Int(number) => out.extend_from_slice(number.to_string().as_bytes()),
            // As Debug writes it, a double has a fraction or an exponent, and all digits that tell it from others.
            Plain::Float(number) => out.extend_from_slice(format!("{number:?}").as_bytes()),
            Plain::Text(text) => orrery_value::json::write_string(text, out),
        }
    }
}

/// The nearest finite double, in the order of all doubles; NaN is in none.
fn float(number: f64) -> Plain {
    if number.is_nan() { Plain::Text("NaN".into()) } else { Plain::Float(number.clamp(f64::MIN, f64::MAX)) }
}

fn big_integer(number: &BigInt) -> Plain {
    match i64::try_from(number) {
        Ok(number) => Plain::Int(number),
        Err(_) => float(number.to_string().parse().unwrap_or(f64::NAN)),
    }
}

/// The value of a class that a plain form determines.
fn of_class(class: &str, plain: &Plain) -> Option<GValue> {
    let whole = plain.as_number().and_then(Number::as_i64);
    let text = match plain {
        Plain::Text(text) => Some(&**text),
        _ => None,
    };
    Some(match class {
        "long" => GValue::Long(whole?),
        "byte" => GValue::Byte(i8::try_from(whole?).ok()?),
        "short" => GValue::Short(i16::try_from(whole?).ok()?),
        "float" => GValue::Float(plain.as_number()?.as_f64() as f32),
        "bigint" => GValue::BigInteger(Arc::new(whole?.into())),
        "char" => {
            let mut characters = text?.chars();
            let character = characters.next()?;
            characters.next().is_none().then_some(GValue::Char(character))?
        }
        "uuid" => GValue::Uuid(Uuid::try_parse(text?).ok()?),
        "date" => GValue::Date(DateTime::parse(text?)?.to_ms()?),
        "datetime" => GValue::DateTime(DateTime::parse(text?)?),
        "duration" => GValue::Duration(Duration::parse(text?)?),
        "binary" => GValue::Binary(STANDARD.decode(text?).ok()?.into()),
        _ => return None,
    })
}

/// All that there is to know of a value whose plain form does not say it.
fn exact_text(value: &GValue) -> String {
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = match value {
        GValue::Float(number) => write!(text, "{number}"),
        GValue::Double(number) => write!(text, "{number}"),
        GValue::BigInteger(number) => write!(text, "{number}"),
        GValue::BigDecimal(number) => write!(text, "{},{}", number.unscaled, number.scale),
        GValue::Date(ms) => write!(text, "{ms}"),
        GValue::DateTime(DateTime { seconds, nanos, offset_seconds }) => {
            write!(text, "{seconds},{nanos},{offset_seconds}")
        }
        GValue::Duration(Duration { seconds, nanos }) => write!(text, "{seconds},{nanos}"),
        _ => Ok(()),
    };
    text
}

fn of_exact_text(class: &str, text: &str) -> Option<GValue> {
    let mut parts = text.split(',');
    let first = parts.next()?;
    Some(match class {
        "float" => GValue::Float(first.parse().ok()?),
        "double" => GValue::Double(first.parse().ok()?),
        "bigint" if first.len() <= crate::value::MAX_NUMBER_DIGITS + 1 => {
            GValue::BigInteger(Arc::new(first.parse().ok()?))
        }
        "bigdecimal" if first.len() <= crate::value::MAX_NUMBER_DIGITS + 1 => {
            let scale: i32 = parts.next()?.parse().ok()?;
            if scale.unsigned_abs() > crate::value::MAX_DECIMAL_SCALE.unsigned_abs() {
                return None;
            }
            GValue::BigDecimal(Arc::new(BigDecimal { unscaled: first.parse().ok()?, scale }))
        }
        "date" => GValue::Date(first.parse().ok()?),
        "datetime" => {
            let nanos = below_a_second(parts.next()?)?;
            let offset_seconds: i32 = parts.next()?.parse().ok()?;
            if offset_seconds.unsigned_abs() > MAX_OFFSET_SECONDS {
                return None;
            }
            GValue::DateTime(DateTime { seconds: first.parse().ok()?, nanos, offset_seconds })
        }
        "duration" => {
            GValue::Duration(Duration { seconds: first.parse().ok()?, nanos: below_a_second(parts.next()?)? })
        }
        _ => return None,
    })
}

fn below_a_second(text: &str) -> Option<u32> {
    text.parse().ok().filter(|nanos| *nanos < 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(value: &GValue) -> (String, Option<String>) {
        let StoredValue { plain, note } = StoredValue::encode(value).unwrap();
        let mut json = Vec::new();
        plain.write(&mut json);
        (String::from_utf8(json).unwrap(), note)
    }

    #[test]
    fn what_json_has_needs_no_note() {
        for (value, json) in [
            (GValue::Int(1), "1"),
            (GValue::Long(1 << 40), "1099511627776"),
            (GValue::Double(1.0), "1.0"),
            (GValue::Double(-0.0), "-0.0"),
            (GValue::Double(1e300), "1e300"),
            (GValue::Bool(true), "true"),
            ("a\"b".into(), r#""a\"b""#),
        ] {
            assert_eq!(stored(&value), (json.to_owned(), None));
        }
    }

    #[test]
    fn other_classes_are_noted() {
        for (value, json, note) in [
            (GValue::Long(1), "1", "long"),
            (GValue::Byte(-1), "-1", "byte"),
            (GValue::Float(0.1), "0.10000000149011612", "float"),
            (GValue::Double(f64::INFINITY), "1.7976931348623157e308", "double:inf"),
            (GValue::Double(f64::NAN), r#""NaN""#, "double:NaN"),
            (GValue::Date(1_521_678_900_000), r#""2018-03-22T00:35Z""#, "date"),
            (GValue::BigDecimal(Arc::new(BigDecimal::parse("0.10").unwrap())), "0.1", "bigdecimal:10,2"),
            (
                GValue::BigInteger(Arc::new(BigInt::from(1_u128 << 64))),
                "1.8446744073709552e19",
                "bigint:18446744073709551616",
            ),
        ] {
            assert_eq!(stored(&value), (json.to_owned(), Some(note.to_owned())));
        }
    }

    #[test]
    fn a_note_that_does_not_fit_counts_for_nothing() {
        let read = |plain: Plain, note: &str| plain.noted(note).unwrap_or_else(|| plain.to_value());
        assert_eq!(read(Plain::Int(7), "float"), GValue::Float(7.0));
        assert_eq!(read(Plain::Float(0.1), "float"), GValue::Double(0.1));
        assert_eq!(read(Plain::Int(300), "byte"), GValue::Int(300));
        assert_eq!(read(Plain::Text("x".into()), "uuid"), "x".into());
        assert_eq!(read(Plain::Int(1), "bigint:2"), GValue::Int(1));
        assert_eq!(read(Plain::Text("x".into()), "datetime:1,2,-2147483648"), "x".into());
        assert_eq!(read(Plain::Int(1), "no class"), GValue::Int(1));
    }

    #[test]
    fn collections_and_null_are_refused() {
        for value in [GValue::Null, GValue::list([]), GValue::map([])] {
            assert!(StoredValue::encode(&value).is_err());
        }
    }
}
