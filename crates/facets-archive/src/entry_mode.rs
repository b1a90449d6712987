//! All that an archive knows of permissions.

/// Whether a file may be executed: all that an archive knows of permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryMode {
    /// Data.
    Plain,
    /// A program.
    Executable,
}

impl EntryMode {
    /// By the bit of the owner.
    pub(crate) fn of_bits(bits: u64) -> Self {
        if bits & 0o100 == 0 { Self::Plain } else { Self::Executable }
    }

    /// Permission bits of a file that is unpacked: nothing may write to it.
    #[must_use]
    pub fn read_only_bits(self) -> u32 {
        match self {
            Self::Plain => 0o444,
            Self::Executable => 0o555,
        }
    }
}
