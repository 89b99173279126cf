//! Globally unique identifiers.

use std::fmt;

/// An identifier of 128 bits. Its order is that of its text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid([u8; 16]);

impl Guid {
    /// The identifier of these bytes, in the order of the text.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Guid(bytes)
    }

    /// Reads `01234567-89ab-cdef-0123-456789abcdef` in any case.
    pub fn parse(text: &str) -> Option<Self> {
        let text: &[u8; 36] = text.as_bytes().try_into().ok()?;
        let mut bytes = [0; 16];
        let mut nibbles = 0;
        for (at, byte) in text.iter().enumerate() {
            match (at, byte) {
                (8 | 13 | 18 | 23, b'-') => {}
                (8 | 13 | 18 | 23, _) => return None,
                _ => {
                    let nibble = char::from(*byte).to_digit(16)?;
                    bytes[nibbles / 2] |= (nibble as u8) << (4 * (1 - nibbles % 2));
                    nibbles += 1;
                }
            }
        }
        Some(Guid(bytes))
    }

    /// The text, in lower case and without any allocation.
    pub fn to_text(self) -> [u8; 36] {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'-'; 36];
        let places = (0..36).filter(|at| !matches!(at, 8 | 13 | 18 | 23));
        for (nibble, at) in places.enumerate() {
            let byte = self.0[nibble / 2];
            text[at] = HEX[usize::from(if nibble % 2 == 0 { byte >> 4 } else { byte & 0xF })];
        }
        text
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_text().iter().try_for_each(|byte| fmt::Write::write_char(f, char::from(*byte)))
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_print_in_lower_case() {
        let guid = Guid::parse("ABCDEF01-2345-6789-abcd-ef0123456789").unwrap();
        assert_eq!(guid.to_string(), "abcdef01-2345-6789-abcd-ef0123456789");
        for bad in [
            "",
            "zzz",
            "{abcdef01-2345-6789-abcd-ef0123456789}",
            "abcdef0123456789abcdef0123456789",
            "abcdef01-2345-6789-abcd-ef012345678g",
            "abcdef012-345-6789-abcd-ef0123456789",
        ] {
            assert!(Guid::parse(bad).is_none(), "{bad}");
        }
    }
}
