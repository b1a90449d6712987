//! Files beside a program that change what its imports mean, or what runs before it: `tsconfig.json`
//! and `jsconfig.json`, which Bun obeys, and `bunfig.toml`.

/// Settings of Bun that lead nowhere, with their table.
const HARMLESS: &[(&str, &[&str])] = &[
    ("", &["logLevel", "smol", "telemetry"]),
    (
        "install",
        &["dev", "exact", "frozenLockfile", "optional", "peer", "production", "saveTextLockfile"],
    ),
    ("test", &["coverage", "coverageSkipTestFiles", "coverageThreshold"]),
];

/// Whether the settings of a compiler may lead imports elsewhere. What is not written plainly may.
pub(crate) fn leads_elsewhere(settings: &[u8]) -> bool {
    let leads = |key: &str| {
        matches!(key, "paths" | "baseUrl" | "extends" | "emitDecoratorMetadata")
            || key.starts_with("jsx")
            || key.contains('\\')
    };
    let text = str::from_utf8(settings).ok();
    let keys = text.and_then(|text| keys(text.strip_prefix('\u{feff}').unwrap_or(text)));
    keys.is_none_or(|keys| keys.into_iter().any(leads))
}

/// Every key of JSON with comments, at any depth and as it is written; none if it is something
/// else.
fn keys(text: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut last = None;
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find(['\n', '\r']).map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = &comment[comment.find("*/")? + 2..];
        } else if first == '"' {
            let end = end_of_string(&rest[1..])?;
            last = Some(&rest[1..=end]);
            rest = &rest[end + 2..];
        } else if first == ':' {
            found.push(last.take()?);
            rest = &rest[1..];
        } else if first.is_ascii_whitespace() {
            rest = &rest[1..];
        } else if first.is_ascii_alphanumeric() || "{}[],+-.".contains(first) {
            last = None;
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(found)
}

/// Where a string ends whose first quote is gone.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at),
            b'\n' | b'\r' => return None,
            _ => {}
        }
    }
    None
}

/// Whether settings of Bun may load something, or change what a program means. All do that are
/// not known to do nothing, or not written plainly: one key and one simple value on a line.
pub(crate) fn changes_program(settings: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(settings) else { return true };
    let mut table = "";
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let Some(name) = name.strip_suffix(']') else { return true };
            table = name;
            continue;
        }
        let known = line.split_once('=').is_some_and(|(key, value)| {
            let mut keys = HARMLESS.iter().filter(|(of, _)| *of == table);
            keys.any(|(_, keys)| keys.contains(&key.trim())) && is_simple(value.trim())
        });
        if !known {
            return true;
        }
    }
    false
}

/// A number, `true`, `false`, or a word in quotes.
fn is_simple(value: &str) -> bool {
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let word = quoted.unwrap_or(value);
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_settings_that_lead_nowhere_are_known() {
        for text in [
            "",
            "{}",
            r#"{"compilerOptions":{"target":"es2022","strict":true,"lib":["es2022"]}}"#,
            "// a comment with paths: 1\n{ /* \"extends\": 1 */ \"include\": [\"src/**/*\", ], }",
            r#"{"include":["paths","baseUrl","extends"],"compilerOptions":{"outDir":".\\x"}}"#,
        ] {
            assert!(!leads_elsewhere(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn compiler_settings_that_lead_elsewhere_are_found_however_they_are_written() {
        for text in [
            r#"{"compilerOptions":{"paths":{}}}"#,
            r#"{"compilerOptions":{"baseUrl":"."}}"#,
            r#"{"compilerOptions":{"jsxImportSource":"x"}}"#,
            r#"{"extends":"./base.json"}"#,
            r#"{"extends" /* here */ : "./base.json"}"#,
            r#"{"p\u0061ths":{}}"#,
            "{'paths':{}}",
            "{paths:{}}",
            r#"{"a":"/*","paths":{},"b":"*/"}"#,
            r#"{"a":"\"","paths":{}}"#,
            "{\"a\": \"",
            "/*",
        ] {
            assert!(leads_elsewhere(text.as_bytes()), "{text}");
        }
        assert!(leads_elsewhere(b"\xff"));
    }

    #[test]
    fn settings_of_bun_are_harmless_only_if_they_are_known() {
        let harmless = "# preload\ntelemetry = false\n\n[install]\nexact = true\n[test]\ncoverageThreshold = 0.9";
        assert!(!changes_program(harmless.as_bytes()));
        for text in [
            "preload = ['./x.js']",
            "\"pre\\u006coad\" = [\"./x.js\"]",
            "'preload' = 'x'",
            "[loader]\n\".json\" = \"js\"",
            "[define]\n\"process.pid\" = \"x\"",
            "[install]\nauto = \"force\"",
            "[ test ]\npreload = 'x'",
            "smol = true\rpreload = 'x'",
            "smol = \"\"\"",
            "[[x]]\ny = 1",
        ] {
            assert!(changes_program(text.as_bytes()), "{text}");
        }
    }
}
