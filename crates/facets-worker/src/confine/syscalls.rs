//! seccomp: no sockets, no processes, no way around the check for them.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::error::ConfineError;

pub(super) fn is_supported() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail")
        .is_ok_and(|actions| actions.contains("errno"))
}

/// What to close.
#[expect(clippy::struct_excessive_bools, reason = "each is closed for itself")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    /// Every socket.
    pub(super) network: bool,
    /// Every socket but those of TCP, which lead no further than a proxy.
    pub(super) all_but_tcp: bool,
    /// Sockets of the file system, which are no files to Landlock.
    pub(super) unix: bool,
    /// Every way to make a process.
    pub(super) subprocess: bool,
}

pub(super) fn restrict(closed: Closed) -> Result<(), ConfineError> {
    let failed = |error: seccompiler::Error| ConfineError::Seccomp(error.into());
    let mut filters = Vec::new();
    let open = match closed {
        Closed { network: true, .. } => Some(Sockets::None),
        Closed { all_but_tcp: true, .. } => Some(Sockets::Tcp),
        Closed { unix: true, .. } => Some(Sockets::NotOfFiles),
        _ => None,
    };
    if let Some(open) = open {
        filters.push(socket_filter(open).map_err(failed)?);
    }
    if closed.subprocess {
        filters.push(process_filter().map_err(failed)?);
        filters.push(newer_clone_filter().map_err(failed)?);
    }
    filters.push(escape_filter().map_err(failed)?);
    apply_filter(&other_abi_filter()).map_err(failed)?;
    filters.iter().try_for_each(|filter| apply_filter(filter).map_err(failed))
}

/// Ways out that no sandbox is around: limits of other processes, which can end them; other
/// namespaces; files by a number instead of a path; programs for the kernel, and what it knows
/// of others; keys that all processes of a user share.
fn escape_filter() -> Result<BpfProgram, seccompiler::Error> {
    let other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    let mut rules = BTreeMap::from([(libc::SYS_prlimit64, vec![SeccompRule::new(vec![other])?])]);
    for call in [
        libc::SYS_setns,
        libc::SYS_open_by_handle_at,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
    ] {
        rules.insert(call, Vec::new());
    }
    filter(rules, libc::EPERM)
}

/// Threads are made like processes, and share what these do not.
fn process_filter() -> Result<BpfProgram, seccompiler::Error> {
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let no_thread =
        SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0)?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![no_thread])?]);
    // Files without a name are in no list of what can be executed.
    rules.insert(libc::SYS_execveat, Vec::new());
    rules.insert(libc::SYS_memfd_create, Vec::new());
    #[cfg(target_arch = "x86_64")]
    for call in [libc::SYS_fork, libc::SYS_vfork] {
        rules.insert(call, Vec::new());
    }
    filter(rules, libc::EPERM)
}

/// The newer way to make either hides in memory which it is. Whoever hears that it does not
/// exist takes the older one.
fn newer_clone_filter() -> Result<BpfProgram, seccompiler::Error> {
    filter(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    errno: i32,
) -> Result<BpfProgram, seccompiler::Error> {
    let errno = errno.unsigned_abs();
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), arch()?)?;
    Ok(filter.try_into()?)
}

/// The sockets that stay open.
#[derive(Clone, Copy, Debug)]
enum Sockets {
    None,
    Tcp,
    /// All but those with a name in the file system, which leads out of the sandbox.
    NotOfFiles,
}

/// Most sockets are refused; a pair that is connected to itself leads nowhere and is what
/// runtimes talk to their children with. `io_uring` would open sockets unseen.
fn socket_filter(open: Sockets) -> Result<BpfProgram, seccompiler::Error> {
    let family = |operator: SeccompCmpOp, family: i32| {
        let family = u64::from(family.unsigned_abs());
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, operator, family)
    };
    let is_not = |other: i32| family(SeccompCmpOp::Ne, other);
    // A datagram socket of a pair can be sent or connected anywhere; a stream cannot.
    let kind_is = |kind: i32| {
        let operator = SeccompCmpOp::MaskedEq(0xf);
        let kind = u64::from(kind.unsigned_abs());
        let condition = SeccompCondition::new(1, SeccompCmpArgLen::Dword, operator, kind)?;
        SeccompRule::new(vec![condition])
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    // Without a rule the call is refused whatever it asks for.
    let mut refused = Vec::new();
    match open {
        Sockets::None => {}
        Sockets::Tcp => {
            let others = vec![is_not(libc::AF_INET)?, is_not(libc::AF_INET6)?];
            refused.push(SeccompRule::new(others)?);
            for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET] {
                refused.push(kind_is(kind)?);
            }
        }
        Sockets::NotOfFiles => {
            let of_files = family(SeccompCmpOp::Eq, libc::AF_UNIX)?;
            refused.push(SeccompRule::new(vec![of_files])?);
        }
    }
    rules.insert(libc::SYS_socket, refused);
    let others = SeccompRule::new(vec![is_not(libc::AF_UNIX)?])?;
    let pairs = vec![others, kind_is(libc::SOCK_DGRAM)?, kind_is(libc::SOCK_RAW)?];
    rules.insert(libc::SYS_socketpair, pairs);
    rules.insert(libc::SYS_io_uring_setup, Vec::new());
    rules.insert(libc::SYS_io_uring_enter, Vec::new());
    rules.insert(libc::SYS_io_uring_register, Vec::new());
    filter(rules, libc::EPERM)
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
