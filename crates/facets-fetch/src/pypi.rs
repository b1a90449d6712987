//! PyPI and the indexes that stand in for it, reached as pip would reach them.
//!
//! [`PipConfig`] reads which indexes are asked and how; [`project_url`] names the page of a project,
//! [`parse_simple`] reads it in either form of the simple repository API (PEP 503 and PEP 691), and
//! [`files_of`], [`union_of`] and [`choose`] find the files of one release. Nothing here opens a connection.

mod config;
mod entities;
mod html;
mod index_address;
mod index_hashes;
mod ini;
mod link;
mod names;
mod netrc;
mod page;
mod percent;
mod release;
mod settings;
mod simple;
mod simple_html;
mod simple_json;
mod version;

pub use config::PipConfig;
pub use names::{is_distribution, normalized_name, version_of_file};
pub use page::parse_simple;
pub use release::{ListedFile, union_of};
pub use simple::{SimpleFile, choose, files_of, project_url};
pub use version::same_version;

/// The header `Accept` of a request for the page of a project: JSON first, then HTML.
pub const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, \
    application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01";

/// The media type of PEP 691.
const SIMPLE_JSON: &str = "application/vnd.pypi.simple.v1+json";

/// The media type of PEP 691 for HTML; older indexes say `text/html`.
const SIMPLE_HTML: &str = "application/vnd.pypi.simple.v1+html";
