//! CRC-32 of ISO 3309, the checksum of each record (the one of gzip and PNG: reflected polynomial `0xEDB88320`).

/// Bytes folded in by one step of the main loop; one table each.
const STRIDE: usize = 8;

/// `TABLES[k][b]` is the checksum's change by byte `b` followed by `k` zero bytes.
static TABLES: [[u32; 256]; STRIDE] = tables();

/// Returns the CRC-32 of `bytes`. Folds in eight bytes a step: bodies of two megabytes pass through here twice.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let (strides, rest) = bytes.as_chunks::<STRIDE>();
    let crc = strides.iter().fold(u32::MAX, |crc, stride| {
        let word = u64::from_le_bytes(*stride) ^ u64::from(crc);
        let folded = word.to_le_bytes();
        folded.iter().zip(TABLES.iter().rev()).fold(0, |sum, (&byte, table)| sum ^ table[usize::from(byte)])
    });
    !rest.iter().fold(crc, |crc, &byte| step(&TABLES[0], crc, byte))
}

/// Folds one byte in; `table` is the first of [`TABLES`].
const fn step(table: &[u32; 256], crc: u32, byte: u8) -> u32 {
    table[((crc ^ byte as u32) & 0xFF) as usize] ^ (crc >> 8)
}

const fn tables() -> [[u32; 256]; STRIDE] {
    let mut tables = [[0; 256]; STRIDE];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut k = 1;
    while k < STRIDE {
        let mut byte = 0;
        while byte < 256 {
            tables[k][byte] = step(&tables[0], tables[k - 1][byte], 0);
            byte += 1;
        }
        k += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::crc32;
    use proptest::prelude::*;

    /// The definition: one bit at a time, no tables.
    fn bitwise(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 * (crc & 1)))
        })
    }

    #[test]
    fn check_value_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    proptest! {
        #[test]
        fn equals_the_bitwise_definition(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(crc32(&bytes), bitwise(&bytes));
        }
    }
}
