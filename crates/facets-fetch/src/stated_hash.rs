//! Hashes that upstream states about its files.

/// How a stated hash was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatedAlgorithm {
    /// Broken against a forger; compared all the same, never enough alone.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl StatedAlgorithm {
    /// By the name that npm and PyPI use.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "sha1" => Some(Self::Sha1),
            "sha256" => Some(Self::Sha256),
            "sha384" => Some(Self::Sha384),
            "sha512" => Some(Self::Sha512),
            _ => None,
        }
    }

    /// The name that npm and PyPI use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
        }
    }

    /// How many bytes such a hash has.
    #[must_use]
    pub fn length(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }
}

/// A hash, and where it is stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedHash {
    /// How it was made.
    pub algorithm: StatedAlgorithm,
    /// Its bytes, as many as the algorithm makes.
    pub bytes: Vec<u8>,
    /// Where it is stated, such as `dist.integrity`.
    pub place: &'static str,
}

impl StatedHash {
    /// From hexadecimal digits of either case.
    #[must_use]
    pub fn from_hex(algorithm: StatedAlgorithm, hex: &str, place: &'static str) -> Option<Self> {
        if hex.len() != algorithm.length() * 2 {
            return None;
        }
        let digit =
            |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let pairs = hex.as_bytes().chunks(2);
        let bytes: Option<Vec<u8>> =
            pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect();
        Some(Self { algorithm, bytes: bytes?, place })
    }

    /// Every known hash of a text in the form of subresource integrity: `sha512-BASE64 sha1-BASE64?opt`.
    /// Nothing if one of a known algorithm is malformed.
    #[must_use]
    pub fn from_integrity(text: &str, place: &'static str) -> Option<Vec<Self>> {
        use base64::Engine as _;
        let mut hashes = Vec::new();
        for word in text.split_ascii_whitespace() {
            let (name, rest) = word.split_once('-')?;
            let Some(algorithm) = StatedAlgorithm::named(name) else { continue };
            let encoded = rest.split('?').next().unwrap_or_default();
            let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).ok()?;
            if bytes.len() != algorithm.length() {
                return None;
            }
            hashes.push(Self { algorithm, bytes, place });
        }
        Some(hashes)
    }

    /// As hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        self.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn hashes_have_the_length_of_their_algorithm() {
        let hex = "0123456789abcdefABCDEF000123456789abcdef";
        let hash = StatedHash::from_hex(StatedAlgorithm::Sha1, hex, "dist.shasum").unwrap();
        assert_eq!(hash.hex(), hex.to_lowercase());
        assert_eq!(StatedHash::from_hex(StatedAlgorithm::Sha256, hex, ""), None);
        assert_eq!(StatedHash::from_hex(StatedAlgorithm::Sha1, &hex.replace('a', "g"), ""), None);
        assert_eq!(StatedHash::from_hex(StatedAlgorithm::Sha1, "é", ""), None);
    }

    #[test]
    fn integrity_may_have_several_hashes_and_unknown_ones() {
        let sha1 = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        let both =
            StatedHash::from_integrity(&format!("md9-x {sha1}?opt {sha1}"), "dist.integrity");
        assert_eq!(both.unwrap().len(), 2);
        for malformed in ["sha512-AAAA", "sha1-%", "sha1"] {
            assert_eq!(StatedHash::from_integrity(malformed, ""), None, "{malformed}");
        }
        assert_eq!(StatedHash::from_integrity("", "").unwrap(), []);
    }
}
