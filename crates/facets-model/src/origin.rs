//! What a person asked for: where a server comes from, as written in a manifest, on a command
//! line, or in the file of a client.

mod address;
mod command;
mod package;
mod source_mode;

use std::fmt;

pub use address::{AddressOrigin, HeaderSource};
pub use command::CommandOrigin;
pub use package::{PackageOrigin, PackageTreeUse, RuntimeChoice, UnknownRuntime};
pub use source_mode::{ArtifactSource, SourceModeOrigin};

/// Where a server comes from. What exactly that is, is its pin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A command line that is started.
    Command(CommandOrigin),
    /// An address that is called.
    Address(AddressOrigin),
    /// An artifact that facet verifies, and starts with a runtime of its own.
    SourceMode(SourceModeOrigin),
    /// A package of npm or PyPI, which facet fetches with everything that it depends on.
    Package(PackageOrigin),
}

impl Origin {
    /// The variables of the user's environment whose values it needs.
    #[must_use]
    pub fn variables(&self) -> Vec<&str> {
        match self {
            Self::Command(command) => command.variables(),
            Self::Address(address) => address.variables(),
            Self::SourceMode(artifact) => artifact.variables(),
            Self::Package(package) => package.variables(),
        }
    }

    /// Whether it runs on another machine, where nothing can be confined.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        match self {
            Self::Command(_) | Self::SourceMode(_) | Self::Package(_) => false,
            Self::Address(_) => true,
        }
    }

    /// Whether a manifest that says `declared` asks for this. A manifest names neither headers nor the
    /// variables of an artifact.
    #[must_use]
    pub fn is_declared_as(&self, declared: &Self) -> bool {
        match (self, declared) {
            (Self::Address(own), Self::Address(declared)) => own.url == declared.url,
            (Self::SourceMode(own), Self::SourceMode(declared)) => own.source == declared.source,
            (own, declared) => own == declared,
        }
    }

    /// Its members by name, as texts to compare and to show.
    #[must_use]
    pub fn members(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Command(command) => command.members(),
            Self::Address(address) => address.members(),
            Self::SourceMode(artifact) => artifact.members(),
            Self::Package(package) => package.members(),
        }
    }
}

impl fmt::Display for Origin {
    /// For people: the command line, the address, the place of the artifact, or the package.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => command.fmt(f),
            Self::Address(address) => address.fmt(f),
            Self::SourceMode(artifact) => artifact.fmt(f),
            Self::Package(package) => package.fmt(f),
        }
    }
}

impl From<CommandOrigin> for Origin {
    fn from(command: CommandOrigin) -> Self {
        Self::Command(command)
    }
}

impl From<AddressOrigin> for Origin {
    fn from(address: AddressOrigin) -> Self {
        Self::Address(address)
    }
}

impl From<SourceModeOrigin> for Origin {
    fn from(artifact: SourceModeOrigin) -> Self {
        Self::SourceMode(artifact)
    }
}

impl From<PackageOrigin> for Origin {
    fn from(package: PackageOrigin) -> Self {
        Self::Package(package)
    }
}
