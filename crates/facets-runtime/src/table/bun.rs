//! Bun, from its makers' packages of npm.

use facets_model::RuntimeName;

use crate::managed_runtime::{ManagedRuntime, RuntimeBinary};

pub(super) const BUN_1_4_4: ManagedRuntime = ManagedRuntime {
    name: RuntimeName::Bun,
    version: "1.4.4",
    binaries: &[
        RuntimeBinary {
            platform: "darwin-arm64",
            package: "@oven/bun-darwin-aarch64",
            wheel: None,
            package_size: 41_545_333,
            package_sha256: "be5f17d636d699b2eaa2c1a8ac802c87f0815ccb5fe26cbe63d2395354ae5d0d",
            path: "bin/bun",
            size: 88_660_864,
            sha256: "0a2237cdcfa0d16ef501d9acca9f0026309ef348bea7393a64e8d1e3609565cc",
            tree: None,
        },
        RuntimeBinary {
            platform: "darwin-x64",
            package: "@oven/bun-darwin-x64",
            wheel: None,
            package_size: 43_895_051,
            package_sha256: "b26de5639edc6f7fbe99c6dcf8016eaa75c5b86cccfe83db30aa04bbeade8f7e",
            path: "bin/bun",
            size: 98_168_288,
            sha256: "c35307c7d45d65c5a385a58c4a6cb0bb9499e4e626abdee207c177a77ba666ab",
            tree: None,
        },
        RuntimeBinary {
            platform: "linux-arm64-gnu",
            package: "@oven/bun-linux-aarch64",
            wheel: None,
            package_size: 53_132_992,
            package_sha256: "ab95e7e692a53d25a1baa98ee395a17f5f264aedfb3cb15811432d54142f70eb",
            path: "bin/bun",
            size: 107_339_768,
            sha256: "354c2b049c716aca07b2e5cddb887928ac58950675d1258bb6312083917793b6",
            tree: None,
        },
        RuntimeBinary {
            platform: "linux-x64-gnu",
            package: "@oven/bun-linux-x64",
            wheel: None,
            package_size: 52_418_437,
            package_sha256: "93ca5a2abe45f3bcac6dd55baff8bb06c4ac824b70f89650b54e5c8b80dbef18",
            path: "bin/bun",
            size: 107_308_936,
            sha256: "10702245766b225e70bbf6235fd6b47214fd94b4760d00ffaed8ab0df57ac235",
            tree: None,
        },
        RuntimeBinary {
            platform: "linux-x64-musl",
            package: "@oven/bun-linux-x64-musl",
            wheel: None,
            package_size: 48_809_178,
            package_sha256: "284a0bfe9bd624d54c0f20e31521b26deb5c04a2c927dc2804fecd49339a948a",
            path: "bin/bun",
            size: 100_902_216,
            sha256: "29a31375a72f97c7e3fc25dd57d7dde88da5907aa8970808f57f91e0711bdad2",
            tree: None,
        },
    ],
};
