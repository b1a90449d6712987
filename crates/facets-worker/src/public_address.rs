//! Which addresses belong to the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use crate::route::{HERE, route_type};

/// Networks of version 4 that are not public: their first address, and how many bits of it count.
const NOT_PUBLIC: &[([u8; 4], u32)] = &[
    // This host, and whatever listens on any address of it.
    ([0, 0, 0, 0], 8),
    ([127, 0, 0, 0], 8),
    // Private, of a provider's customers, of one cable. Clouds tell secrets at 169.254.169.254.
    ([10, 0, 0, 0], 8),
    ([172, 16, 0, 0], 12),
    ([192, 168, 0, 0], 16),
    ([100, 64, 0, 0], 10),
    ([169, 254, 0, 0], 16),
    // Protocols, examples, measurements, relays.
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([198, 18, 0, 0], 15),
    ([192, 88, 99, 0], 24),
    // A cloud that tells secrets at an address of its own.
    ([168, 63, 129, 16], 32),
    // Groups, reserved, everybody here.
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// Whether an address belongs to another machine on the public internet.
pub(crate) fn is_public_elsewhere(address: IpAddr) -> bool {
    is_public(address) && !is_of_this_machine(address.to_canonical())
}

/// Whether this machine takes what is sent to an address as sent to itself, at whichever interface and by
/// whichever rule; nothing is sent. Where the kernel does not say how it would send it, it is asked in
/// another way: a machine can listen only on addresses of its own.
fn is_of_this_machine(address: IpAddr) -> bool {
    match route_type(address) {
        Some(kind) => HERE.contains(&kind),
        None => UdpSocket::bind((address, 0)).is_ok(),
    }
}

/// Whether an address is reached over the public internet, in whatever form it is written.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in = |(network, bits): &([u8; 4], u32)| {
        (u32::from(address) ^ u32::from_be_bytes(*network)).leading_zeros() >= *bits
    };
    !NOT_PUBLIC.iter().any(is_in)
}

/// Of version 6 only what was given out is public, and of that not what is for examples or protocols.
/// Addresses that carry one of version 4 are as public as that.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let v4 = |high: u16, low: u16| {
        is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
    };
    match address.segments() {
        // NAT64 and 6to4.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        [0x2002, high, low, ..] => v4(high, low),
        // Teredo and others of 2001::/23, documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_of_this_machine, is_public};

    #[test]
    fn addresses_of_this_machine_are_told_from_others() {
        assert!(is_of_this_machine("127.0.0.1".parse().unwrap()));
        for text in ["93.184.216.34", "192.0.2.1", "2606:4700::1111"] {
            assert!(!is_of_this_machine(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        let public = |text: &str| is_public(text.parse().unwrap());
        for text in [
            "1.1.1.1",
            "100.63.255.255",
            "172.32.0.1",
            "2606:4700::1111",
            "2002:101:101::1",
            "64:ff9b::101:101",
            "::ffff:8.8.8.8",
        ] {
            assert!(public(text), "{text}");
        }
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.0.1",
            "168.63.129.16",
            "169.254.169.254",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.168.0.1",
            "198.19.0.1",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:10.0.0.1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a9fe:a9fe::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!public(text), "{text}");
        }
    }
}
