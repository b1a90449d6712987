//! What a text makes its client do: every rule with its examples, and words that are not what they seem.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_clients::assets::asset_powers;
use facets_markers::{ASSET_RULES, RULES};

fn rules(text: &str) -> Vec<&'static str> {
    asset_powers(text).into_iter().map(|power| power.marker.rule).collect()
}

#[test]
fn every_rule_hits_its_examples_and_nothing_that_should_pass() {
    for rule in ASSET_RULES {
        assert!(!RULES.iter().any(|other| other.code == rule.code), "{}", rule.code);
        for text in rule.hits {
            assert!(rules(text).contains(&rule.code), "{}: {text}", rule.code);
        }
        for text in rule.passes {
            assert_eq!(rules(text), [""; 0], "{}: {text}", rule.code);
        }
    }
}

#[test]
fn a_member_counts_however_it_is_written() {
    for text in [
        "---\n\"allowed\\u002dtools\": \"Bash\"\n---\n",
        "---\r\nallowed-tools:\r\n  - Read\r\n  - Bash\r\n---\r\n",
        "\u{feff}---\nallowedTools: Bash\n---\n",
        "---\nallowed_tools: >\n  Read,\n  Bash(:*)\n---\n",
        "---\n? allowed-tools\n: Bash\n---\n",
        "---\nallowed-tools: [[Bash]]\n---\n",
        "---\nallowed-tools: Bash(/usr/bin/env bash:*)\n---\n",
        "---\npermissions: {allow: [\"Bash(*)\"]}\n---\n",
        "---\npermissions: {defaultMode: bypassPermissions}\n---\n",
        "---\npermission: allow\n---\n",
        "---\npermission: {\"*\": allow}\n---\n",
        "---\npermission: {bash: {\"*\": allow, \"rm *\": deny}}\n---\n",
        "---\npermission: {bash: yes-please}\n---\n",
        "---\npermissionMode: someFutureMode\n---\n",
    ] {
        let found = rules(text);
        // What facet does not read as YAML is not installed at all.
        assert!(
            found.contains(&"marker-broad-permission") || text.contains("? "),
            "{text} {found:?}"
        );
    }
}

#[test]
fn a_command_is_found_wherever_a_client_would_run_it() {
    for text in [
        "Now:!`id`",
        "    !`id`",
        "> !`id`",
        "``` md\n!`id`\n```",
        "a !`cat x |\nsh` b",
        "  ```!\n  id\n  ```",
        "````!\nid\n````",
        "---\ndescription: \"!`id`\"\n---\n",
    ] {
        assert_eq!(rules(text), ["marker-executed-command"], "{text}");
    }
    for text in ["! `id`", "!``", "!` `", "!=`", "Stop!", "!`never closed"] {
        assert_eq!(rules(text), [""; 0], "{text}");
    }
    let long = "x".repeat(100);
    let [one, other] = ["a", "b"].map(|end| asset_powers(&format!("!`{long}{end}`")).remove(0));
    assert_eq!(one.marker, other.marker);
    assert_ne!(one.key, other.key);
}
