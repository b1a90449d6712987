//! A package of npm or PyPI, as it is typed.

use std::ffi::OsString;

use facets_model::{Ecosystem, Origin, PackageOrigin, PackageSpec, PackageTreeUse, RuntimeChoice};
use facets_ops::{OpsError, ServerError};

use crate::args::VariableArgument;

/// What was typed beside the name of a package.
pub(crate) struct PackageOptions {
    pub(crate) with: Vec<PackageSpec>,
    pub(crate) program: Option<String>,
    pub(crate) runtime: Option<RuntimeChoice>,
    pub(crate) files: PackageTreeUse,
    pub(crate) args: Vec<OsString>,
    pub(crate) variables: Vec<VariableArgument>,
}

/// The package that was typed, with everything beside it.
pub(crate) fn package_origin(
    package: PackageSpec,
    options: PackageOptions,
) -> Result<Origin, OpsError> {
    let PackageOptions { with, program, runtime, files, args, variables } = options;
    let args: Result<Vec<String>, _> = args.into_iter().map(OsString::into_string).collect();
    let args = args.map_err(|_| ServerError::NotText)?;
    let origin =
        PackageOrigin { with, program, runtime, files, args, ..PackageOrigin::of(package) };
    let names = variables.into_iter().map(VariableArgument::into_name).collect();
    Ok(origin.with_variables(names).into())
}

/// What does not go together, in words.
pub(crate) fn contradiction(
    package: &PackageSpec,
    with: &[PackageSpec],
    runtime: Option<RuntimeChoice>,
) -> Option<&'static str> {
    let is_python = matches!(runtime, Some(RuntimeChoice::Python { .. }));
    if with.iter().any(|other| other.ecosystem != package.ecosystem) {
        return Some("`--with` is for packages of the same ecosystem");
    }
    match (package.ecosystem, runtime) {
        (Ecosystem::Npm, Some(_)) if is_python => Some("npm packages run on bun or node"),
        (Ecosystem::Pypi, Some(_)) if !is_python => Some("PyPI packages run on python3.N"),
        _ => None,
    }
}
