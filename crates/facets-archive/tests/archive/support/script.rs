//! The scripts in `testdata/attacks/archives`, as the README there describes them.

use std::fmt::Write as _;
use std::path::Path;

use facets_digest::Digest;

use super::SERVER_YAML;
use super::tar::{Checksum, Entry, gzip, pax_records};

/// Which reader a script is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Server,
    Facet,
    Npm,
}

/// A script and the archive that it makes.
pub struct Script {
    pub name: String,
    pub format: Format,
    pub expected: String,
    tar: Vec<u8>,
    /// Files for the build manifest of a facet.
    files: Vec<(String, Digest)>,
    outer: Vec<Entry>,
    end: Option<usize>,
    trailing: Vec<u8>,
    gzip_trailing: Vec<u8>,
    /// Counted from the end.
    gzip_patches: Vec<(usize, Vec<u8>)>,
    gzip_flags: u8,
    gzip_cut: usize,
}

impl Script {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(text.starts_with("# "), "{name} does not say what it is");
        let mut script = Self {
            name,
            format: Format::Server,
            expected: String::new(),
            tar: Vec::new(),
            files: Vec::new(),
            outer: Vec::new(),
            end: None,
            trailing: Vec::new(),
            gzip_trailing: Vec::new(),
            gzip_patches: Vec::new(),
            gzip_flags: 0,
            gzip_cut: 0,
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            script.line(line);
        }
        assert!(!script.expected.is_empty(), "{} expects nothing", script.name);
        script
    }

    fn line(&mut self, line: &str) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split(' ').filter(|word| !word.is_empty()).collect();
        match verb {
            "" => {}
            "format" => self.format = format(rest),
            "expect" => rest.clone_into(&mut self.expected),
            "server" => {
                self.add(Entry::file(b"index.ts", b"export {}\n"));
                self.add(Entry::file(b"server.yaml", SERVER_YAML.as_bytes()));
            }
            "facet" => {
                let manifest =
                    r#"{"name":"demo","version":"1.0.0","skills":{"s":{"description":"d"}}}"#;
                self.add(Entry::file(b"facet.json", manifest.as_bytes()));
                self.add(Entry::file(b"skills/s/SKILL.md", b"# hi\n"));
            }
            "entry" => self.add(entry(&words)),
            "outer" => self.outer.push(entry(&words)),
            "pax" | "pax-global" => self.add_records(verb, &words),
            "files" => {
                for number in 0..words[0].parse::<usize>().unwrap() {
                    self.add(Entry::file(format!("package/f{number:07}").as_bytes(), b""));
                }
            }
            "zeros" => {
                let content = vec![0; words[1].parse().unwrap()];
                self.add(Entry::file(&unescape(words[0]), &content));
            }
            "end" => self.end = Some(rest.parse().unwrap()),
            "trailing" => self.trailing = unescape(rest),
            "gzip-trailing" => self.gzip_trailing = unescape(rest),
            "gzip-member" => self.gzip_trailing = gzip(b"second"),
            "gzip-patch" => self.gzip_patches.push(patch(rest)),
            "gzip-flags" => self.gzip_flags = rest.parse().unwrap(),
            "gzip-cut" => self.gzip_cut = rest.parse().unwrap(),
            _ => panic!("{}: {line}", self.name),
        }
    }

    fn add(&mut self, mut entry: Entry) {
        if self.format == Format::Facet && entry.checksum == Checksum::Padded {
            entry.checksum = Checksum::Short;
        }
        if entry.flag == b'0' {
            let name = String::from_utf8_lossy(&entry.name).into_owned();
            self.files.push((name, Digest::of(&entry.content)));
        }
        self.tar.extend(entry.bytes());
    }

    fn add_records(&mut self, verb: &str, words: &[&str]) {
        let words: Vec<String> =
            words.iter().map(|word| String::from_utf8(unescape(word)).unwrap()).collect();
        let records: Vec<(&str, &str)> =
            words.iter().map(|word| word.split_once('=').unwrap()).collect();
        let mut entry = Entry::file(b"PaxHeader", &pax_records(&records));
        entry.flag = if verb == "pax" { b'x' } else { b'g' };
        self.add(entry);
    }

    /// The bytes of the archive.
    pub fn archive(&self) -> Vec<u8> {
        let mut tar = self.tar.clone();
        let end = match (self.end, self.format) {
            (Some(blocks), _) => blocks * 512,
            (None, Format::Facet) => tar.len().next_multiple_of(10_240) - tar.len(),
            (None, Format::Server | Format::Npm) => 1024,
        };
        tar.resize(tar.len() + end, 0);
        tar.extend_from_slice(&self.trailing);
        let mut bytes = gzip(&tar);
        bytes[3] = self.gzip_flags;
        for (from_end, patch) in &self.gzip_patches {
            let at = bytes.len() - from_end;
            bytes[at..at + patch.len()].copy_from_slice(patch);
        }
        bytes.truncate(bytes.len() - self.gzip_cut);
        bytes.extend_from_slice(&self.gzip_trailing);
        if self.format == Format::Facet { self.container(&tar, &bytes) } else { bytes }
    }

    fn container(&self, tar: &[u8], archive: &[u8]) -> Vec<u8> {
        let mut files = String::new();
        for (index, (path, digest)) in self.files.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(files, "{comma}{}:\"{digest}\"", serde_json::to_string(path).unwrap()).unwrap();
        }
        let manifest = format!(
            r#"{{"facetVersion":0.2,"archive":"archive.tar.gz","integrity":"{}","files":{{{files}}}}}"#,
            Digest::of(tar)
        );
        let mut entries = vec![
            Entry::file(b"build-manifest.json", manifest.as_bytes()),
            Entry::file(b"archive.tar.gz", archive),
        ];
        entries.extend(self.outer.clone());
        let mut bytes = Vec::new();
        for entry in &mut entries {
            entry.checksum = Checksum::Short;
            bytes.extend(entry.bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(10_240), 0);
        bytes
    }
}

fn format(word: &str) -> Format {
    match word {
        "server" => Format::Server,
        "facet" => Format::Facet,
        "npm" => Format::Npm,
        _ => panic!("no format {word}"),
    }
}

/// `PATH key=value …`
fn entry(words: &[&str]) -> Entry {
    let mut entry = Entry::file(&unescape(words[0]), b"x");
    for word in &words[1..] {
        let (key, value) = word.split_once('=').unwrap();
        match key {
            "type" => entry.flag = unescape(value)[0],
            "mode" => entry.mode = [unescape(value), vec![0]].concat(),
            "time" => entry.time = value.parse().unwrap(),
            "size" => entry.size = Some(value.parse().unwrap()),
            "content" => entry.content = unescape(value),
            "padding" => entry.padding = unescape(value)[0],
            "patch" => entry.patches.push(patch(value)),
            "checksum" => entry.checksum = Checksum::Wrong,
            _ => panic!("no key {key}"),
        }
    }
    entry
}

/// `OFFSET:TEXT`
fn patch(text: &str) -> (usize, Vec<u8>) {
    let (at, bytes) = text.split_once(':').unwrap();
    (at.parse().unwrap(), unescape(bytes))
}

/// `\xNN` is a byte, `<<TEXT*COUNT>>` repeats a text.
fn unescape(text: &str) -> Vec<u8> {
    if let Some((before, rest)) = text.split_once("<<") {
        let (repeated, behind) = rest.split_once(">>").unwrap();
        let (part, count) = repeated.rsplit_once('*').unwrap();
        let mut bytes = unescape(before);
        bytes.extend(unescape(part).repeat(count.parse().unwrap()));
        bytes.extend(unescape(behind));
        return bytes;
    }
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}
