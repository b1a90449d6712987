//! Why a plan was not made, or not carried out.

use std::path::{Path, PathBuf};

use facets_clients::assets::AssetError;
use facets_failure::{Describe, LineColumn, Note, shell_word};
use facets_plan::PlanProblem;

/// Why a plan was not made, or not carried out. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// A frozen install would have to change the lock.
    #[error("facets.lock does not match facets.json")]
    LockOutOfDate {
        /// Each difference, as a sentence.
        differences: Vec<String>,
    },
    /// What is asked for contradicts itself, or what the user has.
    #[error("{}", first(problems))]
    Plan {
        /// All of it.
        problems: Vec<PlanProblem>,
    },
    /// There is neither a manifest nor a lock, and nothing was typed.
    #[error("this directory has no facets.json")]
    NothingToInstall,
    /// The registry has both kinds under a name.
    #[error("{name} is a facet and a server")]
    KindAmbiguous {
        /// As it was typed.
        name: String,
        /// The command.
        verb: &'static str,
    },
    /// A server that a facet asks for was to be removed by itself.
    #[error("server {name} comes with facet {facet}")]
    ServerOfFacet {
        /// The server.
        name: String,
        /// The facet.
        facet: String,
        /// The name that the facet has for it.
        authored: String,
    },
    /// Another program has changed manifest or lock since.
    #[error("facets.json or facets.lock was changed meanwhile")]
    ChangedMeanwhile,
    /// Something else lies where a folder of a client should be.
    #[error("texts are not written below {}: it is {}", path.display(), folder_words(target.as_deref()))]
    Folder {
        /// Where.
        path: PathBuf,
        /// Where it leads, if it is a symbolic link.
        target: Option<PathBuf>,
    },
    /// A text cannot be written for a client.
    #[error("facet {facet} cannot be installed: {source}")]
    Asset {
        /// The facet.
        facet: String,
        /// Why.
        source: AssetError,
    },
}

impl TaskError {
    /// Every code, beside those of plans and assets.
    pub const CODES: &'static [&'static str] = &[
        "asset-folder",
        "install-ambiguous-kind",
        "install-nothing",
        "lock-out-of-date",
        "server-of-facet",
    ];

    /// Whether it is a negative verdict: what was asked for is known, and the answer is no.
    #[must_use]
    pub fn is_verdict(&self) -> bool {
        matches!(
            self,
            Self::LockOutOfDate { .. }
                | Self::Plan { .. }
                | Self::Folder { .. }
                | Self::Asset { .. }
        )
    }

    fn described(&self) -> Option<&dyn Describe> {
        match self {
            Self::Plan { problems } => problems.first().map(|problem| problem as &dyn Describe),
            Self::Asset { source, .. } => Some(source),
            _ => None,
        }
    }
}

fn folder_words(target: Option<&Path>) -> String {
    match target {
        Some(target) => format!("a symbolic link to {}", target.display()),
        None => "no directory".to_owned(),
    }
}

fn first(problems: &[PlanProblem]) -> String {
    problems.first().map(ToString::to_string).unwrap_or_default()
}

impl Describe for TaskError {
    fn code(&self) -> &'static str {
        match self {
            Self::LockOutOfDate { .. } => "lock-out-of-date",
            Self::NothingToInstall => "install-nothing",
            Self::KindAmbiguous { .. } => "install-ambiguous-kind",
            Self::ServerOfFacet { .. } => "server-of-facet",
            Self::ChangedMeanwhile => "project-changed-meanwhile",
            Self::Folder { .. } => "asset-folder",
            Self::Plan { .. } | Self::Asset { .. } => {
                self.described().map_or("internal-error", Describe::code)
            }
        }
    }

    fn expected(&self) -> Option<String> {
        match self {
            Self::LockOutOfDate { .. } => {
                Some("a lock entry for everything in facets.json".to_owned())
            }
            Self::NothingToInstall => {
                Some("a project, or the name of a facet or server".to_owned())
            }
            Self::KindAmbiguous { .. } => Some("--kind facet or --kind server".to_owned()),
            Self::ServerOfFacet { authored, .. } => Some(format!(
                "the facet itself, or in facets.json: \"materialization\": {{\"servers\": {{\"{authored}\": \
                 {{\"kind\": \"omitted\"}}}}}}, and then `facet install`"
            )),
            Self::ChangedMeanwhile => Some("the files as they were at the beginning".to_owned()),
            Self::Folder { .. } => Some(
                "a directory, or nothing: no link is followed, because it may lead anywhere"
                    .to_owned(),
            ),
            Self::Plan { .. } | Self::Asset { .. } => self.described().and_then(Describe::expected),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::LockOutOfDate { differences } => Some(differences.join("; ")),
            Self::Folder { target, .. } => Some(folder_words(target.as_deref())),
            Self::Plan { .. } | Self::Asset { .. } => self.described().and_then(Describe::actual),
            Self::NothingToInstall
            | Self::KindAmbiguous { .. }
            | Self::ServerOfFacet { .. }
            | Self::ChangedMeanwhile => None,
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Folder { path, .. } => Some(path),
            _ => None,
        }
    }

    fn place(&self) -> Option<LineColumn> {
        self.described().and_then(Describe::place)
    }

    fn next(&self) -> String {
        match self {
            Self::LockOutOfDate { .. } => "facet install".to_owned(),
            Self::NothingToInstall => "facet install NAME".to_owned(),
            Self::KindAmbiguous { name, verb } => format!("facet {verb} {name} --kind server"),
            Self::ServerOfFacet { facet, .. } => format!("facet remove {facet}"),
            Self::ChangedMeanwhile => "facet install".to_owned(),
            // What the link leads to stays as it is.
            Self::Folder { path, target: Some(_) } => {
                format!("rm {}, then the same command", shell_word(path))
            }
            Self::Folder { path, target: None } => {
                let path = shell_word(path);
                format!("mv {path} {path}.old, then the same command")
            }
            Self::Plan { .. } | Self::Asset { .. } => {
                let explain = || format!("facet explain {}", self.code());
                self.described().map_or_else(explain, Describe::next)
            }
        }
    }

    fn notes(&self) -> Vec<Note> {
        let Self::Plan { problems } = self else {
            return self.described().map(Describe::notes).unwrap_or_default();
        };
        let of_first = problems.first().map(Describe::notes).unwrap_or_default();
        let others = problems.iter().skip(1);
        let others = others.map(|problem| Note { label: "also", text: problem.to_string() });
        of_first.into_iter().chain(others).collect()
    }
}
