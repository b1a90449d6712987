//! `facet runtime`.

use anstyle::Style;
use facets_face::{Shown, visible};
use facets_ops::runtime::{
    ListedRuntime, NewRuntime, RemovedRuntime, RuntimeInstallReport, RuntimeListReport,
    RuntimeProgram, RuntimeRemoveReport,
};
use serde_json::{Value, json};

use super::human;
use super::renderer::Renderer;

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

impl Renderer {
    pub(crate) fn runtimes(&self, report: &RuntimeListReport) -> Shown {
        let line = |runtime: &ListedRuntime| line(runtime, &report.platform);
        let human = || Shown::styled(report.runtimes.iter().map(line).collect());
        let json = || {
            let runtimes: Vec<Value> = report.runtimes.iter().map(listed_json).collect();
            json!({ "platform": report.platform, "runtimes": runtimes })
        };
        self.show(human, json)
    }

    pub(crate) fn runtimes_installed(&self, report: &RuntimeInstallReport) -> Shown {
        let human = || Shown::styled(report.runtimes.iter().map(installed).collect());
        let json = || {
            let runtimes: Vec<Value> = report.runtimes.iter().map(installed_json).collect();
            json!({ "platform": report.platform, "runtimes": runtimes })
        };
        self.show(human, json)
    }

    pub(crate) fn runtimes_removed(&self, report: &RuntimeRemoveReport) -> Shown {
        let removed = |RemovedRuntime { name, version }: &RemovedRuntime| {
            format!("removed {STRONG}{name} {version}{STRONG:#}\n")
        };
        let human = || {
            let is_silent = self.quiet || !report.removed.is_empty();
            let talk = if is_silent { "" } else { "no runtime is installed\n" };
            Shown {
                talk: talk.to_owned(),
                ..Shown::styled(report.removed.iter().map(removed).collect())
            }
        };
        let json = || {
            let one = |one: &RemovedRuntime| json!({ "name": one.name, "version": one.version });
            json!({ "removed": report.removed.iter().map(one).collect::<Vec<Value>>() })
        };
        self.show(human, json)
    }
}

fn line(runtime: &ListedRuntime, platform: &str) -> String {
    let ListedRuntime { name, version, program, path } = runtime;
    let Some(RuntimeProgram { package, package_bytes, bytes, .. }) = program else {
        return format!("{STRONG}{name} {version}{STRONG:#}  {platform}  not available\n");
    };
    let (state, size) = match path {
        Some(_) => ("installed", human::size(*bytes)),
        None => ("not installed", format!("{} to fetch", human::size(*package_bytes))),
    };
    format!(
        "{STRONG}{name} {version}{STRONG:#}  {platform}  {state}, {size}  {QUIET}{package}{QUIET:#}\n"
    )
}

fn installed(runtime: &NewRuntime) -> String {
    let NewRuntime { name, version, digest, path, was_fetched } = runtime;
    let verb = if *was_fetched { "installed" } else { "already installed:" };
    let path = visible(&path.display().to_string());
    format!("{verb} {STRONG}{name} {version}{STRONG:#}\n  {digest}\n  {QUIET}{path}{QUIET:#}\n")
}

fn listed_json(runtime: &ListedRuntime) -> Value {
    let program = runtime.program.as_ref();
    json!({
        "name": runtime.name,
        "version": runtime.version,
        "package": program.map(|program| &program.package),
        "package_bytes": program.map(|program| program.package_bytes),
        "digest": program.map(|program| program.digest.to_string()),
        "bytes": program.map(|program| program.bytes),
        "path": runtime.path.as_ref().map(|path| path.display().to_string()),
    })
}

fn installed_json(runtime: &NewRuntime) -> Value {
    json!({
        "name": runtime.name,
        "version": runtime.version,
        "digest": runtime.digest.to_string(),
        "path": runtime.path.display().to_string(),
        "fetched": runtime.was_fetched,
    })
}
