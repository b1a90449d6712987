//! The programs of a package: `[console_scripts]` in the `entry_points.txt` of its wheel.

use std::collections::BTreeMap;

use super::closure::normalised_name;
use crate::error::ClosureError;

const SECTION: &str = "console_scripts";

/// A function of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The module, with dots.
    pub module: String,
    /// The function, with dots where it belongs to something.
    pub function: String,
}

/// The programs of a package, by name. Lines that name no function are left out, as pip leaves them out.
#[must_use]
pub fn read_scripts(text: &str) -> BTreeMap<String, EntryPoint> {
    let mut scripts = BTreeMap::new();
    let mut is_inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            is_inside = section.trim() == SECTION;
        } else if is_inside
            && !line.starts_with(['#', ';'])
            && let Some((name, value)) = line.split_once('=')
            && let Some(entry) = entry_point(value)
        {
            scripts.insert(name.trim().to_owned(), entry);
        }
    }
    scripts
}

/// `module:function`, with extras behind it.
fn entry_point(text: &str) -> Option<EntryPoint> {
    let text = text.split('[').next()?.trim();
    let (module, function) = text.split_once(':')?;
    let is_dotted = |text: &str| {
        text.split('.').all(|part| {
            let is_start = |c: char| c.is_alphabetic() || c == '_';
            part.chars().next().is_some_and(is_start)
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
        })
    };
    let (module, function) = (module.trim(), function.trim());
    (is_dotted(module) && is_dotted(function))
        .then(|| EntryPoint { module: module.to_owned(), function: function.to_owned() })
}

/// The program that is asked for; else that with the name of the package, or the only one.
pub fn choose_script(
    package: &str,
    scripts: &BTreeMap<String, EntryPoint>,
    wanted: Option<&str>,
) -> Result<(String, EntryPoint), ClosureError> {
    let own_name = || {
        let own = normalised_name(package);
        let named = scripts.iter().find(|(name, _)| normalised_name(name) == own);
        named.or_else(|| scripts.iter().next().filter(|_| scripts.len() == 1))
    };
    let found = match wanted {
        Some(wanted) => scripts.get_key_value(wanted),
        None => own_name(),
    };
    let found = found.map(|(name, entry)| (name.clone(), entry.clone()));
    found.ok_or_else(|| ClosureError::NoProgram {
        package: package.to_owned(),
        wanted: wanted.unwrap_or(package).to_owned(),
        found: scripts.keys().cloned().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[console_scripts]\r\nmcp-server = mcp_server:main\nother=a.b : c.d [extra]\n# x = y:z\nbad = os.system\n\n[gui_scripts]\ng = g:g\n";

    #[test]
    fn programs_are_functions_of_modules() {
        let scripts = read_scripts(TEXT);
        assert_eq!(scripts.keys().collect::<Vec<_>>(), ["mcp-server", "other"]);
        let entry = EntryPoint { module: "a.b".to_owned(), function: "c.d".to_owned() };
        assert_eq!(scripts["other"], entry);
        for bad in ["x = a;b:c", "x = a:c()", "x = 1a:b", "x = :b", "x = a:"] {
            assert!(read_scripts(&format!("[console_scripts]\n{bad}")).is_empty(), "{bad}");
        }
    }

    #[test]
    fn the_program_is_the_one_that_uvx_starts() {
        let scripts = read_scripts(TEXT);
        let name = |package: &str, wanted| {
            choose_script(package, &scripts, wanted).ok().map(|(name, _)| name)
        };
        assert_eq!(name("MCP_server", None).as_deref(), Some("mcp-server"));
        assert_eq!(name("x", Some("other")).as_deref(), Some("other"));
        assert_eq!(name("x", Some("g")), None);
        assert_eq!(name("x", None), None, "there are two");
        let one = read_scripts("[console_scripts]\na = b:c");
        assert_eq!(choose_script("x", &one, None).unwrap().0, "a");
    }
}
