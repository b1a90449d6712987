use std::fmt;
use std::str::FromStr;

/// A hash algorithm that a digest may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// SHA-256.
    Sha256,
}

impl Algorithm {
    /// The word before the colon.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
        }
    }

    /// How many hex digits follow the colon.
    #[must_use]
    pub const fn hex_length(self) -> usize {
        match self {
            Self::Sha256 => 64,
        }
    }
}

/// The identity of some bytes, written `sha256:` and 64 lower-case hex digits.
///
/// ```
/// # use facets_digest::Digest;
/// let empty = Digest::of(b"");
/// assert_eq!(
///     empty.to_string(),
///     "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
/// );
/// assert_eq!(empty.to_string().parse(), Ok(empty));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    algorithm: Algorithm,
    bytes: [u8; 32],
}

impl Digest {
    /// Wraps the 32 bytes of a finished SHA-256.
    #[must_use]
    pub const fn from_sha256(bytes: [u8; 32]) -> Self {
        Self { algorithm: Algorithm::Sha256, bytes }
    }

    /// The algorithm that made it.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The hash itself.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lower-case hex digits, without the algorithm.
    #[must_use]
    pub fn hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.bytes
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
            .collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}:{}", self.algorithm.name(), self.hex()))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// Why a text is not a digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DigestParseError {
    /// There is no `algorithm:` in front.
    #[error("no algorithm: a digest begins with `sha256:`")]
    NoAlgorithm,
    /// The algorithm is not one we know.
    #[error("unknown algorithm `{found}`, expected `sha256`")]
    UnknownAlgorithm {
        /// The word before the colon.
        found: String,
    },
    /// Too short or too long.
    #[error("{found} hex digits, expected {expected}")]
    WrongLength {
        /// How many characters stand behind the colon.
        found: usize,
        /// How many the algorithm needs.
        expected: usize,
    },
    /// `A` to `F` instead of `a` to `f`.
    #[error("upper-case hex digit `{found}`, expected lower case")]
    UpperCase {
        /// The first such digit.
        found: char,
    },
    /// Something that is no hex digit at all.
    #[error("`{}` is not a hex digit", found.escape_default())]
    NotHex {
        /// The first such character.
        found: char,
    },
}

impl FromStr for Digest {
    type Err = DigestParseError;

    // spec 1.1: one spelling, everything else is refused with the reason
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, hex) = text.split_once(':').ok_or(DigestParseError::NoAlgorithm)?;
        if name != Algorithm::Sha256.name() {
            return Err(DigestParseError::UnknownAlgorithm {
                found: name.chars().take(32).collect(),
            });
        }
        check_hex(hex, Algorithm::Sha256.hex_length())?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            *byte = nibble(pair[0]) * 16 + nibble(pair[1]);
        }
        Ok(Self::from_sha256(bytes))
    }
}

fn check_hex(hex: &str, expected: usize) -> Result<(), DigestParseError> {
    for found in hex.chars().take(expected) {
        match found {
            '0'..='9' | 'a'..='f' => {}
            'A'..='F' => return Err(DigestParseError::UpperCase { found }),
            _ => return Err(DigestParseError::NotHex { found }),
        }
    }
    let found = hex.chars().count();
    if found == expected { Ok(()) } else { Err(DigestParseError::WrongLength { found, expected }) }
}

const fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit - b'a' + 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn prints_and_parses_the_one_spelling() {
        assert_eq!(Digest::of(b"").to_string(), EMPTY);
        assert_eq!(EMPTY.parse::<Digest>().unwrap(), Digest::of(b""));
        assert_eq!(Digest::of(b"").algorithm(), Algorithm::Sha256);
        assert_eq!(format!("{:?}", Digest::of(b"")), format!("Digest({EMPTY})"));
    }

    #[test]
    fn refuses_every_other_spelling_with_its_reason() {
        use DigestParseError::*;
        let hex = &EMPTY[7..];
        let cases = [
            (hex.to_owned(), NoAlgorithm),
            (String::new(), NoAlgorithm),
            (format!("SHA256:{hex}"), UnknownAlgorithm { found: "SHA256".into() }),
            (format!(" sha256:{hex}"), UnknownAlgorithm { found: " sha256".into() }),
            (format!("sha512:{hex}{hex}"), UnknownAlgorithm { found: "sha512".into() }),
            ("sha256:".into(), WrongLength { found: 0, expected: 64 }),
            (EMPTY[..70].into(), WrongLength { found: 63, expected: 64 }),
            (format!("{EMPTY}0"), WrongLength { found: 65, expected: 64 }),
            (format!("{EMPTY}\n"), WrongLength { found: 65, expected: 64 }),
            (EMPTY.replace('e', "E").replace("shaE", "sha2"), UpperCase { found: 'E' }),
            (EMPTY.replace('3', "g"), NotHex { found: 'g' }),
            (EMPTY.replace('3', "é"), NotHex { found: 'é' }),
        ];
        for (text, reason) in cases {
            assert_eq!(text.parse::<Digest>(), Err(reason), "{text}");
        }
    }
}
