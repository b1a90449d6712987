//! Randomness of the system: for ids and tokens.

use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::RegistryError;

pub(crate) fn random_bytes<const COUNT: usize>() -> Result<[u8; COUNT], RegistryError> {
    let mut bytes = [0; COUNT];
    match getrandom(&mut bytes, GetRandomFlags::empty()) {
        Ok(read) if read == COUNT => Ok(bytes),
        Ok(_) => Err(RegistryError::internal("the system gave too few random bytes")),
        Err(error) => Err(RegistryError::internal(format!("no random bytes: {error}"))),
    }
}

/// An id that no other process makes: 32 hex digits.
pub(crate) fn random_id() -> Result<String, RegistryError> {
    Ok(format!("{:032x}", u128::from_ne_bytes(random_bytes()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_32_hex_digits_and_differ() {
        let (one, other) = (random_id().unwrap(), random_id().unwrap());
        assert_ne!(one, other);
        assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
    }
}
