//! Entity tags: one per version of an item or resource, in the service's GUID-like form.

/// The tag of the version `number` written at `ts`: 36 characters, unique in its container. In headers and bodies it
/// stands in quotes, which are part of it.
pub fn format(number: u64, ts: u64) -> String {
    let low = number & 0xFFFF_FFFF;
    let middle = number >> 32 & 0xFFFF;
    let high = number >> 48;
    format!("{low:08x}-{high:04x}-{middle:04x}-0000-{:012x}", ts & 0xFFFF_FFFF_FFFF)
}

/// Whether the raw value of an If-Match or If-None-Match header names `etag` (given without quotes), or is `*`.
pub fn matches(header: &str, etag: &str) -> bool {
    header
        .split(',')
        .map(str::trim)
        .any(|one| one == "*" || one.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(one) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_its_own() {
        assert_eq!(format(1, 0x6552_8f00), "00000001-0000-0000-0000-000065528f00");
        assert_ne!(format(1 << 32, 0), format(1, 0));
        assert_ne!(format(1 << 48, 0), format(1 << 32, 0));
        assert_eq!(format(u64::MAX, u64::MAX).len(), 36);
    }

    #[test]
    fn headers_match_with_and_without_quotes() {
        let etag = format(7, 9);
        assert!(matches(&format!("\"{etag}\""), &etag) && matches(&etag, &etag) && matches("*", &etag));
        assert!(!matches("\"other\"", &etag));
    }
}
