//! How the kernel would send something to an address.

use std::net::IpAddr;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};

/// The types of routes that lead to this very machine: local, broadcast and anycast.
pub(crate) const HERE: [u8; 3] = [LOCAL, 3, 4];
const LOCAL: u8 = 2;

const HEADER: usize = 16;
const NEW_ROUTE: u16 = 24;

/// The type of the route to an address; none if there is no route, or the kernel does not say.
pub(crate) fn route_type(address: IpAddr) -> Option<u8> {
    // Without a protocol it is about routes and devices.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None);
    let socket = socket.ok()?;
    send(&socket, &get_route_message(address), SendFlags::empty()).ok()?;
    let mut answer = [0; 4096];
    let (count, _) = recv(&socket, &mut answer[..], RecvFlags::empty()).ok()?;
    parse_route_type(answer.get(..count)?)
}

/// `RTM_GETROUTE` for one address.
fn get_route_message(address: IpAddr) -> Vec<u8> {
    const GET_ROUTE: u16 = 26;
    const REQUEST: u16 = 1;
    const DESTINATION: u16 = 1;
    let (family, bytes) = match address {
        IpAddr::V4(address) => (2_u8, address.octets().to_vec()),
        IpAddr::V6(address) => (10_u8, address.octets().to_vec()),
    };
    // An address has 4 or 16 bytes.
    let size = u8::try_from(bytes.len()).unwrap_or_default();
    let attribute = 4 + u16::from(size);
    let mut message = Vec::new();
    message.extend((28 + u32::from(attribute)).to_ne_bytes());
    message.extend(GET_ROUTE.to_ne_bytes());
    message.extend(REQUEST.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    // Family, bits of the destination; the rest is any.
    message.extend([family, size * 8, 0, 0, 0, 0, 0, 0]);
    message.extend(0_u32.to_ne_bytes());
    message.extend(attribute.to_ne_bytes());
    message.extend(DESTINATION.to_ne_bytes());
    message.extend(bytes);
    message
}

/// Behind the header: family, two lengths, service, table, protocol, scope, type.
fn parse_route_type(answer: &[u8]) -> Option<u8> {
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    if kind != Some(NEW_ROUTE) {
        return None;
    }
    answer.get(HEADER + 7).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_this_machine_is_local() {
        assert_eq!(route_type("127.0.0.1".parse().unwrap()), Some(LOCAL));
        assert_ne!(route_type("192.0.2.1".parse().unwrap()), Some(LOCAL));
        assert_ne!(route_type("2001:db8::1".parse().unwrap()), Some(LOCAL));
    }

    #[test]
    fn an_error_is_no_route() {
        assert_eq!(parse_route_type(&[0; 20]), None);
        assert_eq!(parse_route_type(&[]), None);
    }
}
