//! Every route: for the log, the metrics and the description of the interface.

use facets_registry::ArtifactKind;

use super::artifact_route::{ArtifactRoute, VersionPart};

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    List,
    Scope,
    Version,
    Archive,
    Contents,
    Surface,
    Contract,
    Diff,
    LatestVersion,
    Versions,
    VersionsOf,
    Publish,
    Yank,
    Unyank,
    PublishStatus,
    Me,
    Live,
    Ready,
    Health,
    HealthOfReference,
    Metrics,
    OpenApi,
    /// No route, or none that could be read.
    Unmatched,
}

impl Endpoint {
    /// How many there are.
    pub(crate) const COUNT: usize = Self::Unmatched as usize + 1;

    /// What a path below a kind is about.
    pub(crate) fn of(route: &ArtifactRoute) -> Self {
        match route {
            ArtifactRoute::Options { .. } => Self::Unmatched,
            ArtifactRoute::Scope { .. } => Self::Scope,
            ArtifactRoute::Version { part, .. } => match part {
                VersionPart::Document => Self::Version,
                VersionPart::Archive => Self::Archive,
                VersionPart::Contents => Self::Contents,
                VersionPart::Surface => Self::Surface,
                VersionPart::Contract => Self::Contract,
                VersionPart::Diff => Self::Diff,
            },
            ArtifactRoute::LatestVersion { .. } => Self::LatestVersion,
            ArtifactRoute::Versions { .. } => Self::Versions,
            ArtifactRoute::VersionsOf { .. } => Self::VersionsOf,
            ArtifactRoute::Publish { .. } => Self::Publish,
            ArtifactRoute::Yank { .. } => Self::Yank,
            ArtifactRoute::Unyank { .. } => Self::Unyank,
        }
    }
}

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteAccess {
    /// Everyone, also of a private registry.
    Open,
    /// Everyone; of a private registry, callers with a token.
    Read,
    /// Callers with any token.
    Token,
    /// Callers with a token whose scope covers the name.
    Write,
}

/// Which kinds have a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteKind {
    /// Neither: the template is the whole path.
    None,
    Facets,
    Servers,
    Both,
}

impl RouteKind {
    /// The kinds, or one without any.
    pub(crate) fn kinds(self) -> &'static [Option<ArtifactKind>] {
        match self {
            Self::None => &[None],
            Self::Facets => &[Some(ArtifactKind::Facet)],
            Self::Servers => &[Some(ArtifactKind::Server)],
            Self::Both => &[Some(ArtifactKind::Facet), Some(ArtifactKind::Server)],
        }
    }
}

/// A route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteRow {
    pub(crate) endpoint: Endpoint,
    pub(crate) kind: RouteKind,
    pub(crate) method: &'static str,
    /// The path, or what of it stands behind that of the kind.
    pub(crate) template: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) access: RouteAccess,
    /// Names of what may stand in the query.
    pub(crate) query: &'static [&'static str],
    /// What it answers beside 500.
    pub(crate) statuses: &'static [u16],
}

const LISTED: &[u16] = &[200, 304, 400, 401, 403, 412, 429, 503];
const READ: &[u16] = &[200, 304, 400, 401, 403, 404, 412, 429, 503];
const BYTES: &[u16] = &[200, 206, 302, 304, 400, 401, 403, 404, 412, 416, 429, 503];
const PUBLISHED: &[u16] = &[200, 201, 202, 400, 401, 403, 408, 409, 413, 422, 429, 503];
const CHANGED: &[u16] = &[200, 400, 401, 403, 404, 408, 413, 429, 503];
const STATUS: &[u16] = &[200, 400, 401, 403, 404, 429, 503];
const PAGE: &[&str] = &["cursor", "limit"];
const SEARCH: &[&str] = &["q", "scope", "cursor", "limit"];

/// A route of a kind.
const fn artifact(
    endpoint: Endpoint,
    template: &'static str,
    summary: &'static str,
    statuses: &'static [u16],
) -> RouteRow {
    RouteRow {
        endpoint,
        kind: RouteKind::Both,
        method: "get",
        template,
        summary,
        access: RouteAccess::Read,
        query: &[],
        statuses,
    }
}

/// A route of the process.
const fn process(
    endpoint: Endpoint,
    template: &'static str,
    summary: &'static str,
    statuses: &'static [u16],
) -> RouteRow {
    RouteRow {
        kind: RouteKind::None,
        access: RouteAccess::Open,
        ..artifact(endpoint, template, summary, statuses)
    }
}

/// All routes.
pub(crate) const ROUTES: &[RouteRow] = &[
    RouteRow { query: SEARCH, ..artifact(Endpoint::List, "", "List or search names", LISTED) },
    RouteRow {
        query: PAGE,
        ..artifact(Endpoint::Scope, "/@{scope}", "List the names of a scope", LISTED)
    },
    RouteRow {
        query: &["floor"],
        ..artifact(Endpoint::Version, "/{name}/{version}", "A version", READ)
    },
    RouteRow {
        query: &["direct"],
        ..artifact(
            Endpoint::Archive,
            "/{name}/{version}/archive",
            "The archive of a version",
            BYTES,
        )
    },
    RouteRow {
        kind: RouteKind::Facets,
        ..artifact(Endpoint::Contents, "/{name}/{version}/contents", "The texts of a version", READ)
    },
    RouteRow {
        kind: RouteKind::Servers,
        ..artifact(
            Endpoint::Surface,
            "/{name}/{version}/surface",
            "The surface file of a version",
            READ,
        )
    },
    RouteRow {
        kind: RouteKind::Servers,
        ..artifact(
            Endpoint::Contract,
            "/{name}/{version}/contract",
            "The contracts of a version",
            READ,
        )
    },
    RouteRow {
        query: &["from"],
        ..artifact(
            Endpoint::Diff,
            "/{name}/{version}/diff",
            "What differs from an earlier version",
            READ,
        )
    },
    artifact(Endpoint::LatestVersion, "/{name}/latest-version", "The latest version", READ),
    RouteRow {
        query: PAGE,
        ..artifact(Endpoint::Versions, "/{name}/versions", "All versions", READ)
    },
    artifact(Endpoint::VersionsOf, "/{name}/versions/{version}", "A version among all", READ),
    RouteRow {
        method: "post",
        access: RouteAccess::Write,
        ..artifact(Endpoint::Publish, "/{name}/versions", "Publish a version", PUBLISHED)
    },
    RouteRow {
        method: "post",
        access: RouteAccess::Write,
        ..artifact(Endpoint::Yank, "/{name}/{version}/yank", "Take a version back", CHANGED)
    },
    RouteRow {
        method: "delete",
        access: RouteAccess::Write,
        ..artifact(Endpoint::Unyank, "/{name}/{version}/yank", "Offer a version again", CHANGED)
    },
    RouteRow {
        access: RouteAccess::Token,
        ..process(Endpoint::PublishStatus, "/v0/publishes/{id}", "How far a publish is", STATUS)
    },
    RouteRow {
        access: RouteAccess::Token,
        ..process(Endpoint::Me, "/v0/auth/me", "Whose token this is", &[200, 401, 429, 503])
    },
    process(Endpoint::Live, "/health/live", "Whether the process answers", &[200]),
    process(Endpoint::Ready, "/health/ready", "Whether requests can be answered", &[200, 503]),
    process(Endpoint::Health, "/health", "The same", &[200, 503]),
    process(Endpoint::HealthOfReference, "/v0/health", "The same", &[200, 503]),
    RouteRow {
        access: RouteAccess::Read,
        ..process(Endpoint::Metrics, "/metrics", "Counters for Prometheus", &[200, 401, 403, 503])
    },
    process(Endpoint::OpenApi, "/openapi.json", "This description", &[200, 304, 412, 429]),
];

/// An endpoint of a kind, as one number below [`RouteLabel::COUNT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RouteLabel(u8);

impl RouteLabel {
    /// How many there are.
    pub(crate) const COUNT: usize = Endpoint::COUNT * 3;

    pub(crate) const UNMATCHED: Self = Self::new(Endpoint::Unmatched, None);

    pub(crate) const fn new(endpoint: Endpoint, kind: Option<ArtifactKind>) -> Self {
        let kind = match kind {
            None => 0,
            Some(ArtifactKind::Facet) => 1,
            Some(ArtifactKind::Server) => 2,
        };
        Self(endpoint as u8 * 3 + kind)
    }

    /// The label of a number.
    pub(crate) fn from_index(index: u8) -> Self {
        Self(index)
    }

    pub(crate) fn index(self) -> u8 {
        self.0
    }

    /// The path of the kind, and the template behind it; of what is no route, a word.
    pub(crate) fn template(self) -> (&'static str, &'static str) {
        let (endpoint, kind) = (self.0 / 3, self.0 % 3);
        let row = ROUTES.iter().find(|row| row.endpoint as u8 == endpoint);
        let base = match kind {
            1 => "/v0/facets",
            2 => "/v0/source-servers",
            _ => "",
        };
        (base, row.map_or("(none)", |row| row.template))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_counted_and_have_their_templates() {
        assert!(usize::from(RouteLabel::UNMATCHED.index()) < RouteLabel::COUNT);
        assert_eq!(RouteLabel::UNMATCHED.template(), ("", "(none)"));
        let archive = RouteLabel::new(Endpoint::Archive, Some(ArtifactKind::Server));
        let expected = ("/v0/source-servers", "/{name}/{version}/archive");
        assert_eq!(archive.template(), expected);
        assert_eq!(RouteLabel::from_index(archive.index()), archive);
        assert!(u8::try_from(RouteLabel::COUNT).is_ok());
    }

    #[test]
    fn every_endpoint_has_one_row() {
        for number in 0..Endpoint::Unmatched as u8 {
            let rows = ROUTES.iter().filter(|row| row.endpoint as u8 == number).count();
            assert_eq!(rows, 1, "{number}");
        }
    }

    #[test]
    fn every_write_asks_for_a_token_and_can_be_refused() {
        for row in ROUTES {
            assert_eq!(row.method != "get", row.access == RouteAccess::Write, "{row:?}");
            if row.access == RouteAccess::Write {
                assert!(row.statuses.contains(&401) && row.statuses.contains(&403), "{row:?}");
            }
        }
    }
}
