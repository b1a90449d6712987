//! Where a server comes from, for people and as JSON.

use std::fmt::Write as _;

use anstyle::Style;
use facets_face::visible;
use facets_model::{AddressOrigin, CommandOrigin, HeaderSource, Origin};
use facets_ops::consent::{Filesystem, LaunchShown, Network};
use serde_json::{Value, json};

const STRONG: Style = Style::new().bold();

/// What would be started, in full.
pub(crate) fn launch(launch: &LaunchShown<'_>) -> String {
    match launch.origin {
        Origin::Command(command) => command_launch(command, launch),
        Origin::Address(address) => address_launch(address),
    }
}

fn address_launch(address: &AddressOrigin) -> String {
    let url = visible(address.url.as_str());
    let mut out = format!("This would connect to\n  {STRONG}{url}{STRONG:#}\n");
    for (name, written) in &address.headers {
        let HeaderSource { variable, is_bearer } = HeaderSource::parse(written);
        let word = if is_bearer { "`Bearer` and " } else { "" };
        let (name, variable) = (visible(name), visible(variable));
        let _ = writeln!(out, "with the header {name}, whose value is {word}that of ${variable}");
    }
    out
}

fn command_launch(command: &CommandOrigin, launch: &LaunchShown<'_>) -> String {
    let words: Vec<String> = command.words().map(|word| visible(&format!("{word:?}"))).collect();
    let mut out = format!("This would start\n  {STRONG}{}{STRONG:#}\n", words.join(" "));
    if let Some(program) = &launch.program {
        let _ = writeln!(out, "program: {}", visible(&program.display().to_string()));
    }
    let _ = writeln!(out, "directory: {}", visible(&launch.directory.display().to_string()));
    if !command.env.is_empty() {
        let _ = writeln!(out, "variables: {}", visible(&command.env.join(", ")));
    }
    let closed = launch.sandbox.network == Network::Closed;
    let network = if closed { "none" } else { "not restricted" };
    let files = match &launch.sandbox.filesystem {
        Filesystem::Open => "not restricted".to_owned(),
        Filesystem::Listed { read, .. } => {
            let read: Vec<String> = read.iter().map(|path| path.display().to_string()).collect();
            format!("read only, the system's files and {}", visible(&read.join(", ")))
        }
    };
    let _ = writeln!(out, "network: {network}\nfiles: {files}");
    out
}

/// What a lock entry would start, as JSON.
pub(super) fn json(origin: &Origin) -> Value {
    match origin {
        Origin::Command(CommandOrigin { command, args, env }) => {
            json!({ "command": command, "args": args, "env": env })
        }
        Origin::Address(AddressOrigin { url, headers }) => {
            json!({ "url": url.as_str(), "headers": headers })
        }
    }
}
