//! What nobody can guess.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// 128 bits from the system, in hex.
pub fn unguessable() -> io::Result<String> {
    let mut bytes = [0; 16];
    // So few come whole, or not at all.
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
