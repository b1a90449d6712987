//! What a caller can ask about itself.

use facets_digest::json::write_string;
use facets_registry::{JobState, JobStatus, RegistryProblem, Scope, Wanted};
use http::request::Parts;
use http::{HeaderMap, StatusCode};

use crate::web::answer::{Answer, json, without_store};
use crate::web::app::App;
use crate::web::authorization::require_caller;
use crate::web::documents::write_version;
use crate::web::exchange::Exchange;
use crate::web::object_writer::ObjectWriter;
use crate::web::refusal::{ProblemContext, problem_document};

/// Whose token came along.
pub(super) async fn me(app: &App, exchange: &Exchange, headers: &HeaderMap) -> Answer {
    let caller = require_caller(app, exchange, headers).await?;
    let mut out = Vec::with_capacity(256);
    let mut object = ObjectWriter::begin(&mut out);
    // What the reference client expects; an owner has no other id here.
    object.text("user_uuid", caller.owner.as_str());
    object.text("username", caller.owner.as_str());
    object.raw("email", b"null");
    object.text("tier", "registry");
    object.switch("suspended", false);
    let scopes = caller.scopes.iter().map(Scope::to_string);
    object.list("scopes", scopes, |scope, out| write_string(&scope, out));
    object.end();
    Ok(without_store(json(StatusCode::OK, out)))
}

/// How far a publish is.
pub(super) async fn publish_status(app: &App, exchange: &Exchange, head: &Parts) -> Answer {
    let caller = require_caller(app, exchange, &head.headers).await?;
    let id = head.uri.path().rsplit('/').next().unwrap_or_default();
    let status = app.registry.publish_status(id, &caller).await?;
    let document = match status.state {
        JobState::Published => {
            let wanted = Wanted::Exact(status.version.clone());
            let record = app.registry.version(status.kind, &status.name, &wanted).await?;
            let mut out = Vec::new();
            write_version(&record, &mut out);
            Some(out)
        }
        _ => None,
    };
    let answer = status_document(&status, document.as_deref(), &exchange.problem_context());
    Ok(without_store(json(StatusCode::OK, answer)))
}

fn status_document(
    status: &JobStatus,
    document: Option<&[u8]>,
    context: &ProblemContext<'_>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(256 + document.map_or(0, <[u8]>::len));
    let mut object = ObjectWriter::begin(&mut out);
    object.text("id", &status.id);
    let word = match &status.state {
        JobState::Queued { .. } => "queued",
        JobState::Running => "running",
        JobState::Published => "published",
        JobState::Refused { .. } => "refused",
    };
    object.text("status", word);
    object.text("name", status.name.as_str());
    object.text("version", &status.version.to_string());
    match &status.state {
        JobState::Queued { ahead } => object.number("ahead", *ahead),
        JobState::Refused { problem } => {
            object.raw("problem", &problem_document(&stored_problem(problem), context));
        }
        JobState::Running | JobState::Published => {}
    }
    if let Some(document) = document {
        object.raw("document", document);
    }
    object.end();
    out
}

/// Why a publish was refused. The catalog itself ends one that was interrupted too often, with a word.
fn stored_problem(text: &str) -> RegistryProblem {
    RegistryProblem::from_json(text).unwrap_or_else(|| {
        let error = "the probe of this server was interrupted several times";
        let fix = "publish again; if that ends the same way, start the server with `facet inspect`";
        RegistryProblem::new("E_SERVER_FAILED", error, fix)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::web::openapi_schemas::is_described;

    fn status(state: JobState) -> Value {
        let status = JobStatus {
            id: "ab".to_owned(),
            owner: "acme".parse().unwrap(),
            kind: facets_registry::ArtifactKind::Server,
            name: "demo".parse().unwrap(),
            version: "1.0.0".parse().unwrap(),
            state,
        };
        let docs_url = Some("http://r.example/openapi.json".to_owned());
        let context = ProblemContext { request_id: "id-1", docs_url };
        let document = serde_json::from_slice(&status_document(&status, None, &context)).unwrap();
        assert!(is_described("PublishStatus", &document), "{document}");
        document
    }

    #[test]
    fn every_state_has_its_word() {
        assert_eq!(status(JobState::Queued { ahead: 3 })["ahead"], 3);
        assert_eq!(status(JobState::Running)["status"], "running");
        let problem = RegistryProblem::new("E_SERVER_FAILED", "it crashed", "mend it").to_json();
        let refused = status(JobState::Refused { problem });
        assert_eq!(refused["status"], "refused");
        let problem = &refused["problem"];
        for member in ["error", "detail"] {
            assert_eq!(problem[member], "it crashed");
        }
        assert_eq!((&problem["type"], &problem["status"]), (&json!("about:blank"), &json!(422)));
        for member in ["title", "code", "fix", "docs_url", "request_id"] {
            assert!(problem[member].is_string(), "{member}: {problem}");
        }
        let interrupted = status(JobState::Refused { problem: "probe-interrupted".to_owned() });
        assert_eq!(interrupted["problem"]["code"], json!("E_SERVER_FAILED"));
    }
}
