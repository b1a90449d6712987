//! npm, which runs on bun. All of its files are used, so all of them are pinned.

use facets_model::RuntimeName;

use crate::managed_runtime::{ManagedRuntime, RuntimeBinary};

pub(super) const NPM_12_2_0: ManagedRuntime = ManagedRuntime {
    name: RuntimeName::Npm,
    version: "12.2.0",
    binaries: &[RuntimeBinary {
        platform: "any",
        package: "npm",
        wheel: None,
        package_size: 3_054_025,
        package_sha256: "6666b48816b39b86c3febac7b51a4ee4de6c5ca589c382ad8004b6b113f86677",
        path: "bin/npm-cli.js",
        size: 54,
        sha256: "8e5f6f3429f8cdbe693cdc29904e9d5a7b127a494bd15c804bd54c7403bfcbe7",
        tree: Some("2be77d45ff0733e3bac08776addc0eaf65d8b780ade7106615a439f3edfcf2f5"),
    }],
};
