//! Files as people write them, and worse.

use std::fmt::Write;

use facets_clients::{Client, ClientFile, ClientFormat, Places};
use facets_testkit::Random;

/// Stands in every secret.
pub(crate) const MARK: &str = "hush";

/// The project file of a client, or its only one.
pub(crate) fn file_of(client: Client) -> ClientFile {
    let places = Places {
        home: "/home/ada".into(),
        config_home: "/home/ada/.config".into(),
        codex_home: "/home/ada/.codex".into(),
        app_support: "/home/ada/.config".into(),
        project: "/src/engine".into(),
    };
    let mut files = client.files(&places);
    // The one with two places for servers.
    if client == Client::ClaudeCode { files.remove(1) } else { files.remove(0) }
}

/// A value of any notation.
#[derive(Clone)]
pub(crate) enum Item {
    Text(String),
    Raw(&'static str),
    List(Vec<Item>),
    Table(Vec<(String, Item)>),
}

const NAMES: &[&str] = &[
    "memory",
    "git hub",
    "döcs",
    "a.b",
    "x\"y",
    "日本",
    "tab\tbed",
    "s",
    "back\\slash",
    "servers2",
];
const WORDS: &[&str] =
    &["npx", "-y", "@scope/pkg@1.2.3", "", "a\"b", "#", "//", "/* */", "é💡", "[}", "'"];

pub(crate) fn text(word: &str) -> Item {
    Item::Text(word.to_owned())
}

fn secrets(random: &mut Random, prefix: &str, count: usize) -> Item {
    let odd = ["", "\"", "\\", "é", " # ", " // ", "\t", "${X}", "'", "}"];
    let pairs = (0..count).map(|index| {
        let value = format!("{MARK}{}{index}", random.pick(&odd));
        (format!("{prefix}{index}"), Item::Text(value))
    });
    Item::Table(pairs.collect())
}

/// A server, with its members in any order.
pub(crate) fn server(random: &mut Random, client: Client) -> Item {
    let mut members: Vec<(String, Item)> = Vec::new();
    let mut add = |name: &str, item: Item| members.push((name.to_owned(), item));
    let words = |random: &mut Random| {
        let count = random.below(4);
        (0..count).map(|_| text(random.pick(WORDS))).collect::<Vec<_>>()
    };
    let remote = client != Client::ClaudeDesktop && random.one_in(3);
    let count = random.below(4);
    if client == Client::OpenCode {
        add("type", text(if remote { "remote" } else { "local" }));
    } else if client != Client::Codex && random.one_in(2) {
        add("type", text(if remote { "http" } else { "stdio" }));
    }
    if remote {
        let address = if client == Client::Gemini && random.one_in(2) { "httpUrl" } else { "url" };
        add(address, text("https://example.com/mcp"));
        if client == Client::Gemini && address == "httpUrl" && random.one_in(4) {
            add("url", text("https://example.com/sse"));
        }
        let headers = if client == Client::Codex { "http_headers" } else { "headers" };
        if random.one_in(2) {
            add(headers, secrets(random, "X-Key-", count));
        }
        if client == Client::Codex {
            if random.one_in(3) {
                add("bearer_token_env_var", text("BEARER"));
            }
            if random.one_in(3) {
                let pairs =
                    [("X-One", "ONE"), ("X-Two", "TWO")].map(|(n, v)| (n.to_owned(), text(v)));
                add("env_http_headers", Item::Table(pairs[..=random.below(2)].to_vec()));
            }
        } else if random.one_in(4) {
            let name = if client == Client::OpenCode { "environment" } else { "env" };
            add(name, secrets(random, "OLD_", random.clone().below(3)));
        }
    } else {
        if client == Client::OpenCode {
            let all = [vec![text("npx")], words(random)].concat();
            add("command", Item::List(all));
        } else {
            add("command", text("npx"));
            if !random.one_in(3) {
                let all = words(random);
                add("args", Item::List(all));
            }
        }
        let name = if client == Client::OpenCode { "environment" } else { "env" };
        if !random.one_in(3) {
            add(name, secrets(random, "VAR_", count));
        }
        if client != Client::OpenCode && random.one_in(4) {
            add("cwd", text("/srv"));
        }
    }
    if random.one_in(3) {
        add("timeout", Item::Raw("30000"));
    }
    if random.one_in(4) {
        add("enabled", Item::Raw(random.pick(&["true", "false"])));
    }
    if random.one_in(4) {
        let tools = Item::List(vec![
            text("a"),
            Item::List(vec![]),
            Item::Table(vec![("k".to_owned(), text(MARK))]),
        ]);
        add("tools", tools);
    }
    for index in (1..members.len()).rev() {
        members.swap(index, random.below(index + 1));
    }
    Item::Table(members)
}

/// Some servers with different names.
pub(crate) fn servers(random: &mut Random, client: Client) -> Vec<(String, Item)> {
    let first = random.below(NAMES.len());
    (0..random.below(5))
        .map(|index| (NAMES[(first + index) % NAMES.len()].to_owned(), server(random, client)))
        .collect()
}

/// How a file is written.
pub(crate) struct Writer<'r> {
    random: &'r mut Random,
    line: &'static str,
    unit: &'static str,
    comments: bool,
    compact: bool,
}

impl<'r> Writer<'r> {
    pub(crate) fn new(random: &'r mut Random, format: ClientFormat) -> Self {
        let line = random.pick(&["\n", "\n", "\r\n"]);
        let unit = random.pick(&["  ", "    ", "\t", ""]);
        let comments = format != ClientFormat::Json && random.one_in(2);
        let compact = random.one_in(4);
        Self { random, line, unit, comments, compact }
    }

    fn comment(&mut self) -> &'static str {
        if !self.comments || !self.random.one_in(5) {
            return "";
        }
        self.random.pick(&[" /* why, \"not\" { */", "/**/ ", " // said, } ]"])
    }

    /// White space and comments between two tokens of JSON.
    fn gap(&mut self, lines: bool, indent: usize) -> String {
        let comment = self.comment();
        let line = format!("{}{}", self.line, self.unit.repeat(indent));
        if lines || comment.starts_with(" //") {
            return format!("{comment}{line}");
        }
        let space = if self.compact { "" } else { " " };
        format!("{comment}{space}")
    }

    pub(crate) fn string(&mut self, text: &str) -> String {
        let mut out = String::from("\"");
        for character in text.chars() {
            match character {
                '"' | '\\' => out.extend(['\\', character]),
                '\t' => out.push_str("\\t"),
                _ if self.random.one_in(12) => {
                    let mut units = [0; 2];
                    for unit in character.encode_utf16(&mut units) {
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                _ => out.push(character),
            }
        }
        out.push('"');
        out
    }

    pub(crate) fn json(&mut self, item: &Item, indent: usize) -> String {
        let (brackets, parts) = match item {
            Item::Text(text) => return self.string(text),
            Item::Raw(raw) => return (*raw).to_owned(),
            Item::List(items) => {
                (['[', ']'], items.iter().map(|item| (None, item)).collect::<Vec<_>>())
            }
            Item::Table(members) => {
                (['{', '}'], members.iter().map(|(name, item)| (Some(name), item)).collect())
            }
        };
        let lines = self.random.one_in(2);
        let mut out = brackets[0].to_string();
        let last = parts.len();
        for (index, (name, item)) in parts.into_iter().enumerate() {
            out.push_str(&self.gap(lines, indent + 1));
            if let Some(name) = name {
                out.push_str(&self.string(name));
                out.push_str(self.comment_here());
                out.push(':');
                out.push_str(if self.compact { "" } else { " " });
                out.push_str(self.comment_here());
            }
            out.push_str(&self.json(item, indent + 1));
            out.push_str(self.comment_here());
            if index + 1 < last || (self.comments && self.random.one_in(3)) {
                out.push(',');
            }
        }
        let end = self.gap(lines, indent);
        out.push_str(&end);
        out.push(brackets[1]);
        out
    }

    fn comment_here(&mut self) -> &'static str {
        if self.comments && self.random.one_in(12) { "/* here */" } else { "" }
    }
}

fn marked(random: &mut Random, text: String) -> String {
    if random.one_in(6) { format!("\u{feff}{text}") } else { text }
}

/// A file of a client, and how many servers it names.
pub(crate) fn file(random: &mut Random, client: Client) -> (String, usize) {
    let (text, count) = match client.format() {
        ClientFormat::Toml => toml_file(random),
        _ => json_file(random, client),
    };
    (marked(random, text), count)
}

fn json_file(random: &mut Random, client: Client) -> (String, usize) {
    let mut count = 0;
    let mut all = |random: &mut Random| {
        let servers = servers(random, client);
        count += servers.len();
        Item::Table(servers)
    };
    let mut members = vec![("theme".to_owned(), text("{ \"mcpServers\": 1 }"))];
    if !random.one_in(8) {
        let servers = all(random);
        let grouped = client == Client::OpenCode && random.one_in(3);
        let group = |servers| Item::Table(vec![("servers".to_owned(), servers)]);
        let servers = if grouped { group(servers) } else { servers };
        members.push((client.container().to_owned(), servers));
    }
    if client == Client::ClaudeCode && random.one_in(2) {
        let local = Item::Table(vec![
            ("history".to_owned(), Item::Raw("[\"cut \\ud83d\", 12345678901234567890]")),
            ("mcpServers".to_owned(), all(random)),
        ]);
        let other = Item::Table(vec![("mcpServers".to_owned(), Item::Raw("{\"z\": 0}"))]);
        let projects = vec![("/other".to_owned(), other), ("/src/engine".to_owned(), local)];
        members.push(("projects".to_owned(), Item::Table(projects)));
    }
    members.push(("last".to_owned(), Item::Raw("[null, 1e3]")));
    for index in (1..members.len()).rev() {
        members.swap(index, random.below(index + 1));
    }
    let mut writer = Writer::new(random, client.format());
    let body = writer.json(&Item::Table(members), 0);
    let before = writer.gap(false, 0);
    let end = writer.random.pick(&["", "\n", "\r\n", "  \n\n"]);
    (format!("{before}{body}{end}"), count)
}

fn toml_key(random: &mut Random, name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if name.bytes().all(bare) && !random.one_in(6) {
        return name.to_owned();
    }
    if !name.contains(['\'', '\t']) && random.one_in(2) {
        return format!("'{name}'");
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t"))
}

fn toml_string(random: &mut Random, text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t");
    match random.below(5) {
        0 if !text.contains('\'') => format!("'{text}'"),
        1 if !text.contains('\'') => format!("'''\n{text}'''"),
        2 => format!("\"\"\"{escaped}\\\n  \"\"\""),
        _ => format!("\"{escaped}\""),
    }
}

fn toml_value(random: &mut Random, item: &Item) -> String {
    match item {
        Item::Text(text) => toml_string(random, text),
        Item::Raw(raw) => (*raw).to_owned(),
        Item::List(items) => {
            let (open, comma) = random.pick(&[("[", ", "), ("[ ", ","), ("[ # [ ]\n  ", ",\n\t")]);
            let items: Vec<String> = items.iter().map(|item| toml_value(random, item)).collect();
            format!("{open}{}]", items.join(comma))
        }
        Item::Table(members) => {
            let pairs: Vec<String> = members
                .iter()
                .map(|(name, item)| {
                    let (name, value) = (toml_key(random, name), toml_value(random, item));
                    format!("{name}{}{value}", random.pick(&[" = ", "=", "\t= "]))
                })
                .collect();
            let (open, close) = random.pick(&[("{", "}"), ("{ ", " }")]);
            format!("{open}{}{close}", pairs.join(", "))
        }
    }
}

/// Lines of one table; what has heads of its own comes back.
fn toml_lines(
    random: &mut Random,
    prefix: &str,
    members: &[(String, Item)],
    out: &mut String,
) -> Vec<(String, Vec<(String, Item)>)> {
    let mut tables = Vec::new();
    for (name, item) in members {
        let key = toml_key(random, name);
        let indent = random.pick(&["", "", "  "]);
        let equals = random.pick(&[" = ", "=", "  =  "]);
        let end = random.pick(&["\n", "\n", " # why = \"x\"\n", "\n\n", "\n# [alone]\n"]);
        match item {
            Item::Table(inner) if random.one_in(2) && prefix.is_empty() => {
                tables.push((key, inner.clone()));
            }
            Item::Table(inner) if random.one_in(2) && !inner.is_empty() => {
                for (name, item) in inner {
                    let (name, value) = (toml_key(random, name), toml_value(random, item));
                    let _ = write!(out, "{indent}{prefix}{key}.{name}{equals}{value}{end}");
                }
            }
            item => {
                let value = toml_value(random, item);
                let _ = write!(out, "{indent}{prefix}{key}{equals}{value}{end}");
            }
        }
    }
    tables
}

fn toml_file(random: &mut Random) -> (String, usize) {
    let all = servers(random, Client::Codex);
    let count = all.len();
    let mut out = random.pick(&["", "# top\n", "model = \"o3\" # best\n\n"]).to_owned();
    if random.one_in(6) {
        let value = toml_value(random, &Item::Table(all));
        let _ = write!(out, "mcp_servers = {value}\n[tui]\nx = 1\n");
    } else {
        let mut later = Vec::new();
        let section = random.one_in(3);
        if section {
            out.push_str("[mcp_servers] # all of them\n");
        }
        let above = if section { "" } else { "mcp_servers." };
        for (name, item) in all {
            let Item::Table(members) = item else { continue };
            let key = toml_key(random, &name);
            match random.below(4) {
                0 => {
                    let value = toml_value(random, &Item::Table(members));
                    let _ = writeln!(out, "{above}{key} = {value} # inline");
                }
                1 => drop(toml_lines(random, &format!("{above}{key}."), &members, &mut out)),
                _ => later.push((key, members)),
            }
        }
        let mut scattered = String::new();
        for (key, members) in later {
            let _ = writeln!(out, "\n[ mcp_servers . {key} ] # a server");
            for (table, members) in toml_lines(random, "", &members, &mut out) {
                let apart = random.one_in(4);
                let out = if apart { &mut scattered } else { &mut out };
                if apart {
                    out.push_str("[between.");
                    let _ = writeln!(out, "t{}]\nz = 1", out.len());
                }
                let _ = writeln!(out, "[mcp_servers.{key}.{table}]");
                toml_lines(random, "", &members, out);
            }
            if random.one_in(3) {
                let _ = writeln!(out, "[other.x{}]\ny = 2 # two", out.len());
            }
        }
        out.push_str(&scattered);
    }
    if random.one_in(3) {
        out = out.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    if random.one_in(4) {
        out.truncate(out.trim_end().len());
    }
    (out, count)
}
