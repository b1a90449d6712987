use clap::Subcommand;

#[derive(Debug, Default, Subcommand)]
pub(crate) enum CacheCommand {
    /// List the entries of the store, the least recently used first
    #[default]
    List,
    /// Hash every entry of the store; modified ones are removed, and fetched again when needed
    Verify,
    /// Remove the least recently used entries; those in use stay
    Prune {
        /// How much may stay: bytes, or a number with K, M, G or T
        #[arg(long, value_name = "SIZE", default_value = "5G", value_parser = parse_size)]
        max_size: u64,
    },
}

/// A number of bytes, or of a unit that is a power of 1024.
fn parse_size(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim_end_matches('B').trim_end_matches('i') {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected a number of bytes, or a number with K, M, G or T".to_owned()),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "expected a number of bytes that is not too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bytes_or_powers_of_1024() {
        let sizes = [
            ("0", 0),
            ("1234", 1234),
            ("2K", 2048),
            ("3MiB", 3 << 20),
            ("5G", 5 << 30),
            ("1GB", 1 << 30),
            ("1T", 1 << 40),
        ];
        for (text, bytes) in sizes {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1", "1.5G", "1 G", "1g", "1X", "99999999999T", "1Gx"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
