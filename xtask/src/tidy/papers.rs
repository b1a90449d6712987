//! Every crate says what it is, and links lead somewhere.

use super::sources::tracked_files;
use crate::Outcome;
use crate::run;

pub(super) fn check_readmes() -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    for (path, _) in tracked_files("Cargo.toml")? {
        let Some(folder) =
            path.strip_suffix("/Cargo.toml").filter(|folder| !matches!(*folder, "fuzz" | "peers"))
        else {
            continue;
        };
        if !run::root().join(folder).join("README.md").is_file() {
            complaints.push(format!("{folder} has no README.md"));
        }
        let entry = ["src/lib.rs", "src/main.rs"].map(|file| run::root().join(folder).join(file));
        let documented = entry.iter().filter_map(|file| std::fs::read_to_string(file).ok());
        if !documented
            .into_iter()
            .any(|text| text.starts_with("#![doc = include_str!(\"../README.md\")]"))
        {
            complaints.push(format!("{folder} does not use its README.md as its documentation"));
        }
    }
    Ok(complaints)
}

/// Relative links of Markdown files.
pub(super) fn check_links() -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    for (path, text) in tracked_files(".md")? {
        let full = run::root().join(&path);
        let folder = full.parent().unwrap_or(&full);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let external = file.is_empty() || file.contains("://");
            if !external && !folder.join(file).exists() {
                complaints.push(format!("{path}: the link `{target}` leads nowhere"));
            }
        }
    }
    Ok(complaints)
}
