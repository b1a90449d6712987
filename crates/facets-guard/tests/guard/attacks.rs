//! Every attack in `testdata/attacks/guard`, as its README describes them.

use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::support::{PIECE, rules, surface};
use facets_guard::{ArgumentCheck, Guard, OnDrift, Outbox, Pins, Rules};
use facets_surface::{Definition, Kind, Listing, ServerIdentity, Surface};
use facets_validator::ArgumentSchemas;

/// The scripts of a folder.
fn scripts(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/attacks").join(folder);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn honest_messages_pass() {
    let paths = scripts("honest");
    assert!(paths.len() >= 20, "only {}", paths.len());
    let failed: Vec<String> = paths.iter().filter_map(|path| attempt(path).err()).collect();
    assert!(
        failed.is_empty(),
        "{} of {} harmed:\n{}",
        failed.len(),
        paths.len(),
        failed.join("\n")
    );
}

#[test]
fn no_attack_works() {
    let paths = scripts("guard");
    assert!(paths.len() >= 200, "only {} attacks", paths.len());
    let failed: Vec<String> = paths.iter().filter_map(|path| attempt(path).err()).collect();
    assert!(
        failed.is_empty(),
        "{} of {} worked:\n{}",
        failed.len(),
        paths.len(),
        failed.join("\n")
    );
}

/// Runs one attack; the error says what worked.
fn attempt(path: &Path) -> Result<(), String> {
    let script = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    if !script.starts_with("# ") {
        return Err(format!("{name}: does not say what it is"));
    }
    let mut stage = Stage::set(&script);
    for (number, line) in script.lines().enumerate() {
        stage.step(line).map_err(|reason| format!("{name}:{}: {reason}", number + 1))?;
    }
    if !stage.is_checked {
        return Err(format!("{name}: checks nothing"));
    }
    Ok(())
}

/// One side, and what it has received.
#[derive(Default)]
struct Received {
    all: Vec<u8>,
    unchecked: String,
}

struct Stage {
    guard: Guard,
    out: Outbox,
    now: Duration,
    client: Received,
    server: Received,
    is_checked: bool,
}

impl Stage {
    /// A guard with what the script has approved.
    fn set(script: &str) -> Self {
        let (mut surface, mut rules) = (surface(), rules());
        surface.server = ServerIdentity::from_info(r#"{"name":"s","version":"1"}"#);
        if script.lines().any(|line| line.starts_with("pin ")) {
            surface.tools = Some(Listing::new(Vec::new()).unwrap());
            surface.prompts.clone_from(&surface.tools);
            surface.resources.clone_from(&surface.tools);
            surface.resource_templates.clone_from(&surface.tools);
        }
        for line in script.lines() {
            match line.split_once(' ') {
                Some(("pin", what)) => pin(what, &mut surface),
                Some(("with", settings)) => {
                    settings.split(' ').for_each(|one| set(one, &mut rules))
                }
                _ => {}
            }
            surface.resources_volatile |= line == "volatile";
        }
        if script.contains("arguments=pinned") {
            rules.arguments = Some(Box::new(Approved::of(&surface)));
        }
        Self {
            guard: Guard::new(Pins::of([&surface]), rules),
            out: Outbox::default(),
            now: Duration::ZERO,
            client: Received::default(),
            server: Received::default(),
            is_checked: false,
        }
    }

    fn step(&mut self, line: &str) -> Result<(), String> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "" | "#" | "pin" | "with" | "volatile" => return Ok(()),
            "client" => bytes(rest, "\n")
                .chunks(PIECE)
                .for_each(|piece| self.guard.from_client(piece, self.now, &mut self.out)),
            "server" => bytes(rest, "\n")
                .chunks(PIECE)
                .for_each(|piece| self.guard.from_server(piece, self.now, &mut self.out)),
            "client+" => self.guard.from_client(&bytes(rest, ""), self.now, &mut self.out),
            "server+" => self.guard.from_server(&bytes(rest, ""), self.now, &mut self.out),
            "wait" => {
                self.now += Duration::from_secs(rest.parse().unwrap());
                self.guard.tick(self.now, &mut self.out);
            }
            _ => return self.check(verb, rest),
        }
        let take = |from: &mut Vec<u8>, to: &mut Received| {
            let bytes = core::mem::take(from);
            // Nothing passes that is no text.
            let text = String::from_utf8(bytes.clone()).map_err(|_| "invalid UTF-8 passed")?;
            to.unchecked.push_str(&text);
            to.all.extend(bytes);
            Ok::<(), String>(())
        };
        take(&mut self.out.to_client, &mut self.client)?;
        take(&mut self.out.to_server, &mut self.server)
    }

    fn check(&mut self, verb: &str, text: &str) -> Result<(), String> {
        self.is_checked = true;
        if verb == "recorded" {
            let event = |event: &facets_guard::Event| {
                let reason = event.reason.as_ref().map_or("", facets_guard::Reason::word);
                format!("{} {reason}", event.decision.word())
            };
            let events: Vec<String> = self.out.events.iter().map(event).collect();
            let is_there = events.iter().any(|event| event.trim() == text);
            return if is_there {
                Ok(())
            } else {
                Err(format!("not recorded: {text}; {events:?}"))
            };
        }
        let (side, what) = verb.split_once('-').ok_or(format!("no such step: {verb}"))?;
        let received = match side {
            "client" => &mut self.client,
            "server" => &mut self.server,
            _ => return Err(format!("no such side: {side}")),
        };
        match what {
            "gets" => {
                let got = core::mem::take(&mut received.unchecked);
                if got.contains(text) { Ok(()) } else { Err(format!("{side} got {}", start(&got))) }
            }
            "nothing" => {
                let got = core::mem::take(&mut received.unchecked);
                if got.is_empty() { Ok(()) } else { Err(format!("{side} got {}", start(&got))) }
            }
            "never" => {
                let all = String::from_utf8_lossy(&received.all);
                match all.lines().find(|line| decoded(line).contains(text)) {
                    Some(line) => Err(format!("{side} got {}", start(line))),
                    None => Ok(()),
                }
            }
            _ => Err(format!("no such check: {verb}")),
        }
    }
}

fn start(text: &str) -> String {
    text.chars().take(400).collect()
}

/// A line without the escapes of JSON.
fn decoded(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\\u") {
        out.push_str(before);
        let letter = after.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        out.extend(letter.and_then(char::from_u32));
        rest = after.get(4..).unwrap_or_default();
    }
    (out + rest).replace("\\/", "/")
}

fn pin(what: &str, surface: &mut Surface) {
    let (kind, json) = what.split_once(' ').unwrap();
    let mut put = |kind| surface.put(kind, vec![Definition::parse(kind, json).unwrap()]);
    match kind {
        "tool" => put(Kind::Tool),
        "prompt" => put(Kind::Prompt),
        "resource" => put(Kind::Resource),
        "template" => put(Kind::ResourceTemplate),
        "instructions" => surface.instructions = serde_json::from_str(json).unwrap(),
        "info" => surface.server = ServerIdentity::from_info(json),
        "capabilities" => json.clone_into(&mut surface.capabilities),
        other => panic!("no such pin: {other}"),
    }
}

fn set(setting: &str, rules: &mut Rules) {
    match setting {
        "sampling=no" => rules.sampling = false,
        "elicitation=no" => rules.elicitation = false,
        "on-drift=warn" => rules.on_drift = OnDrift::Warn,
        "on-drift=stop" => rules.on_drift = OnDrift::Stop,
        "arguments=pinned" => {}
        other => panic!("no such setting: {other}"),
    }
}

/// What a line stands for.
fn bytes(text: &str, end: &str) -> Vec<u8> {
    let mut text = text.to_owned();
    while let Some((before, after)) = text.clone().split_once("<<") {
        let (inside, after) = after.split_once(">>").unwrap();
        let (part, count) = inside.rsplit_once('*').unwrap();
        text = format!("{before}{}{after}", part.repeat(count.parse().unwrap()));
    }
    let mut out = Vec::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("\\x") {
        out.extend_from_slice(before.as_bytes());
        out.push(u8::from_str_radix(&after[..2], 16).unwrap());
        rest = &after[2..];
    }
    out.extend_from_slice(rest.as_bytes());
    out.extend_from_slice(end.as_bytes());
    out
}

/// The schemas of the approved tools.
#[derive(Debug)]
struct Approved(ArgumentSchemas);

impl Approved {
    fn of(surface: &Surface) -> Self {
        let mut schemas = ArgumentSchemas::default();
        for tool in surface.items(Kind::Tool) {
            schemas.add(tool.name(), tool.value().member("inputSchema"));
        }
        Self(schemas)
    }
}

impl ArgumentCheck for Approved {
    fn refuse(&self, tool: &str, arguments: &str) -> Option<String> {
        self.0.refuse(tool, arguments)
    }
}
