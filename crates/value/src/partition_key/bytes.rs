//! The form of a partition key inside keys of the store.
//!
//! ```text
//! key        component*  00
//! component  01 undefined | 02 null | 03 false | 04 true | 05 number | 06 string
//! number     8 bytes big-endian: the double's bits, all inverted if negative, else with the sign bit set
//! string     UTF-8 with 00 written as 00 FF, closed by 00 01
//! ```
//!
//! Bytes compare as the keys do, and the bytes of a hierarchical key begin with those of each of its prefixes but for the
//! closing 00, so that a prefix is a range of store keys.

use super::{KeyComponent, PartitionKey, PartitionKeyError};

const END: u8 = 0;
const UNDEFINED: u8 = 1;
const NULL: u8 = 2;
const FALSE: u8 = 3;
const TRUE: u8 = 4;
const NUMBER: u8 = 5;
const STRING: u8 = 6;

const SIGN: u64 = 1 << 63;

impl PartitionKey {
    /// Appends the key; what is appended shows its own end and compares as keys do.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.encode_prefix(out);
        out.push(END);
    }

    /// Appends the key without its end: the bytes with which every key begins that has these values first.
    pub fn encode_prefix(&self, out: &mut Vec<u8>) {
        for component in &self.0 {
            encode_component(component, out);
        }
    }

    /// Reads a key at the front of `bytes`; returns it with the bytes after it.
    ///
    /// # Errors
    /// [`PartitionKeyError::Damaged`]
    pub fn decode(bytes: &[u8]) -> Result<(PartitionKey, &[u8]), PartitionKeyError> {
        let mut components = Vec::new();
        let mut rest = bytes;
        while let Some((component, after)) = decode_component(rest)? {
            components.push(component);
            rest = after;
        }
        Ok((PartitionKey(components), &rest[1..]))
    }
}

fn encode_component(component: &KeyComponent, out: &mut Vec<u8>) {
    match component {
        KeyComponent::Undefined => out.push(UNDEFINED),
        KeyComponent::Null => out.push(NULL),
        KeyComponent::Bool(false) => out.push(FALSE),
        KeyComponent::Bool(true) => out.push(TRUE),
        KeyComponent::Number(number) => {
            out.push(NUMBER);
            let bits = number.to_bits();
            let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
            out.extend_from_slice(&ordered.to_be_bytes());
        }
        KeyComponent::String(string) => {
            out.push(STRING);
            encode_string(string.as_bytes(), out);
        }
    }
}

fn encode_string(mut bytes: &[u8], out: &mut Vec<u8>) {
    while let Some(zero) = memchr::memchr(0, bytes) {
        out.extend_from_slice(&bytes[..zero]);
        out.extend_from_slice(&[0, 0xFF]);
        bytes = &bytes[zero + 1..];
    }
    out.extend_from_slice(bytes);
    out.extend_from_slice(&[0, 1]);
}

/// The next component and the bytes after it; none at the key's end.
fn decode_component(bytes: &[u8]) -> Result<Option<(KeyComponent, &[u8])>, PartitionKeyError> {
    let (marker, rest) = bytes.split_first().ok_or(PartitionKeyError::Damaged)?;
    Ok(Some(match *marker {
        END => return Ok(None),
        UNDEFINED => (KeyComponent::Undefined, rest),
        NULL => (KeyComponent::Null, rest),
        FALSE => (KeyComponent::Bool(false), rest),
        TRUE => (KeyComponent::Bool(true), rest),
        NUMBER => {
            let (ordered, rest) = rest.split_first_chunk::<8>().ok_or(PartitionKeyError::Damaged)?;
            let ordered = u64::from_be_bytes(*ordered);
            let bits = if ordered & SIGN != 0 { ordered & !SIGN } else { !ordered };
            let number =
                Some(f64::from_bits(bits)).filter(|number| number.is_finite()).ok_or(PartitionKeyError::Damaged)?;
            (KeyComponent::Number(number), rest)
        }
        STRING => {
            let (string, rest) = decode_string(rest)?;
            (KeyComponent::String(string), rest)
        }
        _ => return Err(PartitionKeyError::Damaged),
    }))
}

fn decode_string(bytes: &[u8]) -> Result<(String, &[u8]), PartitionKeyError> {
    let mut characters = Vec::new();
    let mut rest = bytes;
    loop {
        let zero = memchr::memchr(0, rest).ok_or(PartitionKeyError::Damaged)?;
        characters.extend_from_slice(&rest[..zero]);
        let after = rest.get(zero + 2..).ok_or(PartitionKeyError::Damaged)?;
        match rest[zero + 1] {
            0xFF => characters.push(0),
            1 => {
                return Ok((String::from_utf8(characters).map_err(|_| PartitionKeyError::Damaged)?, after));
            }
            _ => return Err(PartitionKeyError::Damaged),
        }
        rest = after;
    }
}
