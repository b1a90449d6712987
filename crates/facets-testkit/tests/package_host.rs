//! The registry and the index, asked by hand.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::io::Read as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use facets_testkit::{
    IndexFormat, Misbehaviour, NpmPackage, PackageHost, TarEntry, Wheel, WheelMetadata, tarball,
};
use serde_json::{Value, json};
use support::{get, request, send};

const ABBREVIATED: &str = "Accept: application/vnd.npm.install-v1+json; q=1.0, */*\r\n";
const JSON_INDEX: &str = "Accept: application/vnd.pypi.simple.v1+json, text/html;q=0.01\r\n";

fn named(name: &str, version: &str) -> (String, String) {
    (name.to_owned(), version.to_owned())
}

fn demo(text: &str) -> NpmPackage {
    NpmPackage::new("demo", "1.0.0").file("index.js", text)
}

fn wheel(text: &str) -> Wheel {
    Wheel::new("Demo.Server", "1.0").file("demo_server/__init__.py", text)
}

/// What the registry says about the only version of `demo`.
fn described(host: &PackageHost) -> Value {
    get(&format!("{}demo", host.npm_url())).json()["versions"]["1.0.0"].clone()
}

fn tarball_of(described: &Value) -> Vec<u8> {
    get(described["dist"]["tarball"].as_str().unwrap()).body
}

#[test]
fn a_document_states_versions_tags_and_what_a_manifest_has() {
    let host = PackageHost::start();
    let first = NpmPackage::new("@scope/demo", "1.0.0").published("2024-05-06T00:00:00.000Z");
    host.publish_npm(&first);
    let second = NpmPackage::new("@scope/demo", "1.1.0")
        .dependency("other", "^2.0.0")
        .optional_dependency("maybe", "1")
        .peer_dependency("beside", "*")
        .bin("demo", "index.js")
        .script("postinstall", "exit 1")
        .engine("node", ">=20")
        .os(&["linux"])
        .cpu(&["x64"]);
    host.publish_npm(&second);
    host.tag("@scope/demo", "next", "1.0.0");

    let document = get(&format!("{}@scope%2fdemo", host.npm_url())).json();
    assert_eq!(document["dist-tags"], json!({ "latest": "1.1.0", "next": "1.0.0" }));
    assert_eq!(document["time"]["1.0.0"], "2024-05-06T00:00:00.000Z");
    let version = &document["versions"]["1.1.0"];
    assert_eq!(version["dependencies"], json!({ "other": "^2.0.0" }));
    assert_eq!(version["optionalDependencies"], json!({ "maybe": "1" }));
    assert_eq!(version["peerDependencies"], json!({ "beside": "*" }));
    assert_eq!(version["bin"], json!({ "demo": "index.js" }));
    assert_eq!(version["hasInstallScript"], true);
    assert_eq!(version["engines"], json!({ "node": ">=20" }));
    assert_eq!((&version["os"], &version["cpu"]), (&json!(["linux"]), &json!(["x64"])));

    let url = format!("{}@scope%2Fdemo", host.npm_url());
    let abbreviated = request("GET", &url, ABBREVIATED).json();
    assert!(abbreviated.get("time").is_none(), "{abbreviated}");
    assert_eq!(get(&format!("{}absent", host.npm_url())).status, 404);
}

#[test]
fn a_package_is_the_same_bytes_every_time_and_its_requests_are_listed() {
    let host = PackageHost::start();
    host.publish_npm(&demo("1"));
    let served = tarball_of(&described(&host));
    assert_eq!(served, demo("1").tarball());
    assert_ne!(served, demo("2").tarball());
    assert_eq!(host.requests(), ["/npm/demo", "/npm/demo/-/demo-1.0.0.tgz"]);
    host.clear_requests();
    assert!(host.requests().is_empty());
}

#[test]
fn replaced_tarballs_change_the_metadata_only_if_they_should() {
    let host = PackageHost::start();
    host.publish_npm(&demo("honest"));
    let honest = described(&host);
    let (name, version) = named("demo", "1.0.0");

    let with = demo("evil").dependency("evil", "1").into();
    host.misbehave(Misbehaviour::ReplaceTarball { name, version, with });
    let replaced = described(&host);
    assert_ne!(replaced["dist"]["integrity"], honest["dist"]["integrity"]);
    assert_eq!(replaced["dependencies"]["evil"], "1");
    assert_eq!(tarball_of(&replaced), demo("evil").dependency("evil", "1").tarball());

    host.behave();
    let ((name, version), with) = (named("demo", "1.0.0"), b"evil".to_vec().into());
    host.misbehave(Misbehaviour::ReplaceTarballKeepMetadata { name, version, with });
    assert_eq!(described(&host), honest);
    assert_eq!(tarball_of(&honest), b"evil");

    host.behave();
    let (name, version) = named("demo", "1.0.0");
    host.misbehave(Misbehaviour::LieAboutIntegrity { name, version });
    assert_ne!(described(&host), honest);
    assert_eq!(tarball_of(&honest), demo("honest").tarball());
}

#[test]
fn raw_tarballs_are_served_with_their_own_integrity_also_for_new_versions() {
    let host = PackageHost::start();
    let bytes = tarball(&[TarEntry::symbolic_link("package/link", "../../outside")]);
    for name in ["demo", "demo"].map(str::to_owned) {
        let (version, bytes) = ("1.0.0".to_owned(), bytes.clone());
        host.misbehave(Misbehaviour::RawTarball { name, version, bytes });
    }
    let raw = described(&host);
    assert_eq!(tarball_of(&raw), bytes);
    assert!(raw["dist"]["integrity"].as_str().unwrap().starts_with("sha512-"));
}

#[test]
fn deleted_versions_missing_files_and_moved_tags_are_seen() {
    let host = PackageHost::start();
    host.publish_npm(&demo("1"));
    host.publish_npm(&NpmPackage::new("demo", "2.0.0"));
    let document = || get(&format!("{}demo", host.npm_url())).json();
    let move_tag = |tag: &str, version: &str| {
        let ((name, version), tag) = (named("demo", version), tag.to_owned());
        host.misbehave(Misbehaviour::MoveTag { name, tag, version });
    };
    move_tag("latest", "1.0.0");
    assert_eq!(document()["dist-tags"]["latest"], "1.0.0");

    let (name, version) = named("demo", "1.0.0");
    host.misbehave(Misbehaviour::MissingFile { name, version });
    let tarball = described(&host)["dist"]["tarball"].as_str().unwrap().to_owned();
    assert_eq!(get(&tarball).status, 404);

    let (name, version) = named("demo", "1.0.0");
    host.misbehave(Misbehaviour::DeleteVersion { name, version });
    assert_eq!(document()["dist-tags"]["latest"], "2.0.0");
    assert_eq!(document()["versions"].as_object().unwrap().len(), 1);
    let (name, version) = named("demo", "2.0.0");
    host.misbehave(Misbehaviour::DeleteVersion { name, version });
    assert_eq!(get(&format!("{}demo", host.npm_url())).status, 404);

    host.behave();
    assert_eq!(document()["dist-tags"]["latest"], "2.0.0");
    assert_eq!(get(&tarball).body, demo("1").tarball());
}

#[test]
#[should_panic(expected = "demo 9.9.9 is not published")]
fn misbehaviour_about_something_unpublished_fails_the_test() {
    let host = PackageHost::start();
    host.publish_npm(&demo("1"));
    let (name, version) = named("demo", "9.9.9");
    host.misbehave(Misbehaviour::LieAboutIntegrity { name, version });
}

#[test]
fn an_index_is_html_or_json_as_it_is_set_and_asked_for() {
    let host = PackageHost::start();
    host.publish_wheel(&wheel("1").requires_python(">=3.8,<4"));
    host.publish_sdist("Demo.Server", "1.0");
    let url = format!("{}demo-server/", host.pypi_url());
    let kind = || request("GET", &url, JSON_INDEX).headers["content-type"].clone();
    assert!(kind().starts_with("text/html"));
    let page = get(&url);
    assert!(page.text().contains("data-requires-python=\"&gt;=3.8,&lt;4\""), "{}", page.text());
    assert!(page.text().contains("demo_server-1.0.tar.gz"), "{}", page.text());
    assert_eq!(get(&page.first_link().0).body, wheel("1").requires_python(">=3.8,<4").archive());

    host.set_index_format(IndexFormat::Negotiated);
    assert_eq!(kind(), "application/vnd.pypi.simple.v1+json");
    assert!(get(&url).headers["content-type"].starts_with("text/html"));
    host.misbehave(Misbehaviour::HtmlIndexOnly);
    assert!(kind().starts_with("text/html"));
    host.misbehave(Misbehaviour::JsonIndexOnly);
    let page = get(&url).json();
    let file = &page["files"][0];
    assert_eq!(file["filename"], "demo_server-1.0-py3-none-any.whl");
    assert_eq!(file["requires-python"], ">=3.8,<4");
    assert_eq!(file["upload-time"], "2025-01-01T00:00:00.000Z");
    assert_eq!(file["core-metadata"], false);
    assert_eq!(page["versions"], json!(["1.0"]));
}

#[test]
fn metadata_of_a_wheel_are_read_by_range_or_beside_it() {
    let host = PackageHost::start();
    host.publish_wheel(&wheel("1").requires_dist("other>=1"));
    let url = format!("{}Demo_Server/", host.pypi_url());
    let (file, _) = get(&url).first_link();
    let bytes = wheel("1").requires_dist("other>=1").archive();

    let head = request("HEAD", &file, "");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.headers["accept-ranges"], "bytes");
    assert_eq!(head.headers["content-length"], bytes.len().to_string());
    let part = |range: &str| request("GET", &file, &format!("Range: bytes={range}\r\n"));
    assert_eq!((part("2-5").status, part("2-5").body), (206, bytes[2..=5].to_vec()));
    assert_eq!(part("2-5").headers["content-range"], format!("bytes 2-5/{}", bytes.len()));
    assert_eq!(part("-10").body, bytes[bytes.len() - 10..]);
    assert_eq!(part("10-").body, bytes[10..]);
    assert_eq!(part("999999-").status, 416);
    assert_eq!(part("1-2,4-5").body, bytes);

    assert_eq!(get(&format!("{file}.metadata")).status, 404);
    host.set_wheel_metadata(WheelMetadata::Separate);
    assert!(get(&url).text().contains("data-core-metadata=\"sha256="));
    assert!(get(&format!("{file}.metadata")).text().contains("Requires-Dist: other>=1\n"));
}

#[test]
fn wheels_are_replaced_missing_deleted_and_lied_about() {
    let host = PackageHost::start();
    host.publish_wheel(&wheel("honest"));
    let url = format!("{}demo-server/", host.pypi_url());
    let link = || get(&url).first_link();
    let (file, honest) = link();

    host.misbehave(Misbehaviour::ReplaceWheelKeepMetadata { with: wheel("evil") });
    assert_eq!((link().1, get(&file).body), (honest.clone(), wheel("evil").archive()));
    host.misbehave(Misbehaviour::ReplaceWheel { with: wheel("evil") });
    let evil = link().1;
    assert_ne!(evil, honest);
    let (file_name, bytes) = (wheel("").file_name(), b"raw".to_vec());
    host.misbehave(Misbehaviour::RawWheel { file_name, bytes });
    assert_ne!(link().1, evil);
    assert_eq!(get(&file).body, b"raw");

    host.behave();
    let (name, version) = named("demo_server", "1.0");
    host.misbehave(Misbehaviour::LieAboutWheelHash { name, version });
    assert_ne!(link().1, honest);
    let (name, version) = named("demo-server", "1.0");
    host.misbehave(Misbehaviour::MissingWheel { name, version });
    assert_eq!((get(&url).status, get(&file).status), (200, 404));
    let (name, version) = named("Demo.Server", "1.0");
    host.misbehave(Misbehaviour::DeleteRelease { name, version });
    assert_eq!((get(&url).status, get(&file).status), (404, 404));
    host.behave();
    assert_eq!(get(&file).body, wheel("honest").archive());
}

#[test]
fn truncated_answers_announce_more_than_they_send() {
    let host = PackageHost::start();
    host.publish_npm(&demo("1"));
    host.misbehave(Misbehaviour::Truncate { path_contains: ".tgz".to_owned() });
    let url = described(&host)["dist"]["tarball"].as_str().unwrap().to_owned();
    let cut = get(&url);
    let whole = demo("1").tarball();
    assert_eq!(cut.headers["content-length"], whole.len().to_string());
    assert_eq!(cut.body, whole[..whole.len() / 2]);
}

#[test]
fn endless_answers_go_on_until_the_client_has_enough() {
    let host = PackageHost::start();
    host.publish_npm(&demo("1"));
    host.misbehave(Misbehaviour::Endless { path_contains: "demo".to_owned() });
    let stream = send("GET", &format!("{}demo", host.npm_url()), "");
    let mut bytes = Vec::new();
    stream.take(4 << 20).read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes.len(), 4 << 20);
    assert!(!String::from_utf8_lossy(&bytes[..400]).contains("Content-Length"));
}

#[test]
fn a_silent_host_reads_requests_and_stops_with_its_value() {
    let host = PackageHost::start();
    host.misbehave(Misbehaviour::Silent);
    let url = format!("{}demo", host.npm_url());
    let mut stream = send("GET", &url, "");
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert!(stream.read(&mut [0]).is_err(), "nothing comes");
    assert_eq!(host.requests(), ["/npm/demo"]);

    let begin = Instant::now();
    drop(host);
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "the connection ends");
    assert!(begin.elapsed() < Duration::from_secs(5));
    let address = url.trim_start_matches("http://").split('/').next().unwrap();
    assert!(TcpStream::connect(address).is_err(), "nothing listens");
}
