//! A project for the reference CLI.

use std::path::Path;

use facets_testkit::ReferenceProgram;

/// Makes an empty project into which the reference can install, and the adapter that it needs in its home.
pub(crate) fn make_project(home: &str, project: &str) {
    let reference = ReferenceProgram::find(Path::new(home)).expect("the reference is installed");
    reference.make_project(Path::new(project));
}
