//! A reading position in a batch body, which knows the offset to report.

use super::HybridRowError;

/// Bits a varuint byte carries.
const VARUINT_BITS: u32 = 7;

/// Reads little-endian fields one after another. Offsets stay those of the whole body, also in a part [`split`](Self::split) off.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    /// The body from its start up to the end of the part this cursor reads.
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The offset of the next byte in the whole body.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What is left to read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn take(&mut self, size: usize) -> Result<&'a [u8], HybridRowError> {
        let Some(taken) = self.rest().get(..size) else {
            return Err(self.truncated(size as u64));
        };
        self.at += size;
        Ok(taken)
    }

    /// Cuts the next `size` bytes off as a part of their own, which ends there.
    pub(super) fn split(&mut self, size: usize) -> Result<Cursor<'a>, HybridRowError> {
        let start = self.at;
        self.take(size)?;
        let bytes = self.bytes.get(..self.at).unwrap_or_default();
        Ok(Cursor { bytes, at: start })
    }

    pub(super) fn u8(&mut self) -> Result<u8, HybridRowError> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, HybridRowError> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, HybridRowError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Result<f64, HybridRowError> {
        self.array().map(f64::from_le_bytes)
    }

    pub(super) fn varuint(&mut self) -> Result<u64, HybridRowError> {
        let start = self.at;
        let mut value = 0u64;
        for shift in (0..u64::BITS).step_by(VARUINT_BITS as usize) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7F);
            if bits.leading_zeros() < shift {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(HybridRowError::VaruintTooLong { at: start })
    }

    /// Reads a varuint size and that many bytes.
    pub(super) fn sized_bytes(&mut self) -> Result<&'a [u8], HybridRowError> {
        let size = self.varuint()?;
        match usize::try_from(size) {
            Ok(size) => self.take(size),
            Err(_) => Err(self.truncated(size)),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], HybridRowError> {
        let Some(array) = self.rest().first_chunk() else {
            return Err(self.truncated(N as u64));
        };
        self.at += N;
        Ok(*array)
    }

    fn truncated(&self, needed: u64) -> HybridRowError {
        HybridRowError::Truncated { needed, left: self.rest().len(), at: self.at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varuint(bytes: &[u8]) -> Result<u64, HybridRowError> {
        Cursor::new(bytes).varuint()
    }

    #[test]
    fn varuint_is_seven_bits_a_byte_low_bits_first() {
        assert_eq!(varuint(&[0x00]), Ok(0));
        assert_eq!(varuint(&[0x7F, 0xFF]), Ok(127));
        assert_eq!(varuint(&[0x80, 0x01]), Ok(128));
        assert_eq!(varuint(&[0xAC, 0x02]), Ok(300));
        assert_eq!(varuint(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]), Ok(u64::MAX));
    }

    #[test]
    fn varuint_beyond_64_bits_is_refused() {
        let too_long = Err(HybridRowError::VaruintTooLong { at: 0 });
        assert_eq!(varuint(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]), too_long);
        assert_eq!(varuint(&[0x80; 11]), too_long);
        assert_eq!(varuint(&[0x80]), Err(HybridRowError::Truncated { needed: 1, left: 0, at: 1 }));
    }

    #[test]
    fn a_part_ends_where_it_was_cut_and_keeps_its_offsets() {
        let mut whole = Cursor::new(&[1, 2, 3, 4]);
        whole.u8().unwrap();
        let mut part = whole.split(2).unwrap();
        assert_eq!((part.at(), part.take(2).unwrap()), (1, &[2, 3][..]));
        assert_eq!(part.u8(), Err(HybridRowError::Truncated { needed: 1, left: 0, at: 3 }));
        assert_eq!(whole.u8(), Ok(4));
    }
}
