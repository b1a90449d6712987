//! A package as a person types it.

use facets_model::{PackageOrigin, PackageTreeUse};

/// A package as it is typed: with its options, and its arguments behind `--`.
pub(crate) fn package_words(package: &PackageOrigin) -> impl Iterator<Item = String> {
    let with = package.with.iter().flat_map(|one| ["--with".to_owned(), one.to_string()]);
    let program = package.program.iter().flat_map(|one| ["--bin".to_owned(), one.clone()]);
    let runtime = package.runtime.iter().flat_map(|one| ["--runtime".to_owned(), one.to_string()]);
    let copy = (package.files == PackageTreeUse::Copied).then(|| "--copy".to_owned());
    let mark = (!package.args.is_empty()).then(|| "--".to_owned());
    let words = with.chain(program).chain(runtime).chain(copy).chain([package.package.to_string()]);
    words.chain(mark).chain(package.args.iter().cloned()).collect::<Vec<_>>().into_iter()
}
