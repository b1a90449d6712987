//! Names, versions and paths: what is accepted is printed as it was written.

#![no_main]

use std::fmt::Display;
use std::str::FromStr;

use facets_digest::Digest;
use facets_model::{
    ArtifactName, ArtifactPath, AssetName, Floor, InlineServerName, PlainVersion, VariableName,
    Version,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    round_trip::<ArtifactName>(text);
    round_trip::<AssetName>(text);
    round_trip::<InlineServerName>(text);
    round_trip::<VariableName>(text);
    round_trip::<Version>(text);
    round_trip::<PlainVersion>(text);
    round_trip::<Floor>(text);
    round_trip::<ArtifactPath>(text);
    round_trip::<Digest>(text);
    if let Ok(path) = text.parse::<ArtifactPath>() {
        assert!(path.as_str().split('/').all(|segment| !matches!(segment, "" | "." | "..")));
        assert!(!path.as_str().contains(['\\', '\0']));
    }
});

fn round_trip<T: FromStr + Display>(text: &str) {
    if let Ok(word) = text.parse::<T>() {
        assert_eq!(word.to_string(), text);
    }
}
