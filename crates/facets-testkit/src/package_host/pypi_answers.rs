//! The index of PyPI, and its files.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::catalog::Distribution;
use super::hashes::sha256_hex;
use super::host_state::{HostState, WheelMetadata};
use super::http_answer::HttpAnswer;
use super::wheel::normalized_name;
use crate::raw_http::RawHead;

/// The answer to a path below `/pypi/`.
pub(super) fn answer_pypi(state: &HostState, base: &str, path: &str, head: &RawHead) -> HttpAnswer {
    if let Some(name) = path.strip_prefix("simple/") {
        return index(state, base, name, head);
    }
    let file_name = path.rsplit('/').next().unwrap_or_default();
    answer_file(state, file_name, head).unwrap_or_else(HttpAnswer::not_found)
}

fn answer_file(state: &HostState, name: &str, head: &RawHead) -> Option<HttpAnswer> {
    if let Some(wheel) = name.strip_suffix(".metadata") {
        let metadata = separate_metadata(state, state.served.distribution(wheel)?)?;
        return Some(HttpAnswer::new("text/plain", metadata.as_bytes()));
    }
    Some(HttpAnswer::file(&state.served.distribution(name)?.file, head))
}

/// The metadata of a wheel, if they are served beside it.
fn separate_metadata<'d>(state: &HostState, wheel: &'d Distribution) -> Option<&'d str> {
    let is_served = state.wheel_metadata == WheelMetadata::Separate;
    wheel.metadata.as_deref().filter(|_| is_served)
}

fn index(state: &HostState, base: &str, name: &str, head: &RawHead) -> HttpAnswer {
    let project = normalized_name(name.trim_end_matches('/'));
    let files: Vec<&Distribution> = state.served.distributions(&project).collect();
    if files.is_empty() {
        return HttpAnswer::not_found();
    }
    let accept = head.headers.get("accept").map_or("", String::as_str);
    if state.is_json_index(accept) {
        let page = json_page(state, base, &project, &files);
        return HttpAnswer::json("application/vnd.pypi.simple.v1+json", &page);
    }
    let page = html_page(state, base, &project, &files);
    HttpAnswer::new("text/html; charset=utf-8", page.as_bytes())
}

fn file_url(base: &str, file: &Distribution) -> String {
    format!("{base}/pypi/files/{}/{}", file.project, file.file_name)
}

fn html_page(state: &HostState, base: &str, project: &str, files: &[&Distribution]) -> String {
    let head = r#"<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.0">"#;
    let links: String = files.iter().map(|file| html_link(state, base, file)).collect();
    format!("{head}<title>{project}</title></head><body>\n{links}</body></html>\n")
}

fn html_link(state: &HostState, base: &str, file: &Distribution) -> String {
    let python = file.requires_python.as_ref().map(|versions| {
        let versions = versions.replace('<', "&lt;").replace('>', "&gt;");
        format!(r#" data-requires-python="{versions}""#)
    });
    let metadata = separate_metadata(state, file).map(|metadata| {
        format!(r#" data-core-metadata="sha256={}""#, sha256_hex(metadata.as_bytes()))
    });
    let attributes: String = python.into_iter().chain(metadata).collect();
    let (url, hash, name) = (file_url(base, file), &file.file.hash, &file.file_name);
    format!("<a href=\"{url}#sha256={hash}\"{attributes}>{name}</a><br>\n")
}

fn json_page(state: &HostState, base: &str, project: &str, files: &[&Distribution]) -> Value {
    let versions: BTreeSet<&str> = files.iter().map(|file| file.version.as_str()).collect();
    let files: Vec<Value> = files.iter().map(|file| json_file(state, base, file)).collect();
    json!({
        "meta": { "api-version": "1.1" },
        "name": project,
        "versions": versions,
        "files": files,
    })
}

fn json_file(state: &HostState, base: &str, file: &Distribution) -> Value {
    let metadata = separate_metadata(state, file);
    let mut shown = json!({
        "filename": file.file_name,
        "url": file_url(base, file),
        "hashes": { "sha256": file.file.hash },
        "size": file.file.bytes.len(),
        "upload-time": file.published,
        "yanked": false,
        "core-metadata": false,
    });
    if let Some(versions) = &file.requires_python {
        shown["requires-python"] = json!(versions);
    }
    if let Some(metadata) = metadata {
        shown["core-metadata"] = json!({ "sha256": sha256_hex(metadata.as_bytes()) });
    }
    shown
}
