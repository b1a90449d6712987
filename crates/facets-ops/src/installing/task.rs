//! What is to be installed or upgraded.

use std::collections::{BTreeMap, BTreeSet};

use facets_model::Version;
use facets_plan::{Move, Wanted};
use facets_project::{Project, State};
use facets_registry_client::PublishedKind;

use super::options::InstallOptions;
use crate::client_files::Client;
use crate::install_report::YankedVersion;
use crate::wished_name::WishedName;

/// What is to be installed or upgraded.
pub(crate) struct InstallTask {
    pub(super) project: Project,
    pub(super) before: State,
    /// What the manifest asks for, and what was typed as far as it is known.
    pub(super) wanted: Wanted,
    /// The manifest as it will be; none if it stays.
    pub(super) manifest: Option<String>,
    pub(super) typed: Vec<TypedWish>,
    /// Versions of servers that were typed or just found, by the name in this project.
    pub(super) exact: BTreeMap<String, Version>,
    pub(super) moves: Move,
    /// The clients that were typed.
    pub(super) clients: Vec<Client>,
    pub(super) options: InstallOptions,
    /// Versions that were typed and were taken back.
    pub(super) yanked: BTreeSet<YankedVersion>,
}

/// Something that was typed.
#[derive(Clone, Debug)]
pub(super) struct TypedWish {
    pub(super) name: WishedName,
    pub(super) kind: Option<PublishedKind>,
    /// The name that a server gets in this project.
    pub(super) own_name: Option<String>,
}
