//! What one file shows, and how it travels from the sandbox to its caller.

use facets_digest::json::{
    self, Limits, Number, Object, Provenance, Value, write_list, write_string,
};

/// What a program may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Files.
    Filesystem,
    /// The network.
    Network,
    /// Other processes and threads.
    Subprocess,
    /// Keys, ciphers, signatures.
    Crypto,
    /// Code that is made while it runs.
    CodeEvaluation,
    /// Variables of its environment. Reported and listed, without a verdict of its own.
    Environment,
}

impl Category {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Filesystem,
        Self::Network,
        Self::Subprocess,
        Self::Crypto,
        Self::CodeEvaluation,
        Self::Environment,
    ];

    /// The word in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filesystem => "filesystem",
            Self::Network => "network",
            Self::Subprocess => "subprocess",
            Self::Crypto => "crypto",
            Self::CodeEvaluation => "codeEvaluation",
            Self::Environment => "environment",
        }
    }
}

/// A capability, where it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFinding {
    /// Which.
    pub category: Category,
    /// By what name.
    pub identifier: String,
    /// The line, from 1.
    pub line: u32,
    /// The variables through which it came, first to last.
    pub path: Vec<String>,
    /// Whether it runs code that nobody has read.
    pub runs_anything: bool,
}

/// Another file or package that this one loads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// As it is written.
    pub specifier: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether it is loaded by `require`; packages may answer that differently.
    pub by_require: bool,
}

/// A name that nobody defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undefined {
    /// The name.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
}

/// A place where a way gets out of sight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubt {
    /// What cannot be followed.
    pub reason: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u32,
}

/// A place where a way to one category gets out of sight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Perhaps {
    /// Which.
    pub category: Category,
    /// What cannot be followed.
    pub reason: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether it counts only in a file with which the program starts.
    pub only_if_started: bool,
}

/// What one file shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Capabilities.
    pub findings: Vec<SourceFinding>,
    /// What it loads.
    pub imports: Vec<Import>,
    /// What cannot be followed.
    pub doubts: Vec<Doubt>,
    /// What cannot be followed, and concerns one category.
    pub perhaps: Vec<Perhaps>,
    /// What cannot be followed if the program has other files.
    pub unless_alone: Vec<Doubt>,
    /// Names it uses that nobody defines here, and no runtime that we know.
    pub undefined: Vec<Undefined>,
    /// Global names that it defines.
    pub defines: Vec<String>,
}

impl Analysis {
    /// In order, and nothing twice.
    pub(crate) fn tidy(&mut self) {
        self.findings.sort();
        self.findings.dedup_by(|a, b| {
            (a.category, &a.identifier, a.line) == (b.category, &b.identifier, b.line)
        });
        self.imports.sort_by(|a, b| {
            (a.by_require, &a.specifier, a.line).cmp(&(b.by_require, &b.specifier, b.line))
        });
        self.imports.dedup_by(|a, b| (&a.specifier, a.by_require) == (&b.specifier, b.by_require));
        self.doubts.sort_by(|a, b| (a.line, &a.reason).cmp(&(b.line, &b.reason)));
        self.doubts.dedup();
        self.unless_alone.sort();
        self.unless_alone.dedup();
        self.perhaps.sort();
        self.perhaps.dedup();
        self.undefined.sort();
        self.undefined.dedup_by(|a, b| a.name == b.name);
        self.defines.sort();
        self.defines.dedup();
    }

    /// One line of JSON.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::from(*b"{\"findings\":");
        write_list(['[', ']'], &self.findings, &mut out, |finding, out| {
            out.push(b'[');
            write_string(finding.category.name(), out);
            out.push(b',');
            write_string(&finding.identifier, out);
            let anything = u8::from(finding.runs_anything);
            out.extend_from_slice(format!(",{},{anything},", finding.line).as_bytes());
            write_list(['[', ']'], &finding.path, out, |step, out| write_string(step, out));
            out.push(b']');
        });
        out.extend_from_slice(b",\"perhaps\":");
        write_list(['[', ']'], &self.perhaps, &mut out, |one, out| {
            out.push(b'[');
            write_string(one.category.name(), out);
            out.push(b',');
            write_string(&one.reason, out);
            let started = u8::from(one.only_if_started);
            out.extend_from_slice(format!(",{},{started}]", one.line).as_bytes());
        });
        let list = |what: &str, texts: &[(&str, u32)], out: &mut Vec<u8>| {
            out.extend_from_slice(format!(",\"{what}\":").as_bytes());
            write_list(['[', ']'], texts, out, |(text, line), out| {
                out.push(b'[');
                write_string(text, out);
                out.extend_from_slice(format!(",{line}]").as_bytes());
            });
        };
        for (what, by_require) in [("imports", false), ("requires", true)] {
            let chosen = self.imports.iter().filter(|import| import.by_require == by_require);
            let texts: Vec<_> = chosen.map(|one| (one.specifier.as_str(), one.line)).collect();
            list(what, &texts, &mut out);
        }
        let undefined: Vec<_> =
            self.undefined.iter().map(|one| (one.name.as_str(), one.line)).collect();
        let defines: Vec<_> = self.defines.iter().map(|name| (name.as_str(), 0)).collect();
        list("doubts", &texts(&self.doubts), &mut out);
        list("unlessAlone", &texts(&self.unless_alone), &mut out);
        list("undefined", &undefined, &mut out);
        list("defines", &defines, &mut out);
        out.extend_from_slice(b"}\n");
        out
    }

    /// The reverse of [`Self::encode`]. The sandbox read hostile source, so nothing is assumed.
    #[must_use]
    pub fn decode(line: &[u8]) -> Option<Self> {
        let Ok(Value::Object(root)) = json::parse(line, Provenance::Authored, Limits::DOCUMENT)
        else {
            return None;
        };
        let imports = |name: &str, by_require: bool| -> Option<Vec<Import>> {
            let import = |(specifier, line)| Import { specifier, line, by_require };
            Some(pairs(&root, name)?.into_iter().map(import).collect())
        };
        let mut all = imports("imports", false)?;
        all.extend(imports("requires", true)?);
        let doubts = |name: &str| -> Option<Vec<Doubt>> {
            let doubt = |(reason, line)| Doubt { reason, line };
            Some(pairs(&root, name)?.into_iter().map(doubt).collect())
        };
        let undefined = pairs(&root, "undefined")?.into_iter();
        Some(Self {
            findings: items(&root, "findings")?.iter().map(finding).collect::<Option<_>>()?,
            imports: all,
            perhaps: items(&root, "perhaps")?.iter().map(perhaps).collect::<Option<_>>()?,
            doubts: doubts("doubts")?,
            unless_alone: doubts("unlessAlone")?,
            undefined: undefined.map(|(name, line)| Undefined { name, line }).collect(),
            defines: pairs(&root, "defines")?.into_iter().map(|(name, _)| name).collect(),
        })
    }
}

fn texts(doubts: &[Doubt]) -> Vec<(&str, u32)> {
    doubts.iter().map(|one| (one.reason.as_str(), one.line)).collect()
}

fn items<'v, 'a>(root: &'v Object<'a>, name: &str) -> Option<&'v [Value<'a>]> {
    match root.get(name)? {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

fn pairs(root: &Object<'_>, name: &str) -> Option<Vec<(String, u32)>> {
    let pair = |item: &Value<'_>| match item {
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(text), Value::Number(line)] => Some((text.to_string(), number(line)?)),
            _ => None,
        },
        _ => None,
    };
    items(root, name)?.iter().map(pair).collect()
}

fn finding(value: &Value<'_>) -> Option<SourceFinding> {
    let Value::Array(parts) = value else { return None };
    let [
        Value::String(category),
        Value::String(identifier),
        Value::Number(line),
        Value::Number(anything),
        Value::Array(path),
    ] = parts.as_slice()
    else {
        return None;
    };
    let step = |step: &Value<'_>| match step {
        Value::String(text) => Some(text.to_string()),
        _ => None,
    };
    Some(SourceFinding {
        category: category_of(category)?,
        identifier: identifier.to_string(),
        line: number(line)?,
        path: path.iter().map(step).collect::<Option<_>>()?,
        runs_anything: number(anything)? == 1,
    })
}

fn perhaps(value: &Value<'_>) -> Option<Perhaps> {
    let Value::Array(parts) = value else { return None };
    let [
        Value::String(category),
        Value::String(reason),
        Value::Number(line),
        Value::Number(started),
    ] = parts.as_slice()
    else {
        return None;
    };
    Some(Perhaps {
        category: category_of(category)?,
        reason: reason.to_string(),
        line: number(line)?,
        only_if_started: number(started)? == 1,
    })
}

fn category_of(name: &str) -> Option<Category> {
    Category::ALL.into_iter().find(|known| known.name() == name)
}

fn number(number: &Number<'_>) -> Option<u32> {
    let mut text = Vec::new();
    number.write_to(&mut text);
    str::from_utf8(&text).ok()?.parse().ok()
}
