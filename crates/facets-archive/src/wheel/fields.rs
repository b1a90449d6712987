//! Numbers of a zip file: the first byte is the lowest.

/// What an entry or a record states where the number is in a record of zip64.
pub(super) const IN_ZIP64: u32 = u32::MAX;

pub(super) fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([record[at], record[at + 1]])
}

pub(super) fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
}

pub(super) fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from(u32_at(record, at)) | u64::from(u32_at(record, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_is_the_lowest() {
        let bytes = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(u16_at(&bytes, 1), 0x0201);
        assert_eq!(u32_at(&bytes, 1), 0x0403_0201);
        assert_eq!(u64_at(&bytes, 1), 0x0807_0605_0403_0201);
    }
}
