//! The three ways to hash a partition key.

use crate::murmur::{murmur3_32, murmur3_128};
use crate::partition_key::KeyComponent;

// What a component's hashed and printed forms begin with; also the order of types in the first hash.
const UNDEFINED: u8 = 0x00;
const NULL: u8 = 0x01;
const FALSE: u8 = 0x02;
const TRUE: u8 = 0x03;
const NUMBER: u8 = 0x05;
const STRING: u8 = 0x08;

/// The first hash looks at this many UTF-16 code units of a string.
const V1_HASHED_UNITS: usize = 100;

/// The first hash prints this many bytes of a string; of a longer one, one byte more and no terminator.
const V1_PRINTED_BYTES: usize = 100;

/// The byte after a string in what is hashed, which the two versions have differently.
#[derive(Clone, Copy)]
enum StringEnd {
    V1 = 0x00,
    V2 = 0xFF,
}

/// 128 bits, the two top ones cleared, of all components together.
pub(super) fn hash_v2(components: &[KeyComponent]) -> Vec<u8> {
    match components {
        [] => Vec::new(),
        _ => hash_128(components).to_vec(),
    }
}

/// 128 bits of each component.
pub(super) fn multi_hash(components: &[KeyComponent]) -> Vec<u8> {
    components.iter().flat_map(|component| hash_128(std::slice::from_ref(component))).collect()
}

/// The 32-bit hash as a number, then the components themselves, in a form whose bytes compare as the values do.
pub(super) fn hash_v1(components: &[KeyComponent]) -> Vec<u8> {
    let truncated: Vec<_> = components.iter().map(truncate).collect();
    if truncated.is_empty() {
        return Vec::new();
    }
    let mut out = number_v1(murmur3_32(&hashed_form(&truncated, StringEnd::V1)));
    for component in &truncated {
        print_component_v1(component, &mut out);
    }
    out
}

/// What the first hash prints for a hash number: where its keys begin.
pub(super) fn number_v1(hash: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(32);
    print_component_v1(&KeyComponent::Number(f64::from(hash)), &mut out);
    out
}

fn hash_128(components: &[KeyComponent]) -> [u8; 16] {
    let (low, high) = murmur3_128(&hashed_form(components, StringEnd::V2));
    let mut bytes = (u128::from(high) << 64 | u128::from(low)).to_be_bytes();
    bytes[0] &= 0x3F;
    bytes
}

fn hashed_form(components: &[KeyComponent], string_end: StringEnd) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    for component in components {
        match component {
            KeyComponent::Undefined => out.push(UNDEFINED),
            KeyComponent::Null => out.push(NULL),
            KeyComponent::Bool(false) => out.push(FALSE),
            KeyComponent::Bool(true) => out.push(TRUE),
            KeyComponent::Number(number) => {
                out.push(NUMBER);
                out.extend_from_slice(&number.to_bits().to_le_bytes());
            }
            KeyComponent::String(string) => {
                out.push(STRING);
                out.extend_from_slice(string.as_bytes());
                out.push(string_end as u8);
            }
        }
    }
    out
}

/// Cuts a string as the service's runtime does, by UTF-16 code units; half a surrogate pair becomes U+FFFD.
fn truncate(component: &KeyComponent) -> KeyComponent {
    match component {
        KeyComponent::String(string) if string.len() > V1_HASHED_UNITS => {
            let units: Vec<u16> = string.encode_utf16().take(V1_HASHED_UNITS).collect();
            KeyComponent::String(String::from_utf16_lossy(&units))
        }
        other => other.clone(),
    }
}

fn print_component_v1(component: &KeyComponent, out: &mut Vec<u8>) {
    match component {
        KeyComponent::Undefined => out.push(UNDEFINED),
        KeyComponent::Null => out.push(NULL),
        KeyComponent::Bool(false) => out.push(FALSE),
        KeyComponent::Bool(true) => out.push(TRUE),
        KeyComponent::Number(number) => {
            out.push(NUMBER);
            print_number_v1(*number, out);
        }
        KeyComponent::String(string) => {
            out.push(STRING);
            print_string_v1(string.as_bytes(), out);
        }
    }
}

/// Eight bits, then seven bits per byte; the lowest bit of each further byte says whether another one follows.
fn print_number_v1(number: f64, out: &mut Vec<u8>) {
    const SIGN: u64 = 1 << 63;
    let bits = number.to_bits();
    let ordered = if bits & SIGN == 0 { bits ^ SIGN } else { bits.wrapping_neg() };
    out.push((ordered >> 56) as u8);
    let mut rest = ordered << 8;
    loop {
        let seven_bits = (rest >> 56) as u8 & 0xFE;
        rest <<= 7;
        if rest == 0 {
            out.push(seven_bits);
            return;
        }
        out.push(seven_bits | 1);
    }
}

/// Each byte plus one, so that zero can end the string; 0xFF, which UTF-8 does not have, would stay.
fn print_string_v1(bytes: &[u8], out: &mut Vec<u8>) {
    let is_short = bytes.len() <= V1_PRINTED_BYTES;
    let printed = if is_short { bytes } else { &bytes[..V1_PRINTED_BYTES + 1] };
    out.extend(printed.iter().map(|byte| byte.saturating_add(1)));
    if is_short {
        out.push(0);
    }
}
