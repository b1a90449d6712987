//! The reference's attestation: HMAC-SHA256 over the hex text of a server digest.

use facets_digest::{Digest, Hasher};

const BLOCK: usize = 64;

/// The signature of a server digest, as lower-case hex.
#[must_use]
pub fn sign(secret: &str, server_digest: &str) -> String {
    hmac(secret.as_bytes(), server_digest.as_bytes()).hex()
}

/// Whether a signature is just the one that we would make. Takes as long for a wrong one as
/// for the right one.
#[must_use]
pub fn verify_signature(secret: &str, server_digest: &str, signature: &str) -> bool {
    let ours = sign(secret, server_digest);
    let differences = ours.bytes().zip(signature.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    ours.len() == signature.len() && differences == 0
}

fn hmac(key: &[u8], message: &[u8]) -> Digest {
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        let digest = Digest::of(key);
        block[..digest.as_bytes().len()].copy_from_slice(digest.as_bytes());
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let keyed = |mask: u8, message: &[u8]| {
        let mut hasher = Hasher::new();
        hasher.update(&block.map(|byte| byte ^ mask));
        hasher.update(message);
        hasher.finish()
    };
    let inner = keyed(0x36, message);
    keyed(0x5c, inner.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, cases 1, 2 and 6.
    #[test]
    fn agrees_with_the_published_cases() {
        let cases: [(&[u8], &[u8], &str); 3] = [
            (
                &[0x0b; 20],
                b"Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, message, expected) in cases {
            assert_eq!(hmac(key, message).hex(), expected);
        }
    }
}
