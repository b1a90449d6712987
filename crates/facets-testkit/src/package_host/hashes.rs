//! Hashes as packages carry them. A crate for them would be the only one that the testkit needs beside
//! `serde_json`.

use std::sync::LazyLock;

use crate::to_hex;

/// SHA-256 in hex, as an index of PyPI states it.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    to_hex(&sha256(bytes))
}

/// SHA-256 as `RECORD` of a wheel states it.
pub(super) fn record_hash(bytes: &[u8]) -> String {
    let text = base64(&sha256(bytes)).replace('+', "-").replace('/', "_");
    format!("sha256={}", text.trim_end_matches('='))
}

/// SHA-512 as `dist.integrity` of npm states it.
pub(super) fn integrity(bytes: &[u8]) -> String {
    format!("sha512-{}", base64(&sha512(bytes)))
}

/// The checksum of gzip and zip.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        let [lowest, ..] = sum.to_le_bytes();
        sum = (sum >> 8) ^ CRC_TABLE[usize::from(lowest ^ byte)];
    }
    !sum
}

/// What each byte does to the checksum: a bit at a time would be noticed with a large package.
static CRC_TABLE: LazyLock<[u32; 256]> = LazyLock::new(|| {
    let step = |sum: u32| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    std::array::from_fn(|byte| {
        let byte = u32::try_from(byte).unwrap_or_default();
        (0..8).fold(byte, |sum, _| step(sum))
    })
});

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| usize::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let shown = char::from(DIGITS[bits >> (18 - 6 * digit) & 63]);
            text.push(if digit <= group.len() { shown } else { '=' });
        }
    }
    text
}

/// FIPS 180-4 for one size of words: the constants of the smaller are the upper halves of the larger.
macro_rules! sha2 {
    ($name:ident, $word:ty, $rounds:literal, $constant:expr,
     $big:expr, $choice:expr, $small:expr, $late:expr) => {
        fn $name(bytes: &[u8]) -> Vec<u8> {
            const SIZE: usize = size_of::<$word>();
            let turned = |word: $word, by: [u32; 3]| {
                word.rotate_right(by[0]) ^ word.rotate_right(by[1]) ^ word.rotate_right(by[2])
            };
            let mixed = |word: $word, by: [u32; 3]| {
                word.rotate_right(by[0]) ^ word.rotate_right(by[1]) ^ (word >> by[2])
            };
            let constants = ROUND_CONSTANTS.map($constant);
            let mut state: [$word; 8] = FIRST_STATE.map($constant);
            for block in padded(bytes, SIZE * 16).chunks_exact(SIZE * 16) {
                let mut words = [0; $rounds];
                for (word, bytes) in words.iter_mut().zip(block.chunks_exact(SIZE)) {
                    *word = bytes.iter().fold(0, |word, byte| word << 8 | <$word>::from(*byte));
                }
                for at in 16..$rounds {
                    words[at] = mixed(words[at - 2], $late)
                        .wrapping_add(words[at - 7])
                        .wrapping_add(mixed(words[at - 15], $small))
                        .wrapping_add(words[at - 16]);
                }
                let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
                for (word, constant) in words.iter().zip(&constants) {
                    let first = h
                        .wrapping_add(turned(e, $choice))
                        .wrapping_add((e & f) ^ (!e & g))
                        .wrapping_add(*constant)
                        .wrapping_add(*word);
                    let majority = (a & b) ^ (a & c) ^ (b & c);
                    let second = turned(a, $big).wrapping_add(majority);
                    (h, g, f, e) = (g, f, e, d.wrapping_add(first));
                    (d, c, b, a) = (c, b, a, first.wrapping_add(second));
                }
                for (sum, word) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                    *sum = sum.wrapping_add(word);
                }
            }
            state.iter().flat_map(|word| word.to_be_bytes()).collect()
        }
    };
}

sha2!(sha256, u32, 64, upper_half, [2, 13, 22], [6, 11, 25], [7, 18, 3], [17, 19, 10]);
sha2!(sha512, u64, 80, |word| word, [28, 34, 39], [14, 18, 41], [1, 8, 7], [19, 61, 6]);

fn upper_half(word: u64) -> u32 {
    (word >> 32) as u32
}

/// Up to the end of a block: one bit, zeros, and the length in bits as the last word or two.
fn padded(bytes: &[u8], block: usize) -> Vec<u8> {
    let mut all = bytes.to_vec();
    all.push(0x80);
    let length = (all.len() + block / 8).next_multiple_of(block);
    all.resize(length - 8, 0);
    all.extend((bytes.len() as u64 * 8).to_be_bytes());
    all
}

const FIRST_STATE: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

const ROUND_CONSTANTS: [u64; 80] = [
    0x428a_2f98_d728_ae22,
    0x7137_4491_23ef_65cd,
    0xb5c0_fbcf_ec4d_3b2f,
    0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538,
    0x59f1_11f1_b605_d019,
    0x923f_82a4_af19_4f9b,
    0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242,
    0x1283_5b01_4570_6fbe,
    0x2431_85be_4ee4_b28c,
    0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f,
    0x80de_b1fe_3b16_96b1,
    0x9bdc_06a7_25c7_1235,
    0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2,
    0xefbe_4786_384f_25e3,
    0x0fc1_9dc6_8b8c_d5b5,
    0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275,
    0x4a74_84aa_6ea6_e483,
    0x5cb0_a9dc_bd41_fbd4,
    0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab,
    0xa831_c66d_2db4_3210,
    0xb003_27c8_98fb_213f,
    0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2,
    0xd5a7_9147_930a_a725,
    0x06ca_6351_e003_826f,
    0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc,
    0x2e1b_2138_5c26_c926,
    0x4d2c_6dfc_5ac4_2aed,
    0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de,
    0x766a_0abb_3c77_b2a8,
    0x81c2_c92e_47ed_aee6,
    0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364,
    0xa81a_664b_bc42_3001,
    0xc24b_8b70_d0f8_9791,
    0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218,
    0xd699_0624_5565_a910,
    0xf40e_3585_5771_202a,
    0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8,
    0x1e37_6c08_5141_ab53,
    0x2748_774c_df8e_eb99,
    0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63,
    0x4ed8_aa4a_e341_8acb,
    0x5b9c_ca4f_7763_e373,
    0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc,
    0x78a5_636f_4317_2f60,
    0x84c8_7814_a1f0_ab72,
    0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28,
    0xa450_6ceb_de82_bde9,
    0xbef9_a3f7_b2c6_7915,
    0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c,
    0xd186_b8c7_21c0_c207,
    0xeada_7dd6_cde0_eb1e,
    0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba,
    0x0a63_7dc5_a2c8_98a6,
    0x113f_9804_bef9_0dae,
    0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84,
    0x32ca_ab7b_40c7_2493,
    0x3c9e_be0a_15c9_bebc,
    0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6,
    0x597f_299c_fc65_7e2a,
    0x5fcb_6fab_3ad6_faec,
    0x6c44_198c_4a47_5817,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standards() {
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b"abc"), sha256);
        let sha512 = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                      2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        assert_eq!(to_hex(&super::sha512(b"abc")), sha512);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn hashes_agree_with_python_at_every_length_around_a_block() {
        const SCRIPT: &str = "import sys, hashlib, base64
for line in sys.stdin:
    case = bytes.fromhex(line)
    print(hashlib.sha256(case).hexdigest(), base64.b64encode(hashlib.sha512(case).digest()).decode())
";
        let Some(python) = crate::component("python3") else { return };
        let cases: Vec<Vec<u8>> = (1..=260).map(|length| vec![b'x'; length]).collect();
        let mut command = std::process::Command::new(python);
        let answers = crate::ask(command.args(["-c", SCRIPT]), &cases);
        for (case, answer) in cases.iter().zip(answers) {
            let own = format!("{} {}", sha256_hex(case), &integrity(case)["sha512-".len()..]);
            assert_eq!(own, answer, "{} bytes", case.len());
        }
    }
}
