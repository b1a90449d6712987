use std::collections::BTreeMap;

use super::check::{Checker, Members, Place, shorten};
use super::declared_server::{DeclaredServer, Declarer, servers};
use super::{FileRole, Outcome};
use crate::tree::{ManifestFormat, NodeMember, NodeValue};
use crate::{ArtifactName, ArtifactPath, AssetName, PlainVersion, collision_key};

const KNOWN: &[&str] = &[
    "name",
    "version",
    "description",
    "author",
    "private",
    "skills",
    "agents",
    "commands",
    "files",
    "facets",
    "servers",
];

/// spec 4.1: the archive format has no room for more.
const MAX_PATH: usize = 100;

/// `facet.json` or `facet.yaml` (spec 3.1).
#[derive(Clone, Debug)]
pub struct FacetManifest {
    /// Its name in the registry.
    pub name: ArtifactName,
    /// Its version.
    pub version: PlainVersion,
    /// For people.
    pub description: Option<String>,
    /// For people.
    pub author: Option<String>,
    /// Whether it may only be published privately.
    pub private: bool,
    /// Skills by name.
    pub skills: BTreeMap<AssetName, Skill>,
    /// Agents by name.
    pub agents: BTreeMap<AssetName, Asset>,
    /// Commands by name.
    pub commands: BTreeMap<AssetName, Asset>,
    /// Files that travel in the archive and are not installed.
    pub files: Vec<ArtifactPath>,
    /// Other facets that this one is composed of.
    pub facets: Vec<Composition>,
    /// Servers it links to, by name.
    pub servers: BTreeMap<String, DeclaredServer>,
    /// Members that this version of facet does not know.
    pub unknown: Vec<NodeMember>,
}

/// An agent or a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// When to use it.
    pub description: String,
}

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// When to use it.
    pub description: String,
    /// Companion files, relative to the skill's directory.
    pub files: Vec<ArtifactPath>,
}

/// Another facet, by name and exact version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// Its name.
    pub name: ArtifactName,
    /// Its version.
    pub version: PlainVersion,
    /// Only these of its assets, by group; all of them if there is no group.
    pub selection: BTreeMap<String, Vec<AssetName>>,
}

/// Reads a facet manifest.
#[must_use]
pub fn parse_facet(bytes: &[u8], format: ManifestFormat) -> Outcome<FacetManifest> {
    Checker::run(bytes, format, facet)
}

fn facet(check: &mut Checker<'_>, root: &Place<'_>) -> Option<FacetManifest> {
    let members = check.members(root)?;
    let unknown = check.open(&members, KNOWN);
    let name = members.required(check, "name", "\"my-facet\"").and_then(|place| check.word(&place));
    let version =
        members.required(check, "version", "\"1.0.0\"").and_then(|place| check.word(&place));
    let mut text =
        |name| members.optional(name).and_then(|place| check.string(&place)).map(str::to_owned);
    let (description, author) = (text("description"), text("author"));
    let private = members.optional("private").and_then(|place| check.boolean(&place));
    let mut paths = ArchivePaths::default();
    let skills = skills(check, &members, &mut paths);
    let agents = assets(check, &members, "agents", &mut paths);
    let commands = assets(check, &members, "commands", &mut paths);
    let files = files(check, &members, &mut paths);
    refuse_shared_names(check, &members);
    paths.check(check);
    let facets = compositions(check, &members);
    let servers = servers(check, &members, Declarer::Facet);
    refuse_empty(check, root, &members);
    Some(FacetManifest {
        name: name?,
        version: version?,
        description,
        author,
        private: private.unwrap_or_default(),
        skills,
        agents,
        commands,
        files,
        facets,
        servers,
        unknown,
    })
}

/// Every path of the archive with the place that declares it.
#[derive(Default)]
struct ArchivePaths<'a>(Vec<(String, Place<'a>)>);

impl<'a> ArchivePaths<'a> {
    fn add(&mut self, check: &mut Checker<'_>, path: String, role: FileRole, place: &Place<'a>) {
        check.file(path.clone(), role, place);
        self.0.push((path, place.clone()));
    }

    fn check(mut self, check: &mut Checker<'_>) {
        for (path, place) in &self.0 {
            if path.len() > MAX_PATH {
                let found = format!("the path `{path}` has {} bytes", path.len());
                let allowed =
                    format!("at most {MAX_PATH} bytes, counted from the root of the archive");
                check.problem(
                    "manifest-path-too-long",
                    place,
                    &found,
                    &allowed,
                    "shorten the path",
                );
            }
        }
        // Sorted by key, a path stands right before the paths below it and its own twins.
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        seen.insert(collision_key("facet.json"), "facet.json".to_owned());
        self.0.sort_by_key(|(_, place)| place.node.span.start);
        for (path, place) in self.0 {
            let key = collision_key(&path);
            if let Some(earlier) = colliding(&seen, &key) {
                let found = format!("`{path}` collides with `{earlier}`");
                check.problem(
                    "manifest-path-collision",
                    &place,
                    &found,
                    "paths that are different on every file system; no file with the path of a directory",
                    "rename one of the two",
                );
            } else {
                seen.insert(key, path);
            }
        }
    }
}

/// An earlier path that is the same, lies below, or is a directory of this one.
fn colliding<'s>(seen: &'s BTreeMap<String, String>, key: &str) -> Option<&'s String> {
    let parents = key.match_indices('/').map(|(at, _)| &key[..at]);
    let above = parents.chain([key]).find_map(|path| seen.get(path));
    let below = format!("{key}/");
    above.or_else(|| {
        let (first, path) = seen.range(below.clone()..).next()?;
        first.starts_with(&below).then_some(path)
    })
}

fn skills<'a>(
    check: &mut Checker<'_>,
    members: &Members<'a>,
    paths: &mut ArchivePaths<'a>,
) -> BTreeMap<AssetName, Skill> {
    let mut skills = BTreeMap::new();
    for (name, place, descriptor) in named_descriptors(check, members, "skills") {
        let description = description(check, &descriptor);
        let mut files = Vec::new();
        for (path, place) in path_list(check, descriptor.optional("files")) {
            if collision_key(path.as_str()) == "skill.md" {
                let fix = "remove it: SKILL.md always belongs to the skill";
                check.problem(
                    "manifest-bad-value",
                    &place,
                    "SKILL.md",
                    "companion files only",
                    fix,
                );
                continue;
            }
            files.push((path, place));
        }
        let Some(name) = name else { continue };
        paths.add(check, format!("skills/{name}/SKILL.md"), FileRole::Primary, &place);
        for (path, place) in &files {
            paths.add(check, format!("skills/{name}/{path}"), FileRole::Companion, place);
        }
        if let Some(description) = description {
            let files = files.into_iter().map(|(path, _)| path).collect();
            skills.insert(name, Skill { description, files });
        }
    }
    skills
}

fn assets<'a>(
    check: &mut Checker<'_>,
    members: &Members<'a>,
    group: &str,
    paths: &mut ArchivePaths<'a>,
) -> BTreeMap<AssetName, Asset> {
    let mut assets = BTreeMap::new();
    for (name, place, descriptor) in named_descriptors(check, members, group) {
        let description = description(check, &descriptor);
        let Some(name) = name else { continue };
        paths.add(check, format!("{group}/{name}.md"), FileRole::Primary, &place);
        if let Some(description) = description {
            assets.insert(name, Asset { description });
        }
    }
    assets
}

/// The members of a group whose shapes are in order; a wrong name does not hide the rest.
fn named_descriptors<'a>(
    check: &mut Checker<'_>,
    members: &Members<'a>,
    group: &str,
) -> Vec<(Option<AssetName>, Place<'a>, Members<'a>)> {
    let Some(group) = members.optional(group).and_then(|place| check.members(&place)) else {
        return Vec::new();
    };
    let mut named = Vec::new();
    for (member, place) in group.entries() {
        let name = check.name(member, &place);
        if let Some(descriptor) = check.members(&place) {
            named.push((name, place, descriptor));
        }
    }
    named
}

fn description(check: &mut Checker<'_>, descriptor: &Members<'_>) -> Option<String> {
    let place = descriptor.required(check, "description", "\"when to use it\"")?;
    check.string(&place).map(str::to_owned)
}

fn files<'a>(
    check: &mut Checker<'_>,
    members: &Members<'a>,
    paths: &mut ArchivePaths<'a>,
) -> Vec<ArtifactPath> {
    let mut files = Vec::new();
    for (path, place) in path_list(check, members.optional("files")) {
        let key = collision_key(path.as_str());
        if key == "facet.json" || key.starts_with("skills/") {
            let found = format!("{:?}", path.as_str());
            check.problem(
                "manifest-bad-value",
                &place,
                &found,
                "any path except facet.json and paths below skills/",
                "remove it, or list it under `files` of the skill",
            );
            continue;
        }
        paths.add(check, path.to_string(), FileRole::Companion, &place);
        files.push(path);
    }
    files
}

fn path_list<'a>(
    check: &mut Checker<'_>,
    list: Option<Place<'a>>,
) -> Vec<(ArtifactPath, Place<'a>)> {
    let items = list.and_then(|place| check.items(&place)).unwrap_or_default();
    let paths = items.into_iter().map(|place| (check.word::<ArtifactPath>(&place), place));
    paths.filter_map(|(path, place)| Some((path?, place))).collect()
}

/// Skills and commands are installed into one namespace.
fn refuse_shared_names(check: &mut Checker<'_>, members: &Members<'_>) {
    let group = |name| members.optional(name).map(|place| place.node);
    let (Some(skills), Some(commands)) = (group("skills"), members.optional("commands")) else {
        return;
    };
    let (NodeValue::Object(skills), NodeValue::Object(entries)) =
        (&skills.value, &commands.node.value)
    else {
        return;
    };
    for member in entries.iter().filter(|entry| skills.iter().any(|skill| skill.name == entry.name))
    {
        let place = commands.child(&member.name, &member.node);
        let found =
            format!("the name of the skill \"{}\", used for a command as well", member.name);
        check.name_problem(
            "manifest-name-collision",
            (member, &place),
            &found,
            "a unique name for each skill and command",
            "rename one of the two",
        );
    }
}

fn compositions(check: &mut Checker<'_>, members: &Members<'_>) -> Vec<Composition> {
    let items =
        members.optional("facets").and_then(|place| check.items(&place)).unwrap_or_default();
    items.iter().filter_map(|item| composition(check, item)).collect()
}

fn composition(check: &mut Checker<'_>, place: &Place<'_>) -> Option<Composition> {
    if let NodeValue::String(text) = &place.node.value {
        let parsed = text.rsplit_once('@').and_then(|(name, version)| {
            let (name, version) = (name.parse().ok()?, version.parse().ok()?);
            Some(Composition { name, version, selection: BTreeMap::new() })
        });
        if parsed.is_none() {
            let fix = "write the name, '@' and an exact version";
            check.problem("manifest-bad-source", place, &shorten(text), "name@1.0.0", fix);
        }
        return parsed;
    }
    let members = check.members(place)?;
    check.closed(&members, &["name", "version", "skills", "agents", "commands"]);
    let name =
        members.required(check, "name", "\"other-facet\"").and_then(|place| check.word(&place));
    let version =
        members.required(check, "version", "\"1.0.0\"").and_then(|place| check.word(&place));
    let mut selection = BTreeMap::new();
    for group in ["skills", "agents", "commands"] {
        let Some(list) = members.optional(group) else { continue };
        let items = check.items(&list).unwrap_or_default();
        let names = items.iter().filter_map(|item| check.word(item)).collect();
        selection.insert(group.to_owned(), names);
    }
    if selection.is_empty() {
        let fix = "write \"name@version\" to take the whole facet";
        let found = "no skills, agents or commands";
        check.problem("manifest-missing-member", place, found, "at least one of these", fix);
    }
    Some(Composition { name: name?, version: version?, selection })
}

fn refuse_empty(check: &mut Checker<'_>, root: &Place<'_>, members: &Members<'_>) {
    let groups = ["skills", "agents", "commands", "servers", "facets"];
    let is_empty = |place: Place<'_>| match &place.node.value {
        NodeValue::Object(members) => members.is_empty(),
        NodeValue::Array(items) => items.is_empty(),
        _ => false,
    };
    // A group whose names were all refused is not empty, it is wrong.
    if check.is_clean() && groups.iter().all(|group| members.optional(group).is_none_or(is_empty)) {
        check.problem(
            "manifest-empty",
            root,
            "no skills, agents, commands, servers or facets",
            "at least one of these",
            "add \"skills\": {\"my-skill\": {\"description\": \"when to use it\"}}",
        );
    }
}
