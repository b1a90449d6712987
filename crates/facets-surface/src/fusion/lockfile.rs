//! `vurb.lock`, and `mcp-fusion.lock` before it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use facets_digest::json::{Number, compare_utf16, write_pretty_list, write_string};

use super::contract::{FusionServerDigest, digest_server, shape};
use super::js::{Js, canonicalize, parse, sorted};
use super::prompt::{Prompt, member, optional, text};
use super::{FusionError, sha256};

/// A lockfile of the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct FusionLockfile<'a> {
    /// The server it is about.
    pub server_name: String,
    /// The version of the framework that wrote it.
    pub framework_version: String,
    /// When it was written.
    pub generated_at: String,
    /// Of everything, with its prefix.
    pub integrity_digest: String,
    /// By name, in the order of the file.
    pub tools: Vec<FusionTool<'a>>,
    /// By name, if the server has prompts.
    pub prompts: Option<Vec<FusionTool<'a>>>,
}

/// An entry of a lockfile.
#[derive(Clone, Debug, PartialEq)]
pub struct FusionTool<'a> {
    /// Its name.
    pub name: String,
    /// Its digest, without the prefix.
    pub digest: String,
    /// The whole entry.
    pub entry: Js<'a>,
}

/// Reads a lockfile. Stricter than the reference, which stops at the header: entries are
/// objects with a digest.
pub fn parse_lockfile(bytes: &[u8]) -> Result<FusionLockfile<'_>, FusionError> {
    let root = parse(bytes)?;
    if root.get("lockfileVersion") != Some(&Js::Number(1.0)) {
        return Err(FusionError::NotALockfile);
    }
    let header = |names: &[&str]| {
        let found = names.iter().find_map(|name| root.get(name)?.text());
        found.map(str::to_owned).ok_or_else(|| shape(names[0], "a string"))
    };
    let capabilities = root.get("capabilities");
    let entries = |kind: &str| {
        let list = capabilities.and_then(|capabilities| capabilities.get(kind));
        let place = format!("capabilities.{kind}");
        list.map(|list| locked(list, &place))
    };
    Ok(FusionLockfile {
        server_name: header(&["serverName"])?,
        framework_version: header(&["vurbVersion", "fusionVersion"])?,
        generated_at: header(&["generatedAt"])?,
        integrity_digest: header(&["integrityDigest"])?,
        tools: entries("tools").ok_or_else(|| shape("capabilities.tools", "an object"))??,
        prompts: entries("prompts").transpose()?,
    })
}

fn locked<'a>(list: &Js<'a>, place: &str) -> Result<Vec<FusionTool<'a>>, FusionError> {
    let members = list.members().ok_or_else(|| shape(place, "an object"))?;
    let entry = |(name, entry): &(Cow<'a, str>, Js<'a>)| {
        let place = format!("{place}.{name}");
        entry.members().ok_or_else(|| shape(&place, "an object"))?;
        let digest = entry.get("integrityDigest").and_then(Js::text);
        let digest = digest.and_then(|digest| digest.strip_prefix("sha256:"));
        let digest =
            digest.ok_or_else(|| shape(&format!("{place}.integrityDigest"), "a digest"))?;
        Ok(FusionTool { name: name.to_string(), digest: digest.to_owned(), entry: entry.clone() })
    };
    members.iter().map(entry).collect()
}

/// A fact of a lockfile that is not so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Which.
    pub place: String,
    /// As it should be, as JSON; nothing if it should not be there.
    pub expected: Option<String>,
    /// As it is.
    pub found: Option<String>,
}

/// A lockfile against the contracts it should describe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FusionLockfileCheck {
    /// Tools that are not in it.
    pub added: Vec<String>,
    /// Tools that only it has.
    pub removed: Vec<String>,
    /// Tools with another digest.
    pub changed: Vec<String>,
    /// Tools with the same digest.
    pub unchanged: Vec<String>,
    /// What it says of tools that are still there, of prompts and of the whole, and is not so.
    pub mismatches: Vec<Mismatch>,
}

impl FusionLockfileCheck {
    /// Whether everything is as the lockfile says.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.mismatches.is_empty()
    }
}

/// Compares a lockfile with contracts, and with itself: unlike the reference, every readable
/// fact counts, and prompts always do.
pub fn check_lockfile(
    lock: &FusionLockfile<'_>,
    contracts: &Js<'_>,
) -> Result<FusionLockfileCheck, FusionError> {
    let members = contracts.members().ok_or_else(|| shape("the contracts", "an object"))?;
    let server = digest_server(members)?;
    let mut check = FusionLockfileCheck::default();
    let locked_by_name: BTreeMap<&str, &FusionTool<'_>> =
        lock.tools.iter().map(|locked| (locked.name.as_str(), locked)).collect();
    let now: BTreeSet<&str> = server.tools.iter().map(|(name, _)| name.as_str()).collect();
    for ((name, tool), (_, contract)) in server.tools.iter().zip(members) {
        let Some(locked) = locked_by_name.get(name.as_str()) else {
            check.added.push(name.clone());
            continue;
        };
        let same = locked.digest == tool.digest;
        if same { &mut check.unchanged } else { &mut check.changed }.push(name.clone());
        let place = format!("capabilities.tools.{name}");
        differences(
            &tool_entry(contract, &tool.digest),
            &locked.entry,
            &place,
            &mut check.mismatches,
        );
    }
    let gone = lock.tools.iter().filter(|locked| !now.contains(locked.name.as_str()));
    check.removed = gone.map(|locked| locked.name.clone()).collect();
    check_prompts(lock, &mut check.mismatches)?;
    check_whole(lock, &mut check.mismatches);
    Ok(check)
}

/// Names what two lockfiles say differently, but for version and time.
#[must_use]
pub fn compare_lockfiles(before: &FusionLockfile<'_>, after: &FusionLockfile<'_>) -> Vec<Mismatch> {
    let facts = |lock: &FusionLockfile<'_>| {
        let entries = |list: &[FusionTool<'_>]| {
            Js::Object(
                list.iter().map(|one| (Cow::Owned(one.name.clone()), owned(&one.entry))).collect(),
            )
        };
        let prompts = lock.prompts.as_deref().map_or(Js::Null, entries);
        Js::Object(vec![
            member("serverName", text(&lock.server_name)),
            member("integrityDigest", text(&lock.integrity_digest)),
            member("tools", entries(&lock.tools)),
            member("prompts", prompts),
        ])
    };
    let mut found = Vec::new();
    differences(&facts(after), &facts(before), "", &mut found);
    for mismatch in &mut found {
        mismatch.place = mismatch.place.trim_start_matches('.').to_owned();
    }
    found
}

/// A prompt's digest follows from its entry, so the lockfile can be held to its own words.
fn check_prompts(lock: &FusionLockfile<'_>, out: &mut Vec<Mismatch>) -> Result<(), FusionError> {
    for locked in lock.prompts.iter().flatten() {
        let entry = &locked.entry;
        let renamed =
            entry.members().unwrap_or_default().iter().map(|(name, value)| match &**name {
                "arguments" => ("args".into(), value.clone()),
                "hydrationTimeout" => ("timeout".into(), value.clone()),
                _ => (name.clone(), value.clone()),
            });
        let mut described: Vec<(Cow<'_, str>, Js<'_>)> = renamed.collect();
        described.push(("name".into(), text(&locked.name)));
        let prompt = Prompt::from_js(&Js::Object(described))?;
        let place = format!("capabilities.prompts.{}", locked.name);
        differences(&prompt.entry_as_ordered(), entry, &place, out);
    }
    Ok(())
}

fn check_whole(lock: &FusionLockfile<'_>, out: &mut Vec<Mismatch>) {
    let digests = |list: &[FusionTool<'_>]| -> Vec<(String, String)> {
        list.iter().map(|locked| (locked.name.clone(), locked.digest.clone())).collect()
    };
    let prompts = lock.prompts.as_deref().map(digests);
    let expected = integrity(&lines(digests(&lock.tools), ""), prompts);
    if expected != lock.integrity_digest {
        out.push(Mismatch {
            place: "integrityDigest".to_owned(),
            expected: Some(expected),
            found: Some(lock.integrity_digest.clone()),
        });
    }
}

fn lines(mut entries: Vec<(String, String)>, prefix: &str) -> String {
    entries.sort_by(|a, b| compare_utf16(&a.0, &b.0));
    let lines: Vec<String> =
        entries.into_iter().map(|(name, digest)| format!("{name}:{prefix}{digest}")).collect();
    lines.join("\n")
}

fn integrity(tool_lines: &str, prompts: Option<Vec<(String, String)>>) -> String {
    let tools = sha256(tool_lines);
    match prompts {
        None => format!("sha256:{tools}"),
        Some(prompts) => {
            let prompts = lines(prompts, "sha256:");
            format!("sha256:{}", sha256(&format!("{tools}\n---prompts---\n{prompts}")))
        }
    }
}

/// Names each member that differs.
fn differences(expected: &Js<'_>, found: &Js<'_>, place: &str, out: &mut Vec<Mismatch>) {
    let (Some(ours), Some(theirs)) = (expected.members(), found.members()) else {
        if canonicalize(expected) != canonicalize(found) {
            out.push(Mismatch {
                place: place.to_owned(),
                expected: Some(canonicalize(expected)),
                found: Some(canonicalize(found)),
            });
        }
        return;
    };
    let by_name: BTreeMap<&str, &Js<'_>> =
        theirs.iter().map(|(name, value)| (&**name, value)).collect();
    let known: BTreeSet<&str> = ours.iter().map(|(name, _)| &**name).collect();
    for (name, value) in ours {
        let place = format!("{place}.{name}");
        match by_name.get(&**name) {
            Some(other) => differences(value, other, &place, out),
            None => out.push(Mismatch { place, expected: Some(canonicalize(value)), found: None }),
        }
    }
    for (name, value) in theirs.iter().filter(|(name, _)| !known.contains(&**name)) {
        let place = format!("{place}.{name}");
        out.push(Mismatch { place, expected: None, found: Some(canonicalize(value)) });
    }
}

/// The entry that the reference would write for a contract.
fn tool_entry(contract: &Js<'_>, digest: &str) -> Js<'static> {
    let section = |name: &str| contract.get(name).cloned().unwrap_or(Js::Null);
    let (surface, behavior) = (section("surface"), section("behavior"));
    let (economics, entitlements) = (section("tokenEconomics"), section("entitlements"));
    let actions = surface.get("actions").and_then(Js::members).unwrap_or_default();
    let keys = |chosen: &dyn Fn(&Js<'_>) -> bool| {
        let mut keys: Vec<&str> =
            actions.iter().filter(|(_, action)| chosen(action)).map(|(key, _)| &**key).collect();
        keys.sort_unstable_by(|a, b| compare_utf16(a, b));
        Js::Array(keys.into_iter().map(text).collect())
    };
    let flag =
        |name: &'static str| move |action: &Js<'_>| action.get(name) == Some(&Js::Bool(true));
    let copy = |from: &Js<'_>, name: &str| from.get(name).map_or(Js::Null, owned);
    let prefixed = |from: &Js<'_>, name: &str| match from.get(name).and_then(Js::text) {
        Some(hex) => text(&format!("sha256:{hex}")),
        None => Js::Null,
    };
    let copies = |from: &Js<'_>, names: &[&'static str]| {
        Js::Object(names.iter().map(|name| member(name, copy(from, name))).collect())
    };
    Js::Object(vec![
        member("integrityDigest", text(&format!("sha256:{digest}"))),
        member(
            "surface",
            Js::Object(vec![
                member("description", copy(&surface, "description")),
                member("actions", keys(&|_| true)),
                member("inputSchemaDigest", prefixed(&surface, "inputSchemaDigest")),
                member("tags", sorted_tags(&surface)),
            ]),
        ),
        member(
            "behavior",
            Js::Object(vec![
                member("egressSchemaDigest", prefixed(&behavior, "egressSchemaDigest")),
                member("systemRulesFingerprint", copy(&behavior, "systemRulesFingerprint")),
                member("destructiveActions", keys(&flag("destructive"))),
                member("readOnlyActions", keys(&flag("readOnly"))),
                member("middlewareChain", copy(&behavior, "middlewareChain")),
                member("affordanceTopology", copy(&behavior, "affordanceTopology")),
                member("cognitiveGuardrails", copy(&behavior, "cognitiveGuardrails")),
            ]),
        ),
        member(
            "tokenEconomics",
            copies(&economics, &["inflationRisk", "schemaFieldCount", "unboundedCollection"]),
        ),
        member(
            "entitlements",
            copies(
                &entitlements,
                &["filesystem", "network", "subprocess", "crypto", "codeEvaluation"],
            ),
        ),
    ])
}

fn sorted_tags(surface: &Js<'_>) -> Js<'static> {
    let Some(Js::Array(tags)) = surface.get("tags") else { return Js::Null };
    let mut tags: Vec<&str> = tags.iter().filter_map(Js::text).collect();
    tags.sort_unstable_by(|a, b| compare_utf16(a, b));
    Js::Array(tags.into_iter().map(text).collect())
}

fn owned(value: &Js<'_>) -> Js<'static> {
    match value {
        Js::Null => Js::Null,
        Js::Bool(value) => Js::Bool(*value),
        Js::Number(value) => Js::Number(*value),
        Js::String(value) => text(value),
        Js::Array(items) => Js::Array(items.iter().map(owned).collect()),
        Js::Object(members) => Js::Object(
            members
                .iter()
                .map(|(name, value)| (Cow::Owned(name.to_string()), owned(value)))
                .collect(),
        ),
    }
}

/// Writes the lockfile that the reference would write, byte for byte.
pub fn write_lockfile(
    [server_name, framework_version, generated_at]: [&str; 3],
    contracts: &Js<'_>,
    prompts: Option<&[Prompt]>,
) -> Result<String, FusionError> {
    let members = contracts.members().ok_or_else(|| shape("the contracts", "an object"))?;
    let server: FusionServerDigest = digest_server(members)?;
    let tools = server.tools.iter().zip(members).map(|((name, tool), (_, contract))| {
        (Cow::Owned(name.clone()), tool_entry(contract, &tool.digest))
    });
    let mut capabilities = vec![member("tools", Js::Object(tools.collect()))];
    let mut prompt_digests = None;
    if let Some(prompts) = prompts {
        let mut entries = Vec::new();
        let mut digests = Vec::new();
        for prompt in prompts {
            let entry = prompt.entry()?;
            let digest = entry.get("integrityDigest").and_then(Js::text).unwrap_or_default();
            digests.push((prompt.name.clone(), digest.trim_start_matches("sha256:").to_owned()));
            entries.push((Cow::Owned(prompt.name.clone()), entry));
        }
        capabilities.push(member("prompts", Js::Object(entries)));
        prompt_digests = Some(digests);
    }
    let tool_digests = server.tools.iter().map(|(name, tool)| (name.clone(), tool.digest.clone()));
    let digest = integrity(&lines(tool_digests.collect(), ""), prompt_digests);
    let root = Js::Object(vec![
        member("lockfileVersion", Js::Number(1.0)),
        member("serverName", text(server_name)),
        member("vurbVersion", text(framework_version)),
        member("generatedAt", text(generated_at)),
        member("integrityDigest", optional(Some(&digest))),
        member("capabilities", Js::Object(capabilities)),
    ]);
    let mut out = Vec::new();
    write_pretty(&root, 0, &mut out);
    out.push(b'\n');
    Ok(String::from_utf8(out).unwrap_or_default())
}

fn write_pretty(value: &Js<'_>, depth: usize, out: &mut Vec<u8>) {
    match value {
        Js::Array(items) => write_pretty_list(['[', ']'], items, depth, out, |item, out| {
            write_pretty(item, depth + 1, out);
        }),
        Js::Object(members) => {
            write_pretty_list(['{', '}'], &sorted(members), depth, out, |(name, value), out| {
                write_string(name, out);
                out.extend_from_slice(b": ");
                write_pretty(value, depth + 1, out);
            });
        }
        Js::Number(number) => Number::Double(*number).write_to(out),
        scalar => out.extend_from_slice(canonicalize(scalar).as_bytes()),
    }
}
