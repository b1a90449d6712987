//! seccomp: one program that refuses what no other wall sees.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::error::ConfineError;
use table::{Compare, NEWEST_CALL, NOT_PERMITTED, NOT_SUPPORTED, NOT_THERE, When};

mod table;

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
    /// Files, and so sockets of the file system, which are no files to Landlock.
    pub(super) files: bool,
    /// Mode, owner, times and attributes of files, because nothing else protects them.
    pub(super) attributes: bool,
    /// Every way to make a process.
    pub(super) subprocess: bool,
}

impl Closed {
    fn holds(self, when: When) -> bool {
        match when {
            When::Always => true,
            When::FilesClosed => self.files,
            When::AttributesOpen => self.attributes,
            When::ProgramsClosed => self.subprocess,
        }
    }

    fn open_sockets(self) -> Option<Sockets> {
        match self {
            Self { network: true, .. } => Some(Sockets::None),
            Self { all_but_tcp: true, .. } => Some(Sockets::Tcp),
            Self { files: true, .. } => Some(Sockets::NotOfFiles),
            _ => None,
        }
    }
}

pub(super) fn restrict(closed: Closed) -> Result<(), ConfineError> {
    let failed = |error: seccompiler::Error| ConfineError::Seccomp(error.into());
    let program = program(closed).map_err(failed)?;
    apply_filter(&program).map_err(failed)
}

/// One program for all of it: every call of the server passes every program.
fn program(closed: Closed) -> Result<BpfProgram, seccompiler::Error> {
    let mut refused = RefusedCalls::default();
    for row in NOT_PERMITTED.iter().filter(|row| closed.holds(row.when)) {
        let ways = row.ways.iter().map(|way| rule(way)).collect::<Result<Vec<_>, _>>()?;
        row.calls.iter().for_each(|call| refused.add(*call, ways.clone()));
    }
    if let Some(open) = closed.open_sockets() {
        refuse_sockets(open, &mut refused)?;
    }
    let not_permitted = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch: TargetArch = std::env::consts::ARCH.try_into()?;
    let filter = SeccompFilter::new(refused.0, SeccompAction::Allow, not_permitted, arch)?;
    let rest: BpfProgram = filter.try_into()?;
    let mut program = calls_that_do_not_exist();
    for (rows, code) in [(NOT_THERE, libc::ENOSYS), (NOT_SUPPORTED, libc::EOPNOTSUPP)] {
        let calls = rows.iter().filter(|row| closed.holds(row.when)).flat_map(|row| row.calls);
        program.extend(calls.flat_map(|call| answer(*call, code)));
    }
    program.extend(rest);
    Ok(program)
}

/// Per call, the ways in which it is refused; none for all of them.
#[derive(Default)]
struct RefusedCalls(BTreeMap<i64, Vec<SeccompRule>>);

impl RefusedCalls {
    fn add(&mut self, call: i64, ways: Vec<SeccompRule>) {
        let is_wholly = |ways: &Vec<SeccompRule>| ways.is_empty();
        match self.0.get_mut(&call) {
            Some(known) if is_wholly(known) => {}
            Some(known) if !is_wholly(&ways) => known.extend(ways),
            _ => drop(self.0.insert(call, ways)),
        }
    }
}

fn rule(way: &[Compare]) -> Result<SeccompRule, seccompiler::Error> {
    let conditions = way.iter().map(|compare| {
        let (argument, operator, value) = match *compare {
            Compare::Is(argument, value) => (argument, SeccompCmpOp::Eq, value),
            Compare::IsNot(argument, value) => (argument, SeccompCmpOp::Ne, value),
            Compare::Has(argument, bit) => (argument, SeccompCmpOp::MaskedEq(bit), bit),
            Compare::Lacks(argument, bit) => (argument, SeccompCmpOp::MaskedEq(bit), 0),
        };
        // The kernel takes these as numbers of 32 bits, whatever stands above.
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
    });
    Ok(SeccompRule::new(conditions.collect::<Result<Vec<_>, _>>()?)?)
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
/// runtimes talk to their children with.
fn refuse_sockets(open: Sockets, refused: &mut RefusedCalls) -> Result<(), seccompiler::Error> {
    let number = |constant: i32| u64::from(constant.unsigned_abs());
    let is_not = |family: i32| Compare::IsNot(0, number(family));
    // A datagram socket of a pair can be sent or connected anywhere; a stream cannot. Beside the kind
    // stand flags.
    let kind_is = |kind: i32| {
        let operator = SeccompCmpOp::MaskedEq(0xf);
        let condition = SeccompCondition::new(1, SeccompCmpArgLen::Dword, operator, number(kind))?;
        SeccompRule::new(vec![condition])
    };
    let mut ways = Vec::new();
    match open {
        // Without a way the call is refused whatever it asks for.
        Sockets::None => {}
        Sockets::Tcp => {
            ways.push(rule(&[is_not(libc::AF_INET), is_not(libc::AF_INET6)])?);
            for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET] {
                ways.push(kind_is(kind)?);
            }
        }
        Sockets::NotOfFiles => ways.push(rule(&[Compare::Is(0, number(libc::AF_UNIX))])?),
    }
    refused.add(libc::SYS_socket, ways);
    let others = rule(&[is_not(libc::AF_UNIX)])?;
    let pairs = vec![others, kind_is(libc::SOCK_DGRAM)?, kind_is(libc::SOCK_RAW)?];
    refused.add(libc::SYS_socketpair, pairs);
    Ok(())
}

const LOAD_WORD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_GREATER: u16 = 0x25;
const JUMP_IF_GREATER_OR_EQUAL: u16 = 0x35;
const RETURN: u16 = 0x06;

fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn return_error(code: i32) -> sock_filter {
    const ERRNO: u32 = 0x0005_0000;
    instruction(RETURN, 0, 0, ERRNO | code.unsigned_abs())
}

/// The beginning of the program. On x86-64 the kernel may also answer to x32, whose numbers have bit 30
/// set and would pass a filter by number; calls of other architectures are killed by what follows.
fn calls_that_do_not_exist() -> BpfProgram {
    const X32_BIT: u32 = 0x4000_0000;
    const KILL_PROCESS: u32 = 0x8000_0000;
    vec![
        // The number of the call is the first word of what is filtered.
        instruction(LOAD_WORD, 0, 0, 0),
        instruction(JUMP_IF_GREATER_OR_EQUAL, 0, 1, X32_BIT),
        instruction(RETURN, 0, 0, KILL_PROCESS),
        instruction(JUMP_IF_GREATER, 0, 1, NEWEST_CALL),
        return_error(libc::ENOSYS),
    ]
}

/// One call, and what it always answers.
fn answer(call: i64, code: i32) -> Vec<sock_filter> {
    let call = u32::try_from(call).ok();
    let pair = |call| vec![instruction(JUMP_IF_EQUAL, 0, 1, call), return_error(code)];
    call.map(pair).unwrap_or_default()
}
