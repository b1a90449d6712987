//! A network of its own, with nothing in it but a way to the proxy.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{Mode, OFlags, open};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};

use super::error::ConfineError;

/// Leaves the network for an empty one, and gives back the port at which the proxy is reached
/// there.
pub(super) fn enter(proxy: &Path) -> Result<u16, ConfineError> {
    leave(CloneFlags::CLONE_NEWNET).map_err(failed("granting hosts needs a network namespace"))?;
    raise_loopback().map_err(failed("the network namespace"))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listener = listener.map_err(failed("the connection to the proxy"))?;
    let port = listener.local_addr().map_err(failed("the connection to the proxy"))?.port();
    // The socket itself, whatever its name leads to later: the server may write there.
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let proxy = open(proxy, flags, Mode::empty());
    let proxy = proxy.map_err(|error| failed("the proxy")(error.into()))?;
    // It stays in this network, and outside of the sandbox that is closed behind it.
    let forwarder = crate::stage::own_executable().and_then(|own| {
        Command::new(own)
            .arg(crate::stage::FORWARD)
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(listener)))
            .stdout(Stdio::from(proxy))
            .stderr(Stdio::null())
            .spawn()
    });
    forwarder.map(|_| port).map_err(failed("the connection to the proxy"))
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> ConfineError {
    move |source| ConfineError::Network { what, source }
}

/// Leaves a namespace of the user for one of its own. Root may just do that; others first become root
/// of nothing but themselves.
pub(super) fn leave(kind: CloneFlags) -> io::Result<()> {
    if unshare(kind).is_ok() {
        return Ok(());
    }
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    unshare(CloneFlags::CLONE_NEWUSER | kind)?;
    let (user, group) = (user.as_raw(), group.as_raw());
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// A new network has a loopback device that is down.
fn raise_loopback() -> std::io::Result<()> {
    // Without a protocol it is about routes and devices.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    send(&socket, &set_up_message(), SendFlags::empty())?;
    let mut answer = [0; 1024];
    let (count, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    // An acknowledgement is an error whose number is zero, behind a header of 16 bytes.
    let code = answer[..count].get(16..20).and_then(|bytes| bytes.try_into().ok());
    match code.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(code) => Err(std::io::Error::from_raw_os_error(-code)),
        None => Err(std::io::ErrorKind::InvalidData.into()),
    }
}

/// `RTM_NEWLINK` for the first device: its flag "up" is to be set.
fn set_up_message() -> Vec<u8> {
    const LENGTH: u32 = 32;
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 5;
    const UP: u32 = 1;
    let mut message = Vec::new();
    message.extend(LENGTH.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    // Family, padding and type: any.
    message.extend(0_u32.to_ne_bytes());
    message.extend(1_i32.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message
}
