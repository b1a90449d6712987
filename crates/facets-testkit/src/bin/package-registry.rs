//! A registry of npm on this machine that has one version of one package:
//! `package-registry NAME VERSION TARBALL`.
//!
//! The first line that it prints is its address. TARBALL is read for every request. It ends when its
//! standard input does.

#![allow(clippy::print_stdout, reason = "a test program")]

use std::path::Path;

use facets_testkit::PackageRegistry;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut registry = PackageRegistry::bind();
    registry.add_npm_file(&arguments[0], &arguments[1], Path::new(&arguments[2]));
    let registry = registry.start();
    println!("{}", registry.base);
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}
