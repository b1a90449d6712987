//! What a text makes its client do, whatever a model does (spec 7.10): commands that are run, servers that are started,
//! tools that are permitted without a question.

use facets_markers::{Power, executed_commands};
use facets_model::tree::{Node, NodeMember, NodeValue};

use super::decoded::decoded_markers;
use super::front_matter::{author_members, rewritten};

const BROAD: &str = "marker-broad-permission";
const NARROW: &str = "marker-tool-permission";

/// Tools that change and send nothing.
const READ_ONLY: &[&str] =
    &["read", "grep", "glob", "ls", "list", "lsp", "notebookread", "todoread", "todowrite"];

/// Tools that run commands.
const SHELLS: &[&str] = &["bash", "powershell", "shell", "terminal"];

/// Programs that run whatever they are given, or fetch it.
const INTERPRETERS: &[&str] = &[
    "awk",
    "bash",
    "bun",
    "bunx",
    "cmd",
    "curl",
    "dash",
    "deno",
    "docker",
    "doas",
    "env",
    "eval",
    "exec",
    "find",
    "fish",
    "ksh",
    "lua",
    "nc",
    "ncat",
    "netcat",
    "node",
    "nohup",
    "npm",
    "npx",
    "osascript",
    "perl",
    "php",
    "pipx",
    "pnpm",
    "podman",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "sh",
    "socat",
    "ssh",
    "su",
    "sudo",
    "timeout",
    "uv",
    "uvx",
    "wget",
    "xargs",
    "yarn",
    "zsh",
];

/// Everything of a Markdown file that its client does by itself, and what a model is told by strings with escapes. A front matter that cannot be read has none: it is
/// refused before anything is written.
#[must_use]
pub fn asset_powers(text: &str) -> Vec<Power> {
    let mut powers = executed_commands(text);
    powers.extend(author_members(text).iter().flat_map(of_member));
    powers.extend(decoded_markers(text));
    powers
}

/// The clients differ in how they write these names, and in what they forgive.
fn of_member(member: &NodeMember) -> Vec<Power> {
    let plain: String = member.name.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = member.name.as_str();
    let whole = |rule| vec![Power::new(rule, rewritten(std::slice::from_ref(member)).trim_end())];
    match plain.to_ascii_lowercase().as_str() {
        _ if is_empty(&member.node) => Vec::new(),
        "hooks" => whole("marker-hooks"),
        "mcpservers" => whole("marker-own-servers"),
        "allowedtools" => of_tools(name, &member.node),
        "permissionmode" => of_mode(name, &member.node),
        "permissions" => match &member.node.value {
            NodeValue::Object(members) => members.iter().flat_map(of_permissions).collect(),
            _ => whole(BROAD),
        },
        "permission" => of_permission(name, &member.node),
        // As a list it is what an agent has at all; as an object, what it need not ask for.
        "tools" if matches!(member.node.value, NodeValue::Object(_)) => {
            of_permission(name, &member.node)
        }
        _ => Vec::new(),
    }
}

fn is_empty(node: &Node) -> bool {
    match &node.value {
        NodeValue::Null => true,
        NodeValue::Bool(value) => !value,
        NodeValue::String(text) => text.trim().is_empty(),
        NodeValue::Array(items) => items.is_empty(),
        NodeValue::Object(members) => members.is_empty(),
        NodeValue::Number(_) | NodeValue::Refused => false,
    }
}

/// As settings of Claude Code have them.
fn of_permissions(member: &NodeMember) -> Vec<Power> {
    let name = format!("permissions.{}", member.name);
    match member.name.to_ascii_lowercase().as_str() {
        _ if is_empty(&member.node) => Vec::new(),
        "ask" | "deny" => Vec::new(),
        "allow" => of_tools(&name, &member.node),
        "defaultmode" => of_mode(&name, &member.node),
        _ => vec![Power::new(NARROW, &name)],
    }
}

/// A list of tools that need no question: `Read, Bash(git status:*)`.
fn of_tools(member: &str, node: &Node) -> Vec<Power> {
    let items = match &node.value {
        NodeValue::String(text) => vec![text.as_str()],
        NodeValue::Array(items) => {
            let texts = items.iter().map(|item| match &item.value {
                NodeValue::String(text) => text.as_str(),
                _ => "*",
            });
            texts.collect()
        }
        _ => vec!["*"],
    };
    let tools = items.into_iter().flat_map(separated);
    tools
        .filter_map(|tool| Some(Power::new(breadth(&tool)?, &format!("{member}: {tool}"))))
        .collect()
}

/// The items of a list with commas or blanks, which count inside of brackets.
fn separated(text: &str) -> Vec<String> {
    let (mut items, mut depth) = (vec![String::new()], 0_usize);
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (character == ',' || character.is_whitespace()) {
            items.push(String::new());
        } else if let Some(last) = items.last_mut() {
            last.push(character);
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// How much a tool is permitted; none if it only reads.
fn breadth(tool: &str) -> Option<&'static str> {
    let (name, inside) = match tool.split_once('(') {
        Some((name, inside)) => (name, inside.trim_end_matches(')')),
        None => (tool, "*"),
    };
    let name = name.to_ascii_lowercase();
    if READ_ONLY.contains(&name.as_str()) {
        None
    } else if SHELLS.contains(&name.as_str()) {
        Some(of_command(inside))
    } else if name.is_empty() || name.starts_with('*') || name == "mcp__*" {
        Some(BROAD)
    } else {
        Some(NARROW)
    }
}

/// Whether a pattern of commands is one for any command.
fn of_command(pattern: &str) -> &'static str {
    let is_open = pattern.contains('*');
    let first = pattern.split([' ', ':', '*', '\t']).next().unwrap_or_default();
    let program = first.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let is_any = program.is_empty() || INTERPRETERS.contains(&program.as_str());
    if is_open && is_any || pattern.trim().is_empty() { BROAD } else { NARROW }
}

/// How an agent asks.
fn of_mode(member: &str, node: &Node) -> Vec<Power> {
    let NodeValue::String(mode) = &node.value else { return vec![Power::new(BROAD, member)] };
    let rule = match mode.to_ascii_lowercase().as_str() {
        "default" | "manual" | "plan" | "ask" => return Vec::new(),
        "acceptedits" => NARROW,
        _ => BROAD,
    };
    vec![Power::new(rule, &format!("{member}: {mode}"))]
}

/// As `OpenCode` has them: a word for everything, or by tool, or by tool and pattern.
fn of_permission(member: &str, node: &Node) -> Vec<Power> {
    let NodeValue::Object(tools) = &node.value else {
        return is_permitted(node).then(|| Power::new(BROAD, member)).into_iter().collect();
    };
    let mut powers = Vec::new();
    for NodeMember { name: tool, node, .. } in tools {
        let word = tool.to_ascii_lowercase();
        let runs = word.starts_with('*') || SHELLS.contains(&word.as_str());
        let of = |pattern: &str| if runs { of_command(pattern) } else { NARROW };
        if READ_ONLY.contains(&word.as_str()) {
            continue;
        }
        if let NodeValue::Object(patterns) = &node.value {
            let permitted = patterns.iter().filter(|pattern| is_permitted(&pattern.node));
            powers.extend(permitted.map(|pattern| {
                Power::new(of(&pattern.name), &format!("{member}.{tool}: {}", pattern.name))
            }));
        } else if is_permitted(node) {
            powers.push(Power::new(of("*"), &format!("{member}: {tool}")));
        }
    }
    powers
}

/// Whether nobody is asked. A word that is not known is taken for the worst.
fn is_permitted(node: &Node) -> bool {
    match &node.value {
        NodeValue::String(word) => !["ask", "deny"].contains(&word.to_ascii_lowercase().as_str()),
        _ => !is_empty(node),
    }
}
