//! Which wheel an interpreter takes (PEP 425, 600 and 656), as pip and uv choose it.

use super::target::PythonTarget;
use super::wheel_name::WheelName;

/// How good a wheel is; the lowest is the best.
type Rank = (u32, u32, u32);

/// The best of these wheels for an interpreter; none if it can use none of them.
#[must_use]
pub fn choose_wheel<'w, T>(
    target: &PythonTarget,
    wheels: impl IntoIterator<Item = (&'w WheelName, T)>,
) -> Option<T> {
    let ranked =
        wheels.into_iter().filter_map(|(name, wheel)| Some((rank(target, name)?, name, wheel)));
    let best = ranked.min_by(|(rank, name, _), (other_rank, other, _)| {
        rank.cmp(other_rank).then_with(|| other.build.cmp(&name.build))
    });
    best.map(|(_, _, wheel)| wheel)
}

fn rank(target: &PythonTarget, wheel: &WheelName) -> Option<Rank> {
    let platforms: Vec<u32> =
        wheel.platforms.iter().filter_map(|platform| platform_rank(target, platform)).collect();
    let is_any = wheel.platforms.iter().any(|platform| platform == "any");
    let mut best = None;
    for (python, abi) in wheel.pythons.iter().flat_map(|p| wheel.abis.iter().map(move |a| (p, a))) {
        let here = platforms.iter().filter_map(|platform| {
            let (group, version) = native_rank(target, python, abi)?;
            Some((group, version, *platform))
        });
        let anywhere = is_any.then(|| any_rank(target, python, abi)).flatten();
        best = best.into_iter().chain(here).chain(anywhere).min();
    }
    best
}

/// Wheels that were made for one kind of machine.
fn native_rank(target: &PythonTarget, python: &str, abi: &str) -> Option<(u32, u32)> {
    let own = target.python.minor;
    match (version_of(python, "cp3"), abi) {
        (Some(minor), _) if minor == own && abi == format!("cp3{own}") => Some((0, 0)),
        (Some(minor), "abi3") if minor == own => Some((1, 0)),
        (Some(minor), "none") if minor == own => Some((2, 0)),
        // The stable interface began with 3.2.
        (Some(minor), "abi3") if (2..own).contains(&minor) => Some((3, own - minor)),
        (_, "none") => generic_rank(target, python).map(|version| (4, version)),
        _ => None,
    }
}

/// Wheels that every machine can use.
fn any_rank(target: &PythonTarget, python: &str, abi: &str) -> Option<Rank> {
    if abi != "none" {
        return None;
    }
    if version_of(python, "cp3") == Some(target.python.minor) {
        return Some((5, 0, 0));
    }
    generic_rank(target, python).map(|version| (6, version, 0))
}

/// `py311`, `py3`, then `py310` and older.
fn generic_rank(target: &PythonTarget, python: &str) -> Option<u32> {
    let own = target.python.minor;
    match python {
        "py3" => Some(1),
        _ => match version_of(python, "py3")? {
            minor if minor == own => Some(0),
            minor if minor < own => Some(1 + own - minor),
            _ => None,
        },
    }
}

fn version_of(python: &str, prefix: &str) -> Option<u32> {
    let digits = python.strip_prefix(prefix)?;
    (digits.len() <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

/// How near a platform is to this machine: the newest system that it still can run on is the nearest.
fn platform_rank(target: &PythonTarget, platform: &str) -> Option<u32> {
    let mut parts = target.platform.as_str().split('-');
    let (os, cpu, libc) = (parts.next()?, parts.next()?, parts.next());
    let machine = match (os, cpu) {
        (_, "x64") => "x86_64",
        ("linux", "arm64") => "aarch64",
        (_, other) => other,
    };
    match (os, libc) {
        ("linux", Some("gnu")) => linux_rank(platform, machine, "manylinux", target.system),
        ("linux", Some("musl")) => linux_rank(platform, machine, "musllinux", target.system),
        ("darwin", _) => mac_rank(platform, machine, target.system),
        _ => None,
    }
}

fn linux_rank(platform: &str, machine: &str, kind: &str, system: (u32, u32)) -> Option<u32> {
    let before = platform.strip_suffix(machine)?.strip_suffix('_')?;
    if before == "linux" {
        // Made on a machine like this one, for nothing else.
        return Some(u32::MAX);
    }
    let (version, is_alias) = match (kind, before) {
        ("manylinux", "manylinux2014") => ((2, 17), true),
        ("manylinux", "manylinux2010") => ((2, 12), true),
        ("manylinux", "manylinux1") => ((2, 5), true),
        _ => (parse_pair(before.strip_prefix(kind)?.strip_prefix('_')?)?, false),
    };
    let is_old_enough = version.0 == system.0 && version.1 <= system.1;
    is_old_enough.then(|| (system.1 - version.1) * 2 + u32::from(is_alias))
}

fn mac_rank(platform: &str, machine: &str, system: (u32, u32)) -> Option<u32> {
    let before = |end: &str| platform.strip_prefix("macosx_")?.strip_suffix(end)?.strip_suffix('_');
    let (version, is_universal) = match (before(machine), before("universal2")) {
        (Some(version), _) => (version, false),
        (None, Some(version)) => (version, true),
        (None, None) => return None,
    };
    let version = parse_pair(version)?;
    // From 11 on only the first number counts, and 10.16 is 11.
    let is_old_enough = version <= system || version.0 < system.0;
    let distance = (system.0 - version.0.min(system.0)) * 200 + (200 - version.1.min(200));
    is_old_enough.then(|| distance * 2 + u32::from(is_universal))
}

fn parse_pair(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('_')?;
    let number = |text: &str| if text.len() <= 4 { text.parse().ok() } else { None };
    Some((number(major)?, number(minor)?))
}

#[cfg(test)]
mod tests {
    use super::super::target::PythonVersion;
    use super::*;

    fn target(platform: &str, system: (u32, u32)) -> PythonTarget {
        PythonTarget {
            python: PythonVersion { minor: 11 },
            platform: platform.parse().unwrap(),
            system,
        }
    }

    fn chosen<'n>(target: &PythonTarget, names: &[&'n str]) -> Option<&'n str> {
        let parsed: Vec<WheelName> =
            names.iter().map(|tags| format!("a-1.0-{tags}.whl").parse().unwrap()).collect();
        choose_wheel(target, parsed.iter().zip(names.iter().copied()))
    }

    /// Each list is in the order in which pip prefers the wheels.
    #[test]
    fn the_wheel_is_the_one_that_pip_takes() {
        let linux = target("linux-x64-gnu", (2, 36));
        let order = [
            "cp311-cp311-manylinux_2_34_x86_64",
            "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64",
            "cp311-cp311-manylinux1_x86_64",
            "cp311-cp311-linux_x86_64",
            "cp311-abi3-manylinux_2_28_x86_64",
            "cp311-none-manylinux_2_28_x86_64",
            "cp39-abi3-manylinux_2_34_x86_64",
            "cp37-abi3-manylinux_2_34_x86_64",
            "py311-none-manylinux_2_17_x86_64",
            "py3-none-manylinux_2_17_x86_64",
            "py310-none-manylinux_2_17_x86_64",
            "cp311-none-any",
            "py311-none-any",
            "py2.py3-none-any",
            "py38-none-any",
        ];
        for at in 0..order.len() {
            let mut rest = order[at..].to_vec();
            assert_eq!(chosen(&linux, &rest), Some(order[at]));
            rest.reverse();
            assert_eq!(chosen(&linux, &rest), Some(order[at]));
        }
        for other in [
            "cp312-cp312-manylinux_2_17_x86_64",
            "cp312-abi3-manylinux_2_17_x86_64",
            "cp311-cp311-manylinux_2_37_x86_64",
            "cp311-cp311-manylinux_2_17_aarch64",
            "cp311-cp311-musllinux_1_2_x86_64",
            "cp311-cp311-macosx_11_0_arm64",
            "cp311-cp311-win_amd64",
            "cp311-cp311d-manylinux_2_17_x86_64",
            "cp311-cp311-any",
            "pp311-pypy311_pp73-manylinux_2_17_x86_64",
            "py2-none-any",
            "py312-none-any",
            "cp31111-none-any",
        ] {
            assert_eq!(chosen(&linux, &[other]), None, "{other}");
        }
    }

    #[test]
    fn other_machines_take_their_own() {
        let musl = target("linux-arm64-musl", (1, 2));
        assert!(chosen(&musl, &["cp311-cp311-musllinux_1_1_aarch64"]).is_some());
        assert_eq!(chosen(&musl, &["cp311-cp311-manylinux_2_17_aarch64"]), None);
        let mac = target("darwin-arm64", (14, 0));
        let order = [
            "cp311-cp311-macosx_14_0_arm64",
            "cp311-cp311-macosx_11_0_arm64",
            "cp311-cp311-macosx_11_0_universal2",
            "cp311-cp311-macosx_10_9_universal2",
        ];
        for at in 0..order.len() {
            assert_eq!(chosen(&mac, &order[at..]), Some(order[at]));
        }
        assert_eq!(chosen(&mac, &["cp311-cp311-macosx_15_0_arm64"]), None);
        assert_eq!(chosen(&mac, &["cp311-cp311-macosx_11_0_x86_64"]), None);
    }

    #[test]
    fn the_highest_build_counts() {
        let linux = target("linux-x64-gnu", (2, 36));
        let names: Vec<WheelName> =
            ["a-1.0-2-py3-none-any.whl", "a-1.0-10-py3-none-any.whl", "a-1.0-py3-none-any.whl"]
                .iter()
                .map(|name| name.parse().unwrap())
                .collect();
        assert_eq!(choose_wheel(&linux, names.iter().zip(0..)), Some(1));
    }
}
