//! seccomp: no sockets, no way around the check for them.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

pub(super) fn is_supported() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail")
        .is_ok_and(|actions| actions.contains("errno"))
}

pub(super) fn restrict(close_network: bool) -> Result<(), String> {
    if !close_network {
        return Ok(());
    }
    let failed = |error: &dyn std::fmt::Display| format!("seccomp: {error}");
    let sockets = socket_filter().map_err(|error| failed(&error))?;
    apply_filter(&other_abi_filter()).map_err(|error| failed(&error))?;
    apply_filter(&sockets).map_err(|error| failed(&error))
}

/// Sockets of every family are refused; a pair that is connected to itself leads nowhere and
/// is what runtimes talk to their children with. `io_uring` would open sockets unseen.
fn socket_filter() -> Result<BpfProgram, seccompiler::Error> {
    let family_is_not = |family: i32| {
        let family = u64::from(family.unsigned_abs());
        let condition =
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)?;
        SeccompRule::new(vec![condition])
    };
    // A datagram socket of a pair can be sent or connected anywhere; a stream cannot.
    let kind_is = |kind: i32| {
        let operator = SeccompCmpOp::MaskedEq(0xf);
        let kind = u64::from(kind.unsigned_abs());
        let condition = SeccompCondition::new(1, SeccompCmpArgLen::Dword, operator, kind)?;
        SeccompRule::new(vec![condition])
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    rules.insert(libc::SYS_socket, Vec::new());
    let pairs =
        vec![family_is_not(libc::AF_UNIX)?, kind_is(libc::SOCK_DGRAM)?, kind_is(libc::SOCK_RAW)?];
    rules.insert(libc::SYS_socketpair, pairs);
    rules.insert(libc::SYS_io_uring_setup, Vec::new());
    rules.insert(libc::SYS_io_uring_enter, Vec::new());
    rules.insert(libc::SYS_io_uring_register, Vec::new());
    let errno = u32::try_from(libc::EPERM).unwrap_or(1);
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), arch()?)?;
    Ok(filter.try_into()?)
}

fn arch() -> Result<TargetArch, seccompiler::Error> {
    Ok(std::env::consts::ARCH.try_into()?)
}

/// On x86-64 the kernel may also answer to x32, whose numbers have bit 30 set and would pass
/// a filter by number. Other architectures' calls are killed by the filter above.
fn other_abi_filter() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_GREATER_OR_EQUAL: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32_BIT: u32 = 0x4000_0000;
    const KILL_PROCESS: u32 = 0x8000_0000;
    const ALLOW: u32 = 0x7fff_0000;
    let instruction = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        // The number of the call is the first word of what is filtered.
        instruction(LOAD_WORD, 0, 0, 0),
        instruction(JUMP_IF_GREATER_OR_EQUAL, 0, 1, X32_BIT),
        instruction(RETURN, 0, 0, KILL_PROCESS),
        instruction(RETURN, 0, 0, ALLOW),
    ]
}
