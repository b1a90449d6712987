//! One file of the ledger: what was decided about one name in one project.

use std::path::PathBuf;

use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance, RawMember, Value, quoted, split_object};
use facets_lock::{Grants, LockedServer};
use facets_surface::Also;

const VERSION: &str = "1";

const LIMITS: Limits = Limits { bytes: 256 << 20, depth: 128, values: 8_000_000 };

/// Definitions of variants that are kept with one approval; of more, the latest.
const MOST_VARIANTS: usize = 1000;

/// What was decided about one name in one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRecord {
    /// Where the project lies; for people.
    pub project: String,
    /// The name of the server.
    pub name: String,
    /// The latest decision on what it may do.
    pub grants: Option<Grants>,
    /// What was approved, the latest last.
    pub approved: Vec<Approval>,
    /// The folder that it is kept in; the place of a project may be no text.
    pub(crate) folder: PathBuf,
}

/// What was approved: this start, of these declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// How it starts.
    pub launch: Digest,
    /// The digest of the bytes that are started, where the lock pins them.
    pub bytes: Option<Digest>,
    /// The digest of its declarations.
    pub surface: Digest,
    /// The digest of its surface file: everything that was seen, also what is in no other hash.
    pub surface_file: Digest,
    /// Where its source lies, if that is looked at.
    pub source: Option<String>,
    /// The digest of the values that a facet gives its variables, if one does.
    pub values: Option<Digest>,
    /// When; seconds since 1970.
    pub seconds: u64,
    /// What it declares otherwise on this machine.
    pub variant: Also,
}

impl LedgerRecord {
    /// The approval of an entry that gets these values of a facet.
    #[must_use]
    pub fn approval(&self, server: &LockedServer, values: Option<Digest>) -> Option<&Approval> {
        self.approved.iter().find(|approval| approval.is_of(server, values))
    }

    /// Adds an approval and a decision; of more approvals than that, the oldest go.
    pub(crate) fn add(&mut self, mut approval: Approval, grants: Grants, most: usize) {
        self.grants = Some(grants);
        let is_same = |known: &Approval| {
            (known.launch, known.bytes, known.values)
                == (approval.launch, approval.bytes, approval.values)
                && (known.surface_file, &known.source) == (approval.surface_file, &approval.source)
        };
        // Earlier variants of the same entry stay approved: users change time zones and return.
        let known = self.approved.iter().position(is_same).map(|at| self.approved.remove(at));
        let known = known.map(|known| known.variant).unwrap_or_default();
        if known.items.len() + approval.variant.items.len() <= MOST_VARIANTS {
            approval.variant.extend(known);
        }
        self.approved.push(approval);
        let surplus = self.approved.len().saturating_sub(most);
        self.approved.drain(..surplus);
    }

    pub(crate) fn to_json(&self) -> String {
        let grants = self.grants.as_ref().map(|grants| format!("\"grants\":{},", grants.to_json()));
        let approved: Vec<String> = self.approved.iter().map(Approval::to_json).collect();
        format!(
            "{{\"ledgerVersion\":{VERSION},\"project\":{},\"name\":{},{}\"approved\":[{}]}}\n",
            quoted(&self.project),
            quoted(&self.name),
            grants.unwrap_or_default(),
            approved.join(",")
        )
    }

    pub(crate) fn parse(bytes: &[u8], folder: PathBuf) -> Option<Self> {
        let members = RecordMembers(split_object(bytes, LIMITS).ok()??);
        if members.raw("ledgerVersion")? != VERSION {
            return None;
        }
        let grants = members.raw("grants").map(|raw| Grants::parse(&value(raw)?));
        let approved = json::split_array(members.raw("approved")?.as_bytes(), LIMITS).ok()??;
        Some(Self {
            project: members.text("project")?,
            name: members.text("name")?,
            grants: match grants {
                None => None,
                Some(grants) => Some(grants?),
            },
            approved: approved.into_iter().map(Approval::parse).collect::<Option<_>>()?,
            folder,
        })
    }
}

impl Approval {
    pub(crate) fn of(
        server: &LockedServer,
        values: Option<Digest>,
        variant: Also,
        seconds: u64,
    ) -> Self {
        Self {
            launch: server.launch_digest(),
            bytes: server.pin.bytes(),
            surface: server.surface.digest,
            surface_file: server.surface.file_digest,
            source: server.source.clone(),
            values,
            seconds,
            variant,
        }
    }

    /// Whether it is about this entry with these values. Grants are no part of it: they are decided apart.
    #[must_use]
    pub fn is_of(&self, server: &LockedServer, values: Option<Digest>) -> bool {
        let wanted = Self::of(server, values, Also::default(), self.seconds);
        Self { variant: Also::default(), ..self.clone() } == wanted
    }

    fn to_json(&self) -> String {
        let variant = (!self.variant.is_empty()).then(|| self.variant.to_json());
        let bytes = self.bytes.map(|digest| digest.to_string());
        let values = self.values.map(|digest| format!(",\"values\":\"{digest}\""));
        format!(
            "{{\"approved\":{},\"bytes\":{},\"launch\":\"{}\",\"source\":{},\"surface\":\"{}\",\"surface_file\":\"{}\"{}{}}}",
            self.seconds,
            bytes.as_deref().map_or_else(|| "null".to_owned(), quoted),
            self.launch,
            self.source.as_deref().map_or_else(|| "null".to_owned(), quoted),
            self.surface,
            self.surface_file,
            values.unwrap_or_default(),
            variant.map_or_else(String::new, |variant| format!(",\"variant\":{variant}"))
        )
    }

    fn parse(text: &str) -> Option<Self> {
        let members = RecordMembers(split_object(text.as_bytes(), LIMITS).ok()??);
        let digest = |name: &str| members.text(name)?.parse().ok();
        Some(Self {
            launch: digest("launch")?,
            bytes: match members.raw("bytes")? {
                "null" => None,
                _ => Some(digest("bytes")?),
            },
            surface: digest("surface")?,
            surface_file: digest("surface_file")?,
            source: match members.raw("source")? {
                "null" => None,
                _ => Some(members.text("source")?),
            },
            values: match members.raw("values") {
                None => None,
                Some(_) => Some(digest("values")?),
            },
            seconds: members.raw("approved")?.parse().ok()?,
            variant: match members.raw("variant") {
                None => Also::default(),
                Some(raw) => Also::parse(raw).ok()?,
            },
        })
    }
}

struct RecordMembers<'m>(Vec<RawMember<'m>>);

impl RecordMembers<'_> {
    fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|member| member.name == name).map(|member| member.value)
    }

    fn text(&self, name: &str) -> Option<String> {
        match value(self.raw(name)?)? {
            Value::String(text) => Some(text.into_owned()),
            _ => None,
        }
    }
}

fn value(raw: &str) -> Option<Value<'_>> {
    json::parse(raw.as_bytes(), Provenance::Captured, LIMITS).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use facets_surface::{Definition, Kind};

    fn record() -> LedgerRecord {
        LedgerRecord {
            project: "/project".to_owned(),
            name: "greeter".to_owned(),
            grants: None,
            approved: Vec::new(),
            folder: PathBuf::new(),
        }
    }

    fn approval(launch: &str, file: &str, seconds: u64) -> Approval {
        Approval {
            launch: Digest::of(launch.as_bytes()),
            bytes: None,
            surface: Digest::of(b"surface"),
            surface_file: Digest::of(file.as_bytes()),
            source: None,
            values: None,
            seconds,
            variant: Also::default(),
        }
    }

    /// So many tools.
    fn variant(tools: std::ops::Range<usize>) -> Also {
        let tool = |number| {
            let raw = format!("{{\"name\":\"t{number}\",\"inputSchema\":{{\"type\":\"object\"}}}}");
            Definition::parse(Kind::Tool, &raw).unwrap()
        };
        Also { instructions: Vec::new(), items: tools.map(tool).collect() }
    }

    #[test]
    fn an_entry_is_approved_once_and_others_beside_it() {
        let mut record = record();
        let other_source = Approval { source: Some("src".to_owned()), ..approval("a", "a", 4) };
        for new in
            [approval("a", "a", 1), approval("a", "b", 2), approval("b", "a", 3), other_source]
        {
            record.add(new, Grants::ALL, 10);
        }
        assert_eq!(record.approved.len(), 4);
        record.add(approval("a", "a", 5), Grants::ALL, 10);
        let seconds: Vec<u64> = record.approved.iter().map(|approval| approval.seconds).collect();
        assert_eq!(seconds, [2, 3, 4, 5], "the latest last");
        let again = LedgerRecord::parse(record.to_json().as_bytes(), PathBuf::new());
        assert_eq!(again.as_ref(), Some(&record));
    }

    #[test]
    fn bytes_are_a_digest_or_null() {
        let mut record = record();
        let bytes = Some(Digest::of(b"archive"));
        record.add(Approval { bytes, ..approval("a", "a", 1) }, Grants::ALL, 10);
        record.add(approval("a", "a", 2), Grants::ALL, 10);
        assert_eq!(record.approved.len(), 2, "other bytes are another approval");
        let text = record.to_json();
        let read = |text: &str| LedgerRecord::parse(text.as_bytes(), PathBuf::new());
        assert_eq!(read(&text).as_ref(), Some(&record));
        let digest = format!("\"bytes\":\"{}\"", Digest::of(b"archive"));
        assert!(text.contains(&digest) && text.contains("\"bytes\":null"), "{text}");
        for wrong in ["\"bytes\":\"archive\"", "\"bytes\":7", "\"other\":null"] {
            assert_eq!(read(&text.replace(&digest, wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn other_values_of_a_facet_are_another_approval() {
        let mut record = record();
        let with = |values: Option<&[u8]>| Approval {
            values: values.map(Digest::of),
            ..approval("a", "a", 1)
        };
        for values in [None, Some(b"blue".as_slice()), Some(b"red".as_slice())] {
            record.add(with(values), Grants::ALL, 10);
        }
        assert_eq!(record.approved.len(), 3);
        let text = record.to_json();
        let read = |text: &str| LedgerRecord::parse(text.as_bytes(), PathBuf::new());
        assert_eq!(read(&text).as_ref(), Some(&record));
        let digest = Digest::of(b"red").to_string();
        assert_eq!(read(&text.replace(&digest, "red")), None, "a digest that is none");
    }

    #[test]
    fn of_too_many_approvals_the_oldest_go() {
        let mut record = record();
        for (seconds, launch) in (1..).zip(["a", "b", "c"]) {
            record.add(approval(launch, "a", seconds), Grants::ALL, 2);
        }
        let seconds: Vec<u64> = record.approved.iter().map(|approval| approval.seconds).collect();
        assert_eq!(seconds, [2, 3]);
    }

    #[test]
    fn of_too_many_variants_the_latest_stay() {
        let kept = |first, second| {
            let mut record = record();
            for variant in [first, second] {
                record.add(Approval { variant, ..approval("a", "a", 1) }, Grants::ALL, 10);
            }
            record.approved[0].variant.items.len()
        };
        assert_eq!(kept(variant(0..600), variant(600..1000)), 1000);
        assert_eq!(kept(variant(0..600), variant(600..1001)), 401);
        assert_eq!(kept(variant(0..2), variant(2..503)), 503);
    }
}
