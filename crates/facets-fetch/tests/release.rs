//! Releases of many files, from indexes of both kinds, several at once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use facets_failure::Describe as _;
use facets_fetch::{FetchLimits, FetchProgress, Fetched, NoFetchProgress, Reach};
use facets_model::FileIdentifier;
use facets_testkit::to_hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use support::fetching::{Fetching, bytes_of, limits};
use support::packages::{
    PAD, SIMPLE_JSON, TARBALL, WHEEL, WHEEL_NAME, content, dist, index_file, index_page,
    index_server, packument, send_json, version,
};
use support::server::{Request, Server, answer};

const COUNT: usize = 30;

fn name(number: usize) -> String {
    format!("pad-1.0-cp3{number:02}-cp3{number:02}-manylinux_2_28_x86_64.whl")
}

/// The bytes of a wheel: each has others.
fn wheel(number: usize) -> Vec<u8> {
    format!("wheel {number} ").repeat(100 + number).into_bytes()
}

/// The wheel that a request is about.
fn asked(request: &Request) -> usize {
    let name = request.path.rsplit('/').next().unwrap();
    (0..COUNT).find(|number| self::name(*number) == name).unwrap()
}

fn files() -> Vec<Value> {
    (0..COUNT).map(|number| index_file(&name(number), &wheel(number))).collect()
}

fn html() -> String {
    let link = |number: usize| {
        let (name, hash) = (name(number), to_hex(&Sha256::digest(wheel(number))[..]));
        format!("<a href=\"../../files/{name}#sha256={hash}\">{name}</a><br/>\n")
    };
    (0..COUNT).rev().map(link).collect()
}

/// The wheels that arrived, in the order in which they are given back.
fn require_all(fetched: Vec<Fetched>) {
    let expected: Vec<Vec<u8>> = (0..COUNT).map(wheel).collect();
    let arrived: Vec<Vec<u8>> =
        fetched.into_iter().map(|fetched| bytes_of(fetched).unwrap()).collect();
    assert!(arrived == expected, "not the wheels, or in another order");
}

/// Waits until so many are here at once, a while at most.
#[derive(Default)]
struct Meeting {
    here: Mutex<usize>,
    changed: Condvar,
    most: AtomicUsize,
}

impl Meeting {
    fn attend(&self, wanted: usize) {
        let mut here = self.here.lock().unwrap();
        *here += 1;
        self.most.fetch_max(*here, Ordering::SeqCst);
        self.changed.notify_all();
        let is_waiting =
            |here: &mut usize| *here < wanted && self.most.load(Ordering::SeqCst) < wanted;
        let (mut here, _) =
            self.changed.wait_timeout_while(here, Duration::from_secs(5), is_waiting).unwrap();
        *here -= 1;
    }
}

#[test]
fn thirty_wheels_of_a_page_of_json_arrive_several_at_once_and_in_order() {
    let meeting = Arc::new(Meeting::default());
    let theirs = Arc::clone(&meeting);
    let server = index_server(&files(), move |request, to| {
        theirs.attend(limits().parallel);
        answer(to, "200 OK", &[], &wheel(asked(request)));
    });
    require_all(Fetching::pip(&server).all(WHEEL).unwrap());
    assert_eq!(meeting.most.load(Ordering::SeqCst), limits().parallel);
    assert_eq!(server.requests().len(), 1 + COUNT);
}

#[test]
fn thirty_wheels_of_a_page_of_html_arrive_in_the_order_of_their_names() {
    for kind in ["text/html; charset=utf-8", "application/vnd.pypi.simple.v1+html"] {
        let server = Server::start(move |request, to| match request.path.as_str() {
            "/simple/pad/" => answer(to, "200 OK", &[("Content-Type", kind)], html().as_bytes()),
            _ => answer(to, "200 OK", &[], &wheel(asked(request))),
        });
        require_all(Fetching::pip(&server).all(WHEEL).unwrap());
        assert_eq!(server.requests().len(), 1 + COUNT, "{kind}");
    }
}

#[test]
fn one_wheel_that_fails_does_not_keep_the_others() {
    let server = index_server(&files(), |request, to| match asked(request) {
        7 => answer(to, "404 Not Found", &[], b""),
        8 => answer(to, "200 OK", &[], &wheel(9)),
        number => answer(to, "200 OK", &[], &wheel(number)),
    });
    let fetched = Fetching::pip(&server).all(WHEEL).unwrap();
    for (number, fetched) in fetched.into_iter().enumerate() {
        let result = bytes_of(fetched).map_err(|error| error.code());
        match number {
            7 => assert_eq!(result, Err("fetch-not-found")),
            8 => assert_eq!(result, Err("fetch-length")),
            _ => assert_eq!(result, Ok(wheel(number))),
        }
    }
}

#[test]
fn one_wheel_of_many_is_chosen_by_its_name() {
    let server =
        index_server(&files(), |request, to| answer(to, "200 OK", &[], &wheel(asked(request))));
    let identifier = format!("{WHEEL}/{}", name(12));
    assert_eq!(Fetching::pip(&server).one(&identifier).unwrap(), wheel(12));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn all_wheels_together_have_a_limit() {
    let server =
        index_server(&files(), |request, to| answer(to, "200 OK", &[], &wheel(asked(request))));
    let index = format!("{}/simple/", server.url());
    let total: usize = (0..COUNT).map(|number| wheel(number).len()).sum();
    for (spare, failures) in [(0, 0), (-1_i64, 1)] {
        let total = (total as u64).checked_add_signed(spare).unwrap();
        // One after the other, so that it is known which is too much.
        let limits = FetchLimits { total, parallel: 1, ..limits() };
        let variables = [("PIP_INDEX_URL", index.as_str())];
        let fetching = Fetching::with(&variables, Reach::AsUser, limits);
        let fetched = fetching.all(WHEEL).unwrap();
        let failed: Vec<&'static str> = fetched
            .iter()
            .filter_map(|fetched| fetched.as_ref().err())
            .map(facets_failure::Describe::code)
            .collect();
        assert_eq!(failed, vec!["fetch-too-large"; failures]);
    }
}

#[derive(Default)]
struct Counted {
    announced: AtomicUsize,
    bytes: AtomicUsize,
    done: AtomicUsize,
}

impl FetchProgress for Counted {
    fn on_size(&self, _file: usize, bytes: u64) {
        self.announced.fetch_add(usize::try_from(bytes).unwrap(), Ordering::SeqCst);
    }

    fn advance(&self, _file: usize, bytes: u64) {
        self.bytes.fetch_add(usize::try_from(bytes).unwrap(), Ordering::SeqCst);
    }

    fn on_done(&self, _file: usize) {
        self.done.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn progress_hears_of_every_byte() {
    let server =
        index_server(&files(), |request, to| answer(to, "200 OK", &[], &wheel(asked(request))));
    let fetching = Fetching::pip(&server);
    let (counted, files) = (Counted::default(), fetching.fetcher.files(&WHEEL.parse().unwrap()));
    require_all(fetching.fetcher.download(&files.unwrap(), &counted));
    let total: usize = (0..COUNT).map(|number| wheel(number).len()).sum();
    let heard = [&counted.announced, &counted.bytes, &counted.done];
    assert_eq!(heard.map(|count| count.load(Ordering::SeqCst)), [total, total, COUNT]);
}

#[test]
fn nothing_to_fetch_is_nothing() {
    let fetching = Fetching::new(&[]);
    assert!(fetching.fetcher.download(&[], &NoFetchProgress).is_empty());
}

fn send_content(_: &Request, to: &mut dyn Write) {
    answer(to, "200 OK", &[], &content());
}

/// Two indexes, of which each lists this about the same wheel.
fn two_indexes(first: &[Value], second: &[Value]) -> (Server, Server, Fetching) {
    let (one, two) = (index_server(first, send_content), index_server(second, send_content));
    let urls = [&one, &two].map(|server| format!("{}/simple/", server.url()));
    let variables =
        [("PIP_INDEX_URL", urls[0].as_str()), ("PIP_EXTRA_INDEX_URL", urls[1].as_str())];
    let fetching = Fetching::new(&variables);
    (one, two, fetching)
}

fn names(fetching: &Fetching) -> Vec<String> {
    let files = fetching.fetcher.files(&WHEEL.parse().unwrap()).unwrap();
    files.into_iter().map(|file| file.name).collect()
}

#[test]
fn two_indexes_that_contradict_each_other_are_a_conflict_of_both_hashes() {
    let right = index_file(WHEEL_NAME, &content());
    let wrong = index_file(WHEEL_NAME, b"other");
    let (one, two, fetching) =
        two_indexes(std::slice::from_ref(&right), std::slice::from_ref(&wrong));
    let error = fetching.all(WHEEL).unwrap_err();
    assert_eq!(error.code(), "fetch-index-conflict");
    let hash = |bytes: &[u8]| Some(format!("sha256:{}", to_hex(&Sha256::digest(bytes)[..])));
    assert_eq!((error.expected(), error.actual()), (hash(&content()), hash(b"other")));
    for server in [&one, &two] {
        assert!(error.to_string().contains(&format!("{}/simple/pad/", server.url())), "{error}");
    }
    assert_eq!((one.requests().len(), two.requests().len()), (1, 1));
}

#[test]
fn two_indexes_that_cannot_be_compared_are_ambiguous() {
    let stated = index_file(WHEEL_NAME, &content());
    let mut silent = stated.clone();
    silent["hashes"] = json!({});
    let mut other = stated.clone();
    other["hashes"] = json!({ "sha512": "00".repeat(64) });
    for second in [silent, other] {
        let (one, two, fetching) = two_indexes(std::slice::from_ref(&stated), &[second]);
        let error = fetching.all(WHEEL).unwrap_err();
        assert_eq!(error.code(), "fetch-ambiguous");
        for server in [&one, &two] {
            assert!(error.to_string().contains(&server.url()), "{error}");
        }
    }
}

#[test]
fn the_files_of_all_indexes_are_the_release() {
    let wheel = index_file(WHEEL_NAME, &content());
    let source = index_file("pad-1.0.tar.gz", &content());
    let both = ["pad-1.0-py3-none-any.whl", "pad-1.0.tar.gz"];
    for (first, second) in [
        (vec![wheel.clone()], vec![source.clone()]),
        (vec![source.clone()], vec![wheel.clone()]),
        (vec![wheel.clone()], vec![wheel.clone(), source.clone()]),
        (vec![], vec![wheel.clone(), source]),
    ] {
        let (one, two, fetching) = two_indexes(&first, &second);
        assert_eq!(names(&fetching), both);
        assert_eq!((one.requests().len(), two.requests().len()), (1, 1));
    }
    let (one, two, fetching) =
        two_indexes(std::slice::from_ref(&wheel), std::slice::from_ref(&wheel));
    assert_eq!(fetching.one(WHEEL).unwrap(), content());
    assert_eq!((one.requests().len(), two.requests().len()), (2, 1));
}

#[test]
fn an_index_without_the_project_adds_nothing() {
    let empty = Server::start(|_, to| answer(to, "404 Not Found", &[], b""));
    let full = index_server(&[index_file(WHEEL_NAME, &content())], send_content);
    for servers in [[&empty, &full], [&full, &empty]] {
        let urls = servers.map(|server| format!("{}/simple/", server.url()));
        let variables =
            [("PIP_INDEX_URL", urls[0].as_str()), ("PIP_EXTRA_INDEX_URL", urls[1].as_str())];
        assert_eq!(names(&Fetching::new(&variables)), [WHEEL_NAME]);
    }
}

#[test]
fn files_with_a_local_label_belong_to_the_release() {
    let labelled = "pad-1.0+cpu-py3-none-any.whl";
    let files = [WHEEL_NAME, labelled, "pad-1.1+cpu-py3-none-any.whl"]
        .map(|name| index_file(name, &content()));
    let server = index_server(&files, send_content);
    assert_eq!(names(&Fetching::pip(&server)), [labelled, WHEEL_NAME]);
    let local = format!("pypi:pad==1.0+cpu/{labelled}");
    assert_eq!(Fetching::pip(&server).one(&local).unwrap(), content());
}

#[test]
fn a_file_of_the_release_that_no_identifier_can_name_is_an_error() {
    let odd = index_file("pad-1.0-9~a-py3-none-any.whl", &content());
    let server = index_server(&[index_file(WHEEL_NAME, &content()), odd], send_content);
    assert_eq!(Fetching::pip(&server).code(WHEEL), "fetch-document");
    let odd = index_file("pad-2.0-9~a-py3-none-any.whl", &content());
    let server = index_server(&[index_file(WHEEL_NAME, &content()), odd], send_content);
    assert_eq!(names(&Fetching::pip(&server)), [WHEEL_NAME]);
}

#[test]
fn an_index_of_http_is_not_reached_through_the_proxy_for_https() {
    let server = index_server(&[index_file(WHEEL_NAME, &content())], send_content);
    let proxy = Server::start(|_, to| answer(to, "403 Forbidden", &[], b""));
    let (index, proxy_url) = (format!("{}/simple/", server.url()), proxy.url());
    let fetching = |more: &[(&str, &str)]| {
        let index = [("PIP_INDEX_URL", index.as_str())];
        Fetching::new(&[&index[..], more].concat())
    };
    let (https, all) = (("HTTPS_PROXY", proxy_url.as_str()), ("ALL_PROXY", proxy_url.as_str()));
    for variables in [
        &[https][..],
        &[("https_proxy", proxy_url.as_str())],
        &[all, ("NO_PROXY", "127.0.0.1")],
        &[all, ("no_proxy", "127.0.0.0/8")],
    ] {
        assert_eq!(names(&fetching(variables)), [WHEEL_NAME], "{variables:?}");
    }
    assert_eq!(proxy.connections(), 0);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "PIP_PROXY"] {
        let error = fetching(&[(name, proxy_url.as_str())]).all(WHEEL).unwrap_err();
        assert_eq!(error.code(), "fetch-unreachable", "{name}");
        let named = format!("through the proxy 127.0.0.1:{}", proxy.port());
        assert!(error.to_string().contains(&named), "{error}");
    }
    assert!(proxy.connections() > 0);
}

#[test]
fn an_index_that_fails_is_not_passed_over() {
    let down = Server::start(|_, to| answer(to, "503 Service Unavailable", &[], b""));
    let up = Server::start(|_, to| {
        send_json(to, SIMPLE_JSON, &index_page(&[index_file(WHEEL_NAME, &content())]));
    });
    for servers in [[&down, &up], [&up, &down]] {
        let urls = servers.map(|server| format!("{}/simple/", server.url()));
        let variables =
            [("PIP_INDEX_URL", urls[0].as_str()), ("PIP_EXTRA_INDEX_URL", urls[1].as_str())];
        assert_eq!(Fetching::new(&variables).code(WHEEL), "fetch-unreachable");
    }
    assert_eq!(down.requests().len(), 6);
}

#[test]
fn npm_is_asked_for_the_document_that_npm_reads() {
    const SHORT: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";
    let server = Server::start(|request, to| match request.path.as_str() {
        "/pad" => send_json(to, "application/json", &packument(&dist(&content()))),
        // Not what npm reads.
        "/pad/1.0.0" => send_json(to, "application/json", &version(&dist(b"other"))),
        _ => answer(to, "200 OK", &[], &content()),
    });
    assert_eq!(Fetching::npm(&server).one(PAD).unwrap(), content());
    assert_eq!(server.paths(), ["/pad", TARBALL]);
    assert_eq!(server.requests()[0].header("accept"), Some(SHORT));
}

#[test]
fn a_registry_without_the_short_form_is_asked_for_the_complete_one() {
    let server = Server::start(|request, to| match request.path.as_str() {
        "/pad" if request.header("accept") == Some("application/json") => {
            send_json(to, "application/json", &packument(&dist(&content())));
        }
        "/pad" => answer(to, "404 Not Found", &[], b"{}"),
        _ => answer(to, "200 OK", &[], &content()),
    });
    assert_eq!(Fetching::npm(&server).one(PAD).unwrap(), content());
    assert_eq!(server.paths(), ["/pad", "/pad", TARBALL]);
}

/// A registry whose document says that the tarball lies on the public one.
fn mirror() -> Server {
    let mut dist = dist(&content());
    dist["tarball"] = format!("http://registry.npmjs.org{TARBALL}").into();
    Server::start(move |request, to| match request.path.as_str() {
        "/npm/pad" => send_json(to, "application/json", &packument(&dist)),
        _ => answer(to, "200 OK", &[], &content()),
    })
}

#[test]
fn tarballs_of_the_public_registry_are_fetched_from_the_configured_one() {
    let server = mirror();
    let registry = format!("{}/npm/", server.url());
    let fetching = Fetching::new(&[("npm_config_registry", registry.as_str())]);
    assert_eq!(fetching.one(PAD).unwrap(), content());
    assert_eq!(server.paths(), ["/npm/pad".to_owned(), format!("/npm{TARBALL}")]);
    let never =
        [("npm_config_registry", registry.as_str()), ("npm_config_replace_registry_host", "never")];
    let listed = Fetching::new(&never).fetcher.files(&PAD.parse().unwrap()).unwrap();
    assert_eq!(listed[0].url.as_str(), format!("http://registry.npmjs.org{TARBALL}"));
}

fn require_shared<Type: Send + Sync>(_: &Type) {}

#[test]
fn several_packages_are_listed_at_once_and_in_order() {
    let meeting = Arc::new(Meeting::default());
    let theirs = Arc::clone(&meeting);
    let server = Server::start(move |request, to| {
        theirs.attend(limits().parallel);
        match request.path.as_str() {
            "/pad" => send_json(to, "application/json", &packument(&dist(&content()))),
            _ => answer(to, "404 Not Found", &[], b"{}"),
        }
    });
    let fetching = Fetching::npm(&server);
    require_shared(&fetching.fetcher);
    let names = [PAD, "npm:gone@1.0.0", PAD, "npm:lost@1.0.0", PAD];
    let identifiers: Vec<FileIdentifier> = names.iter().map(|name| name.parse().unwrap()).collect();
    let listed = fetching.fetcher.list_all(&identifiers);
    assert_eq!(listed.len(), names.len());
    for (name, listed) in names.iter().zip(&listed) {
        let found = listed.as_ref().map_err(facets_failure::Describe::code);
        match *name {
            PAD => assert_eq!(found.unwrap()[0].url.path(), TARBALL),
            _ => assert_eq!(found.unwrap_err(), "fetch-not-found", "{name}"),
        }
    }
    assert_eq!(meeting.most.load(Ordering::SeqCst), limits().parallel);
    assert!(fetching.fetcher.list_all(&[]).is_empty());
}
