//! The checksum of gzip (RFC 1952) and zip, eight bytes at a time.

const POLYNOMIAL: u32 = 0xEDB8_8320;

static TABLES: [[u32; 256]; 8] = tables();

/// `tables()[n][byte]` is the checksum of that byte and `n` zero bytes behind it.
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte: u32 = 0;
    while byte < 256 {
        let mut remainder = byte;
        let mut bit = 0;
        while bit < 8 {
            let carry = remainder & 1;
            remainder >>= 1;
            if carry == 1 {
                remainder ^= POLYNOMIAL;
            }
            bit += 1;
        }
        tables[0][byte as usize] = remainder;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before: u32 = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 255) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// A running checksum.
pub(crate) struct Crc32(u32);

impl Crc32 {
    pub(crate) fn new() -> Self {
        Self(u32::MAX)
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        let mut groups = bytes.chunks_exact(8);
        for group in &mut groups {
            let [a, b, c, d] = crc.to_le_bytes();
            let mixed = [
                group[0] ^ a,
                group[1] ^ b,
                group[2] ^ c,
                group[3] ^ d,
                group[4],
                group[5],
                group[6],
                group[7],
            ];
            crc = 0;
            for (byte, table) in mixed.iter().zip(TABLES.iter().rev()) {
                crc ^= table[usize::from(*byte)];
            }
        }
        for byte in groups.remainder() {
            let [low, ..] = crc.to_le_bytes();
            crc = (crc >> 8) ^ TABLES[0][usize::from(low ^ byte)];
        }
        self.0 = crc;
    }

    pub(crate) fn finish(&self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crc32(bytes: &[u8]) -> u32 {
        let mut crc = Crc32::new();
        crc.update(bytes);
        crc.finish()
    }

    #[test]
    fn the_check_value_of_the_catalogue_is_met() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"The quick brown fox jumps over the lazy dog"), 0x414F_A339);
    }

    #[test]
    fn parts_give_the_same_as_the_whole() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for cut in [0, 1, 7, 8, 9, 500, 1000] {
            let mut crc = Crc32::new();
            crc.update(&bytes[..cut]);
            crc.update(&bytes[cut..]);
            assert_eq!(crc.finish(), crc32(&bytes), "{cut}");
        }
    }
}
