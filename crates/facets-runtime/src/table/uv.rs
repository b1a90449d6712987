//! uv, from its makers' wheels of PyPI.

use facets_model::RuntimeName;

use crate::managed_runtime::{ManagedRuntime, RuntimeBinary};

pub(super) const UV_0_13_7: ManagedRuntime = ManagedRuntime {
    name: RuntimeName::Uv,
    version: "0.13.7",
    binaries: &[
        RuntimeBinary {
            platform: "darwin-arm64",
            package: "uv",
            wheel: Some("uv-0.13.7-py3-none-macosx_11_0_arm64.whl"),
            package_size: 14_454_941,
            package_sha256: "f91a229093163eefca89ea1b220a221d64c3beade05d03519a6584d1797a5a5f",
            path: "uv-0.13.7.data/scripts/uv",
            size: 27_864_912,
            sha256: "0f333833a6d011710d3edc0e45b55d3d934aef15bb83a25b29848c241ac513b4",
            tree: None,
        },
        RuntimeBinary {
            platform: "darwin-x64",
            package: "uv",
            wheel: Some("uv-0.13.7-py3-none-macosx_10_12_x86_64.whl"),
            package_size: 17_194_673,
            package_sha256: "fd04bf01ba5f2829f4f94ca8f0c24a743f21e73d75045613ed6fc2fd66fc7bda",
            path: "uv-0.13.7.data/scripts/uv",
            size: 38_143_840,
            sha256: "b345904c70c5bb715cda5a58cb74b6c53158346e806258e270a774fdaa3d7739",
            tree: None,
        },
        RuntimeBinary {
            platform: "linux-arm64-gnu",
            package: "uv",
            wheel: Some("uv-0.13.7-py3-none-manylinux_2_28_aarch64.whl"),
            package_size: 16_636_343,
            package_sha256: "08f16fd463926786b702b497473511deae4b3e17a2fa6d22180950d6059a120d",
            path: "uv-0.13.7.data/scripts/uv",
            size: 31_924_696,
            sha256: "553b3a3a31484ef9e4f220085ca672cc71c851f92a92d984646a9d1c814b02c3",
            tree: None,
        },
        RuntimeBinary {
            platform: "linux-x64-gnu",
            package: "uv",
            wheel: Some("uv-0.13.7-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"),
            package_size: 17_202_345,
            package_sha256: "2c9bdc4a872b60a93c5f26c0791089ea11585a4f9d3b3c017d78eb8487505e25",
            path: "uv-0.13.7.data/scripts/uv",
            size: 37_512_936,
            sha256: "4b5e59bc557ff2cd70934beb59d0eaa92820702853d49f0066b50aa11a8f0c52",
            tree: None,
        },
        RuntimeBinary {
            platform: "linux-x64-musl",
            package: "uv",
            wheel: Some("uv-0.13.7-py3-none-musllinux_1_1_x86_64.whl"),
            package_size: 18_949_870,
            package_sha256: "8b8ac028ae4ebb2a3f9d04907c61794f2cf8d7a7002bfbb4019a3dee28351fb2",
            path: "uv-0.13.7.data/scripts/uv",
            size: 43_358_608,
            sha256: "500c0ec54518b2a53380783586b75a79907d937d741ebb04236d90a50ed5ab26",
            tree: None,
        },
    ],
};
