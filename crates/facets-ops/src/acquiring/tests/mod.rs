//! Bytes from honest and hostile registries, from git and from directories.

mod fake_registry;
mod git;
mod hostile;
mod real_registry;
mod registries;
mod world;
