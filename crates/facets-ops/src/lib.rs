#![doc = include_str!("../README.md")]

mod verbs;

pub use verbs::{
    add, adopt, approvals, approve, build, build_check, cache, check, connect, data, diff,
    digest_archive, digest_contract, digest_file, digest_json, digest_surface, doctor, explain,
    grant, init, inspect, install, list, login, outdated, publish, remove, run, runtime, scan,
    sessions, show, unpack, upgrade, verify, verify_file, whoami, yank,
};

pub mod building;
pub mod client_files;
pub mod consent;
pub mod locate;
pub mod policy;

mod accepted_findings;
mod acquiring;
mod approval;
mod archive_file;
mod artifact_changes;
mod artifact_grants;
mod artifact_start;
mod asset_text;
mod attestation;
mod audit;
mod broken_pin;
mod built_artifact;
mod bundling;
mod cache_directory;
mod capturing;
mod checked_facet;
mod client_entries;
mod client_servers;
mod client_texts;
mod client_values;
mod confinement;
mod confusable_names;
mod content_changes;
mod contract_input;
mod credentials_file;
mod credentials_text;
mod critical_findings;
mod entry_placeholders;
mod entry_reasons;
mod entry_variables;
mod error;
mod evicted_entries;
mod facet_entries;
mod facet_history;
mod facet_removal;
mod facet_servers;
mod facet_values;
mod git;
mod grant_conflicts;
mod grant_words;
mod guarding;
mod input;
mod install_page;
mod install_report;
mod installing;
mod judgement;
mod launch_options;
mod launching;
mod manifest_check;
mod manifest_names;
mod moving;
mod observing;
mod obstacles;
mod outside_servers;
mod own_program;
mod package_commands;
mod package_lock_offer;
mod package_start;
mod package_words;
mod packages;
mod parallel;
mod pin_changes;
mod pin_proposal;
mod pinned;
mod pinned_arguments;
mod pinning;
mod policy_file;
mod profile_varies;
mod program_files;
mod publish_archive;
mod publish_look;
mod publish_page;
mod published_kind;
mod published_surface;
mod refused_variables;
mod registry_choice;
mod repinning;
mod replacing;
mod resolving;
mod restoring;
mod runtime_changes;
mod runtime_fetching;
mod secret_values;
mod session_end;
mod session_log;
mod session_record;
mod session_status;
mod source_artifact;
mod source_changes;
mod source_scan;
mod start_attempt;
mod start_obstacle;
mod start_progress;
mod stored_artifact;
mod stored_verification;
mod supervisor_failure;
mod surface_report;
mod surface_warnings;
mod unknown_server;
mod wished_name;
mod write_file;

pub use acquiring::{InstallProgress, NoInstallProgress};
pub use broken_pin::BrokenPin;
pub use error::{
    AcquireError, ArtifactError, BuildError, BundleError, InstallCheck, InstallError, NarrowedOnly,
    OpsError, PackageStartError, PublishError, RefusedPackage, SAME_WITH_YES, ServerError,
    SourceLook, StartFailure, TaskError,
};
pub use input::Input;
pub use package_commands::days_ago;
pub use package_lock_offer::LockOffer;
pub use packages::PackageShown;
pub use start_progress::{NoStartProgress, StartProgress, StartStep};
pub use surface_warnings::SurfaceWarning;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
