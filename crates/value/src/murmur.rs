//! MurmurHash3, which the service's placement of items is built on. Seed 0 throughout.

/// The 32-bit variant (`MurmurHash3_x86_32`).
pub(crate) fn murmur3_32(data: &[u8]) -> u32 {
    const C1: u32 = 0xCC9E_2D51;
    const C2: u32 = 0x1B87_3593;
    let scramble = |k: u32| k.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);

    let (blocks, tail) = data.as_chunks::<4>();
    let mut hash = 0u32;
    for block in blocks {
        hash ^= scramble(u32::from_le_bytes(*block));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xE654_6B64);
    }
    if !tail.is_empty() {
        let mut last = [0u8; 4];
        last[..tail.len()].copy_from_slice(tail);
        hash ^= scramble(u32::from_le_bytes(last));
    }
    hash ^= data.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

/// The 128-bit variant for 64-bit machines (`MurmurHash3_x64_128`): its low and its high half.
pub(crate) fn murmur3_128(data: &[u8]) -> (u64, u64) {
    const C1: u64 = 0x87C3_7B91_1142_53D5;
    const C2: u64 = 0x4CF5_AD43_2745_937F;
    let scramble1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let scramble2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let halves = |block: &[u8; 16]| {
        let both = u128::from_le_bytes(*block);
        (both as u64, (both >> 64) as u64)
    };

    let (blocks, tail) = data.as_chunks::<16>();
    let (mut low, mut high) = (0u64, 0u64);
    for block in blocks {
        let (k1, k2) = halves(block);
        low ^= scramble1(k1);
        low = low.rotate_left(27).wrapping_add(high).wrapping_mul(5).wrapping_add(0x52DC_E729);
        high ^= scramble2(k2);
        high = high.rotate_left(31).wrapping_add(low).wrapping_mul(5).wrapping_add(0x3849_5AB5);
    }
    if !tail.is_empty() {
        // Padding with zeros changes nothing: a zero half scrambles to zero.
        let mut last = [0u8; 16];
        last[..tail.len()].copy_from_slice(tail);
        let (k1, k2) = halves(&last);
        low ^= scramble1(k1);
        high ^= scramble2(k2);
    }
    low ^= data.len() as u64;
    high ^= data.len() as u64;
    low = low.wrapping_add(high);
    high = high.wrapping_add(low);
    low = finalize(low);
    high = finalize(high);
    low = low.wrapping_add(high);
    (low, high.wrapping_add(low))
}

fn finalize(mut k: u64) -> u64 {
    k = (k ^ k >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    k = (k ^ k >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    k ^ k >> 33
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_variants_agree_with_another_implementation(data in prop::collection::vec(any::<u8>(), 0..200)) {
            let reference_32 = murmur3::murmur3_32(&mut &data[..], 0).unwrap();
            prop_assert_eq!(murmur3_32(&data), reference_32);
            let reference_128 = murmur3::murmur3_x64_128(&mut &data[..], 0).unwrap();
            let (low, high) = murmur3_128(&data);
            prop_assert_eq!(u128::from(high) << 64 | u128::from(low), reference_128);
        }
    }
}
