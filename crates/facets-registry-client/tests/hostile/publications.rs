//! Publications: uploaded once, followed to their end, and refused in the words of the registry.

use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

use facets_failure::Describe as _;
use facets_registry_client::{
    ArchiveUpload, NoPublishProgress, ProbeWait, PublicationOutcome, PublishProgress,
    PublishedKind, RegistryClientLimits,
};

use crate::support::asking::{
    ARCHIVE, TOKEN, client, client_with, code, document, limits, name, publish, publish_sized,
    version,
};
use crate::support::server::{Request, Server, announce, answer, json, send};

const POST: &str = "POST /v0/source-servers/%40acme/demo/versions";
const STATUS: &str = "GET /v0/publishes/p-1";
const QUEUED: &str = r#"{"status":"QUEUED","reason":"pending","status_url":"/v0/publishes/p-1"}"#;

#[test]
fn an_archive_is_uploaded_whole_and_once() {
    for (status, outcome) in
        [("201 Created", PublicationOutcome::New), ("200 OK", PublicationOutcome::Before)]
    {
        let server = Server::start(move |_, to| json(to, status, &document()));
        let published = publish(&client(&server)).unwrap();
        assert_eq!(published.outcome, outcome);
        assert_eq!(published.document.owner.as_deref(), Some("acme"));
        let requests = server.requests();
        let [request] = requests.as_slice() else { panic!("{requests:?}") };
        assert_eq!((request.line().as_str(), request.body.as_slice()), (POST, ARCHIVE));
        assert_eq!(request.header("authorization"), Some(&*format!("Bearer {TOKEN}")));
        assert_eq!(request.header("content-length"), Some(&*ARCHIVE.len().to_string()));
    }
}

/// Remembers what it was told.
#[derive(Default)]
struct Told(Mutex<(u64, u64, Vec<ProbeWait>)>);

impl PublishProgress for Told {
    fn on_upload(&self, bytes: u64) {
        self.0.lock().unwrap().0 = bytes;
    }

    fn advance(&self, bytes: u64) {
        self.0.lock().unwrap().1 += bytes;
    }

    fn on_wait(&self, wait: ProbeWait) {
        self.0.lock().unwrap().2.push(wait);
    }
}

/// A registry that queues a publication, and then answers what `status` says.
fn queued(status: impl Fn(usize) -> String + Send + Sync + 'static) -> Server {
    Server::start(move |request: &Request, to: &mut dyn Write| match request.line().as_str() {
        POST => json(to, "202 Accepted", QUEUED),
        _ => json(to, "200 OK", &status(request.nth)),
    })
}

#[test]
fn a_queued_publication_is_followed_to_its_end() {
    let server = queued(|nth| match nth {
        0 => r#"{"status":"queued","ahead":3}"#.to_owned(),
        1 => r#"{"status":"running"}"#.to_owned(),
        _ => format!(r#"{{"status":"published","document":{}}}"#, document()),
    });
    let told = Told::default();
    let mut content = ARCHIVE;
    let mut upload = ArchiveUpload {
        kind: PublishedKind::Server,
        name: &name(),
        version: &version(),
        size: ARCHIVE.len() as u64,
        content: &mut content,
    };
    let published = client(&server).publish(&mut upload, &told).unwrap();
    assert_eq!(published.outcome, PublicationOutcome::New);
    assert_eq!(server.lines(), [POST, STATUS, STATUS, STATUS]);
    let (size, sent, waits) = told.0.into_inner().unwrap();
    assert_eq!((size, sent), (ARCHIVE.len() as u64, ARCHIVE.len() as u64));
    assert_eq!(waits, [ProbeWait::Queued { ahead: Some(3) }, ProbeWait::Running]);
}

#[test]
fn a_publication_without_its_document_is_asked_for() {
    let server = Server::start(|request, to| match request.line().as_str() {
        POST => json(to, "202 Accepted", QUEUED),
        STATUS => json(to, "200 OK", r#"{"status":"published"}"#),
        _ => json(to, "200 OK", &document()),
    });
    assert!(publish(&client(&server)).is_ok());
    assert_eq!(server.lines()[2], "GET /v0/source-servers/%40acme/demo/1.0.0");
}

#[test]
fn a_server_that_did_not_start_says_what_it_printed() {
    let server = queued(|_| {
        r#"{"status":"refused","problem":{"status":422,"code":"E_SERVER_FAILED",
        "error":"the server did not answer","fix":"start it with bun","details":{"code":"x","stderr":"no\nkey"}}}"#
            .to_owned()
    });
    let error = publish(&client(&server)).unwrap_err();
    assert_eq!(error.code(), "registry-refused");
    assert_eq!(error.error_output().unwrap().first, ["no", "key"]);
    assert!(error.to_string().ends_with("the server did not answer (E_SERVER_FAILED)"), "{error}");
}

#[test]
fn the_address_of_a_status_leads_nowhere_else() {
    let elsewhere = Server::start(|_, to| json(to, "200 OK", r#"{"status":"published"}"#));
    let there = format!("{}/v0/publishes/p-1", elsewhere.url());
    let server = Server::start(move |request, to| match request.line().as_str() {
        POST => json(to, "202 Accepted", &format!(r#"{{"status_url":"{there}"}}"#)),
        _ => json(to, "200 OK", &format!(r#"{{"status":"published","document":{}}}"#, document())),
    });
    assert!(publish(&client(&server)).is_ok());
    assert_eq!(server.lines(), [POST, STATUS]);
    assert!(elsewhere.requests().is_empty());
    for stated in ["/v0/publishes/../facets", "/v0/publishes/a?b", "/elsewhere"] {
        let text = format!(r#"{{"status_url":"{stated}"}}"#);
        let server = Server::start(move |_, to| json(to, "202 Accepted", &text));
        assert_eq!(code(publish(&client(&server))), "registry-answer", "{stated}");
        assert_eq!(server.lines(), [POST]);
    }
}

#[test]
fn a_queue_without_an_end_is_left() {
    let limits = RegistryClientLimits { publication: Duration::from_millis(20), ..limits() };
    let server = queued(|_| r#"{"status":"queued","ahead":7}"#.to_owned());
    let error = publish(&client_with(&server, limits)).unwrap_err();
    assert_eq!(error.code(), "registry-pending");
    assert!(error.to_string().contains("7 others are before it"), "{error}");
    let review = r#"{"status":"QUEUED_FOR_REVIEW","reason":"reserved","fix":"wait"}"#;
    let server = Server::start(move |_, to| json(to, "202 Accepted", review));
    let error = publish(&client(&server)).unwrap_err();
    assert_eq!((error.code(), error.notes()[0].text.as_str()), ("registry-pending", "wait"));
    // Nothing is no advice.
    let silent = r#"{"status":"QUEUED_FOR_REVIEW","reason":"","fix":" "}"#;
    let server = Server::start(move |_, to| json(to, "202 Accepted", silent));
    let error = publish(&client(&server)).unwrap_err();
    assert!(error.to_string().ends_with(": pending") && error.notes().is_empty(), "{error:?}");
}

#[test]
fn a_connection_that_breaks_after_the_upload_says_that_publishing_again_is_safe() {
    let broken = Server::start(|_, _| ());
    let cut_off = Server::start(|_, to| announce(to, "201 Created", &[], (1000, &b"{"[..])));
    let lost = Server::start(|request, to| {
        if request.line() == POST {
            json(to, "202 Accepted", QUEUED);
        }
    });
    for server in [broken, cut_off, lost] {
        let error = publish(&client(&server)).unwrap_err();
        assert_eq!(error.code(), "registry-unreachable", "{error}");
        assert!(error.notes()[0].text.contains("that is safe"), "{error:?}");
        assert_eq!(server.lines()[0], POST);
        assert_eq!(server.lines().iter().filter(|line| *line == POST).count(), 1);
    }
    // Nothing was sent: there is nothing to say about it.
    let refused = Server::start_hasty(|_, _| ());
    assert!(publish(&client(&refused)).unwrap_err().notes().is_empty());
}

#[test]
fn a_status_that_is_none_is_refused() {
    for status in [
        r#"{"status":"done"}"#.to_owned(),
        r#"{"status":7}"#.to_owned(),
        format!(r#"{{"status":"published","document":{}}}"#, document().replace("1.0.0", "2.0.0")),
        "{}".to_owned(),
    ] {
        let text = status.clone();
        let server = queued(move |_| text.clone());
        assert_eq!(code(publish(&client(&server))), "registry-answer", "{status}");
    }
    let refused = queued(|_| r#"{"status":"refused"}"#.to_owned());
    assert_eq!(code(publish(&client(&refused))), "registry-refused");
}

#[test]
fn a_refusal_comes_before_the_bytes() {
    let problem = r#"{"code":"E_UNAUTHORIZED","error":"unknown token"}"#;
    let server = Server::start_hasty(move |_, to| json(to, "401 Unauthorized", problem));
    let error = publish(&client(&server)).unwrap_err();
    assert_eq!((error.code(), error.next().as_str()), ("registry-unauthorized", "facet login"));
    assert_eq!(server.requests()[0].header("expect"), Some("100-continue"));
}

#[test]
fn a_refusal_in_the_middle_of_the_bytes_is_shown_and_not_the_connection_that_broke() {
    let problem = r#"{"code":"E_TIMEOUT","error":"another owner needs the slot","fix":"wait"}"#;
    // Nothing of the body is read: the connection is reset while it is sent.
    let server = Server::start_hasty(move |_, to| {
        send(to, "HTTP/1.1 100 Continue\r\n\r\n");
        json(to, "408 Request Timeout", problem);
    });
    let mut content = std::io::repeat(b'x');
    let mut upload = ArchiveUpload {
        kind: PublishedKind::Server,
        name: &name(),
        version: &version(),
        size: 32 << 20,
        content: &mut content,
    };
    let error = client(&server).publish(&mut upload, &NoPublishProgress).unwrap_err();
    assert_eq!(error.code(), "registry-busy", "{error}");
    assert!(error.to_string().ends_with("another owner needs the slot (E_TIMEOUT)"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_registry_that_is_busy_before_the_bytes_is_asked_again() {
    for status in ["429 Slow", "503 Busy"] {
        let server = Server::start_hasty(move |request, to| match request.nth {
            0 => answer(to, status, &[("Retry-After", "0")], b""),
            _ => json(to, "201 Created", &document()),
        });
        assert!(publish(&client(&server)).is_ok(), "{status}");
        assert_eq!(server.lines(), [POST, POST], "{status}");
    }
    let always = Server::start_hasty(|_, to| answer(to, "429 Slow", &[("Retry-After", "0")], b""));
    assert_eq!(code(publish(&client(&always))), "registry-busy");
    assert_eq!(always.requests().len(), 3);
    let later = Server::start_hasty(|_, to| answer(to, "429 Slow", &[("Retry-After", "60")], b""));
    let error = publish(&client(&later)).unwrap_err();
    assert_eq!(error.notes()[0].text, "60 s, then try again");
    assert_eq!(later.requests().len(), 1);
}

#[test]
fn a_publication_is_not_sent_again_and_a_short_archive_is_not_sent_as_a_long_one() {
    let busy = Server::start(|_, to| answer(to, "503 Busy", &[("Retry-After", "0")], b""));
    assert_eq!(code(publish(&client(&busy))), "registry-busy");
    assert_eq!(busy.requests().len(), 1);
    let server = Server::start(|_, to| json(to, "201 Created", &document()));
    let result = publish_sized(&client(&server), ARCHIVE.len() as u64 + 1);
    assert_eq!(code(result), "registry-transfer");
}

#[test]
fn a_registry_may_take_longer_to_decide_than_to_answer() {
    let server = Server::start(|request, to| {
        let is_first_status = request.line() == STATUS && request.nth == 0;
        if request.line() == POST || is_first_status {
            std::thread::sleep(Duration::from_millis(600));
        }
        match request.line().as_str() {
            POST => json(to, "202 Accepted", r#"{"status_url":"/v0/publishes/p-1"}"#),
            _ => json(
                to,
                "200 OK",
                &format!(r#"{{"status":"published","document":{}}}"#, document()),
            ),
        }
    });
    let limits = RegistryClientLimits { read: Duration::from_millis(200), ..limits() };
    assert!(publish(&client_with(&server, limits)).is_ok());
    // The first question about the status got no answer in time, and the archive is not lost for that.
    assert_eq!(server.lines(), [POST, STATUS, STATUS]);
}
