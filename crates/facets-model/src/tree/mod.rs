//! One tree for JSON, JSON with comments, and YAML, that remembers where everything stood.
//!
//! Faults that leave the rest of a file readable (a name that stands twice, an alias, a
//! number out of range) are collected; only what stops reading altogether ends it.

mod json;
mod jsonc;
mod node;
mod print;
mod yaml;

pub use jsonc::blank_comments;
pub(crate) use node::join;
pub use node::{MANIFEST_LIMITS, Node, NodeMember, NodeValue};

use crate::manifest::Problem;

/// The notation of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestFormat {
    /// Strict JSON.
    Json,
    /// JSON with `//` and `/* */` comments and trailing commas.
    JsonWithComments,
    /// YAML 1.2, core schema, one document.
    Yaml,
}

/// A text that was read, with its tree and the faults found on the way.
#[derive(Clone, Debug)]
pub struct Parsed<'t> {
    /// The text.
    pub text: &'t str,
    /// Its notation.
    pub format: ManifestFormat,
    /// The tree.
    pub root: Node,
    /// What is wrong with the notation.
    pub problems: Vec<Problem>,
}

/// Reads a file. The error is the one fault that nothing could be read past.
pub fn parse(bytes: &[u8], format: ManifestFormat) -> Result<Parsed<'_>, Box<Problem>> {
    let text = check_text(bytes)?;
    let mut problems = Vec::new();
    let root = match format {
        ManifestFormat::Json => json::parse(text, text, &mut problems),
        ManifestFormat::JsonWithComments => {
            json::parse(&jsonc::blank_comments(text), text, &mut problems)
        }
        ManifestFormat::Yaml => yaml::parse(text, &mut problems),
    }?;
    for problem in &mut problems {
        let around = root.path_at(problem.position.offset);
        problem.member = join(&around, &problem.member);
    }
    Ok(Parsed { text, format, root, problems })
}

/// What holds for every notation: size, UTF-8, no byte order mark.
fn check_text(bytes: &[u8]) -> Result<&str, Box<Problem>> {
    facets_digest::json::Tokenizer::new(bytes, MANIFEST_LIMITS)
        .map_err(|error| Box::new(Problem::from_json(&error)))?;
    // The tokenizer has just checked the same.
    Ok(std::str::from_utf8(bytes).unwrap_or_default())
}
