//! Variables that a manifest lists and no server gets (spec 3.2).

use std::path::Path;

use facets_digest::json::Position;
use facets_failure::{FileProblem, LineColumn};
use facets_model::manifest::{ServerManifest, Variable};
use facets_model::tree::{ManifestFormat, Node, NodeValue, parse};
use facets_runtime::is_variable_of_bun;

use crate::entry_variables::is_refused;
use crate::error::{ArtifactError, OpsError};

/// The code of the problem, wherever it is found.
const CODE: &str = "env-not-delivered";

/// Why a variable never reaches a server.
fn reason(name: &str) -> Option<&'static str> {
    if is_variable_of_bun(name) {
        return Some("it decides which code the runtime runs");
    }
    is_refused(name).then_some("it is one of facet's own")
}

/// The variables of a manifest that no server gets, each at its place in the text.
pub(crate) fn refused_variables(
    file: &Path,
    text: &[u8],
    manifest: &ServerManifest,
) -> Vec<FileProblem> {
    let root = parse(text, ManifestFormat::Yaml).map(|parsed| parsed.root).ok();
    let refused = |(number, variable): (usize, &Variable)| {
        let name = variable.name.as_str();
        let found = format!("{name}, which no server gets from facet: {}", reason(name)?);
        let details =
            [found.as_str(), "a variable that facet gives to a server", "choose another name"];
        let member = format!("env[{number}].name");
        let problem = FileProblem::of_file(file.to_owned(), CODE, &member, details);
        let place = root.as_ref().and_then(|root| place_of_name(root, number, text));
        Some(FileProblem { place, ..problem })
    };
    manifest.env.iter().enumerate().filter_map(refused).collect()
}

fn place_of_name(root: &Node, number: usize, text: &[u8]) -> Option<LineColumn> {
    let NodeValue::Array(items) = &member(root, "env")?.value else { return None };
    let name = member(items.get(number)?, "name")?;
    let Position { line, column, .. } = Position::of(text, name.span.start);
    Some(LineColumn { line, column })
}

fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let NodeValue::Object(members) = &node.value else { return None };
    members.iter().find(|member| member.name == name).map(|member| &member.node)
}

/// No variable of a manifest is one that the server never gets.
pub(crate) fn require_deliverable(manifest: &ServerManifest) -> Result<(), OpsError> {
    for variable in &manifest.env {
        let name = variable.name.as_str();
        if let Some(reason) = reason(name) {
            let variable = name.to_owned();
            return Err(ArtifactError::VariableRefused { variable, reason }.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_loader_the_runtime_and_facet_are_refused_with_the_reason() {
        for name in ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "BUN_OPTIONS"] {
            assert_eq!(reason(name), Some("it decides which code the runtime runs"), "{name}");
        }
        for name in ["FACET_DIR", "FACET_ENV_TOKEN"] {
            assert_eq!(reason(name), Some("it is one of facet's own"), "{name}");
        }
        for name in ["TOKEN", "NODE_ENV", "PATH", "HOME", "FACETS", "LDAP_URL", "BUNNY"] {
            assert_eq!(reason(name), None, "{name}");
        }
    }
}
