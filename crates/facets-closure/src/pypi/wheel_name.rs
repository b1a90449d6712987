//! The name of a wheel, which says for which interpreters and machines it was made.

use std::str::FromStr;

/// Longer names fit into no file system.
const LONGEST: usize = 255;

/// `NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl`; each of the last three may be a list with dots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WheelName {
    /// The package, as the file spells it.
    pub name: String,
    /// Its version, as the file spells it.
    pub version: String,
    /// Among wheels of the same tags, the one with the highest build counts.
    pub build: (u64, String),
    /// Interpreters.
    pub pythons: Vec<String>,
    /// Binary interfaces.
    pub abis: Vec<String>,
    /// Machines.
    pub platforms: Vec<String>,
}

impl FromStr for WheelName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '!');
        let stem = text.strip_suffix(".whl").ok_or(())?;
        if text.len() > LONGEST || !stem.chars().all(is_allowed) {
            return Err(());
        }
        let parts: Vec<&str> = stem.split('-').collect();
        let (name, version, build, tags) = match parts.as_slice() {
            [name, version, python, abi, platform] => (name, version, "", [python, abi, platform]),
            [name, version, build, python, abi, platform] => {
                (name, version, *build, [python, abi, platform])
            }
            _ => return Err(()),
        };
        let digits = build.len() - build.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_build = build.is_empty() || digits > 0;
        let [pythons, abis, platforms] =
            tags.map(|list| list.split('.').map(str::to_owned).collect::<Vec<_>>());
        let has_empty = pythons.iter().chain(&abis).chain(&platforms).any(String::is_empty);
        if name.is_empty() || version.is_empty() || !is_build || has_empty {
            return Err(());
        }
        Ok(Self {
            name: (*name).to_owned(),
            version: (*version).to_owned(),
            build: (build[..digits].parse().unwrap_or(0), build[digits..].to_owned()),
            pythons,
            abis,
            platforms,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_their_parts() {
        let name: WheelName =
            "cffi-2.1.1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"
                .parse()
                .unwrap();
        assert_eq!((name.name.as_str(), name.version.as_str()), ("cffi", "2.1.1"));
        assert_eq!(name.platforms, ["manylinux2014_x86_64", "manylinux_2_17_x86_64"]);
        let name: WheelName = "a_b-1.0+x-12b-py2.py3-none-any.whl".parse().unwrap();
        assert_eq!(name.build, (12, "b".to_owned()));
        for bad in [
            "",
            "a-1.0.tar.gz",
            "a-1.0-py3-none.whl",
            "a-1.0-x-py3-none-any.whl",
            "../a-1.0-py3-none-any.whl",
            "a-1.0-py3-none-any.whl/x.whl",
            "a-1.0-py3..py2-none-any.whl",
            "-1.0-py3-none-any.whl",
        ] {
            assert_eq!(bad.parse::<WheelName>(), Err(()), "{bad}");
        }
    }
}
