//! What would have been right, and what was there: of manifests, files, names and codes.

use std::path::Path;

use super::OpsError;

impl OpsError {
    /// The path that this crate knows about it.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Client { path, .. }
            | Self::ArchiveFile { path, .. }
            | Self::Json { path, .. }
            | Self::SurfaceFile { path, .. }
            | Self::SurfaceTooLarge { path, .. }
            | Self::Contract { path, .. }
            | Self::Fusion { path, .. }
            | Self::ModesDiffer { fusion: path }
            | Self::BadManifest { path, .. }
            | Self::NoTools { path }
            | Self::IncompleteList { path }
            | Self::Definition { path, .. }
            | Self::DuplicateTool { path, .. }
            | Self::NoSource { path, .. }
            | Self::NotADirectory { path }
            | Self::NoManifest { directory: path }
            | Self::AmbiguousManifest { directory: path, .. }
            | Self::Exists { path } => Some(path),
            _ => None,
        }
    }

    /// What would have been right, and what was there.
    pub(super) fn about_files_and_names(&self) -> (String, String) {
        let both = |expected: &str, actual: &str| (expected.to_owned(), actual.to_owned());
        match self {
            Self::BadUrl { source, next: Some(_) } => both(
                "a URL with `http://` or `https://`, or a command after `--`",
                &source.to_string(),
            ),
            Self::BadUrl { source, next: None } => {
                both("an absolute http or https URL without credentials", &source.to_string())
            }
            Self::NoManifest { .. } => {
                both("facet.json, facet.yaml or server.yaml", "none of these")
            }
            Self::AmbiguousManifest { found, .. } => both("exactly one", &found.join(" and ")),
            Self::BadName { source, .. } => both(
                "2 to 64 of a-z, 0-9 and single hyphens, beginning with a letter",
                &source.to_string(),
            ),
            Self::NoSource { is_folder, .. } => both(
                "source that ends in .js, .mjs, .cjs, .jsx, .ts, .mts, .cts or .tsx",
                if *is_folder {
                    "no such file; nothing was scanned"
                } else {
                    "a file of another type"
                },
            ),
            Self::NotADirectory { path } => {
                both("a directory", if path.exists() { "a file" } else { "not found" })
            }
            Self::Exists { .. } => both(
                "a new file, and no other manifest",
                "an existing file; nothing was overwritten",
            ),
            Self::UnknownCode { code, similar } if similar.is_empty() => {
                both("a code that `facet explain` lists", &format!("{code:?}"))
            }
            Self::UnknownCode { code, similar } => both(
                "a code that `facet explain` lists",
                &format!("{code:?}; similar: {}", similar.join(", ")),
            ),
            // The crate below says it.
            _ => both("", ""),
        }
    }
}
