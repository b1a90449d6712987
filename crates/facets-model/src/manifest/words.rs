//! What a manifest says of a text that should have been one of our words.

use std::fmt::Display;
use std::str::FromStr;

use crate::{
    ArtifactName, ArtifactPath, AssetName, Floor, HttpUrl, ImageReference, InlineServerName,
    LocalPath, PlainVersion, VariableName, Version,
};

/// A text with a grammar of its own.
pub(super) trait Word: FromStr<Err: Display> {
    /// The code of the problem when the text is against the grammar.
    const CODE: &'static str;
    /// The grammar in a few words.
    const ALLOWED: &'static str;

    /// What to do about a text that was refused.
    fn fix(found: &str) -> String;
}

const NAME: &str = "manifest-bad-name";
const VERSION: &str = "manifest-bad-version";

impl Word for ArtifactName {
    const CODE: &'static str = NAME;
    const ALLOWED: &'static str =
        "2 to 64 of a-z, 0-9 and single hyphens, beginning with a letter; or @scope/name";

    fn fix(found: &str) -> String {
        suggest_name::<Self>(found, "choose a name of this form")
    }
}

impl Word for AssetName {
    const CODE: &'static str = NAME;
    const ALLOWED: &'static str = "1 to 64 of a-z, 0-9 and single hyphens, no hyphen at the ends";

    fn fix(found: &str) -> String {
        suggest_name::<Self>(found, "choose a name of this form")
    }
}

impl Word for InlineServerName {
    const CODE: &'static str = NAME;
    const ALLOWED: &'static str = "1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-'";

    fn fix(found: &str) -> String {
        suggest_name::<Self>(found, "choose a name of this form")
    }
}

impl Word for VariableName {
    const CODE: &'static str = NAME;
    const ALLOWED: &'static str = "A-Z, a-z, 0-9 and '_', not beginning with a digit";

    fn fix(found: &str) -> String {
        let upper: String =
            found.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        suggestion::<Self>(&upper.to_ascii_uppercase(), "write the name of an environment variable")
    }
}

impl Word for Version {
    const CODE: &'static str = VERSION;
    const ALLOWED: &'static str = "MAJOR.MINOR.PATCH with an optional -prerelease";

    fn fix(found: &str) -> String {
        suggest_version::<Self>(found)
    }
}

impl Word for PlainVersion {
    const CODE: &'static str = VERSION;
    const ALLOWED: &'static str = "MAJOR.MINOR.PATCH, three plain numbers";

    fn fix(found: &str) -> String {
        suggest_version::<Self>(found)
    }
}

impl Word for Floor {
    const CODE: &'static str = VERSION;
    const ALLOWED: &'static str = "a floor such as 1.0.0: the minimum version";

    fn fix(found: &str) -> String {
        suggest_version::<Self>(found)
    }
}

impl Word for ImageReference {
    const CODE: &'static str = "manifest-bad-image";
    const ALLOWED: &'static str =
        "[host[:port]/]path[:tag][@sha256:digest], the path in lower case";

    fn fix(found: &str) -> String {
        // Only the repository is lower case; another tag would be another image.
        let name_end = found.rfind('/').unwrap_or(0);
        let end = found[name_end..].find([':', '@']).map_or(found.len(), |at| name_end + at);
        let lower = found[..end].to_lowercase() + &found[end..];
        suggestion::<Self>(&lower, "write a reference such as ghcr.io/acme/bot:v2")
    }
}

impl Word for HttpUrl {
    const CODE: &'static str = "manifest-bad-url";
    const ALLOWED: &'static str = "an absolute http or https URL without credentials";

    fn fix(_found: &str) -> String {
        "write a URL such as https://mcp.example.com/".to_owned()
    }
}

impl Word for ArtifactPath {
    const CODE: &'static str = "manifest-bad-path";
    const ALLOWED: &'static str = "a relative path with '/', inside the directory of the manifest";

    fn fix(found: &str) -> String {
        let plain = found.replace('\\', "/");
        let plain = plain.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
        suggestion::<Self>(plain, "name a file below the manifest")
    }
}

impl Word for LocalPath {
    const CODE: &'static str = "manifest-bad-path";
    const ALLOWED: &'static str =
        "a path that begins with ./, ../ or /, without control characters";

    fn fix(_found: &str) -> String {
        "write the path of a directory or an archive, such as \"./server\"".to_owned()
    }
}

/// A suggestion is made only if it would be accepted.
fn suggestion<T: FromStr>(candidate: &str, otherwise: &str) -> String {
    if candidate.parse::<T>().is_ok() {
        format!("write \"{candidate}\"")
    } else {
        otherwise.to_owned()
    }
}

fn suggest_name<T: FromStr>(found: &str, otherwise: &str) -> String {
    let (scope, name) = match found.strip_prefix('@').and_then(|scoped| scoped.split_once('/')) {
        Some((scope, name)) => (format!("@{}/", hyphenate(scope)), name),
        None => (String::new(), found),
    };
    suggestion::<T>(&format!("{scope}{}", hyphenate(name)), otherwise)
}

fn hyphenate(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

fn suggest_version<T: FromStr>(found: &str) -> String {
    // An upper bound is no floor, so `<` gets no suggestion.
    let bare = found.strip_prefix(">=").unwrap_or(found);
    let bare = bare.trim_start_matches(['^', '~', '=', 'v', ' ']);
    let bare = bare.split('+').next().unwrap_or_default();
    let padded = [bare.to_owned(), format!("{bare}.0"), format!("{bare}.0.0")];
    let core = bare.split('-').next().unwrap_or_default().to_owned();
    let good = padded.into_iter().chain([core]).find(|candidate| candidate.parse::<T>().is_ok());
    match good {
        Some(version) => format!("write \"{version}\""),
        None => "write a version such as \"1.0.0\"".to_owned(),
    }
}
