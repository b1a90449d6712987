//! One wheel of a release of PyPI.

use super::hashes::record_hash;
use super::publication::PUBLISHED;
use super::zip::{ZipEntry, zip};

/// A wheel that a test makes. Nothing about it is checked.
#[derive(Clone, Debug)]
pub struct Wheel {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) requires_python: Option<String>,
    pub(super) published: String,
    tags: String,
    requires_dist: Vec<String>,
    extras: Vec<String>,
    console_scripts: Vec<String>,
    files: Vec<ZipEntry>,
    raw_entries: Vec<ZipEntry>,
}

impl Wheel {
    /// A wheel without files, for any Python 3 on any system.
    #[must_use]
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            requires_python: None,
            published: PUBLISHED.to_owned(),
            tags: "py3-none-any".to_owned(),
            requires_dist: Vec::new(),
            extras: Vec::new(),
            console_scripts: Vec::new(),
            files: Vec::new(),
            raw_entries: Vec::new(),
        }
    }

    /// Adds a file, which `RECORD` lists.
    #[must_use]
    pub fn file(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.files.push(ZipEntry::file(path, bytes));
        self
    }

    /// Adds an entry as it is, which `RECORD` does not list.
    #[must_use]
    pub fn raw_entry(mut self, entry: ZipEntry) -> Self {
        self.raw_entries.push(entry);
        self
    }

    /// Needs another project, such as `other>=1; python_version < '3.12'`.
    #[must_use]
    pub fn requires_dist(mut self, requirement: &str) -> Self {
        self.requires_dist.push(requirement.to_owned());
        self
    }

    /// An extra that requirements may name in their condition.
    #[must_use]
    pub fn extra(mut self, name: &str) -> Self {
        self.extras.push(name.to_owned());
        self
    }

    /// A command, and the function that it calls, such as `package.module:main`.
    #[must_use]
    pub fn console_script(mut self, command: &str, function: &str) -> Self {
        self.console_scripts.push(format!("{command} = {function}\n"));
        self
    }

    /// The versions of Python that it is for, such as `>=3.10`.
    #[must_use]
    pub fn requires_python(mut self, versions: &str) -> Self {
        self.requires_python = Some(versions.to_owned());
        self
    }

    /// Python, interface and system that it is for, such as `cp312-cp312-manylinux_2_17_x86_64`.
    #[must_use]
    pub fn tags(mut self, tags: &str) -> Self {
        tags.clone_into(&mut self.tags);
        self
    }

    /// When it was published, such as `2025-01-01T00:00:00.000Z`.
    #[must_use]
    pub fn published(mut self, time: &str) -> Self {
        time.clone_into(&mut self.published);
        self
    }

    /// The name of its file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}-{}.whl", self.stem(), self.tags)
    }

    /// Name and version as folders and files of a wheel have them.
    fn stem(&self) -> String {
        format!("{}-{}", normalized_name(&self.name).replace('-', "_"), self.version)
    }

    /// What `METADATA` says.
    #[must_use]
    pub fn metadata(&self) -> String {
        let (name, version) = (&self.name, &self.version);
        let mut text = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n");
        let mut add = |field: &str, values: &[String]| {
            text.extend(values.iter().map(|value| format!("{field}: {value}\n")));
        };
        add("Requires-Python", self.requires_python.as_slice());
        add("Requires-Dist", &self.requires_dist);
        add("Provides-Extra", &self.extras);
        text
    }

    /// What `WHEEL` says.
    fn description(&self) -> String {
        let is_pure = self.tags.ends_with("-none-any");
        let is_pure = if is_pure { "true" } else { "false" };
        let head = "Wheel-Version: 1.0\nGenerator: facets-testkit\nRoot-Is-Purelib: ";
        let tags = expanded_tags(&self.tags);
        let tags = tags.iter().map(|tag| format!("Tag: {tag}\n"));
        std::iter::once(format!("{head}{is_pure}\n")).chain(tags).collect()
    }

    /// The archive that is served.
    #[must_use]
    pub fn archive(&self) -> Vec<u8> {
        let folder = format!("{}.dist-info", self.stem());
        let mut entries = self.files.clone();
        let mut add = |name: &str, text: String| {
            entries.push(ZipEntry::file(&format!("{folder}/{name}"), text));
        };
        add("METADATA", self.metadata());
        add("WHEEL", self.description());
        if !self.console_scripts.is_empty() {
            add(
                "entry_points.txt",
                format!("[console_scripts]\n{}", self.console_scripts.concat()),
            );
        }
        let listed = entries.iter().map(|ZipEntry { path, bytes, .. }| {
            format!("{path},{},{}\n", record_hash(bytes), bytes.len())
        });
        // Its own line has no hash.
        let record = format!("{folder}/RECORD");
        let text: String = listed.chain([format!("{record},,\n")]).collect();
        entries.push(ZipEntry::file(&record, text));
        entries.extend(self.raw_entries.clone());
        zip(&entries)
    }
}

/// A name as an index has it: lower case, with one hyphen for each run of hyphens, dots and underscores.
pub(super) fn normalized_name(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Each tag of its own: `py2.py3-none-any` is two.
fn expanded_tags(tags: &str) -> Vec<String> {
    let mut parts = tags.split('-').map(|part| part.split('.').map(str::to_owned).collect());
    let first: Vec<String> = parts.next().unwrap_or_default();
    parts.fold(first, |found, choices: Vec<String>| {
        let pairs = found.iter().flat_map(|begin| choices.iter().map(move |one| (begin, one)));
        pairs.map(|(begin, choice)| format!("{begin}-{choice}")).collect()
    })
}
