//! What differs between two versions, as `facet diff --format json` has it.

use facets_digest::json::write_string;
use facets_drift::{Finding, Severity, SubjectKind};
use facets_registry::{ArtifactKind, FileChange, VersionDiff, VersionRecord};
use facets_schema::Instance;

use super::object_writer::{ObjectWriter, write_number};

/// The differences between two versions.
pub(crate) fn diff_document(
    from: &VersionRecord,
    to: &VersionRecord,
    diff: &VersionDiff,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(512 + diff.findings.len() * 512);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("name", to.name.as_str());
    object.text("from", &from.version.to_string());
    object.text("to", &to.version.to_string());
    object.switch("content_changed", diff.content_changed);
    if to.kind == ArtifactKind::Facet {
        object.list("files", &diff.files, write_file);
    }
    object.list("findings", &diff.findings, |finding, out| write_finding(to.kind, finding, out));
    let mut summary = object.object("summary");
    for severity in Severity::ALL {
        let count = diff.findings.iter().filter(|finding| finding.severity == severity).count();
        write_number(count as u64, summary.member(severity.name()));
    }
    summary.end();
    object.end();
    out
}

fn write_file(file: &FileChange, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::begin(out);
    object.text("path", &file.path);
    object.text("change", file.word());
    if let Some(before) = &file.before {
        object.digest("before", before);
    }
    if let Some(after) = &file.after {
        object.digest("after", after);
    }
    object.end();
}

/// A finding about an artifact of this kind. What is not about a part of it is about all of it.
fn write_finding(kind: ArtifactKind, finding: &Finding, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::begin(out);
    object.text("type", finding.kind.name());
    let mut subject = object.object("subject");
    let subject_kind = match finding.subject_kind {
        SubjectKind::Server => kind.as_str(),
        part => part.name(),
    };
    subject.text("kind", subject_kind);
    subject.text("name", &finding.subject);
    subject.end();
    object.text("member", &finding.member);
    object.text("severity", finding.severity.name());
    object.text("compat", finding.compat.name());
    object.nullable_text("before", finding.before.as_deref());
    object.nullable_text("after", finding.after.as_deref());
    object.text("sentence", &finding.sentence);
    object.list("evidence", &finding.evidence, |evidence, out| {
        let mut object = ObjectWriter::begin(out);
        object.text("rule", evidence.rule);
        object.text("words", &evidence.words);
        object.end();
    });
    write_schema(&mut object, finding);
    // A registry has no policy; the member is there so that both have one shape.
    object.raw("policy", b"null");
    object.end();
}

fn write_schema(object: &mut ObjectWriter<'_>, finding: &Finding) {
    let Some(change) = finding.schema.as_deref() else {
        object.raw("schema", b"null");
        return;
    };
    let gained = change.gained.as_ref().map(Instance::to_json);
    let lost = change.lost.as_ref().map(Instance::to_json);
    let mut schema = object.object("schema");
    schema.text("verdict", change.verdict.name());
    schema.nullable_text("accepted_now", gained.as_deref());
    schema.nullable_text("refused_now", lost.as_deref());
    schema.nullable_text("keyword", change.keyword.as_deref());
    schema.list("new_arguments", &change.new_arguments, |text, out| write_string(text, out));
    schema.list("other_notes", &change.other_notes, |text, out| write_string(text, out));
    schema.end();
}
