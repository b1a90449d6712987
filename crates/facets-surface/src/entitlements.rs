//! What the code behind a server can reach, as far as its source shows (spec 6.1, 6.5).

use facets_digest::json::{Value, compare_utf16, write_list, write_string};

use crate::part::{Part, write_object};
use crate::schema::string_set;

/// Whether something was found. What cannot be told is never a no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntitlementVerdict {
    /// The whole source was read, and there is no way to it.
    No,
    /// Nobody can tell.
    #[default]
    Unknown,
    /// It is there.
    Yes,
}

impl EntitlementVerdict {
    /// The word in contracts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Unknown => "unknown",
            Self::Yes => "yes",
        }
    }

    /// The verdict of a word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::No, Self::Unknown, Self::Yes].into_iter().find(|verdict| verdict.name() == name)
    }
}

/// What a server's code can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entitlements {
    /// Files.
    pub filesystem: EntitlementVerdict,
    /// The network.
    pub network: EntitlementVerdict,
    /// Other processes and threads.
    pub subprocess: EntitlementVerdict,
    /// Keys, ciphers, signatures.
    pub crypto: EntitlementVerdict,
    /// Code that is made while it runs.
    pub code_evaluation: EntitlementVerdict,
    /// What was found, by its name.
    pub raw: Vec<String>,
    /// The version of the scanner. Recorded, not hashed; none if nobody looked.
    pub scanner: Option<u32>,
}

impl Entitlements {
    /// Of a server whose source nobody has seen.
    #[must_use]
    pub fn unknown() -> Self {
        Self::default()
    }

    /// The verdicts by the names they have in contracts.
    #[must_use]
    pub fn verdicts(&self) -> [(&'static str, EntitlementVerdict); 5] {
        [
            ("filesystem", self.filesystem),
            ("network", self.network),
            ("subprocess", self.subprocess),
            ("crypto", self.crypto),
            ("codeEvaluation", self.code_evaluation),
        ]
    }

    /// Reads what [`Self::to_canonical`] writes.
    pub(crate) fn from_json(value: &Value<'_>, scanner: Option<u32>) -> Option<Self> {
        let Value::Object(object) = value else { return None };
        let verdict = |name: &str| match object.get(name) {
            Some(Value::String(word)) => EntitlementVerdict::from_name(word),
            _ => None,
        };
        let raw = object.get("raw").and_then(string_set)?;
        Some(Self {
            filesystem: verdict("filesystem")?,
            network: verdict("network")?,
            subprocess: verdict("subprocess")?,
            crypto: verdict("crypto")?,
            code_evaluation: verdict("codeEvaluation")?,
            raw: raw.into_iter().map(str::to_owned).collect(),
            scanner,
        })
    }

    pub(crate) fn to_canonical(&self) -> Vec<u8> {
        let verdicts = self.verdicts();
        write_object(Part::Entitlements, |name, out| {
            if let Some((_, verdict)) = verdicts.iter().find(|(other, _)| *other == name) {
                return write_string(verdict.name(), out);
            }
            let mut raw: Vec<&str> = self.raw.iter().map(String::as_str).collect();
            raw.sort_unstable_by(|a, b| compare_utf16(a, b));
            raw.dedup();
            write_list(['[', ']'], &raw, out, |text, out| write_string(text, out));
        })
    }
}
